// SPDX-License-Identifier: Apache-2.0
// Adaptive pools: window i of n over a size s spans [floor(i*s/n), ceil((i+1)*s/n)).
#include <algorithm>
#include <bit>

#include "ops/layers/families.h"
#include "ops/structure/positions.h"
#include "ops/structure/spatial.h"
#include "ops/structure/symbolic_windows.h"
#include "ops/structure/window_shapes.h"
#include "src/translate/arith.h"
#include "src/translate/quotient.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

struct Span {
  int64_t begin;
  int64_t end;
};

std::vector<Span> spans(int64_t size, int64_t count) {
  std::vector<Span> out;
  for (int64_t i = 0; i < count; ++i)
    out.push_back({i * size / count, ((i + 1) * size + count - 1) / count});
  return out;
}

/// Input and output sizes of the spatial axes.
struct Axes {
  Ints in;
  Ints out;
  int spatial() const { return static_cast<int>(in.size()); }
  bool divides() const {
    for (size_t i = 0; i < in.size(); ++i)
      if (out[i] == 0 || in[i] % out[i] != 0) return false;
    return true;
  }
};

/// The last axes of the tensor, as many as the pool has.
Axes read_axes(const OpView& op, Emitter& out, Ref x, int spatial) {
  Axes axes;
  for (int i = 0; i < spatial; ++i) axes.in.push_back(known_size(out, x, i + 2));
  axes.out = op.expand_ints("output_size", spatial);
  return axes;
}

bool is_global(const Shape& pooled) {
  return std::all_of(pooled.begin() + 2, pooled.end(), [](const Dim& n) { return n == Dim(1); });
}

Ints spatial_axes(int spatial) {
  Ints out;
  for (int i = 0; i < spatial; ++i) out.push_back(i + 2);
  return out;
}

/// Adjacent windows of one size.
Attributes tiles(const Axes& axes) {
  const size_t rank = axes.spatial() + 2;
  Ints size(rank, 1);
  for (size_t i = 0; i < axes.in.size(); ++i) size[i + 2] = axes.in[i] / axes.out[i];
  return {{"size", size},
          {"border", "ignore"},
          {"padding", Pads(rank)},
          {"stride", size},
          {"dilation", Ints(rank, 1)}};
}

/// Row i holds 1/k at the k entries of window i.
std::vector<double> averages(int64_t size, int64_t count) {
  std::vector<double> out(size * count);
  for (int64_t i = 0; const Span& span : spans(size, count)) {
    for (int64_t at = span.begin; at < span.end; ++at)
      out[i * size + at] = 1.0 / static_cast<double>(span.end - span.begin);
    ++i;
  }
  return out;
}

/// Computes the mean in f64 if it is rounded later and its divisor is not a power of two.
Ref mean_over_tiles(const OpView& op, Emitter& out, Ref x, const Axes& axes) {
  int64_t volume = 1;
  for (size_t at = 0; at < axes.in.size(); ++at) volume *= axes.in[at] / axes.out[at];
  const DType dtype = out.dtype(x);
  if (!std::has_single_bit(static_cast<uint64_t>(volume)) && needs_exact_quotients(op, out))
    x = out.cast(x, DType::f64);
  Attributes attributes = tiles(axes);
  attributes.emplace_back("normalize", true);
  const Shape shape = planes_shape(op, axes.spatial());
  return out.cast(out.call("box", {x}, attributes, out.dtype(x), shape), dtype);
}

/// Window o of `count` over a size: [floor(o * size / count), ceil((o + 1) * size / count)).
SymbolicSpans symbolic_spans(Emitter& out, const Dim& size, const Dim& count) {
  const Ref o = iota(out, count, 0, 2);
  const Ref all = out.size(size, DType::i64), by = out.size(count, DType::i64);
  const Ref next = mul(out, add(out, o, out.scalar(1, DType::i64)), all);
  const Ref up = out.size(count - Dim(1), DType::i64);
  return {div(out, mul(out, o, all), by), div(out, add(out, next, up), by)};
}

/// Means over windows of an axis, symbolic or not.
Ref averaged(Emitter& out, Ref x, int axis, const Dim& count) {
  const Dim size = size_of(out, x, axis);
  if (size == count) return x;
  if (count == Dim(1)) return reduce(out, "mean_reduce", x, {axis});
  if (size.is_constant() && count.is_constant())
    return along_axis(out, x, axis, averages(size.value(), count.value()), count.value());
  const SymbolicSpans spans = symbolic_spans(out, size, count);
  return mean_over(out, x, axis, spans, sub(out, spans.end, spans.begin));
}

/// Maxima over windows of an axis: tests each entry against each window.
Ref greatest(Emitter& out, Ref x, int axis, const Dim& count) {
  const Dim size = size_of(out, x, axis);
  if (size == count) return x;
  if (count == Dim(1)) return exact_extremum(out, "max_reduce", x, {axis});
  return greatest_in(out, x, axis, symbolic_spans(out, size, count));
}

/// Row i holds 1 at the entries of window i.
std::vector<double> window_members(int64_t size, int64_t count) {
  std::vector<double> out = averages(size, count);
  for (double& each : out) each = each == 0 ? 0 : 1;
  return out;
}

/// The sums over windows of an axis, and the window lengths, shaped to broadcast with the sums.
struct WindowSums {
  Ref sums;
  Ref lengths;
};

WindowSums summed(Emitter& out, Ref x, int axis, const Dim& count, DType dtype) {
  const Dim size = size_of(out, x, axis);
  Shape shape(static_cast<size_t>(out.rank(x)), Dim(1));
  shape[axis] = count;
  if (!size.is_constant() || !count.is_constant()) {
    const SymbolicSpans w = symbolic_spans(out, size, count);
    return {along_axis(out, x, axis, out.cast(in_windows(out, w, size), out.dtype(x))),
            out.cast(out.reshape(sub(out, w.end, w.begin), shape), dtype)};
  }
  std::vector<double> lengths;
  for (const Span& span : spans(size.value(), count.value()))
    lengths.push_back(static_cast<double>(span.end - span.begin));
  return {along_axis(out, x, axis, window_members(size.value(), count.value()), count.value()),
          out.constant(ir::tensor_of(dtype, ir::static_shape(shape), lengths), "lengths")};
}

/// Sums over all windows, divided by their lengths one axis after the other, as torch does it.
Ref exact_means(Emitter& out, Ref x, const Shape& pooled) {
  const DType dtype = out.dtype(x);
  std::vector<Ref> lengths;
  Ref y = out.cast(x, DType::f64);
  for (int axis = out.rank(x) - 1; axis >= 2; --axis) {
    const auto [sums, length] = summed(out, y, axis, pooled[axis], dtype);
    y = sums;
    lengths.insert(lengths.begin(), length);
  }
  y = out.cast(y, dtype);
  for (const Ref length : lengths) y = exact_quotient(out, y, length);
  return y;
}

/// True if the input or the output has a symbolic spatial size.
bool has_symbolic_axes(const Emitter& out, Ref x, const Shape& pooled) {
  const auto is_symbolic = [](const Dim& size) { return !size.is_constant(); };
  const Shape& shape = out.shape(x);
  return std::any_of(shape.begin() + 2, shape.end(), is_symbolic) ||
         std::any_of(pooled.begin() + 2, pooled.end(), is_symbolic);
}

/// Whether the windows cover each axis without overlap.
bool has_tiles(const Emitter& out, Ref x, const Shape& pooled) {
  if (has_symbolic_axes(out, x, pooled)) return false;
  for (size_t axis = 2; axis < pooled.size(); ++axis) {
    const int64_t count = pooled[axis].value();
    if (count == 0 || out.shape(x)[axis].value() % count != 0) return false;
  }
  return true;
}

template <int kSpatial>
void adaptive_avg_pool(const OpView& op, Emitter& out) {
  Ref x = widened(out, batched(out, op.tensor("self"), kSpatial));
  const Shape pooled = batched_shape(op, kSpatial);
  op.ignore("output_size", "the result's shape shows it");
  if (is_global(pooled)) {
    x = mean(op, out, x, spatial_axes(kSpatial));
  } else if (has_tiles(out, x, pooled)) {
    const Axes axes = read_axes(op, out, x, kSpatial);
    x = widened(out, planes(out, op.tensor("self"), kSpatial));
    x = mean_over_tiles(op, out, x, axes);
    return planes_result(op, out, out.cast(x, op.dtype()));
  } else if (needs_exact_quotients(op, out)) {
    x = exact_means(out, x, pooled);
  } else if (has_symbolic_axes(out, x, pooled)) {
    for (int axis = kSpatial + 1; axis >= 2; --axis) x = averaged(out, x, axis, pooled[axis]);
  } else {
    const Axes axes = read_axes(op, out, x, kSpatial);
    for (int i = kSpatial - 1; i >= 0; --i) {
      const size_t at = i;
      if (axes.in[at] != axes.out[at])
        x = along_axis(out, x, i + 2, averages(axes.in[at], axes.out[at]), axes.out[at]);
    }
  }
  batched_result(op, out, out.cast(x, op.dtype()));
}

/// All windows get the width of the widest: shorter ones repeat their last entry, which changes no
/// maximum.
struct Gathered {
  std::vector<int64_t> entries;  ///< count * width
  int64_t width = 0;
};

Gathered equal_windows(int64_t size, int64_t count) {
  Gathered out;
  const std::vector<Span> all = spans(size, count);
  for (const Span& span : all) out.width = std::max(out.width, span.end - span.begin);
  for (const Span& span : all)
    for (int64_t i = 0; i < out.width; ++i)
      out.entries.push_back(std::min(span.begin + i, span.end - 1));
  return out;
}

/// [N, C, o1, k1, o2, k2…]
Ref gathered_windows(Emitter& out, Ref x, const std::vector<Gathered>& windows) {
  Shape split = {out.shape(x)[0], out.shape(x)[1]};
  for (size_t i = 0; i < windows.size(); ++i) {
    const auto count = static_cast<int64_t>(windows[i].entries.size());
    x = take(out, x, windows[i].entries, static_cast<int>(i) + 2);
    split.insert(split.end(), {count / windows[i].width, windows[i].width});
  }
  return out.reshape(x, split);
}

/// [N, C, o…, product of k]: the elements of each window along the last axis.
Ref window_last(Emitter& out, Ref x, int spatial) {
  Ints order = {0, 1};
  Shape shape = {out.shape(x)[0], out.shape(x)[1]};
  Dim volume = 1;
  for (int i = 0; i < spatial; ++i) {
    order.push_back(2 + 2 * i);
    shape.push_back(out.shape(x)[2 + 2 * i]);
    volume = volume * out.shape(x)[3 + 2 * i];
  }
  for (int i = 0; i < spatial; ++i) order.push_back(3 + 2 * i);
  shape.push_back(volume);
  return out.reshape(out.transpose(x, order), shape);
}

/// 0, 1, 2… over the spatial axes, in one channel of one batch.
Ref flat_positions(Emitter& out, const Ints& sizes) {
  std::vector<int64_t> values(ir::element_count(sizes));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i);
  Ints shape = {1, 1};
  shape.insert(shape.end(), sizes.begin(), sizes.end());
  return int_constant(out, values, shape, "positions");
}

void uneven_max_pool(const OpView& op, Emitter& out, Ref x, const Axes& axes) {
  std::vector<Gathered> windows;
  for (size_t i = 0; i < axes.in.size(); ++i)
    windows.push_back(equal_windows(axes.in[i], axes.out[i]));
  const int spatial = axes.spatial();
  const Ref elements = window_last(out, gathered_windows(out, x, windows), spatial);
  const Ints last = {spatial + 2};
  batched_result(op, out, out.squeeze(exact_extremum(out, "max_reduce", elements, last), last), 0);
  if (!op.is_used(1)) return;
  const Ref winner = first_extremum(out, "argmax_reduce", elements, last);
  const Ref table =
      window_last(out, gathered_windows(out, flat_positions(out, axes.in), windows), spatial);
  Shape shape = out.shape(elements);
  const Ref all = out.broadcast_to(table, shape);
  shape.back() = 1;
  const Ref index = out.call("tract_core_gather_elements", {all, winner}, {{"axis", spatial + 2}},
                             DType::i64, shape);
  batched_result(op, out, out.squeeze(index, last), 1);
}

template <int kSpatial>
void adaptive_max_pool(const OpView& op, Emitter& out) {
  const Ref x = batched(out, op.tensor("self"), kSpatial);
  const Shape pooled = batched_shape(op, kSpatial);
  if (has_symbolic_axes(out, x, pooled) && !op.is_used(1) && ir::is_float(out.dtype(x))) {
    op.ignore("output_size", "the result's shape shows it");
    Ref y = x;
    for (int axis = kSpatial + 1; axis >= 2; --axis) y = greatest(out, y, axis, pooled[axis]);
    return batched_result(op, out, y, 0);
  }
  const Axes axes = read_axes(op, out, x, kSpatial);
  if (!axes.divides()) return uneven_max_pool(op, out, x, axes);
  const Shape shape = planes_shape(op, kSpatial);
  const Ref flat = planes(out, op.tensor("self"), kSpatial);
  const auto results = out.calls("max_pool_with_index", {flat}, tiles(axes),
                                 {{op.dtype(0), shape}, {op.dtype(1), shape}});
  planes_result(op, out, with_infinities(op, out, flat, tiles(axes), results[0]), 0);
  planes_result(op, out, results[1], 1);
}

}  // namespace

void register_adaptive_pool(Registry& r) {
  constexpr std::string_view kMean = "mean over output_size windows that cover the input";
  constexpr std::string_view kMax = "maximum over output_size windows that cover the input";
  r.same({"aten::adaptive_avg_pool1d"}, {"box", kMean, adaptive_avg_pool<1>});
  r.same({"aten::adaptive_avg_pool2d", "aten::_adaptive_avg_pool2d"},
         {"box", kMean, adaptive_avg_pool<2>});
  r.same({"aten::adaptive_avg_pool3d", "aten::_adaptive_avg_pool3d"},
         {"box", kMean, adaptive_avg_pool<3>});
  r.same({"aten::adaptive_max_pool1d"}, {"max_pool_with_index", kMax, adaptive_max_pool<1>});
  r.same({"aten::adaptive_max_pool2d"}, {"max_pool_with_index", kMax, adaptive_max_pool<2>});
  r.same({"aten::adaptive_max_pool3d"}, {"max_pool_with_index", kMax, adaptive_max_pool<3>});
  r.shapes(adaptive_pool_shapes,
           "_adaptive_avg_pool2d _adaptive_avg_pool3d adaptive_avg_pool1d "
           "adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d "
           "adaptive_max_pool2d adaptive_max_pool3d");
  r.zero_signs(ZeroSign::propagated, "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d");
  r.bounds({bounds::kept, false, true},
           "adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d");
}

}  // namespace t2n::ops
