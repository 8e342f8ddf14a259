// SPDX-License-Identifier: Apache-2.0
// Bilinear interpolation of quantised images. LibTorch interpolates the integers in f32, and
// subtracts the zero point from the result.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "src/quant/rules.h"

namespace t2n::quant {
namespace {

/// The resizing of one axis. If the scale is zero, torch computes it from the sizes.
struct Axis {
  int64_t in = 1;  ///< in this probe
  int64_t out = 1;
  Dim any_in;  ///< as an expression, if sizes vary
  Dim any_out;
  double scale = 0;
  bool align_corners = false;
};

/// How a kernel adds two products. For contiguous images it rounds both to f32. For channels-last
/// images it uses a fused multiply-add, which leaves one of them unrounded: the second one for
/// vectorised channels, and the first one for the remaining channels.
struct Sums {
  bool are_fused = false;
  Vectors channels;
};

/// One tap of the interpolation, vectors of the result's size: the source indices, i64, and their
/// weights, f64.
struct Tap {
  ValueId indices = ir::kNoValue;
  ValueId weights = ir::kNoValue;
};
using Taps = std::array<Tap, 2>;  ///< the lower and the upper source index

double ratio_of(const Axis& a) {
  const auto in = static_cast<double>(a.in);
  const auto out = static_cast<double>(a.out);
  if (a.align_corners) return a.out > 1 ? as_f32((in - 1) / (out - 1)) : 0;
  return as_f32(a.scale > 0 ? 1 / a.scale : in / out);
}

/// The source coordinate of result index i.
double source_of(const Axis& a, double i, bool is_fused) {
  const double ratio = ratio_of(a);
  if (a.align_corners) return as_f32(ratio * i);
  const double product = ratio * (i + 0.5);
  return std::max(as_f32((is_fused ? product : as_f32(product)) - 0.5), 0.0);
}

Taps static_taps(QuantBuilder& b, const Axis& a, bool is_fused) {
  std::vector<double> low, high, low_weights, high_weights;
  for (int64_t i = 0; i < a.out; ++i) {
    const double at = source_of(a, static_cast<double>(i), is_fused);
    const int64_t below = std::min(static_cast<int64_t>(at), a.in - 1);
    const double weight = as_f32(at - static_cast<double>(below));
    low.push_back(static_cast<double>(below));
    low_weights.push_back(as_f32(1 - weight));
    high.push_back(static_cast<double>(std::min(below + 1, a.in - 1)));
    high_weights.push_back(weight);
  }
  const auto tap = [&](const std::vector<double>& indices, const std::vector<double>& weights) {
    return Tap{b.constant({a.out}, indices, DType::i64), b.constant({a.out}, weights, DType::f64)};
  };
  return {tap(low, low_weights), tap(high, high_weights)};
}

// If sizes vary, the taps are computed in f64, where products of two f32 numbers are exact.
ValueId rounded_to_f32(QuantBuilder& b, ValueId x) {
  return b.cast(b.cast(x, DType::f32), DType::f64);
}

ValueId f64(QuantBuilder& b, double number) { return b.number(number, DType::f64); }

ValueId size_tensor(QuantBuilder& b, const Dim& size) {
  const ValueId tensor =
      b.emit("aten::tensor.int",
             {{"t", size}, {"dtype", DType::i64}, {"device", ir::None{}}, {"requires_grad", false}},
             DType::i64, {});
  return b.cast(tensor, DType::f64);
}

ValueId numbers_below(QuantBuilder& b, const Dim& count, int64_t size) {
  const ValueId range = b.emit("aten::arange",
                               {{"end", count},
                                {"dtype", DType::i64},
                                {"layout", ir::None{}},
                                {"device", ir::None{}},
                                {"pin_memory", ir::None{}}},
                               DType::i64, {Dim(size)});
  return b.cast(range, DType::f64);
}

ValueId dynamic_ratio(QuantBuilder& b, const Axis& a) {
  if (!a.align_corners && a.scale > 0) return f64(b, as_f32(1 / a.scale));
  const Dim one = a.align_corners ? 1 : 0;
  return rounded_to_f32(
      b, div(b, size_tensor(b, a.any_in - one), size_tensor(b, max(a.any_out - one, Dim(1)))));
}

ValueId dynamic_source(QuantBuilder& b, const Axis& a, ValueId i, bool is_fused) {
  const ValueId ratio = dynamic_ratio(b, a);
  if (a.align_corners) return rounded_to_f32(b, mul(b, i, ratio));
  const ValueId product = mul(b, add(b, i, f64(b, 0.5)), ratio);
  const ValueId sum = sub(b, is_fused ? product : rounded_to_f32(b, product), f64(b, 0.5));
  return b.relu(rounded_to_f32(b, sum));
}

/// `is_copy`: a boolean of the graph: the image keeps its size and is copied.
Taps dynamic_taps(QuantBuilder& b, const Axis& a, bool is_fused, ValueId is_copy) {
  const ValueId i = numbers_below(b, a.any_out, a.out);
  ValueId at = dynamic_source(b, a, i, is_fused);
  if (is_copy != ir::kNoValue) at = b.where(is_copy, i, at);
  const ValueId last = size_tensor(b, a.any_in - Dim(1));
  const auto limited = [&](ValueId x) { return b.binary("aten::minimum", x, last); };
  const ValueId below = limited(b.unary("aten::floor", at));
  const ValueId above = limited(add(b, below, f64(b, 1)));
  const ValueId weight = sub(b, at, below);
  const ValueId rest = rounded_to_f32(b, sub(b, f64(b, 1), weight));
  return {Tap{b.cast(below, DType::i64), rest}, Tap{b.cast(above, DType::i64), weight}};
}

ValueId weighted_tap(QuantBuilder& b, ValueId x, int axis, const Tap& tap, DType dtype) {
  ir::Shape shape = b.shape(x);
  shape.at(axis) = b.shape(tap.indices).at(0);
  const ValueId taken =
      b.emit("aten::index_select",
             {{"self", TensorRef{x}}, {"dim", Dim(axis)}, {"index", TensorRef{tap.indices}}},
             b.dtype(x), shape);
  ValueId weights = b.cast(tap.weights, dtype);
  while (b.rank(weights) < b.rank(x) - axis) weights = b.unsqueeze(weights, b.rank(weights));
  return mul(b, b.cast(taken, dtype), weights);
}

ValueId fused_sum(QuantBuilder& b, ValueId first, ValueId second, const Vectors& channels) {
  const auto sum = [&](ValueId x, ValueId y) { return b.cast(add(b, x, y), DType::f32); };
  if (channels.reach == Vectors::Reach::all) return sum(rounded_to_f32(b, first), second);
  if (channels.reach == Vectors::Reach::none) return sum(first, rounded_to_f32(b, second));
  return b.where(b.select_vectorised(channels, 1, 0, DType::boolean),
                 sum(rounded_to_f32(b, first), second), sum(first, rounded_to_f32(b, second)));
}

ValueId weighted(QuantBuilder& b, ValueId x, int axis, const Taps& taps, const Sums& sums) {
  const DType dtype = sums.are_fused ? DType::f64 : DType::f32;
  const ValueId first = weighted_tap(b, x, axis, taps[0], dtype);
  const ValueId second = weighted_tap(b, x, axis, taps[1], dtype);
  return sums.are_fused ? fused_sum(b, first, second, sums.channels) : add(b, first, second);
}

ValueId image(const QuantBuilder& b) { return b.original(b.has("input") ? "input" : "self"); }

/// The scales of height and width.
std::array<double, 2> read_scales(const QuantBuilder& b) {
  const auto one = [&](std::string_view name) { return b.is_none(name) ? 0.0 : b.scalar(name, 0); };
  if (!b.has("scale_factors")) return {one("scales_h"), one("scales_w")};
  if (b.is_none("scale_factors")) return {0, 0};
  const auto& both = std::get<std::vector<double>>(*b.find("scale_factors"));
  return {both.at(0), both.at(1)};
}

/// floor(size * factor), for multiples of 1/1024; nothing for other factors.
std::optional<Dim> scaled_size(const Dim& size, double factor) {
  constexpr int64_t kParts = 1024;
  const double parts = factor * static_cast<double>(kParts);
  if (std::trunc(parts) != parts || parts > 1e9) return std::nullopt;
  return floor_div(Dim(static_cast<int64_t>(parts)) * size, Dim(kParts));
}

/// Height and width. Nothing if sizes vary and cannot be expressed.
std::optional<std::array<Axis, 2>> read_axes(QuantBuilder& b) {
  const ValueId x = b.centred_at(image(b));
  const std::array<double, 2> scales = read_scales(b);
  const bool has_size = b.has("output_size") && !b.is_none("output_size");
  std::array<Axis, 2> out;
  for (size_t i = 0; i < 2; ++i) {
    const auto axis = static_cast<int>(i) + 2;
    const Dim in = b.size(x, axis);
    const auto size = has_size ? b.dims("output_size").at(i) : scaled_size(in, scales[i]);
    if (!size && b.sizes_vary()) return std::nullopt;
    const Dim size_now = b.output().shape.at(i + 2);
    out[i] = {b.shape(x).at(i + 2).value(), size_now.value(), in,
              size.value_or(size_now),      scales[i],        b.flag("align_corners", false)};
  }
  return out;
}

/// The kernel for channels-last images vectorises blocks of eight channels of 8-bit integers.
Sums read_sums(const QuantBuilder& b) {
  constexpr int64_t kBlock = 8;
  if (b.order() != MemoryOrder::channels_last) return {};
  if (b.info_at(image(b))->bits > 8) return {true, {Vectors::Reach::none, {}, {}}};
  return {true, vectors_in_rows({b.output().shape.at(1).value(), 1, 1}, kBlock)};
}

/// Whether a contiguous image keeps its size: then the kernel copies it at any scale. kNoValue if
/// that makes no difference.
ValueId keeps_size(QuantBuilder& b, const std::array<Axis, 2>& axes, bool is_contiguous) {
  const auto resamples = [](const Axis& a) {
    return !a.align_corners && a.scale > 0 && as_f32(1 / a.scale) != 1;
  };
  if (!is_contiguous || (!resamples(axes[0]) && !resamples(axes[1]))) return ir::kNoValue;
  const auto keeps = [&](const Axis& a) {
    return b.binary("aten::eq.Tensor", size_tensor(b, a.any_in), size_tensor(b, a.any_out));
  };
  return b.binary("aten::logical_and", keeps(axes[0]), keeps(axes[1]));
}

bool is_copy(const std::array<Axis, 2>& axes) {
  return axes[0].any_in == axes[0].any_out && axes[1].any_in == axes[1].any_out;
}

ValueId interpolated(QuantBuilder& b, const std::array<Axis, 2>& axes, const Sums& sums) {
  const ValueId same = b.sizes_vary() ? keeps_size(b, axes, !sums.are_fused) : ir::kNoValue;
  ValueId y = b.float_integers_at(image(b));
  for (const int axis : {3, 2}) {
    const Axis& change = axes[axis - 2];
    const Taps taps = b.sizes_vary() ? dynamic_taps(b, change, sums.are_fused, same)
                                     : static_taps(b, change, sums.are_fused);
    y = weighted(b, y, axis, taps, sums);
  }
  return y;
}

}  // namespace

void define_bilinear(QuantBuilder& b) {
  const QuantInfo to = *b.output_info();
  const Sums sums = read_sums(b);
  const auto axes = read_axes(b);
  if (!axes)
    return b.refuse("its scale factor is not a multiple of 1/1024, and sizes are dynamic",
                    "interpolate to a size, or with another scale factor");
  b.ignore({"output_size"}, "read with the axes");
  if (!sums.are_fused && is_copy(*axes)) return b.define(b.centred_at(image(b)));
  b.define(b.centred_from(b.minus_zero_points(interpolated(b, *axes, sums), to), to,
                          ZeroPoint::before_rounding));
}

}  // namespace t2n::quant
