// SPDX-License-Identifier: Apache-2.0
// Statements: calls with operands and attributes, and the alignment of operands that broadcast.
#include <algorithm>
#include <utility>

#include "ir/readable.h"
#include "src/diag/error.h"
#include "src/tract_forms/broadcast_axes.h"
#include "src/tract_forms/factors.h"
#include "src/tract_forms/layouts.h"
#include "src/tract_forms/packed.h"
#include "src/tract_forms/size_barriers.h"
#include "src/tract_forms/uniform.h"
#include "src/translate/barriers.h"
#include "src/translate/emitter.h"
#include "src/translate/emitter_body.h"
#include "src/translate/emitter_state.h"
#include "src/translate/rounded_later.h"
#include "src/translate/unbacked_sizes.h"

namespace t2n::ops {
namespace {

void add_attributes(std::vector<nnef::Argument>& arguments, const Attributes& attributes) {
  for (const Attribute& attribute : attributes)
    arguments.push_back({std::string(attribute.name), attribute.value});
}

void check_callable(const Emitter::State& state, std::string_view op,
                    const std::vector<Ref>& operands, const Attributes& attributes) {
  T2N_ASSERT(!op.starts_with("t2n_") || find_fragment(op) != nullptr, "no fragment is called '", op,
             "'");
  tract_forms::check_packed(state, op, operands, attributes);
}

/// If dtypes differ, tract silently casts one operand, or fails; `select` never casts.
constexpr std::string_view kSameDtype[] = {"add", "sub", "mul", "div", "pow", "min", "max", "lt",
                                           "gt",  "le",  "ge",  "eq",  "ne",  "and", "or"};

void check_operand_dtypes(std::string_view op, const Emitter& out,
                          const std::vector<Ref>& operands) {
  size_t first = 0;
  if (op == "select")
    first = 1;
  else if (std::find(std::begin(kSameDtype), std::end(kSameDtype), op) == std::end(kSameDtype))
    return;
  for (size_t i = first + 1; i < operands.size(); ++i)
    T2N_ASSERT(out.dtype(operands[i]) == out.dtype(operands[first]), op, ": operands of ",
               ir::dtype_name(out.dtype(operands[first])), " and ",
               ir::dtype_name(out.dtype(operands[i])));
}

Dim broadcast_dim(const Emitter::State& state, const Dim& a, const Dim& b) {
  if (a == b || b == Dim(1)) return a;
  if (a == Dim(1)) return b;
  if (!state.agrees(a, b) && (ir::is_unbacked(a) || ir::is_unbacked(b)))
    throw Error(
        "unsupported-argument",
        cat("operands of sizes ", ir::readable(a), " and ", ir::readable(b), " are broadcast"),
        "whether one of them is 1 depends on the values of a tensor",
        "expand the operand of size 1 explicitly, or give both the same size");
  T2N_ASSERT(state.agrees(a, b), "sizes ", a.str(), " and ", b.str(), " do not broadcast");
  return a.is_constant() ? a : b;
}

/// Numpy's rule: aligned at the last axis.
Shape broadcast_shape(const Emitter::State& state, const Shape& a, const Shape& b) {
  Shape out(std::max(a.size(), b.size()), Dim(1));
  for (size_t i = 0; i < out.size(); ++i) {
    const Dim from_a = i < a.size() ? a[a.size() - 1 - i] : Dim(1);
    const Dim from_b = i < b.size() ? b[b.size() - 1 - i] : Dim(1);
    out[out.size() - 1 - i] = broadcast_dim(state, from_a, from_b);
  }
  return out;
}

std::vector<Ref> with_barriers(Emitter& out, std::string_view op, std::vector<Ref> operands,
                               const Attributes& attributes) {
  const Emitter::State& state = out.state();
  operands = gathered(out, operands, tract_forms::number_barriers(state, op, operands));
  return gathered(out, operands, tract_forms::broadcast_barriers(state, op, operands, attributes));
}

}  // namespace

Shape Emitter::broadcast(const Shape& a, const Shape& b) const {
  return broadcast_shape(*state_, a, b);
}

Ref Emitter::call(std::string_view op, const std::vector<Ref>& operands,
                  const Attributes& attributes, DType dtype, const Shape& shape) {
  return calls(op, operands, attributes, {{dtype, shape}})[0];
}

std::vector<Ref> Emitter::calls(std::string_view op, const std::vector<Ref>& inputs,
                                const Attributes& attributes,
                                const std::vector<TensorType>& results) {
  check_callable(*state_, op, inputs, attributes);
  const std::vector<Ref> operands =
      with_barriers(*this, op, with_dependencies(*this, inputs, attributes), attributes);
  std::vector<nnef::Argument> arguments;
  for (const Ref ref : operands) arguments.push_back({"", state_->operand(ref)});
  add_attributes(arguments, attributes);
  const std::vector<Ref> outputs = state_->append_call(op, std::move(arguments), results);
  for (const Ref ref : outputs) tract_forms::note_call(*state_, op, operands, attributes, ref);
  if (op == "tract_core_scan") tract_forms::note_scan(*state_, attributes, outputs);
  return outputs;
}

Ref Emitter::call_list(std::string_view op, const std::vector<Ref>& inputs,
                       const Attributes& attributes, DType dtype, const Shape& shape) {
  check_callable(*state_, op, inputs, attributes);
  std::vector<Ref> list = with_barriers(*this, op, inputs, attributes);
  if (op == "concat") list = with_layout_barriers(*this, std::move(list));
  nnef::Values items;
  for (const Ref ref : list) items.push_back(state_->operand(ref));
  std::vector<nnef::Argument> arguments = {{"", nnef::array(std::move(items))}};
  add_attributes(arguments, attributes);
  const Ref output = state_->append_call(op, std::move(arguments), {{dtype, shape}})[0];
  tract_forms::note_list_call(*state_, op, list, attributes, output);
  return output;
}

namespace {

/// An operand that is scaled again, if folding the constants would change the result.
std::optional<size_t> scaled_twice(const Emitter::State& state, std::string_view op,
                                   const std::vector<Ref>& operands) {
  using tract_forms::Folding;
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const Folding folding = tract_forms::folding_of(state, op, operands, i);
    if (folding == Folding::wrong || (folding == Folding::inexact && is_rounded_later(state)))
      return i;
  }
  return {};
}

}  // namespace

Ref Emitter::elementwise(std::string_view op, const std::vector<Ref>& inputs,
                         std::optional<DType> dtype, const Attributes& attributes) {
  if (const auto index = scaled_twice(*state_, op, inputs)) {
    std::vector<Ref> negated = inputs;
    negated[*index] = elementwise("neg", {inputs[*index]});
    return elementwise("neg", {elementwise(op, negated, dtype, attributes)});
  }
  check_callable(*state_, op, inputs, attributes);
  check_operand_dtypes(op, *this, inputs);
  std::vector<Ref> operands = inputs;
  Shape shape;
  for (const Ref ref : operands) shape = broadcast_shape(*state_, shape, this->shape(ref));
  const TensorType type{dtype.value_or(this->dtype(operands.at(0))), shape};
  operands = tract_forms::with_size_barriers(*state_, op, std::move(operands), shape);
  if (state_->body.iteration)
    for (const tract_forms::Barrier& each : tract_forms::body_barriers(*state_, op, operands))
      operands[each.operand] = varying(*this, operands[each.operand]);
  operands = dependent_constants(*this, op, std::move(operands), shape);
  for (Ref& operand : operands) {
    const auto rank = static_cast<std::ptrdiff_t>(this->shape(operand).size());
    operand = with_named_sizes(*this, operand, Shape(shape.end() - rank, shape.end()));
  }
  operands = gathered(*this, operands, tract_forms::number_barriers(*state_, op, operands));
  operands = with_layout_barriers(*this, with_region_barriers(*this, op, std::move(operands)));
  std::vector<nnef::Argument> arguments = state_->aligned_operands(
      operands, shape,
      [&](const Shape& a, const Shape& b) { return broadcast_shape(*state_, a, b); },
      [&](size_t i, const Ints& axes) { return unsqueeze(operands[i], axes); });
  add_attributes(arguments, attributes);
  const Ref output = state_->append_call(op, std::move(arguments), {type})[0];
  tract_forms::note_elementwise(*state_, op, operands, output);
  return output;
}

}  // namespace t2n::ops
