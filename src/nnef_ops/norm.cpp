// SPDX-License-Identifier: Apache-2.0
// Normalisations: over axes, of a neighbourhood, and of batches.
#include <algorithm>

#include "src/nnef_ops/arith.h"
#include "src/nnef_ops/book.h"
#include "src/nnef_ops/flow_call.h"
#include "src/nnef_ops/shape_call.h"
#include "src/nnef_ops/strict_call.h"

namespace t2n::nnef_ops {
namespace {

Shapes along_axes_shape(const ShapeCall& call) {
  const Ints out = call.first_shape();
  call.axes("axes", out.size());
  return {out};
}

Shapes local_shape(const ShapeCall& call) {
  const Ints out = call.shape("input");
  call.positive("size", out.size());
  return {out};
}

Shapes batch_normalization_shape(const ShapeCall& call) {
  call.require(call.number("epsilon") >= 0, "'epsilon' is negative");
  return over_first_shape(call);
}

Flows softmax_flow(const FlowCall& call) {
  return {along_other_axes(call, call.ints("axes"), "computes a softmax")};
}

Flows norm_flow(const FlowCall& call) {
  call.refuse_length({"axis"});
  return {along_other_axes(call, {call.integer("axis")}, "normalises")};
}

/// Whether an operand other than the first streams.
bool any_other_streams(const FlowCall& call) {
  const std::vector<Flow> operands = call.operands();
  return std::any_of(operands.begin() + 1, operands.end(),
                     [](const Flow& flow) { return flow.streams(); });
}

/// Mean and variance belong to the layer, along the second axis.
Flows batch_norm_flow(const FlowCall& call) {
  const Flow out = call.flow("input");
  if (!out.streams() || out.axis == 1 || any_other_streams(call))
    blocked("has streamed statistics or parameters");
  return {out};
}

/// An operand of tract that is an attribute in the specification.
Attributes with_number(const StrictCall& call, Builder& out, const char* name, size_t operand) {
  Attributes attributes = call.attributes;
  if (operand >= call.operands.size()) return attributes;
  const auto value = out.constant_value(call.operands[operand]);
  T2N_ASSERT(value && value->elements() == 1, call.op, ": ", name, " is computed");
  attributes.emplace_back(name,
                          static_cast<double>(static_cast<float>(ir::element_f64(*value, 0))));
  return attributes;
}

/// For one number per channel; converters support the operation for images only.
Refs row_normalization(const StrictCall& call, Builder& out, const Refs& x) {
  const Ref deviation = out.elementwise("sqrt", {add(out, x[2], x[5])});
  const Ref y = add(out, mul(out, sub(out, x[0], x[1]), div(out, x[4], deviation)), x[3]);
  return {retyped(out, y, call.result().dtype)};
}

Refs lower_batch_normalization(const StrictCall& call, Builder& out) {
  constexpr size_t kEpsilon = 5;
  Refs x = numbers_of(call, out);
  if (call.result().shape.size() == 2 && x.size() > kEpsilon)
    return row_normalization(call, out, x);
  const Attributes attributes = with_number(call, out, "epsilon", kEpsilon);
  x.resize(kEpsilon);
  const TensorType& type = call.result();
  for (size_t i = 1; i < x.size(); ++i)  // parameters are tensors [1, C]
    x[i] = out.broadcast_to(x[i], {Dim(1), type.shape.at(1)});
  for (Ref& each : x) each.tensor = out.draft().identifier(each.tensor);
  return {retyped(out, emit(out, call.op, x, attributes, {DType::f32, type.shape}), type.dtype)};
}

}  // namespace

void add_norm(Book& book) {
  book.add("softmax", {along_axes_shape, unary_shape, softmax_flow});
  book.add("tract_core_softmax tract_core_log_softmax", {nullptr, unary_shape, softmax_flow});
  book.add("l1_normalization l2_normalization", {along_axes_shape, unary_shape});
  book.add(
      "local_response_normalization local_mean_normalization local_variance_normalization "
      "local_contrast_normalization",
      {local_shape, unary_shape});
  book.add("tract_core_rms_norm tract_transformers_rms_norm", {nullptr, unary_shape, norm_flow});
  book.add("tract_core_scaled_rms_norm tract_transformers_scaled_masked_softmax",
           {nullptr, unary_shape});
  book.add("batch_normalization", {batch_normalization_shape, broadcast_shape, batch_norm_flow,
                                   lower_batch_normalization});
}

}  // namespace t2n::nnef_ops
