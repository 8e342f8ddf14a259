// SPDX-License-Identifier: Apache-2.0
// Pools over windows: maximum and mean, with and without positions, and max_unpool.
#include <algorithm>
#include <bit>

#include "ops/layers/families.h"
#include "ops/structure/spatial.h"
#include "ops/structure/symbolic_windows.h"
#include "ops/structure/window_shapes.h"
#include "src/translate/arith.h"
#include "src/translate/quotient.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

/// Lists have one entry per spatial axis. `pads` are torch's; `excess` is the padding that
/// ceil_mode adds at the end.
struct PoolWindow {
  Ints size;
  Ints stride;
  Ints dilation;
  Ints pads;
  Ints excess;
  int spatial() const { return static_cast<int>(size.size()); }
  bool has_excess() const {
    return std::any_of(excess.begin(), excess.end(), [](int64_t e) { return e != 0; });
  }
  bool has_pads() const {
    return std::any_of(pads.begin(), pads.end(), [](int64_t p) { return p != 0; });
  }
  int64_t volume() const { return ir::element_count(size); }
};

/// With ceil_mode the last window may extend beyond the end; its start determines torch's shape.
Ints excess_of(const OpView& op, Emitter& out, const PoolWindow& w) {
  Ints excess(w.size.size());
  if (!op.boolean("ceil_mode")) return excess;
  const Ref x = op.tensor("self");
  for (size_t i = 0; i < excess.size(); ++i) {
    const int axis = out.rank(x) - w.spatial() + static_cast<int>(i);
    // No window begins after the end at any size: tract drops windows that are too short.
    if (!size_of(out, x, axis).is_constant() && w.dilation[i] == 1 &&
        w.stride[i] <= w.size[i] - w.pads[i]) {
      excess[i] = w.stride[i] - 1;
      continue;
    }
    const int64_t last = (known_size(op, 0, axis) - 1) * w.stride[i];
    const int64_t reach = last + w.dilation[i] * (w.size[i] - 1) + 1;
    excess[i] = std::max<int64_t>(0, reach - known_size(out, x, axis) - 2 * w.pads[i]);
  }
  return excess;
}

PoolWindow read_window(const OpView& op, Emitter& out, int spatial) {
  PoolWindow w;
  w.size = op.expand_ints("kernel_size", spatial);
  w.stride = op.ints("stride").empty() ? w.size : op.expand_ints("stride", spatial);
  w.pads = op.expand_ints("padding", spatial);
  w.dilation = op.has_argument("dilation") ? op.expand_ints("dilation", spatial)
                                           : Ints(static_cast<size_t>(spatial), 1);
  w.excess = excess_of(op, out, w);
  return w;
}

/// tract's lists start with the batch and channel axes.
Ints full_rank(const Ints& spatial) {
  Ints out = {1, 1};
  out.insert(out.end(), spatial.begin(), spatial.end());
  return out;
}

Pads full_rank_pads(const Ints& before, const Ints& excess) {
  Pads out(2);
  for (size_t i = 0; i < before.size(); ++i) out.emplace_back(before[i], before[i] + excess[i]);
  return out;
}

Attributes pool_attributes(const PoolWindow& w, const char* border) {
  return {{"size", full_rank(w.size)},
          {"border", border},
          {"padding", full_rank_pads(w.pads, w.excess)},
          {"stride", full_rank(w.stride)},
          {"dilation", full_rank(w.dilation)}};
}

bool is_symbolic(const Dim& size) { return !size.is_constant(); }

/// True if the window size or the stride depends on symbolic sizes.
bool has_symbolic_windows(const OpView& op) {
  for (const char* name : {"kernel_size", "stride"}) {
    const Shape sizes = op.dims(name);
    if (std::any_of(sizes.begin(), sizes.end(), is_symbolic)) return true;
  }
  return false;
}

/// One entry of a list per spatial axis; torch repeats a single one.
Dim dim_of(const OpView& op, std::string_view name, size_t axis, const Dim& otherwise) {
  if (!op.has_argument(name)) return otherwise;
  const Shape all = op.dims(name);
  return all.empty() ? otherwise : all.at(all.size() == 1 ? 0 : axis);
}

/// Windows along one axis whose size or stride is symbolic.
struct SymbolicWindow {
  Dim size;
  Dim stride;
  Dim pads;
  Dim dilation;
  /// True for a single window that covers the axis.
  bool covers_axis(const Dim& extent, const Dim& count) const {
    return size == extent && pads == Dim(0) && dilation == Dim(1) && count == Dim(1);
  }
};

SymbolicWindow read_symbolic_window(const OpView& op, size_t axis) {
  const Dim size = dim_of(op, "kernel_size", axis, 1);
  return {size, dim_of(op, "stride", axis, size), dim_of(op, "padding", axis, 0),
          dim_of(op, "dilation", axis, 1)};
}

/// The spans of `count` windows, which include padding.
SymbolicSpans padded_spans(Emitter& out, const SymbolicWindow& w, const Dim& count) {
  const Ref o = iota(out, count, 0, 2);
  const Ref begin =
      sub(out, mul(out, o, out.size(w.stride, DType::i64)), out.size(w.pads, DType::i64));
  const Dim reach = w.dilation * (w.size - Dim(1)) + Dim(1);
  return {begin, add(out, begin, out.size(reach, DType::i64)), w.dilation};
}

Ref symbolic_max(const OpView& op, Emitter& out, Ref x, int axis, const Dim& count) {
  const SymbolicWindow w = read_symbolic_window(op, static_cast<size_t>(axis) - 2);
  if (w.covers_axis(size_of(out, x, axis), count))
    return exact_extremum(out, "max_reduce", x, {axis});
  return greatest_in(out, x, axis, padded_spans(out, w, count));
}

/// Means over windows, or sums if `divisor_override` replaces the divisor.
Ref symbolic_mean(const OpView& op, Emitter& out, Ref x, int axis, const Dim& count, bool is_sum) {
  const SymbolicWindow w = read_symbolic_window(op, static_cast<size_t>(axis) - 2);
  const Dim size = size_of(out, x, axis);
  if (w.covers_axis(size, count))
    return reduce(out, is_sum ? "sum_reduce" : "mean_reduce", x, {axis});
  SymbolicSpans spans = padded_spans(out, w, count);
  if (is_sum) return mean_over(out, x, axis, spans, out.scalar(1, DType::i64));
  const Ref end = minimum(out, spans.end, out.size(size + w.pads, DType::i64));
  const Ref all = sub(out, end, spans.begin);
  spans = {maximum(out, spans.begin, out.scalar(0, DType::i64)),
           minimum(out, end, out.size(size, DType::i64))};
  return mean_over(out, x, axis, spans,
                   op.boolean("count_include_pad") ? all : sub(out, spans.end, spans.begin));
}

/// The result's shape shows what ceil_mode adds.
template <int kSpatial>
void symbolic_max_pool(const OpView& op, Emitter& out) {
  ignore_present(op, {"ceil_mode"}, "the result's shape shows it");
  Ref x = batched(out, op.tensor("self"), kSpatial);
  if (!ir::is_float(out.dtype(x))) op.refuse("kernel_size", Limit::unknown_size);
  const Shape shape = batched_shape(op, kSpatial);
  for (int axis = kSpatial + 1; axis >= 2; --axis) x = symbolic_max(op, out, x, axis, shape[axis]);
  batched_result(op, out, x);
}

template <int kSpatial>
void symbolic_avg_pool(const OpView& op, Emitter& out) {
  ignore_present(op, {"ceil_mode", "count_include_pad"}, "read where it matters");
  Ref x = widened(out, batched(out, op.tensor("self"), kSpatial));
  if (!ir::is_float(out.dtype(x))) op.refuse("kernel_size", Limit::unknown_size);
  const auto divisor = op.has_argument("divisor_override") && !op.is_none("divisor_override")
                           ? std::optional(op.number("divisor_override", out.dtype(x)))
                           : std::nullopt;
  const Shape shape = batched_shape(op, kSpatial);
  for (int axis = kSpatial + 1; axis >= 2; --axis)
    x = symbolic_mean(op, out, x, axis, shape[axis], divisor.has_value());
  batched_result(op, out, out.cast(divisor ? div(out, x, *divisor) : x, op.dtype()));
}

template <int kSpatial>
void max_pool(const OpView& op, Emitter& out) {
  if (has_symbolic_windows(op)) return symbolic_max_pool<kSpatial>(op, out);
  const PoolWindow w = read_window(op, out, kSpatial);
  const Ref x = planes(out, op.tensor("self"), kSpatial);
  const Attributes windows = pool_attributes(w, "ignore");
  const Ref y = out.call(op.nnef(), {x}, windows, op.dtype(), planes_shape(op, kSpatial));
  planes_result(op, out, with_infinities(op, out, x, windows, y));
}

template <int kSpatial>
void max_pool_with_indices(const OpView& op, Emitter& out) {
  if (has_symbolic_windows(op) && !op.is_used(1)) return symbolic_max_pool<kSpatial>(op, out);
  const PoolWindow w = read_window(op, out, kSpatial);
  const Ref x = planes(out, op.tensor("self"), kSpatial);
  const Shape shape = planes_shape(op, kSpatial);
  const Attributes windows = pool_attributes(w, "ignore");
  const auto results =
      out.calls(op.nnef(), {x}, windows, {{op.dtype(0), shape}, {op.dtype(1), shape}});
  planes_result(op, out, with_infinities(op, out, x, windows, results[0]), 0);
  planes_result(op, out, results[1], 1);
}

Ref box(const OpView& op, Emitter& out, Ref x, const PoolWindow& w, const char* border) {
  Attributes attributes = pool_attributes(w, border);
  attributes.emplace_back("normalize", true);
  return out.call("box", {x}, attributes, out.dtype(x), planes_shape(op, w.spatial()));
}

/// Zeros that count as elements become part of the tensor; what ceil_mode adds never counts.
Ref box_over_padded(const OpView& op, Emitter& out, Ref x, PoolWindow w) {
  x = out.pad(x, full_rank_pads(w.pads, Ints(w.pads.size(), 0)));
  std::fill(w.pads.begin(), w.pads.end(), 0);
  return box(op, out, x, w, "ignore");
}

/// A window beyond the end has fewer elements than `divisor` assumes, so all of them must count.
Ref sum_divided(const OpView& op, Emitter& out, Ref x, PoolWindow w, int64_t divisor) {
  x = out.pad(x, full_rank_pads(w.pads, w.excess));
  std::fill(w.pads.begin(), w.pads.end(), 0);
  std::fill(w.excess.begin(), w.excess.end(), 0);
  const double factor = static_cast<double>(w.volume()) / static_cast<double>(divisor);
  const Ref mean = box(op, out, x, w, "ignore");
  return mul(out, mean, like(out, factor, mean));
}

std::optional<int64_t> divisor_override(const OpView& op) {
  return op.has_argument("divisor_override") ? op.opt_i64("divisor_override") : std::nullopt;
}

Ref mean_over_windows(const OpView& op, Emitter& out, Ref x, const PoolWindow& w, bool can_count) {
  const bool counts_pads = op.boolean("count_include_pad");
  if (const auto divisor = divisor_override(op)) return sum_divided(op, out, x, w, *divisor);
  if (!counts_pads || !w.has_pads()) return box(op, out, x, w, "ignore");
  if (can_count && !w.has_excess()) return box(op, out, x, w, "constant");
  return box_over_padded(op, out, x, w);
}

/// The mean of n integers is near an integer or at least 1 / n away from it. Moved by half of that,
/// it is truncated correctly by the cast back.
Ref away_from_zero(const OpView& op, Emitter& out, Ref y, const PoolWindow& w) {
  const int64_t divisor = std::abs(divisor_override(op).value_or(1));
  const double n = static_cast<double>(std::max(divisor, w.volume()));
  return add(out, y, mul(out, out.elementwise("sign", {y}), like(out, 0.5 / n, y)));
}

/// `kCanCount`: the engine can count padding as elements.
template <int kSpatial, bool kCanCount>
void avg_pool(const OpView& op, Emitter& out) {
  if (has_symbolic_windows(op)) return symbolic_avg_pool<kSpatial>(op, out);
  const PoolWindow w = read_window(op, out, kSpatial);
  Ref x = widened(out, planes(out, op.tensor("self"), kSpatial));
  // Means of integers lose their fraction in the cast back. f64 has more bits than the engine loses
  // when it multiplies f32 sums by the reciprocal of the divisor.
  const DType dtype = out.dtype(x);
  const bool is_integer = !ir::is_float(dtype);
  // A power of two divides without an error, in the order in which torch sums.
  const bool is_plain = !w.has_pads() && !w.has_excess() && !divisor_override(op) &&
                        std::has_single_bit(static_cast<uint64_t>(w.volume()));
  if (is_integer || (!is_plain && needs_exact_quotients(op, out))) x = out.cast(x, DType::f64);
  Ref y = mean_over_windows(op, out, x, w, kCanCount);
  if (is_integer) y = away_from_zero(op, out, y, w);
  planes_result(op, out, out.cast(is_integer ? y : out.cast(y, dtype), op.dtype()));
}

/// Values at the positions where a pool found them, zero elsewhere.
void max_unpool(const OpView& op, Emitter& out) {
  const int spatial = static_cast<int>(op.dims("output_size").size());
  ignore_present(op, {"stride", "padding"}, "output_size includes their effect");
  const Ref x = planes(out, op.tensor("self"), spatial);
  const Ref indices = planes(out, op.tensor("indices"), spatial);
  const Shape shape = planes_shape(op, spatial);
  const auto flat = [](const Shape& s) {
    Dim count = 1;
    for (size_t i = 2; i < s.size(); ++i) count = count * s[i];
    return Shape{s[0], s[1], count};
  };
  const Ref zeros = out.full(out.scalar(0.0, op.dtype()), flat(shape));
  const Ref y = out.call(
      op.nnef(),
      {zeros, out.reshape(indices, flat(out.shape(indices))), out.reshape(x, flat(out.shape(x)))},
      {{"axis", 2}}, op.dtype(), flat(shape));
  planes_result(op, out, out.reshape(y, shape));
}

template <int kSpatial>
void add_pools(Registry& r, std::string_view max, std::string_view with_indices,
               std::string_view avg) {
  r.same({max}, {"max_pool", "maximum over each window", max_pool<kSpatial>, {}, "NaN is ignored"});
  r.same({with_indices}, {"max_pool_with_index",
                          "maximum over each window, and its flat position",
                          max_pool_with_indices<kSpatial>,
                          {},
                          "NaN is ignored"});
  r.add({.op = avg,
         .doc = "mean over each window",
         .variants = {{has(Feature::count_include_pad), "box", avg_pool<kSpatial, true>},
                      {any_target(), "box", avg_pool<kSpatial, false>}}});
}

/// With ceil_mode, a last window counts if it starts within the input or its left padding.
Dim pooled(const ShapeView& op, const AxisWindow& w, const Dim& size) {
  if (!op.boolean("ceil_mode")) return w.count(op, size);
  op.require(size + 2 * w.padding, Relation::ge, w.reach() - w.stride + 1);
  const Dim count = shapes::ceil_div(size + 2 * w.padding - w.reach(), w.stride) + 1;
  const Dim begun = floor_div(size + w.padding - 1, w.stride) + 1;
  if (!ir::is_unbacked(size)) op.constraints().decide(count, Relation::le, begun);
  return op.constraints().smaller(count, begun);
}

Shapes pool_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const size_t rank = spatial_rank(op);
  const Shape kernel = op.dims("kernel_size", rank, 1);
  Shape out = all_but_last(x, rank);
  for (size_t i = 0; i < rank; ++i) {
    const bool strides = op.has("stride") && !op.dims("stride").empty();
    const AxisWindow w{kernel.at(i), strides ? op.dims("stride", rank, 1).at(i) : kernel[i],
                       op.dims("padding", rank, 0).at(i), op.dims("dilation", rank, 1).at(i)};
    out.push_back(pooled(op, w, last_dims(x, rank)[i]));
  }
  return repeated(op, out);
}

}  // namespace

void register_pool(Registry& r) {
  add_pools<1>(r, "aten::max_pool1d", "aten::max_pool1d_with_indices", "aten::avg_pool1d");
  add_pools<2>(r, "aten::max_pool2d", "aten::max_pool2d_with_indices", "aten::avg_pool2d");
  add_pools<3>(r, "aten::max_pool3d", "aten::max_pool3d_with_indices", "aten::avg_pool3d");
  r.same({"aten::max_unpool2d", "aten::max_unpool3d"},
         {"tract_core_scatter_elements", "zeros with `self` at `indices`", max_unpool});
  r.shapes(pool_shapes,
           "avg_pool1d avg_pool2d avg_pool3d max_pool1d max_pool1d_with_indices max_pool2d "
           "max_pool2d_with_indices max_pool3d max_pool3d_with_indices");
  r.shapes(adaptive_pool_shapes, "max_unpool2d max_unpool3d");
  r.bounds({bounds::kept, false, true},
           "max_pool1d_with_indices max_pool2d_with_indices max_pool3d_with_indices");
  r.bounds({bounds::kept}, "max_pool1d max_pool2d max_pool3d");
  r.zero_signs(ZeroSign::propagated,
               "avg_pool1d avg_pool2d avg_pool3d max_pool1d max_pool2d max_pool3d");
}

}  // namespace t2n::ops
