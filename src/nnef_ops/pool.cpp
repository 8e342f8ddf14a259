// SPDX-License-Identifier: Apache-2.0
// Pools, and back.
#include <functional>
#include <numeric>

#include "src/nnef_ops/arith.h"
#include "src/nnef_ops/book.h"
#include "src/nnef_ops/flow_call.h"
#include "src/nnef_ops/shape_call.h"
#include "src/nnef_ops/strict_call.h"
#include "src/nnef_ops/window.h"

namespace t2n::nnef_ops {
namespace {

constexpr std::span<const std::string_view> kZeroBorder = std::span(kBorders).first(1);

WindowArguments full_window(const ShapeCall& call, const Ints& input) {
  return window_arguments(call, call.positive("size", input.size()), 0);
}

Ints pooled_shape(const ShapeCall& call, std::span<const std::string_view> borders) {
  const Ints input = call.shape("input");
  call.one_of("border", borders);
  const WindowArguments args = full_window(call, input);
  check_reflections(call, args, input);
  return down(call, args, input);
}

Shapes pool_shape(const ShapeCall& call) { return {pooled_shape(call, kBorders)}; }

Shapes pool_with_index_shape(const ShapeCall& call) {
  const Ints out = pooled_shape(call, kBorders);
  return {out, out};
}

Shapes sample_shape(const ShapeCall& call) {
  const Ints out = pooled_shape(call, kFilledBorders);
  const Ints index = call.shape("index");
  call.require(index == out, "'index' has the shape ", shape_text(index), ", and the result ",
               shape_text(out));
  return {out};
}

Ints unpooled_shape(const ShapeCall& call) {
  const Ints input = call.shape("input");
  const WindowArguments args = full_window(call, input);
  return call.list_size("output_shape") == 0 ? up(call, args, input)
                                             : requested_shape(call, args, input);
}

Shapes debox_shape(const ShapeCall& call) {
  call.one_of("border", kBorders);
  return {unpooled_shape(call)};
}

Shapes desample_shape(const ShapeCall& call) {
  call.one_of("border", kZeroBorder);
  const Ints input = call.shape("input");
  const Ints index = call.shape("index");
  call.require(index == input, "'index' has the shape ", shape_text(index), ", and the input ",
               shape_text(input));
  return {unpooled_shape(call)};
}

Shapes tract_pool_shape(const ShapeCall& call) {
  const Ints input = call.shape("input"), size = call.ints("size");
  call.require(input.size() == size.size(), "'size' has ", size.size(), " numbers, and the tensor ",
               input.size(), " axes");
  return tract_windows(call, input, size, 0);
}

Shapes tract_pool_with_index_shape(const ShapeCall& call) {
  const Shapes out = tract_pool_shape(call);
  return out.empty() ? out : Shapes{out[0], out[0]};
}

/// Lists of pools have entries for all axes.
Flow pooled_flow(const FlowCall& call, bool pads_with_numbers) {
  const Flow flow = call.first_flow();
  const size_t index = flow.axis;
  const StreamWindow w = stream_window(call, index, call.ints("size").at(index));
  if (flow.axis < 2 && (w.size != 1 || w.stride != 1))
    blocked("pools over a streamed batch or channel axis");
  if (!pads_with_numbers && (w.before != 0 || w.after != 0))
    blocked("averages over padding without counting it",
            "pad before the pool, or let it count the padding (count_include_pad=True)");
  return windowed(flow, w);
}

Flows max_pool_flow(const FlowCall& call) { return {pooled_flow(call, true)}; }

Flows max_pool_with_index_flow(const FlowCall& call) {
  if (call.first_flow().axis >= 2)
    blocked("returns indices of maxima along the stream",
            "the indices would be relative to the piece");
  const Flow out = pooled_flow(call, true);
  return {out, out};
}

Flows box_flow(const FlowCall& call) { return {pooled_flow(call, false)}; }

/// A pool's window, along all axes.
struct PoolWindow {
  Ints size, stride, dilation;
  Pairs padding;

  explicit PoolWindow(const StrictCall& call)
      : size(call.ints("size")),
        stride(call.ints("stride")),
        dilation(call.ints("dilation")),
        padding(call.pairs("padding")) {}

  Ints offset(int64_t number) const {
    Ints out(size.size());
    for (size_t i = size.size(); i-- > 0; number /= size[i]) out[i] = number % size[i];
    return out;
  }
};

/// The windows' elements at one offset.
Ref at_offset(Builder& out, Ref padded, const PoolWindow& w, const Ints& offset,
              const Shape& shape) {
  Ints axes, begin, end, stride;
  for (size_t i = 2; i < shape.size(); ++i) {
    axes.push_back(static_cast<int64_t>(i));
    begin.push_back(offset[i] * w.dilation[i]);
    end.push_back(begin.back() + (shape[i].value() - 1) * w.stride[i] + 1);
    stride.push_back(w.stride[i]);
  }
  return emit(out, "slice", {padded},
              {{"axes", axes}, {"begin", begin}, {"end", end}, {"stride", stride}},
              {DType::f32, shape});
}

/// Their row-major indices in the plane.
Ref indices_at(Builder& out, const PoolWindow& w, const Ints& offset, const Ints& plane,
               const Shape& shape) {
  Ref index = number(out, 0.0);
  const Ints strides = ir::contiguous_strides(plane);
  for (size_t i = 2; i < shape.size(); ++i) {
    const double start = static_cast<double>(offset[i] * w.dilation[i] - w.padding[i].first) *
                         static_cast<double>(strides[i]);
    const double step = static_cast<double>(w.stride[i] * strides[i]);
    const Ref offsets =
        mul(out, index_range(out, shape[i], static_cast<int>(i), static_cast<int>(shape.size())),
            number(out, step));
    index = add(out, index, add(out, offsets, number(out, start)));
  }
  return index;
}

/// Readers disagree on the index of max_pool_with_index, so it is computed by comparisons.
Refs lower_max_pool_with_index(const StrictCall& call, Builder& out) {
  constexpr double kLowest = -3.4028234663852886e38;
  const PoolWindow w(call);
  const Ref x = as_number(out, call.operands[0]);
  const Shape& shape = call.result().shape;
  const Ref values = emit(out, "max_pool", {x}, call.attributes, {DType::f32, shape});
  if (!call.is_read.empty() && !call.is_read[1])
    return {retyped(out, values, call.results[0].dtype),
            retyped(out, values, call.results[1].dtype)};
  const Ref padded = out.pad(x, w.padding, kLowest);
  Ref best = number(out, kLowest), index = number(out, 0.0);
  const int64_t offsets =
      std::accumulate(w.size.begin(), w.size.end(), int64_t{1}, std::multiplies<>());
  for (int64_t i = 0; i < offsets; ++i) {
    const Ints offset = w.offset(i);
    const Ref here = at_offset(out, padded, w, offset, shape);
    const Ref is_better = compare(out, "gt", here, best);
    index = select(out, is_better, indices_at(out, w, offset, out.sizes(x), shape), index);
    best = maximum(out, here, best);
  }
  return {retyped(out, values, call.results[0].dtype), retyped(out, index, call.results[1].dtype)};
}

}  // namespace

void add_pool(Book& book) {
  book.add("box avg_pool", {pool_shape, tract_pool_shape, box_flow});
  book.add("max_pool", {pool_shape, tract_pool_shape, max_pool_flow, nullptr, kMovesData});
  book.add("max_pool_with_index", {pool_with_index_shape, tract_pool_with_index_shape,
                                   max_pool_with_index_flow, lower_max_pool_with_index});
  book.add("rms_pool", {pool_shape, tract_pool_shape});
  book.add("argmax_pool", {pool_shape});
  book.add("debox", {debox_shape});
  book.add("sample", {sample_shape});
  book.add("desample", {desample_shape});
}

}  // namespace t2n::nnef_ops
