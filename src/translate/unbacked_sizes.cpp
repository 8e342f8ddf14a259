// SPDX-License-Identifier: Apache-2.0
#include "src/translate/unbacked_sizes.h"

#include <algorithm>

#include "src/diag/error.h"
#include "src/nnef/walk.h"
#include "src/tract_forms/uniform.h"
#include "src/translate/arith.h"
#include "src/translate/emitter_state.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

/// The unbacked sizes among the symbols in attributes, where symbols are plain names.
std::set<std::string> unbacked_in(const Emitter::State& state, const Attributes& attributes) {
  std::set<std::string> out;
  for (const Attribute& attribute : attributes)
    nnef::walk(attribute.value, [&](const nnef::Value& value) {
      if (value.kind != nnef::Kind::dimension) return;
      for (const ir::Symbol& symbol : value.dim.symbols())
        if (state.unbacked.sizes.contains(symbol.str())) out.insert(symbol.str());
    });
  return out;
}

/// A 0 that is only known at run time, once the size is.
Ref zero_after(Emitter& out, const std::string& name) {
  const Ref count = unbacked_count(out, ir::Symbol::Unbacked{name});
  return out.cast(compare(out, "lt", count, out.scalar(0, DType::i64)), DType::i64);
}

/// The same tensor, made dependent on a number that is 0.
Ref gathered_at(Emitter& out, Ref x, Ref zero) {
  return out.call("tract_core_gather", {out.unsqueeze(x, {0}), zero}, {{"axis", 0}}, out.dtype(x),
                  out.shape(x));
}

/// The same tensor, made dependent on the definitions of these sizes.
Ref dependent_on(Emitter& out, Ref x, const std::set<std::string>& names) {
  for (const std::string& name : names) x = gathered_at(out, x, zero_after(out, name));
  return x;
}

}  // namespace

void add_unbacked(const Dim& size, std::set<std::string>& out) {
  for (const ir::Symbol& symbol : size.symbols())
    if (symbol.unbacked() != nullptr) out.insert(symbol.unbacked()->name);
}

void require_at_runtime(Emitter& out, Ref fails) {
  if (out.state().is_body || !out.has(target::Feature::non_zero)) return;
  std::optional<Ref>& failed_assertions = out.state().unbacked.failed_assertions;
  failed_assertions = failed_assertions ? add(out, *failed_assertions, fails) : fails;
}

bool counts(Emitter& out, const Dim& size, Ref mask) {
  const ir::Symbol* const symbol = size.as_symbol();
  if (symbol == nullptr || symbol->unbacked() == nullptr) return false;
  const auto& unbacked_sizes = out.state().unbacked.sizes;
  const auto found = unbacked_sizes.find(symbol->unbacked()->name);
  return found != unbacked_sizes.end() && found->second.mask.id == mask.id;
}

std::vector<Ref> nonzero_indices(Emitter& out, Ref x, const Dim& count) {
  const Ref indices = nonzero(out, x, count);
  std::vector<Ref> rows;
  for (int axis = 0; axis < out.rank(x); ++axis) {
    const Ref row = out.rank(x) == 1 ? indices : out.slice(indices, 0, axis, axis + 1);
    rows.push_back(out.squeeze(row, {0}));
    out.declare_positions(rows.back());
  }
  return rows;
}

Ref nonzero(Emitter& out, Ref x, const Dim& count) {
  const ir::Symbol* const symbol = count.as_symbol();
  T2N_ASSERT(symbol != nullptr && symbol->unbacked() != nullptr, "the size ", count.str(),
             " does not depend on values");
  const std::string& name = symbol->unbacked()->name;
  const Ref indices = out.call("tract_onnx_non_zero", {out.cast(x, DType::boolean)},
                               {{"count_symbol", name}}, DType::i64, {Dim(out.rank(x)), count});
  auto& unbacked_sizes = out.state().unbacked.sizes;
  if (!unbacked_sizes.contains(name)) unbacked_sizes.emplace(name, UnbackedState::Size{indices, x});
  return indices;
}

Ref unbacked_range(Emitter& out, Ref number, const Dim& count) {
  const Ref zero = out.scalar(0, DType::i64);
  const Ref all = out.call("tract_core_range", {zero, number, out.scalar(1, DType::i64)}, {},
                           DType::i64, {count});
  // The range has an unnamed size; nonzero names it.
  const Ref indices = nonzero_indices(out, compare(out, "ge", all, zero), count)[0];
  require_at_runtime(out, out.cast(compare(out, "lt", number, zero), DType::i64));
  return indices;
}

Ref unbacked_count(Emitter& out, const ir::Symbol& symbol) {
  auto& unbacked_sizes = out.state().unbacked.sizes;
  const auto found = unbacked_sizes.find(symbol.unbacked()->name);
  if (found == unbacked_sizes.end())
    throw Error(
        "unsupported-argument",
        cat("the data-dependent size ", symbol.unbacked()->name,
            " is used where it is not defined"),
        "NNEF cannot express it in the body of a loop, or before the operation that defines it",
        "compute it outside of the loop");
  if (found->second.count) return *found->second.count;
  // No index is negative, which the engine does not know.
  Ref row = found->second.indices;
  if (out.rank(row) == 2) row = out.squeeze(out.slice(row, 0, 0, 1), {0});
  const Ref ones = out.cast(compare(out, "ge", row, out.scalar(0, DType::i64)), DType::i64);
  const Ref count = out.squeeze(reduce(out, "sum_reduce", ones, {0}), {0});
  found->second.count = count;
  return count;
}

std::vector<Ref> with_dependencies(Emitter& out, std::vector<Ref> operands,
                                   const Attributes& attributes) {
  Emitter::State& state = out.state();
  if (state.unbacked.sizes.empty() || operands.empty()) return operands;
  std::set<std::string> missing = unbacked_in(state, attributes);
  std::set<std::string> known = state.unbacked.dependent_on[operands[0].id];
  for (const Ref operand : operands)
    for (const Dim& size : out.shape(operand)) add_unbacked(size, known);
  for (const std::string& name : known) missing.erase(name);
  operands[0] = dependent_on(out, operands[0], missing);
  known.insert(missing.begin(), missing.end());
  if (!missing.empty()) state.unbacked.dependent_on[operands[0].id] = std::move(known);
  return operands;
}

std::vector<Ref> dependent_constants(Emitter& out, std::string_view op, std::vector<Ref> operands,
                                     const Shape& shape) {
  Emitter::State& state = out.state();
  if (state.unbacked.sizes.empty()) return operands;
  std::set<std::string> names;
  for (const Dim& size : shape) add_unbacked(size, names);
  if (names.empty()) return operands;
  for (const tract_forms::Barrier& each : tract_forms::unbacked_barriers(state, op, operands))
    operands[each.operand] = dependent_on(out, operands[each.operand], {*names.begin()});
  return operands;
}

void emit_runtime_assertions(Emitter& out) {
  Emitter::State& state = out.state();
  if (state.is_body || state.unbacked.sizes.empty()) return;
  const std::vector<ir::Comparison>& runtime_assertions = ir::runtime_assertions(state.graph);
  for (size_t i = 0; i < runtime_assertions.size(); ++i) {
    const ir::Comparison& each = runtime_assertions[i];
    std::set<std::string> names;
    add_unbacked(each.left, names);
    add_unbacked(each.right, names);
    const bool is_known = std::all_of(names.begin(), names.end(), [&](const std::string& name) {
      return state.unbacked.sizes.contains(name);
    });
    if (!is_known || !state.unbacked.emitted_assertions.insert(i).second) continue;
    static const std::map<ir::Relation, std::string_view> negated = {
        {ir::Relation::lt, "ge"}, {ir::Relation::le, "gt"}, {ir::Relation::gt, "le"},
        {ir::Relation::ge, "lt"}, {ir::Relation::eq, "ne"}, {ir::Relation::ne, "eq"}};
    require_at_runtime(
        out, out.cast(compare(out, negated.at(each.relation), out.size(each.left, DType::i64),
                              out.size(each.right, DType::i64)),
                      DType::i64));
  }
}

Ref under_runtime_assertions(Emitter& out, Ref x) {
  const std::optional<Ref> fails = out.state().unbacked.failed_assertions;
  if (!fails) return x;
  // A slice out of range is an error, unless the tensor is empty, so a constant is sliced and not
  // the result itself; an index out of range would abort the process.
  const Ref zeros = int_constant(out, {0}, {1}, "zero");
  const Ref end = add(out, *fails, out.scalar(1, DType::i64));
  const Ref kept =
      out.call("tract_core_dyn_slice", {zeros},
               {{"start", out.operand(*fails)}, {"end", out.operand(end)}, {"len", 1}, {"axis", 0}},
               DType::i64, {Dim(1)});
  return gathered_at(out, x, out.squeeze(kept, {0}));
}

}  // namespace t2n::ops
