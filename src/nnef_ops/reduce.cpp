// SPDX-License-Identifier: Apache-2.0
// Reductions, and sums from the first entry on.
#include <utility>

#include "src/nnef_ops/arith.h"
#include "src/nnef_ops/book.h"
#include "src/nnef_ops/flow_call.h"
#include "src/nnef_ops/shape_call.h"
#include "src/nnef_ops/strict_call.h"

namespace t2n::nnef_ops {
namespace {

Ints reduced_shape(const ShapeCall& call) {
  Ints out = call.shape("input");
  for (const int64_t axis : call.axes("axes", out.size())) out[axis] = 1;
  return out;
}

Shapes reduce_shape(const ShapeCall& call) { return {reduced_shape(call)}; }

Shapes moments_shape(const ShapeCall& call) {
  const Ints out = reduced_shape(call);
  return {out, out};
}

Flows reduction_flow(const FlowCall& call) {
  return {along_other_axes(call, call.ints("axes"), "reduces")};
}

Flows moments_flow(const FlowCall& call) {
  const Flow out = along_other_axes(call, call.ints("axes"), "computes mean and variance");
  return {out, out};
}

Refs lower_index_of_extremum(const StrictCall& call, Builder& out) {
  return {emit(out, call.op, numbers_of(call, out), call.attributes, call.result())};
}

/// Multiplies halves until one element remains.
Refs lower_product_reduce(const StrictCall& call, Builder& out) {
  Ref x = as_number(out, call.operands[0]);
  for (const int64_t each : call.ints("axes")) {
    const int axis = static_cast<int>(each);
    for (int64_t n = extent(out, x, axis); n > 1; n = extent(out, x, axis)) {
      const int64_t half = n / 2;
      const Ref pairs = mul(out, out.slice(x, axis, 0, half), out.slice(x, axis, half, 2 * half));
      x = n % 2 == 0 ? pairs : out.concat({pairs, out.slice(x, axis, n - 1, n)}, axis);
    }
  }
  return {wrapped(out, x, call.result().dtype)};
}

Flows cumsum_flow(const FlowCall& call) {
  const Flow flow = call.first_flow();
  if (call.integer("axis") == flow.axis && call.flag("reverse"))
    blocked("sums from the end of the stream", kNoEnd);
  return with_new_shape(flow);
}

/// Sums over windows that end at each entry: a product with a triangular matrix would turn
/// infinities into NaN.
Refs lower_cumsum(const StrictCall& call, Builder& out) {
  const TensorType& type = call.result();
  const size_t axis = call.at("axis").integer;
  const Ref x = as_number(out, call.operands[0]);
  const Ints sizes = out.sizes(x);
  const int64_t n = sizes.at(axis);
  const auto split = sizes.begin() + static_cast<std::ptrdiff_t>(axis);
  const int64_t outer = ir::element_count(Ints(sizes.begin(), split));
  const int64_t inner = ir::element_count(Ints(split + 1, sizes.end()));
  const Shape shape = {Dim(outer), Dim(1), Dim(n), Dim(inner)};
  const Ints ones(4, 1), window = {1, 1, n, 1};
  const Ref y = emit(out, "box", {out.reshape(x, shape)},
                     {{"size", window},
                      {"border", "constant"},
                      {"padding", Pairs{{0, 0}, {0, 0}, {n - 1, 0}, {0, 0}}},
                      {"stride", ones},
                      {"dilation", ones},
                      {"normalize", false}},
                     {DType::f32, shape});
  return {wrapped(out, out.reshape(y, type.shape), type.dtype)};
}

}  // namespace

void add_reduce(Book& book) {
  const Operation reduction{reduce_shape, reduce_shape, reduction_flow};
  book.add("sum_reduce max_reduce min_reduce mean_reduce", reduction);
  book.add("any_reduce all_reduce", with_strict(reduction, lower_logic));
  book.add("argmax_reduce argmin_reduce", with_strict(reduction, lower_index_of_extremum));
  book.add("tract_core_argmax_reduce_last tract_core_argmin_reduce_last",
           {nullptr, reduce_shape, reduction_flow});
  book.add("tract_core_product_reduce",
           {nullptr, reduce_shape, reduction_flow, lower_product_reduce});
  book.add("moments", {moments_shape, moments_shape, moments_flow});
  book.add("tract_core_cumsum", {nullptr, unary_shape, cumsum_flow, lower_cumsum});
}

}  // namespace t2n::nnef_ops
