// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/load/guards.h"

#include <ATen/Functions.h>
#include <ATen/core/jit_type.h>
#include <torch/csrc/jit/runtime/operator.h>
#include <torch/csrc/jit/runtime/print_handler.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "src/diag/error.h"
#include "src/frontend/load/enum_operands.h"
#include "src/frontend/load/guard_rows.h"
#include "src/frontend/load/operators.h"
#include "src/model_file/allowed.h"

namespace t2n::trace {
namespace {

using torch::jit::Operator;
using torch::jit::Stack;

/// True for operators that LibTorch's own executor inserts, which no file can contain.
bool is_for_executor(const Operator& op) {
  const std::string& name = op.schema().name();
  if (!op.hasOperation() || op.schema().is_vararg()) return true;
  return name.starts_with("prim::") && name != "prim::id" && name != "prim::TimePoint" &&
         name != "prim::AddStatValue";
}

/// Changes the operator in place, so that all references to it run the new operation.
void replace(Operator& op, torch::jit::Operation run) {
  const c10::FunctionSchema& schema = op.schema();
  if (op.isC10Op()) {
    const auto handle = c10::Dispatcher::singleton().findSchema(schema.operator_name());
    T2N_ASSERT(handle, "the operator ", schema.name(), " is not registered");
    op = Operator(*handle, std::move(run));
    return;
  }
  if (!schema.is_vararg()) {
    op = Operator(schema.name(), schema.overload_name(), schema.arguments(), schema.returns(),
                  std::move(run), schema.aliasAnalysis());
    return;
  }
  std::ostringstream text;
  text << schema;
  op = Operator(text.str(), std::move(run), schema.aliasAnalysis());
  static_cast<void>(op.schema());  // parsed now: pointers to it must stay valid
}

void guard(Operator& op, void (*check)(const Operands&)) {
  replace(op, [run = op.getOperation(), check, schema = op.schema()](Stack& stack) mutable {
    check(Operands(schema, stack));
    run(stack);
  });
}

void guard_enum_operands(Operator& op) {
  if (!op.hasOperation() || op.schema().is_vararg()) return;
  const EnumOperands operands(op.schema());
  if (!operands.any()) return;
  replace(op, [run = op.getOperation(), operands](Stack& stack) mutable {
    operands.check(stack);
    run(stack);
  });
}

void guard_all(const GuardRow& row) {
  const size_t dot = row.name.find('.');
  const std::string name(row.name.substr(0, dot));
  for (const auto& op : torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(name)))
    if (dot == std::string_view::npos || op->schema().overload_name() == row.name.substr(dot + 1))
      guard(*op, row.check);
}

/// x.to(copy=True): LibTorch reads a missing dtype and device from undefined memory. The call is a
/// plain copy.
void fix_copies(Operator& op) {
  if (!op.schema().overload_name().starts_with("prim_")) return;
  replace(op, [run = op.getOperation(), schema = op.schema()](Stack& stack) mutable {
    const Operands in(schema, stack);
    const c10::IValue* copy = in.find("copy");
    const bool is_bare = in.find("device") == nullptr && in.find("dtype") == nullptr;
    if (copy == nullptr || !copy->toBool() || !is_bare) return run(stack);
    const at::Tensor result = in.tensor("self").clone();
    torch::jit::drop(stack, schema.arguments().size());
    torch::jit::push(stack, result);
  });
}

/// Gives a sparse tensor a copy of its indices and checks that they are in range, so that later
/// writes to the program's indices do not reach them.
void check_entries(Operator& op) {
  if (!op.schema().overload_name().starts_with("indices")) return;
  replace(op, [run = op.getOperation(), schema = op.schema()](Stack& stack) mutable {
    c10::IValue& indices = torch::jit::peek(stack, 0, schema.arguments().size());
    indices = indices.toTensor().clone();
    const Operands in(schema, stack);
    const at::Tensor values = in.tensor("values");
    in.require(values.dim() > 0, "its values have no axis");
    if (in.find("size") != nullptr)
      at::_validate_sparse_coo_tensor_args(indices.toTensor(), values, in.integers("size"));
    run(stack);
  });
}

void deny(Operator& op) {
  replace(op, [name = op.schema().name()](Stack&) {
    throw Error("denied-operator", cat("the model calls ", quoted(name)),
                std::string(model_file::denial_reason(name)),
                "remove the call from the model and save it again");
  });
}

}  // namespace

void install_guards() {
  static const bool once = [] {
    std::string before;  // overloads of a name are adjacent
    bool allowed = false;
    for (const auto& op : torch::jit::getAllOperators()) {
      const std::string& name = op->schema().name();
      if (name != before) {
        allowed = model_file::is_allowed(name);
        before = name;
      }
      if (allowed)
        guard_enum_operands(*op);
      else if (!is_for_executor(*op) && !is_unknown(name))
        deny(*op);
    }
    for (const auto rows : {guards_of_values(), guards_of_tensors(), guards_of_packed()})
      for (const GuardRow& row : rows) guard_all(row);
    for (const auto& op : torch::jit::getAllOperatorsFor(c10::aten::to)) fix_copies(*op);
    for (const auto& op : torch::jit::getAllOperatorsFor(c10::aten::sparse_coo_tensor))
      check_entries(*op);
    torch::jit::setPrintHandler([](const std::string&) {});  // standard output belongs to t2nnef
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace t2n::trace
