// SPDX-License-Identifier: Apache-2.0
// Rearrangements in blocks: sliding windows, pixel and channel shuffles, strided views.
#include <algorithm>
#include <optional>

#include "ops/structure/families.h"
#include "ops/structure/positions.h"
#include "ops/structure/spatial.h"
#include "ops/structure/window_shapes.h"
#include "src/translate/arith.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

struct Windows {
  int64_t size;
  int64_t step;
};

/// The windows that fit into a symbolic size.
void symbolic_unfold(const OpView& op, Emitter& out, Ref x, int axis, const Windows& w) {
  const Ref first = mul(out, iota(out, op.shape().at(axis), 0, 2), out.scalar(w.step, DType::i64));
  const Ref y = take(out, x, add(out, first, iota(out, w.size, 1, 2)), axis);
  Ints order = all_axes(op.rank());
  order.erase(order.begin() + axis + 1);
  order.push_back(axis + 1);
  out.result(out.transpose(y, order));
}

/// Windows of a streamed tensor, where an index would only see one piece: for each k, entry k of
/// all windows.
void streamed_windows(const OpView& op, Emitter& out, Ref x, int axis, const Windows& w) {
  const Dim last = (op.shape().at(axis) - Dim(1)) * Dim(w.step) + Dim(1);
  std::vector<Ref> entries;
  for (int64_t k = 0; k < w.size; ++k)
    entries.push_back(
        out.unsqueeze(out.slice(x, axis, Dim(k), last + Dim(k), w.step), {op.rank() - 1}));
  out.result(out.concat(entries, op.rank() - 1));
}

/// Windows of `size` entries, `step` apart: a new last axis runs within the window.
void unfold(const OpView& op, Emitter& out) {
  const Ref x = at_least_1d(out, op.tensor("self"));
  const int axis = op.axis("dimension", op.rank() - 1);
  const int64_t size = op.i64("size");
  const int64_t step = op.i64("step");
  if (op.rank() == 1) return out.result(x);  // a number is its own window
  const Dim& window_count = op.shape().at(axis);
  if (out.is_streamed(window_count)) return streamed_windows(op, out, x, axis, {size, step});
  if (!window_count.is_constant()) return symbolic_unfold(op, out, x, axis, {size, step});
  const int64_t count = window_count.value();
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < count; ++i)
    for (int64_t k = 0; k < size; ++k) indices.push_back(i * step + k);
  if (indices.empty()) return out.result(out.full(like(out, 0, x), op.shape()));
  Shape split = with_size(out.shape(x), axis, count);
  split.insert(split.begin() + axis + 1, Dim(size));
  const Ref windows = out.reshape(take(out, x, indices, axis), split);
  Ints order = all_axes(op.rank());
  order.erase(order.begin() + axis + 1);
  order.push_back(axis + 1);
  out.result(out.transpose(windows, order));
}

/// Lists of two, for height and width.
struct Blocks {
  Ints size;
  Ints dilation;
  Ints padding;
  Ints stride;
  Dim count(size_t i, const Dim& extent) const {
    const int64_t beyond = 2 * padding[i] - dilation[i] * (size[i] - 1) - 1;
    return floor_div(extent + Dim(beyond), Dim(stride[i])) + Dim(1);
  }
  /// Entries of `extents` after the last block.
  Ints not_covered(const Ints& extents) const {
    Ints out;
    for (size_t i = 0; i < extents.size(); ++i)
      out.push_back((extents[i] + 2 * padding[i] - dilation[i] * (size[i] - 1) - 1) % stride[i]);
    return out;
  }
};

Blocks read_blocks(const OpView& op) {
  return {op.expand_ints("kernel_size", 2), op.expand_ints("dilation", 2),
          op.expand_ints("padding", 2), op.expand_ints("stride", 2)};
}

/// Entry k of the window at position i: [k, i].
std::vector<int64_t> window_entries(const Blocks& b, size_t axis, int64_t count) {
  std::vector<int64_t> out;
  for (int64_t k = 0; k < b.size[axis]; ++k)
    for (int64_t i = 0; i < count; ++i) out.push_back(k * b.dilation[axis] + i * b.stride[axis]);
  return out;
}

/// The entries along `at` of an axis of the windows, [k, i].
Ref taken_windows(Emitter& out, Ref x, int at, const Blocks& b, size_t axis, const Dim& count) {
  if (!count.is_constant()) {
    const auto offsets = [&](const Dim& n, int along, int64_t step) {
      return mul(out, iota(out, n, along, 2), out.scalar(step, DType::i64));
    };
    const Ref index =
        add(out, offsets(b.size[axis], 0, b.dilation[axis]), offsets(count, 1, b.stride[axis]));
    return take(out, x, index, at);
  }
  Shape split = with_size(out.shape(x), at, count);
  split.insert(split.begin() + at, Dim(b.size[axis]));
  return out.reshape(take(out, x, window_entries(b, axis, count.value()), at), split);
}

/// [N, C, H, W] -> [N, C * kh * kw, positions]
void im2col(const OpView& op, Emitter& out) {
  const Blocks b = read_blocks(op);
  Ref x = batched(out, op.tensor("self"), 2);
  const Dim rows = b.count(0, size_of(out, x, 2)), columns = b.count(1, size_of(out, x, 3));
  x = out.pad(x, {{0, 0}, {0, 0}, {b.padding[0], b.padding[0]}, {b.padding[1], b.padding[1]}});
  x = taken_windows(out, x, 2, b, 0, rows);
  x = taken_windows(out, x, 4, b, 1, columns);
  x = out.transpose(x, {0, 1, 2, 4, 3, 5});
  out.result(out.reshape(x, op.shape()));
}

/// One output channel per group of kh * kw inputs, each at its own position of the kernel.
Ref placing_filter(Emitter& out, DType dtype, int64_t channels, const Blocks& b) {
  const int64_t area = b.size[0] * b.size[1];
  std::vector<double> one(static_cast<size_t>(area * area), 0.0);
  for (int64_t i = 0; i < area; ++i) one[i * area + i] = 1;
  const Ref single =
      out.constant(ir::tensor_of(dtype, {1, area, b.size[0], b.size[1]}, one), "places");
  return out.broadcast_to(single, {channels, area, b.size[0], b.size[1]});
}

/// [.., k, i, ..] with k at `at` -> [.., size, ..]: sums entry k of window i at its position.
/// For each k, every position reads the window whose entry k is there, if any.
Ref added_along(Emitter& out, Ref x, int at, const Blocks& b, size_t axis, const Dim& size) {
  const Dim count = size_of(out, x, at + 1);
  const auto number = [&](const Dim& n) { return out.size(n, DType::i64); };
  std::optional<Ref> sum;
  for (int64_t k = 0; k < b.size[axis]; ++k) {
    const Ref from =
        add(out, iota(out, size, 0, 1), number(Dim(b.padding[axis] - k * b.dilation[axis])));
    const Ref step = number(b.stride[axis]);
    const Ref window = div(out, from, step);
    const Ref near = maximum(out, minimum(out, window, number(count - Dim(1))), number(0));
    const Ref is_inside = compare(out, "eq", mul(out, near, step), from);
    const Ref entries = take(out, out.squeeze(out.slice(x, at, k, k + 1), {at}), near, at);
    Shape along(static_cast<size_t>(out.rank(entries)), Dim(1));
    along[at] = size;
    const Ref part = select(out, out.reshape(is_inside, along), entries, like(out, 0, entries));
    sum = sum ? add(out, *sum, part) : part;
  }
  return *sum;
}

void symbolic_col2im(const OpView& op, Emitter& out, Ref x, const Blocks& b, const Shape& size) {
  Dim channels = size_of(out, x, 1);
  channels = floor_div(channels, Dim(b.size[0] * b.size[1]));
  x = out.reshape(x, {out.shape(x)[0], channels, b.size[0], b.size[1], b.count(0, size[0]),
                      b.count(1, size[1])});
  x = added_along(out, out.transpose(x, {0, 1, 2, 4, 3, 5}), 4, b, 1, size[1]);
  x = added_along(out, x, 2, b, 0, size[0]);
  batched_result(op, out, out.cast(x, op.dtype()));
}

/// The adjoint of im2col: entries at the same position are added.
void col2im(const OpView& op, Emitter& out) {
  const Blocks b = read_blocks(op);
  Ref x = widened(out, op.tensor("self"));
  if (out.rank(x) == 2) x = out.unsqueeze(x, {0});
  op.ignore("output_size", "the result's shape shows it");
  const Shape sizes(op.shape().end() - 2, op.shape().end());
  if (!is_static(sizes)) return symbolic_col2im(op, out, x, b, sizes);
  const Ints size = ir::static_shape(sizes);
  if (!ir::is_float(out.dtype(x)) && out.has(target::Feature::computes_integers))
    op.refuse_op(Limit::integer_convolution, "compute in float32");
  const Shape in = out.shape(x);
  const int64_t channels = known_size(out, x, 1) / (b.size[0] * b.size[1]);
  x = out.reshape(x, {in[0], in[1], b.count(0, size[0]), b.count(1, size[1])});
  const Convolution c{.input = x,
                      .weight = placing_filter(out, out.dtype(x), channels, b),
                      .bias = {},
                      .stride = b.stride,
                      .dilation = b.dilation,
                      .pads = {{b.padding[0], b.padding[0]}, {b.padding[1], b.padding[1]}},
                      .groups = channels};
  const Ref y = transposed_convolution(out, c, b.not_covered(size), batched_shape(op, 2));
  batched_result(op, out, out.cast(y, op.dtype()));
}

/// Axes [.., a, b, c] of `split` in another order, joined to the result's shape.
void shuffled(const OpView& op, Emitter& out, size_t kept, const Shape& split, const Ints& order) {
  const Ref x = op.tensor("self");
  Shape shape(out.shape(x).begin(), out.shape(x).begin() + static_cast<std::ptrdiff_t>(kept));
  shape.insert(shape.end(), split.begin(), split.end());
  Ints all = all_axes(static_cast<int>(kept));
  for (const int64_t axis : order) all.push_back(axis + static_cast<int64_t>(kept));
  out.result(out.reshape(out.transpose(out.reshape(x, shape), all), op.shape()));
}

/// [.., C * r * r, H, W] -> [.., C, H * r, W * r]
void pixel_shuffle(const OpView& op, Emitter& out) {
  const int64_t r = op.i64("upscale_factor");
  const Shape shape = out.shape(op.tensor("self"));
  const size_t kept = shape.size() - 3;
  shuffled(op, out, kept, {op.shape()[kept], r, r, shape[kept + 1], shape[kept + 2]},
           {0, 3, 1, 4, 2});
}

/// [.., C, H * r, W * r] -> [.., C * r * r, H, W]
void pixel_unshuffle(const OpView& op, Emitter& out) {
  const int64_t r = op.i64("downscale_factor");
  const Shape shape = out.shape(op.tensor("self"));
  const size_t kept = shape.size() - 3;
  shuffled(op, out, kept, {shape[kept], op.shape()[kept + 1], r, op.shape()[kept + 2], r},
           {0, 2, 4, 1, 3});
}

/// Channels [groups, C / groups] -> [C / groups, groups]
void channel_shuffle(const OpView& op, Emitter& out) {
  const int64_t groups = op.i64("groups");
  const Shape shape = out.shape(op.tensor("self"));
  Shape split = {groups, floor_div(shape.at(1), groups)};
  split.insert(split.end(), shape.begin() + 2, shape.end());
  Ints order = all_axes(static_cast<int>(split.size()));
  std::swap(order[0], order[1]);
  shuffled(op, out, 1, split, order);
}

std::vector<int64_t> strided_indices(const Ints& sizes, const Ints& strides, int64_t offset) {
  std::vector<int64_t> indices = {offset};
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    std::vector<int64_t> next;
    for (const int64_t base : indices)
      for (int64_t i = 0; i < sizes[axis]; ++i) next.push_back(base + i * strides[axis]);
    indices = std::move(next);
  }
  return indices;
}

/// The same with symbolic sizes: the positions are sums over the axes.
void symbolic_as_strided(const OpView& op, Emitter& out, Ref flat, const Shape& sizes) {
  const Shape strides = op.dims("stride");
  const int rank = static_cast<int>(sizes.size());
  Ref index = out.size(op.opt_dim("storage_offset").value_or(Dim(0)), DType::i64);
  for (int axis = 0; axis < rank; ++axis) {
    const size_t at = axis;
    if (sizes[at] == Dim(1) || strides.at(at) == Dim(0)) continue;
    index = add(out, index,
                mul(out, iota(out, sizes[at], axis, rank), out.size(strides[at], DType::i64)));
  }
  out.result(take(out, flat, out.broadcast_to(index, sizes), 0));
}

/// Any geometry over the elements in row-major order: the tracer lets only such tensors pass.
void as_strided(const OpView& op, Emitter& out) {
  const Ref flat = flattened(out, op.tensor("self"));
  if (!is_static(op.shape()) || !is_static(out.shape(flat)) || !is_static(op.dims("stride")) ||
      op.is_symbolic("storage_offset"))
    return symbolic_as_strided(op, out, flat, op.dims("size"));
  const Ints sizes = op.ints("size");
  const auto indices =
      strided_indices(sizes, op.ints("stride"), op.opt_i64("storage_offset").value_or(0));
  if (indices.empty()) return out.result(out.full(like(out, 0, flat), op.shape()));
  const int64_t count = out.sizes(flat)[0];
  if (*std::max_element(indices.begin(), indices.end()) >= count)
    op.refuse("size", Limit::outside_memory);
  out.result(out.reshape(take(out, flat, indices, 0), op.shape()));
}

Dim window_count(const ShapeView& op, const Shape& sizes) {
  Dim out = 1;
  for (size_t i = 0; i < 2; ++i)
    out = out * AxisWindow{op.dims("kernel_size", 2, 1).at(i), op.dims("stride", 2, 1).at(i),
                           op.dims("padding", 2, 0).at(i), op.dims("dilation", 2, 1).at(i)}
                    .count(op, sizes.at(i));
  return out;
}

Shapes im2col_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  Shape out = all_but_last(x, 2);
  out.back() = out.back() * shapes::product(op.dims("kernel_size", 2, 1));
  out.push_back(window_count(op, last_dims(x, 2)));
  return {out};
}

Shapes col2im_shapes(const ShapeView& op) {
  Shape out = all_but_last(op.shape("self"), 1);
  op.unified(op.shape("self").back(), window_count(op, op.dims("output_size", 2, 1)));
  out.back() = floor_div(out.back(), shapes::product(op.dims("kernel_size", 2, 1)));
  for (const Dim& size : op.dims("output_size", 2, 1)) out.push_back(size);
  return {out};
}

/// Windows of `size` elements with stride `step` become a last axis.
Shapes unfold_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const Dim size = op.dim("size");
  if (x.empty()) return {{size}};
  const int axis = op.axis("dimension", dim_rank(x));
  op.require(x.at(axis), Relation::ge, size);
  const Dim count = floor_div(x.at(axis) - size, op.dim("step")) + 1;
  Shape out = with_dim(x, axis, count);
  out.push_back(size);
  return {out};
}

/// The last entry that it reads must be one of self.
Shapes as_strided_shapes(const ShapeView& op) {
  const Shape out = op.dims("size"), strides = op.dims("stride");
  Dim last = op.has("storage_offset") ? op.dim("storage_offset") : Dim(0);
  for (size_t i = 0; i < out.size(); ++i) last = last + (out[i] - 1) * strides.at(i);
  op.require(last, Relation::lt, shapes::product(op.shape("self")));
  return {out};
}

Shapes pixel_shuffle_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const Dim r = op.dim("upscale_factor");
  const Shape end = last_dims(x, 3);
  Shape out = all_but_last(x, 3);
  for (const Dim& dim : {floor_div(end[0], r * r), end[1] * r, end[2] * r}) out.push_back(dim);
  return {out};
}

/// torch returns a tensor without elements unchanged.
Shapes pixel_unshuffle_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  for (const Dim& size : x) op.require(size, Relation::ge, 1);
  const Dim r = op.dim("downscale_factor");
  const Shape end = last_dims(x, 3);
  Shape out = all_but_last(x, 3);
  for (const Dim& dim : {end[0] * r * r, floor_div(end[1], r), floor_div(end[2], r)})
    out.push_back(dim);
  return {out};
}

}  // namespace

void register_unfold(Registry& r) {
  r.same({"aten::unfold", "aten::unfold_copy"},
         {"tract_core_gather", "sliding windows along an axis", unfold});
  r.same({"aten::im2col"}, {"tract_core_gather", "sliding blocks as columns", im2col});
  r.same({"aten::col2im"}, {"deconv",
                            "columns summed at the positions of their blocks",
                            col2im,
                            {},
                            "integer tensors are refused"});
  r.same(
      {"aten::pixel_shuffle"},
      {"transpose", "channels to pixels: [C * r * r, H, W] -> [C, H * r, W * r]", pixel_shuffle});
  r.same(
      {"aten::pixel_unshuffle"},
      {"transpose", "pixels to channels: [C, H * r, W * r] -> [C * r * r, H, W]", pixel_unshuffle});
  r.same({"aten::channel_shuffle", "aten::native_channel_shuffle"},
         {"transpose", "channel g * n + i becomes i * groups + g", channel_shuffle});
  r.same({"aten::as_strided", "aten::as_strided_copy"},
         {"tract_core_gather",
          "element sum(i * stride) + storage_offset of a contiguous tensor",
          as_strided,
          {},
          "self must be contiguous"});
  r.shapes(im2col_shapes, "im2col");
  r.shapes(col2im_shapes, "col2im");
  r.shapes(unfold_shapes, "unfold unfold_copy");
  r.shapes(as_strided_shapes, "as_strided as_strided_copy");
  r.shapes(shapes::same, "channel_shuffle native_channel_shuffle");
  r.shapes(pixel_shuffle_shapes, "pixel_shuffle");
  r.shapes(pixel_unshuffle_shapes, "pixel_unshuffle");
  r.bounds({bounds::kept},
           "as_strided unfold pixel_shuffle pixel_unshuffle channel_shuffle im2col");
  r.linear("as_strided col2im im2col unfold");
}

}  // namespace t2n::ops
