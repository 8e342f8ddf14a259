// SPDX-License-Identifier: Apache-2.0
// Slices, padding and triangles.
#include <algorithm>
#include <cmath>

#include "src/nnef_ops/arith.h"
#include "src/nnef_ops/book.h"
#include "src/nnef_ops/flow_call.h"
#include "src/nnef_ops/shape_call.h"
#include "src/nnef_ops/strict_call.h"

namespace t2n::nnef_ops {
namespace {

/// The number of elements in a slice. Like every reader, and unlike §4.5.4, it counts an incomplete
/// last step.
int64_t sliced_extent(const ShapeCall& call, int64_t extent, int64_t begin, int64_t end,
                      int64_t stride) {
  const auto clamped = [&](int64_t at) {
    return std::clamp<int64_t>(at < 0 ? at + extent : at, -1, extent);
  };
  const int64_t first = clamped(begin);
  const int64_t last = clamped(end);
  const bool inside = stride > 0 ? first >= 0 && first < last : last < first && first < extent;
  call.require(inside, "from ", begin, " to ", end, " by ", stride,
               ": the slice is empty, the extent is ", extent);
  const int64_t length = stride > 0 ? last - first : first - last;
  const int64_t step = stride > 0 ? stride : -stride;
  return (length + step - 1) / step;
}

Shapes slice_shape(const ShapeCall& call) {
  Ints out = call.shape("input");
  const Ints axes = call.axes("axes", out.size());
  const Ints begin = call.ints("begin");
  Ints end = call.ints("end");
  Ints stride = call.ints("stride");
  call.require(begin.size() == axes.size() && end.size() == axes.size(),
               "'axes', 'begin' and 'end' have ", axes.size(), ", ", begin.size(), " and ",
               end.size(), " numbers");
  call.require(stride.empty() || stride.size() == axes.size(), "'stride' has ", stride.size(),
               " numbers for ", axes.size(), " axes");
  if (stride.empty()) stride.assign(axes.size(), 1);
  const bool is_plain =
      std::count(stride.begin(), stride.end(), 1) == static_cast<ptrdiff_t>(stride.size());
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t& extent = out[axes[i]];
    call.require(stride[i] != 0, "'stride' is 0");
    if (is_plain && end[i] == 0) end[i] = extent;
    extent = sliced_extent(call, extent, begin[i], end[i], stride[i]);
  }
  return {out};
}

Shapes tract_slice_shape(const ShapeCall& call) {
  Ints out = call.shape("input");
  const Ints axes = call.axes("axes", out.size());
  const Ints begin = call.ints("begin"), end = call.ints("end"), stride = call.ints("stride");
  if (begin.size() != axes.size() || end.size() != axes.size()) return {};
  if (!stride.empty() && stride.size() != axes.size()) return {};
  for (size_t i = 0; i < axes.size(); ++i) {
    int64_t& extent = out[axes[i]];
    const int64_t first = begin[i] < 0 ? begin[i] + extent : begin[i];
    int64_t last = end[i] <= 0 ? end[i] + extent : end[i];
    if (last > extent && call.slices() == Slices::unknown) return {};
    call.require(last <= extent || call.slices() != Slices::refused, "the slice ends at ", last,
                 " of ", extent);
    last = std::min(last, extent);
    if (first < 0 || first > last) return {};
    const int64_t step = stride.empty() ? 1 : std::abs(stride[i]);
    if (step == 0) return {};
    extent = (last - first + step - 1) / step;
  }
  return {out};
}

Flows slice_flow(const FlowCall& call) {
  Flow out = call.first_flow();
  if (!out.streams())
    blocked("slices a table to the input length",
            "each piece would get the same part: compute positions by torch.arange or a "
            "convolution");
  const ir::Ints axes = call.ints("axes");
  const nnef::Value& begins = call.value("begin");
  const ir::Ints strides = call.find("stride") != nullptr ? call.ints("stride") : Ints{};
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] != out.axis) continue;
    const auto begin = call.number(begins.items.at(i));
    if (!begin || *begin < 0) blocked("slices from the end of the stream", kNoEnd);
    const int64_t stride = i < strides.size() ? strides[i] : 1;
    if (stride < 1) blocked("reverses the time axis", kNoEnd);
    if (call.result() == nullptr || !out.shape) blocked("slices a stream in an unsupported way");
    const auto of_input = rate_of((*out.shape)[out.axis], call.symbol());
    const auto of_result = rate_of((*call.result())[out.axis], call.symbol());
    if (!of_input || !of_result ||
        of_input->up * of_result->down != of_result->up * of_input->down * stride)
      blocked("takes a slice that does not grow like the stream",
              "fixed positions, and parts such as halves, need the complete input");
    out.delayed = out.delayed || *begin > 0 || stride > 1;
  }
  return with_new_shape(out);
}

Refs lower_slice(const StrictCall& call, Builder& out) {
  Attributes attributes = call.attributes;
  if (call.find("stride") == nullptr)
    attributes.emplace_back("stride", Ints(call.at("axes").items.size(), 1));
  return emit_same(call, out, call.op, attributes);
}

Shapes dyn_slice_shape(const ShapeCall& call) {
  Ints out = call.shape("input");
  out[call.axis("axis", out.size())] = call.integer("len");
  return {out};
}

Shapes pad_shape(const ShapeCall& call) {
  Ints out = call.shape("input");
  const Pairs padding = call.pairs("padding");
  call.one_of("border", kFilledBorders);
  call.require(padding.size() == out.size(), "'padding' has ", padding.size(),
               " pairs, and the tensor ", out.size(), " axes");
  for (size_t i = 0; i < out.size(); ++i) {
    check_reflection(call, i, out[i], padding[i]);
    out[i] += padding[i].first + padding[i].second;
    call.require(out[i] > 0, "axis ", i, " of the result has the extent ", out[i]);
  }
  return {out};
}

Shapes tract_pad_shape(const ShapeCall& call) {
  Ints out = call.shape("input");
  const Pairs padding = call.pairs("padding");
  if (padding.size() != out.size()) return {};
  for (size_t i = 0; i < out.size(); ++i) out[i] += padding[i].first + padding[i].second;
  return {out};
}

bool replicates_border(const FlowCall& call) {
  return call.text("border").starts_with("replicate");
}

Flows pad_flow(const FlowCall& call) {
  Flow out = call.first_flow();
  const auto padding = call.pairs("padding");
  const auto [before, after] = padding.at(out.axis);
  out.shape = nullptr;
  if (before == 0 && after == 0) return {out};
  if (replicates_border(call)) out.least = before + 1;
  const std::string border = call.text("border");
  if (border == "reflect")
    blocked("pads by reflection along the stream",
            "tract does not support it in pulses: pad with zeros, or by repeating the first entry");
  out.delayed = out.delayed || border != "constant";
  return {out};
}

/// Pads by concatenating blocks of one number.
Ref concat_padding(Builder& out, Ref x, const Pairs& padding, double value) {
  for (int axis = 0; axis < out.rank(x); ++axis) {
    const auto [before, after] = padding[axis];
    Refs parts;
    const auto add_block = [&](int64_t n) {
      if (n > 0)
        parts.push_back(out.full(out.scalar(value, DType::f32), with_size(out.shape(x), axis, n)));
    };
    add_block(before);
    parts.push_back(x);
    add_block(after);
    x = out.concat(parts, axis);
  }
  return x;
}

/// Pads by gathering the entries of each axis.
Ref gather_padding(Builder& out, Ref x, const Pairs& padding, bool is_reflected) {
  for (int axis = 0; axis < out.rank(x); ++axis) {
    const auto [before, after] = padding[axis];
    if (before == 0 && after == 0) continue;
    const int64_t n = extent(out, x, axis);
    std::vector<int64_t> entries;
    for (int64_t i = -before; i < n + after; ++i) {
      const int64_t gather_padding = i >= n ? 2 * (n - 1) - i : std::abs(i);
      entries.push_back(is_reflected ? gather_padding : std::clamp<int64_t>(i, 0, n - 1));
    }
    const Ref index = int_constant(out, entries, {n + before + after}, "border");
    x = out.call("tract_core_gather", {x, index}, {{"axis", axis}}, out.dtype(x),
                 with_size(out.shape(x), axis, n + before + after));
  }
  return x;
}

/// NNEF-Tools only pads spatial axes, of three to five in total, and with finite numbers.
bool is_supported_pad(const Pairs& padding, double value) {
  const auto is_none = [](const auto& pair) { return pair.first == 0 && pair.second == 0; };
  return padding.size() >= 3 && padding.size() <= 5 && is_none(padding[0]) && is_none(padding[1]) &&
         std::isfinite(static_cast<float>(value));
}

Refs lower_pad(const StrictCall& call, Builder& out) {
  const TensorType& type = call.result();
  const Ref x = as_number(out, call.operands[0]);
  const Pairs padding = call.pairs("padding");
  const std::string& border = call.at("border").text;
  const double value = call.at("value").number;
  if (border != "constant")
    return {retyped(out, gather_padding(out, x, padding, border == "reflect"), type.dtype)};
  if (!is_supported_pad(padding, value))
    return {retyped(out, concat_padding(out, x, padding, value), type.dtype)};
  const Ref y = emit(out, "pad", {x}, call.attributes, {DType::f32, type.shape});
  return {retyped(out, y, type.dtype)};
}

/// The upper or lower triangle; a product with zeros would keep NaN.
Refs lower_triangle(const StrictCall& call, Builder& out) {
  const Ref x = call.operands[0];
  const int rank = out.rank(x);
  const Shape& shape = call.result().shape;
  const Dim rows = shape.at(shape.size() - 2), columns = shape.back();
  const bool is_upper = call.at("upper").logical;
  const int64_t k = call.at("k").integer;
  std::vector<int64_t> keeps;
  for (int64_t row = 0; row < rows.value(); ++row)
    for (int64_t column = 0; column < columns.value(); ++column)
      keeps.push_back(is_upper ? column - row >= k : column - row <= k);
  Ints mask_shape(static_cast<size_t>(rank), 1);
  mask_shape[rank - 2] = rows.value();
  mask_shape.back() = columns.value();
  const Ref mask = out.constant(ir::tensor_of(DType::boolean, mask_shape, keeps), "triangle");
  const bool is_logical = out.dtype(x) == DType::boolean;
  return {is_logical ? logical_and(out, mask, x) : select(out, mask, x, out.scalar(0.0, x.dtype))};
}

}  // namespace

void add_slice(Book& book) {
  book.add("slice",
           {slice_shape, tract_slice_shape, slice_flow, lower_slice, kMovesData | kMovesAxes});
  book.add("tract_core_dyn_slice", {nullptr, dyn_slice_shape});
  book.add("pad", {pad_shape, tract_pad_shape, pad_flow, lower_pad, kMovesData});
  book.add("tract_core_trilu", {nullptr, unary_shape, nullptr, lower_triangle});
}

}  // namespace t2n::nnef_ops
