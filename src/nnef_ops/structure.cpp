// SPDX-License-Identifier: Apache-2.0
// Operations on the geometry of one tensor; elements are unchanged.
#include <algorithm>
#include <numeric>

#include "src/nnef_ops/arith.h"
#include "src/nnef_ops/book.h"
#include "src/nnef_ops/flow_call.h"
#include "src/nnef_ops/shape_call.h"
#include "src/nnef_ops/strict_call.h"

namespace t2n::nnef_ops {
namespace {

/// The axes of the input that a reshape affects.
std::pair<size_t, size_t> reshaped_range(const ShapeCall& call, size_t rank) {
  const int64_t start = call.integer("axis_start");
  const int64_t count = call.integer("axis_count");
  const auto limit = static_cast<int64_t>(rank);
  call.require(start >= 0 && start <= limit, "'axis_start' is ", start, " for a tensor with ", rank,
               " axes");
  call.require(count >= -1 && count <= limit - start, "'axis_count' is ", count, " from axis ",
               start, " of a tensor with ", rank, " axes");
  return {start, count == -1 ? limit : start + count};
}

/// The new extents, with 0 and -1 resolved.
Ints resolved_shape(const ShapeCall& call, const Ints& input, size_t begin, size_t end) {
  Ints shape = call.ints("shape");
  for (size_t i = 0; i < shape.size(); ++i) {
    call.require(shape[i] >= -1, "'shape' is ", shape_text(shape), ", with less than -1");
    if (shape[i] != 0) continue;
    call.require(begin + i < input.size(), "'shape' copies axis ", begin + i, ", and the input ",
                 shape_text(input), " has no such axis");
    shape[i] = input[begin + i];
  }
  const auto inferred = std::find(shape.begin(), shape.end(), -1);
  const int64_t elements = volume(Ints(axis_at(input, begin), axis_at(input, end)));
  if (inferred != shape.end()) {
    *inferred = 1;
    call.require(std::find(shape.begin(), shape.end(), -1) == shape.end(),
                 "'shape' contains -1 more than once");
    const int64_t known = volume(shape);
    call.require(elements % known == 0, elements, " elements are not divisible by ", known);
    *inferred = elements / known;
  }
  call.require(volume(shape) == elements, "the shape ", shape_text(shape), " has ", volume(shape),
               " elements, and the input ", shape_text(input), " has ", elements, " there");
  return shape;
}

Shapes reshape_shape(const ShapeCall& call) {
  const Ints input = call.shape("input");
  const auto [begin, end] = reshaped_range(call, input.size());
  const Ints middle = resolved_shape(call, input, begin, end);
  Ints out(input.begin(), axis_at(input, begin));
  out.insert(out.end(), middle.begin(), middle.end());
  out.insert(out.end(), axis_at(input, end), input.end());
  return {out};
}

ir::Dim size_product(const ir::Shape& shape, size_t begin, size_t end) {
  ir::Dim out(1);
  for (size_t i = begin; i < end; ++i) out = out * shape[i];
  return out;
}

/// Whether a pulse has as many entries as the size for an input of the pulse's length.
bool is_proportional(const ir::Dim& dim, const FlowCall& call) {
  const ir::Dim at_zero = dim.substitute(ir::Sizes{{ir::Symbol(call.symbol()), 0}});
  return at_zero.is_constant() && at_zero.value() == 0;
}

/// Pieces remain in order if the axes before the streaming axis are unchanged.
Flows reshape_flow(const FlowCall& call) {
  Flow out = call.first_flow();
  if (!out.streams()) blocked("reshapes a tensor to the input length", kNoEnd);
  if (!out.shape || call.result() == nullptr) blocked("reshapes a stream in an unsupported way");
  const ir::Shape& from = *out.shape;
  const ir::Shape& to = *call.result();
  const int axis = streaming_axis(to, call.symbol());
  if (axis < 0) blocked("merges the streamed axis with other axes");
  const size_t a = out.axis, b = static_cast<size_t>(axis);
  if (size_product(from, 0, a) != size_product(to, 0, b))
    blocked("merges the streamed axis with preceding axes",
            "make the streamed axis the first axis before reshaping");
  if (from[a] != to[b] && !(is_proportional(from[a], call) && is_proportional(to[b], call)))
    blocked("splits the stream into groups after an operation that changed its length",
            "form the groups first, or pad so that each operation keeps the length");
  out.axis = axis;
  out.rank = static_cast<int>(to.size());
  return with_new_shape(out);
}

Shapes squeeze_shape(const ShapeCall& call) {
  const Ints input = call.shape("input");
  const Ints axes = call.axes("axes", input.size());
  Ints out;
  for (size_t i = 0; i < input.size(); ++i) {
    const bool is_removed =
        std::find(axes.begin(), axes.end(), static_cast<int64_t>(i)) != axes.end();
    call.require(!is_removed || input[i] == 1, "axis ", i, " of ", shape_text(input),
                 " has not the extent 1");
    if (!is_removed) out.push_back(input[i]);
  }
  return {out};
}

Flows squeeze_flow(const FlowCall& call) {
  Flow out = call.first_flow();
  const ir::Ints axes = call.ints("axes");
  if (std::find(axes.begin(), axes.end(), out.axis) != axes.end())
    blocked("removes the streamed axis");
  const auto before =
      std::count_if(axes.begin(), axes.end(), [&](int64_t axis) { return axis < out.axis; });
  out.axis -= static_cast<int>(before);
  if (out.rank >= 0) out.rank -= static_cast<int>(axes.size());
  return with_new_shape(out);
}

/// Axes refer to the result. Readers disagree if they are not ascending.
Shapes unsqueeze_shape(const ShapeCall& call) {
  const Ints input = call.shape("input");
  const Ints axes = call.axes("axes", input.size() + call.list_size("axes"));
  call.require(std::is_sorted(axes.begin(), axes.end()), "'axes' must ascend");
  Ints out = input;
  for (const int64_t axis : axes) out.insert(axis_at(out, static_cast<size_t>(axis)), 1);
  return {out};
}

Shapes tract_unsqueeze_shape(const ShapeCall& call) {
  Ints out = call.shape("input");
  Ints axes = call.ints("axes");
  std::sort(axes.begin(), axes.end());
  for (const int64_t axis : axes) {
    call.require(axis >= 0 && axis <= static_cast<int64_t>(out.size()), "'axes' names axis ", axis,
                 " of a tensor with ", out.size(), " axes");
    out.insert(axis_at(out, static_cast<size_t>(axis)), 1);
  }
  return {out};
}

Flows unsqueeze_flow(const FlowCall& call) {
  Flow out = call.first_flow();
  ir::Ints axes = call.ints("axes");
  std::sort(axes.begin(), axes.end());
  for (const int64_t axis : axes)
    if (axis <= out.axis) ++out.axis;
  if (out.rank >= 0) out.rank += static_cast<int>(axes.size());
  return with_new_shape(out);
}

Shapes transpose_shape(const ShapeCall& call) {
  const Ints input = call.shape("input");
  const size_t count = call.list_size("axes");
  call.require(count <= input.size(), "'axes' has ", count, " axes, and the tensor ", input.size());
  const Ints axes = call.axes("axes", count);
  Ints out = input;
  for (size_t i = 0; i < count; ++i) out[i] = input[axes[i]];
  return {out};
}

Flows transpose_flow(const FlowCall& call) {
  Flow out = call.first_flow();
  const ir::Ints axes = call.ints("axes");
  const auto position = std::find(axes.begin(), axes.end(), out.axis);
  if (position == axes.end()) blocked("permutes axes in an unsupported way");
  out.axis = static_cast<int>(position - axes.begin());
  return with_new_shape(out);
}

/// Axes are matched from the last on, as in numpy.
Shapes broadcast_to_shape(const ShapeCall& call) {
  Ints a = call.shape("input"), b = call.ints("shape");
  std::reverse(a.begin(), a.end());
  std::reverse(b.begin(), b.end());
  if (a.size() < b.size()) std::swap(a, b);
  for (size_t i = 0; i < b.size(); ++i) {
    call.require(a[i] == b[i] || a[i] == 1 || b[i] == 1, "the shape ",
                 shape_text(call.shape("input")), " does not broadcast to ",
                 shape_text(call.ints("shape")));
    if (a[i] == 1) a[i] = b[i];
  }
  std::reverse(a.begin(), a.end());
  return {a};
}

/// Broadcasts a tensor to the length of the stream.
Flows broadcast_flow(const FlowCall& call) {
  Flow out = call.first_flow();
  if (call.result() == nullptr) blocked("broadcasts a stream in an unsupported way");
  const int axis = streaming_axis(*call.result(), call.symbol());
  if (axis == -2) blocked("builds a time × time matrix");
  if (out.streams()) {
    if (out.rank < 0) blocked("broadcasts a stream in an unsupported way");
    out.axis += static_cast<int>(call.result()->size()) - out.rank;
    if (out.axis != axis) blocked("broadcasts a stream along an axis of its own length");
    if (out.delayed)
      blocked("broadcasts a delayed stream",
              "tract loses the delay: multiply by ones instead of expand()");
  }
  out.axis = axis;
  out.rank = static_cast<int>(call.result()->size());
  return with_new_shape(out);
}

Refs lower_broadcast(const StrictCall& call, Builder& out) {
  Ref x = call.operands[0];
  const Shape& shape = call.result().shape;
  Ints added(shape.size() - out.shape(x).size());
  std::iota(added.begin(), added.end(), 0);
  x = out.unsqueeze(x, added);
  Ints repeats;
  for (size_t i = 0; i < shape.size(); ++i)
    repeats.push_back(shape[i].value() / std::max<int64_t>(out.shape(x)[i].value(), 1));
  const Refs operands = {x};
  const Attributes attributes = {{"repeats", repeats}};
  return emit_same({"tile", operands, attributes, call.results, {}, {}}, out, "tile", attributes);
}

Shapes tile_shape(const ShapeCall& call) {
  Ints out = call.shape("input");
  const Ints repeats = call.positive("repeats", out.size());
  for (size_t i = 0; i < out.size(); ++i) out[i] = product(out[i], repeats[i]);
  return {out};
}

Shapes tract_tile_shape(const ShapeCall& call) {
  Ints out = call.shape("input");
  const Ints repeats = call.ints("repeats");
  call.require(repeats.size() == out.size(), "'repeats' has ", repeats.size(),
               " numbers, and the tensor ", out.size(), " axes");
  for (size_t i = 0; i < out.size(); ++i) out[i] = product(out[i], repeats[i]);
  return {out};
}

/// NNEF-Tools only copies numbers.
Refs lower_copy(const StrictCall& call, Builder& out) {
  const Ref x = call.operands[0];
  if (x.dtype == DType::boolean) return {emit(out, "and", {x, x}, {}, call.result())};
  return lower_unchanged(call, out);
}

}  // namespace

void add_structure(Book& book) {
  book.add("reshape", {reshape_shape, reshape_shape, reshape_flow, lower_unchanged, kMovesData});
  book.add("squeeze", {squeeze_shape, squeeze_shape, squeeze_flow, lower_unchanged,
                       kMovesData | kMovesAxes | kStructural});
  book.add("unsqueeze", {unsqueeze_shape, tract_unsqueeze_shape, unsqueeze_flow, lower_unchanged,
                         kMovesData | kMovesAxes});
  book.add("transpose", {transpose_shape, transpose_shape, transpose_flow, lower_unchanged,
                         kMovesData | kMovesAxes});
  book.add("tract_core_broadcast",
           {nullptr, broadcast_to_shape, broadcast_flow, lower_broadcast, kMovesData});
  book.add("tile", {tile_shape, tract_tile_shape, nullptr, lower_unchanged, kMovesData});
  book.add("copy", {unary_shape, unary_shape, elementwise_flow, lower_copy,
                    kMovesData | kMovesAxes | kElementUnary});
}

}  // namespace t2n::nnef_ops
