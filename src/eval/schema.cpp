// SPDX-License-Identifier: Apache-2.0
#include "src/eval/schema.h"

#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>

#include "src/diag/error.h"
#include "src/frontend/load/convert.h"

namespace t2n::eval {
namespace {

template <typename To, typename From>
std::vector<To> as_vector(const c10::List<From>& list) {
  return {list.begin(), list.end()};
}

ir::Attr attribute(const c10::IValue& value, const c10::Argument& argument) {
  if (value.isBool()) return value.toBool();
  if (value.isInt() && argument.real_type()->kind() == c10::TypeKind::ScalarTypeType)
    return trace::require_dtype(static_cast<at::ScalarType>(value.toInt()));
  if (value.isInt()) return ir::Dim(value.toInt());
  if (value.isDouble()) return value.toDouble();
  if (value.isString()) return value.toStringRef();
  if (value.isIntList()) return as_vector<ir::Dim>(value.toIntList());
  if (value.isDoubleList()) return as_vector<double>(value.toDoubleList());
  if (value.isBoolList()) return as_vector<bool>(value.toBoolList());
  T2N_ASSERT(value.isNone(), "default of '", argument.name(), "' is a ", value.tagKind());
  return ir::None{};
}

ir::Schema read(const c10::FunctionSchema& schema) {
  ir::Schema out{cat(schema), {}};
  for (const c10::Argument& argument : schema.arguments()) {
    ir::SchemaArgument& added =
        out.arguments.emplace_back(ir::SchemaArgument{argument.name(), argument.type()->str(), {}});
    if (argument.default_value()) added.fallback = attribute(*argument.default_value(), argument);
  }
  return out;
}

}  // namespace

std::optional<ir::Schema> find_schema(const std::string& op) {
  const std::string name = op.substr(0, op.find('.'));
  const std::string overload = name.size() < op.size() ? op.substr(name.size() + 1) : "";
  for (const auto& found : torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(name)))
    if (found->schema().overload_name() == overload) return read(found->schema());
  return {};
}

std::vector<ir::Schema> operators_without_tensors() {
  std::vector<ir::Schema> out;
  for (const auto& op : torch::jit::getAllOperators())
    if (cat(op->schema()).find("Tensor") == std::string::npos) out.push_back(read(op->schema()));
  std::sort(out.begin(), out.end(),
            [](const ir::Schema& a, const ir::Schema& b) { return a.text < b.text; });
  return out;
}

}  // namespace t2n::eval
