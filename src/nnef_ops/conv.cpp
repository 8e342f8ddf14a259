// SPDX-License-Identifier: Apache-2.0
// Convolutions, and back.
#include <algorithm>
#include <optional>

#include "src/nnef_ops/arith.h"
#include "src/nnef_ops/book.h"
#include "src/nnef_ops/flow_call.h"
#include "src/nnef_ops/shape_call.h"
#include "src/nnef_ops/strict_call.h"
#include "src/nnef_ops/window.h"

namespace t2n::nnef_ops {
namespace {

int64_t groups_of(const ShapeCall& call, int64_t channels) {
  const int64_t groups = call.integer("groups");
  call.require(groups >= 0 && channels > 0, "'groups' is ", groups, " of ", channels, " channels");
  return groups == 0 ? channels : groups;
}

void check_bias(const ShapeCall& call, int64_t channels) {
  const Ints bias = call.shape("bias");
  for (size_t i = 0; i < bias.size(); ++i)
    call.require(bias[i] == 1 || (i == 1 && bias[i] == channels), "'bias' has the shape ",
                 shape_text(bias), ", and can be [1,", channels, "]");
}

void check_filter(const ShapeCall& call, const Ints& input, const Ints& filter, int64_t groups) {
  call.require(input.size() >= 3, "the input has the shape ", shape_text(input),
               ", and needs a batch, channels and at least one axis more");
  call.require(filter.size() == input.size(), "the filter has the shape ", shape_text(filter),
               ", and the input ", shape_text(input), ": their ranks must be equal");
  call.require(filter[0] % groups == 0, "the ", filter[0], " filters cannot be divided into ",
               groups, " groups");
}

WindowArguments spatial_window(const ShapeCall& call, const Ints& filter) {
  return window_arguments(call, Ints(filter.begin() + 2, filter.end()), 2);
}

Ints convolved(const ShapeCall& call, const Ints& input, const Ints& filter, int64_t groups) {
  check_filter(call, input, filter, groups);
  call.require(product(filter[1], groups) == input[1], "filters over ", filter[1], " channels in ",
               groups, groups == 1 ? " group" : " groups", " do not fit an input of ", input[1],
               " channels");
  const WindowArguments args = spatial_window(call, filter);
  check_reflections(call, args, input);
  Ints out = down(call, args, input);
  out[1] = filter[0];
  return out;
}

Ints deconvolved(const ShapeCall& call, const Ints& input, const Ints& filter, int64_t groups) {
  check_filter(call, input, filter, groups);
  call.require(filter[0] == input[1], filter[0], " filters do not fit an input of ", input[1],
               " channels");
  const WindowArguments args = spatial_window(call, filter);
  const int64_t channels = product(filter[1], groups);
  const bool is_requested = call.list_size("output_shape") > 0;
  Ints out = is_requested ? requested_shape(call, args, input) : up(call, args, input);
  call.require(!is_requested || (out[0] == input[0] && out[1] == channels), "'output_shape' is ",
               shape_text(out), ", and its first extents must be ", input[0], " and ", channels);
  out[1] = channels;
  return out;
}

int64_t channels_of(const Ints& shape) { return shape.size() > 1 ? shape[1] : 1; }

Shapes conv_shape(const ShapeCall& call) {
  const Ints input = call.shape("input");
  call.one_of("border", kFilledBorders);
  const Ints out =
      convolved(call, input, call.shape("filter"), groups_of(call, channels_of(input)));
  check_bias(call, out[1]);
  return {out};
}

/// With groups = 0 there is one group for each channel of the result, which `output_shape` gives;
/// without it, for each channel of the input.
int64_t deconv_groups(const ShapeCall& call, const Ints& input) {
  const Ints requested = call.ints("output_shape");
  return groups_of(call, channels_of(requested.empty() ? input : requested));
}

Shapes deconv_shape(const ShapeCall& call) {
  const Ints input = call.shape("input");
  call.one_of("border", kFilledBorders);
  const Ints out = deconvolved(call, input, call.shape("filter"), deconv_groups(call, input));
  check_bias(call, out[1]);
  return {out};
}

/// The filters of planes and of points; those of points have extent 1 in every plane.
std::pair<Ints, Ints> separated(const ShapeCall& call) {
  const Ints plane = call.shape("plane_filter");
  const Ints point = call.shape("point_filter");
  call.require(plane.size() == point.size() && plane.size() >= 3, "the filters have the shapes ",
               shape_text(plane), " and ", shape_text(point), ": their ranks must be equal");
  call.require(plane[1] == 1, "'plane_filter' has the shape ", shape_text(plane),
               ", and its axis 1 must have the extent 1");
  for (size_t i = 2; i < point.size(); ++i)
    call.require(point[i] == 1, "'point_filter' has the shape ", shape_text(point), ", and axis ",
                 i, " must have the extent 1");
  return {plane, point};
}

/// The channels of the points' filters, over all groups.
void check_points(const ShapeCall& call, const Ints& plane, const Ints& point, int64_t groups) {
  call.require(groups > 0 && product(point[1], groups) == plane[0], "points over ", point[1],
               " channels in ", groups, groups == 1 ? " group" : " groups", " do not fit ",
               plane[0], " planes");
  call.require(point[0] % groups == 0, "the ", point[0], " filters cannot be divided into ", groups,
               " groups");
}

Shapes separable_conv_shape(const ShapeCall& call) {
  const Ints input = call.shape("input");
  const auto [plane, point] = separated(call);
  call.one_of("border", kFilledBorders);
  Ints out = convolved(call, input, plane, channels_of(input));
  check_points(call, plane, point, groups_of(call, plane[0]));
  out[1] = point[0];
  check_bias(call, out[1]);
  return {out};
}

Shapes separable_deconv_shape(const ShapeCall& call) {
  const Ints input = call.shape("input");
  const auto [plane, point] = separated(call);
  call.one_of("border", kFilledBorders);
  call.require(input.size() == plane.size() && point[0] == input[1], "points of ", point[0],
               " filters do not fit the input of shape ", shape_text(input));
  check_points(call, plane, point, groups_of(call, plane[0]));
  Ints middle = input;
  middle[1] = plane[0];
  const Ints requested = call.ints("output_shape");
  const int64_t channels = channels_of(requested.empty() ? middle : requested);
  call.require(channels > 0, "'output_shape' is ", shape_text(requested), ", and must be positive");
  const Ints out = deconvolved(call, middle, plane, channels);
  check_bias(call, out[1]);
  return {out};
}

/// The groups of a convolution with compatible operands; std::nullopt if ranks differ.
std::optional<int64_t> tract_groups(const ShapeCall& call, const Ints& input, const Ints& filter) {
  const int64_t out = call.integer("groups");
  if (input.size() < 3 || filter.size() != input.size() || out <= 0) return {};
  call.require(product(filter[1], out) == input[1], "filters over ", filter[1], " channels in ",
               out, out == 1 ? " group" : " groups", " do not fit an input of ", input[1],
               " channels");
  return out;
}

Shapes tract_conv_shape(const ShapeCall& call) {
  const Ints input = call.shape("input"), filter = call.shape("filter");
  if (!tract_groups(call, input, filter)) return {};
  Ints out = input;
  out[1] = filter[0];
  return tract_windows(call, std::move(out), filter, 2);
}

/// `output_shape` has no entries for batch and channels.
Shapes tract_deconv_shape(const ShapeCall& call) {
  const Ints input = call.shape("input"), filter = call.shape("filter");
  if (!tract_groups(call, input, filter)) return {};
  Ints out = {input[0], filter[0]};
  const Ints requested = call.ints("output_shape");
  const size_t count = input.size() - 2;
  const Pairs padding = call.pairs("padding");
  const Ints stride = call.ints("stride"), dilation = call.ints("dilation");
  if (padding.size() != count || (!stride.empty() && stride.size() != count)) return {};
  if (!dilation.empty() && dilation.size() != count) return {};
  for (size_t i = 0; i < count; ++i) {
    const int64_t window = (filter[i + 2] - 1) * (dilation.empty() ? 1 : dilation[i]) + 1;
    const int64_t full = product(input[i + 2] - 1, stride.empty() ? 1 : stride[i]) + window;
    const bool is_requested = requested.size() == count;
    out.push_back(is_requested ? requested[i] : full - padding[i].first - padding[i].second);
    if (out.back() <= 0) return {};
  }
  return {out};
}

void refuse_streamed(const FlowCall& call, std::initializer_list<std::string_view> parameters) {
  for (const std::string_view parameter : parameters)
    if (call.flow(parameter).streams()) blocked("has streamed weights");
}

Flows conv_flow(const FlowCall& call) {
  refuse_streamed(call, {"filter", "bias"});
  const Flow flow = call.flow("input");
  if (flow.axis == 1) blocked("uses the streamed axis as channels");
  Flow out = flow;
  out.shape = nullptr;
  if (flow.axis == 0) return {out};
  const Flow filter = call.flow("filter");
  if (!filter.shape) blocked("has weights of an unknown size");
  const size_t index = flow.axis;
  const ir::Dim size = filter.shape->at(index);
  if (!size.is_constant()) blocked("has weights of an unknown size");
  return {windowed(out, stream_window(call, index - 2, size.value()))};
}

Flows deconv_flow(const FlowCall& call) {
  refuse_streamed(call, {"filter", "bias"});
  Flow out = call.flow("input");
  out.shape = nullptr;
  if (out.axis == 1) blocked("uses the streamed axis as channels");
  if (out.axis == 0) return {out};
  if (!call.value("output_shape").items.empty()) blocked("has an explicit output length");
  const StreamWindow w = stream_window(call, static_cast<size_t>(out.axis) - 2, 1);
  if (w.stride > 1 && out.delayed)
    blocked("upsamples a delayed stream",
            "tract computes a wrong delay: repeat entries and convolve instead");
  out.delayed = true;
  return {out};
}

/// [O, I/groups, k…] with the groups outermost, as tract has it, to [I, O/groups, k…].
Ref filter_by_inputs(Builder& out, Ref filter, int64_t groups) {
  const Shape shape = out.shape(filter);
  Shape grouped = {groups, shape[0].value() / groups};
  grouped.insert(grouped.end(), shape.begin() + 1, shape.end());
  Ints swap = all_axes(static_cast<int>(grouped.size()));
  std::swap(swap[1], swap[2]);
  Shape target = {shape[1] * Dim(groups), grouped[1]};
  target.insert(target.end(), shape.begin() + 2, shape.end());
  return out.reshape(out.transpose(out.reshape(filter, grouped), swap), target);
}

/// [1, O], as in the specification, or one number.
Ref bias_row(Builder& out, Ref bias) {
  const Ref x = as_number(out, bias);
  return out.rank(x) == 1 ? out.unsqueeze(x, {0}) : x;
}

Refs lower_conv(const StrictCall& call, Builder& out) {
  const TensorType& type = call.result();
  Refs operands = {as_number(out, call.operands[0]), as_number(out, call.operands[1])};
  if (call.operands.size() > 2) operands.push_back(bias_row(out, call.operands[2]));
  const Ref y = emit(out, "conv", operands, call.attributes, {DType::f32, type.shape});
  return {wrapped(out, y, type.dtype)};
}

/// Pairs that gives the result's size: negative at the end if torch pads the output. The bias is
/// then added separately, because NNEF-Tools' interpreter pads with zeros after adding it.
Refs lower_deconv(const StrictCall& call, Builder& out) {
  const TensorType& type = call.result();
  const Ref x = as_number(out, call.operands[0]);
  const Ref weight = as_number(out, call.operands[1]);
  const int64_t groups = call.at("groups").integer;
  const Ref filter = filter_by_inputs(out, weight, groups);
  const Ints stride = call.ints("stride"), dilation = call.ints("dilation");
  Pairs padding;
  bool has_output_padding = false;
  for (size_t i = 0; i < stride.size(); ++i) {
    const int64_t before = call.at("padding").items[i].items.at(0).integer;
    const int64_t window = dilation[i] * (extent(out, filter, static_cast<int64_t>(i) + 2) - 1) + 1;
    const int64_t full_size =
        (extent(out, x, static_cast<int64_t>(i) + 2) - 1) * stride[i] + window;
    padding.emplace_back(before, full_size - before - type.shape[i + 2].value());
    has_output_padding = has_output_padding || padding.back().second < 0;
  }
  Refs operands = {x, filter};
  std::optional<Ref> bias;
  if (call.operands.size() > 2) bias = bias_row(out, call.operands[2]);
  if (bias && !has_output_padding) operands.push_back(*bias);
  const Ref y = emit(out, "deconv", operands,
                     {{"border", "constant"},
                      {"padding", padding},
                      {"stride", stride},
                      {"dilation", dilation},
                      {"groups", groups}},
                     {DType::f32, type.shape});
  if (!bias || !has_output_padding) return {retyped(out, y, type.dtype)};
  Shape column(type.shape.size(), Dim(1));
  column[1] = type.shape[1];
  const bool is_number = out.rank(*bias) == 0;
  return {retyped(out, add(out, y, is_number ? *bias : out.reshape(*bias, column)), type.dtype)};
}

}  // namespace

void add_conv(Book& book) {
  book.add("conv", {conv_shape, tract_conv_shape, conv_flow, lower_conv, kLayer | kProduct});
  book.add("deconv", {deconv_shape, tract_deconv_shape, deconv_flow, lower_deconv, kLayer});
  book.add("separable_conv", {separable_conv_shape});
  book.add("separable_deconv", {separable_deconv_shape});
}

}  // namespace t2n::nnef_ops
