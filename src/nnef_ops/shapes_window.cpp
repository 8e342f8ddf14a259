// Shapes of sliding windows (§4.3): to the smaller space, or back to the larger one.
#include <array>

#include "src/nnef_ops/shape_call.h"

namespace t2n::spec {
namespace {

constexpr std::span<const std::string_view> kZeroBorder = std::span(kBorders).first(1);

/// A window over some axes of a tensor, those from `first_axis` on.
struct WindowArguments {
  size_t first_axis = 0;
  Ints size;
  Pairs padding;  ///< empty: sizes become extent / stride, rounded up
  Ints stride;
  Ints dilation;
};

Ints ones_or(const ShapeCall& call, std::string_view parameter, size_t count) {
  return call.list_size(parameter) == 0 ? Ints(count, 1) : call.positive(parameter, count);
}

WindowArguments window(const ShapeCall& call, Ints size, size_t first_axis) {
  const size_t count = size.size();
  WindowArguments out{first_axis, std::move(size), call.pairs("padding"), {}, {}};
  call.require(out.padding.empty() || out.padding.size() == count, "'padding' has ",
               out.padding.size(), " pairs, and ", count, " are needed");
  out.stride = ones_or(call, "stride", count);
  out.dilation = ones_or(call, "dilation", count);
  return out;
}

int64_t dilated(const WindowArguments& window, size_t i) {
  return (window.size[i] - 1) * window.dilation[i] + 1;
}

int64_t total_padding(const WindowArguments& window, size_t i) {
  return window.padding[i].first + window.padding[i].second;
}

int64_t down_extent(const ShapeCall& call, const WindowArguments& window, size_t i,
                    int64_t extent) {
  const int64_t stride = window.stride[i];
  if (window.padding.empty()) return (extent + stride - 1) / stride;
  const int64_t room = extent + total_padding(window, i) - dilated(window, i);
  call.require(room >= 0, "a window of ", dilated(window, i), " does not fit into the extent ",
               extent, " of axis ", window.first_axis + i, ", padded by ",
               total_padding(window, i));
  return room / stride + 1;
}

int64_t up_extent(const ShapeCall& call, const WindowArguments& window, size_t i, int64_t extent) {
  if (window.padding.empty()) return product(extent, window.stride[i]);
  const int64_t out =
      product(extent - 1, window.stride[i]) + dilated(window, i) - total_padding(window, i);
  call.require(out > 0, "axis ", window.first_axis + i, " of the result has the extent ", out);
  return out;
}

Ints down(const ShapeCall& call, const WindowArguments& window, Ints shape) {
  for (size_t i = 0; i < window.size.size(); ++i) {
    int64_t& extent = shape[window.first_axis + i];
    extent = down_extent(call, window, i, extent);
  }
  return shape;
}

Ints up(const ShapeCall& call, const WindowArguments& window, Ints shape) {
  for (size_t i = 0; i < window.size.size(); ++i) {
    int64_t& extent = shape[window.first_axis + i];
    extent = up_extent(call, window, i, extent);
  }
  return shape;
}

/// The shape of `output_shape`, which must lead back to the input's.
Ints requested_shape(const ShapeCall& call, const WindowArguments& window, const Ints& input) {
  const Ints out = call.positive("output_shape", input.size());
  const Ints back = down(call, window, out);
  for (size_t i = window.first_axis; i < input.size(); ++i)
    call.require(back[i] == input[i], "'output_shape' is ", shape_text(out), ", whose axis ", i,
                 " has ", back[i], " windows, and the input's extent there is ", input[i]);
  return out;
}

void check_reflections(const ShapeCall& call, const WindowArguments& window, const Ints& shape) {
  for (size_t i = 0; i < window.padding.size(); ++i)
    check_reflection(call, window.first_axis + i, shape[window.first_axis + i], window.padding[i]);
}

WindowArguments full_window(const ShapeCall& call, const Ints& input) {
  return window(call, call.positive("size", input.size()), 0);
}

Ints pooled(const ShapeCall& call, std::span<const std::string_view> borders) {
  const Ints input = call.shape("input");
  call.one_of("border", borders);
  const WindowArguments args = full_window(call, input);
  check_reflections(call, args, input);
  return down(call, args, input);
}

Shapes pool(const ShapeCall& call) { return {pooled(call, kBorders)}; }

Shapes pool_with_index(const ShapeCall& call) {
  const Ints out = pooled(call, kBorders);
  return {out, out};
}

Shapes sample(const ShapeCall& call) {
  const Ints out = pooled(call, kFilledBorders);
  const Ints index = call.shape("index");
  call.require(index == out, "'index' has the shape ", shape_text(index), ", and the result ",
               shape_text(out));
  return {out};
}

Ints unpooled(const ShapeCall& call) {
  const Ints input = call.shape("input");
  const WindowArguments args = full_window(call, input);
  return call.list_size("output_shape") == 0 ? up(call, args, input)
                                             : requested_shape(call, args, input);
}

Shapes debox(const ShapeCall& call) {
  call.one_of("border", kBorders);
  return {unpooled(call)};
}

Shapes desample(const ShapeCall& call) {
  call.one_of("border", kZeroBorder);
  const Ints input = call.shape("input");
  const Ints index = call.shape("index");
  call.require(index == input, "'index' has the shape ", shape_text(index), ", and the input ",
               shape_text(input));
  return {unpooled(call)};
}

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
  return window(call, Ints(filter.begin() + 2, filter.end()), 2);
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

int64_t second(const Ints& shape) { return shape.size() > 1 ? shape[1] : 1; }

Shapes conv(const ShapeCall& call) {
  const Ints input = call.shape("input");
  call.one_of("border", kFilledBorders);
  const Ints out = convolved(call, input, call.shape("filter"), groups_of(call, second(input)));
  check_bias(call, out[1]);
  return {out};
}

/// With groups = 0 there is one group for each channel of the result, which `output_shape` gives;
/// without it, for each channel of the input.
int64_t deconv_groups(const ShapeCall& call, const Ints& input) {
  const Ints requested = call.ints("output_shape");
  return groups_of(call, second(requested.empty() ? input : requested));
}

Shapes deconv(const ShapeCall& call) {
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

Shapes separable_conv(const ShapeCall& call) {
  const Ints input = call.shape("input");
  const auto [plane, point] = separated(call);
  call.one_of("border", kFilledBorders);
  Ints out = convolved(call, input, plane, second(input));
  check_points(call, plane, point, groups_of(call, plane[0]));
  out[1] = point[0];
  check_bias(call, out[1]);
  return {out};
}

Shapes separable_deconv(const ShapeCall& call) {
  const Ints input = call.shape("input");
  const auto [plane, point] = separated(call);
  call.one_of("border", kFilledBorders);
  call.require(input.size() == plane.size() && point[0] == input[1], "points of ", point[0],
               " filters do not fit the input of shape ", shape_text(input));
  check_points(call, plane, point, groups_of(call, plane[0]));
  Ints middle = input;
  middle[1] = plane[0];
  const Ints requested = call.ints("output_shape");
  const int64_t channels = second(requested.empty() ? middle : requested);
  call.require(channels > 0, "'output_shape' is ", shape_text(requested), ", and must be positive");
  const Ints out = deconvolved(call, middle, plane, channels);
  check_bias(call, out[1]);
  return {out};
}

constexpr std::array kWindowRows = {ShapeRow{"conv", conv},
                                    ShapeRow{"deconv", deconv},
                                    ShapeRow{"separable_conv", separable_conv},
                                    ShapeRow{"separable_deconv", separable_deconv},
                                    ShapeRow{"box", pool},
                                    ShapeRow{"debox", debox},
                                    ShapeRow{"max_pool", pool},
                                    ShapeRow{"avg_pool", pool},
                                    ShapeRow{"rms_pool", pool},
                                    ShapeRow{"argmax_pool", pool},
                                    ShapeRow{"max_pool_with_index", pool_with_index},
                                    ShapeRow{"sample", sample},
                                    ShapeRow{"desample", desample}};

}  // namespace

std::span<const ShapeRow> window_shapes() { return kWindowRows; }

}  // namespace t2n::spec
