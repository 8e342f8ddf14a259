// SPDX-License-Identifier: Apache-2.0
#include "src/nnef_ops/window.h"

#include <algorithm>

namespace t2n::nnef_ops {
namespace {

Ints ones_or(const ShapeCall& call, std::string_view parameter, size_t count) {
  return call.list_size(parameter) == 0 ? Ints(count, 1) : call.positive(parameter, count);
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

template <typename List>
auto entry_or(const List& list, size_t index, typename List::value_type otherwise) {
  return index < list.size() ? list[index] : otherwise;
}

}  // namespace

WindowArguments window_arguments(const ShapeCall& call, Ints size, size_t first_axis) {
  const size_t count = size.size();
  WindowArguments out{first_axis, std::move(size), call.pairs("padding"), {}, {}};
  call.require(out.padding.empty() || out.padding.size() == count, "'padding' has ",
               out.padding.size(), " pairs, and ", count, " are needed");
  out.stride = ones_or(call, "stride", count);
  out.dilation = ones_or(call, "dilation", count);
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

Shapes tract_windows(const ShapeCall& call, Ints out, const Ints& size, size_t skipped) {
  const Pairs padding = call.pairs("padding");
  const Ints stride = call.ints("stride"), dilation = call.ints("dilation");
  const auto entry = [&](const Ints& list, size_t axis) {
    return list.empty() ? 1 : list.at(axis - skipped);
  };
  const size_t count = out.size() - skipped;
  const auto fits = [&](size_t items) { return items == 0 || items == count; };
  if (!fits(padding.size()) || !fits(stride.size()) || !fits(dilation.size())) return {};
  for (size_t axis = 2; axis < out.size(); ++axis) {
    const int64_t step = entry(stride, axis);
    if (step <= 0) return {};
    if (padding.empty()) {
      out[axis] = (out[axis] + step - 1) / step;
      continue;
    }
    const auto [before, after] = padding[axis - skipped];
    const int64_t window = (size[axis] - 1) * entry(dilation, axis) + 1;
    const int64_t room = out[axis] + before + after - window;
    if (room < 0) return {};
    out[axis] = room / step + 1;
  }
  return {out};
}

StreamWindow stream_window(const FlowCall& call, size_t index, int64_t size) {
  const auto padding = call.pairs("padding");
  if (index >= padding.size()) blocked("uses automatic padding along the stream");
  return {size, entry_or(call.ints("stride"), index, 1), entry_or(call.ints("dilation"), index, 1),
          padding[index].first, padding[index].second};
}

Flow windowed(Flow flow, const StreamWindow& w) {
  const int64_t overlap = std::max<int64_t>(0, (w.size - 1) * w.dilation + 1 - w.stride);
  flow.delayed = flow.delayed || w.before < overlap;
  flow.shape = nullptr;
  return flow;
}

}  // namespace t2n::nnef_ops
