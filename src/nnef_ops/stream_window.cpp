// Convolutions, pools and Fourier transforms of frames, which read a window of time steps.
#include <algorithm>

#include "src/nnef_ops/flow_call.h"

namespace t2n::stream {
namespace {

/// A window along the streaming axis.
struct StreamWindow {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t before = 0;
  int64_t after = 0;
};

template <typename List>
auto entry(const List& list, size_t index, typename List::value_type otherwise) {
  return index < list.size() ? list[index] : otherwise;
}

/// `index`: the index in the call's lists.
StreamWindow window(const FlowCall& call, size_t index, int64_t size) {
  const auto padding = call.pairs("padding");
  if (index >= padding.size()) blocked("uses automatic padding along the stream");
  return {size, entry(call.ints("stride"), index, 1), entry(call.ints("dilation"), index, 1),
          padding[index].first, padding[index].second};
}

/// The flow after a window. There is no delay if the padding before is as long as the overlap of
/// windows.
Flow windowed(Flow flow, const StreamWindow& w) {
  const int64_t overlap = std::max<int64_t>(0, (w.size - 1) * w.dilation + 1 - w.stride);
  flow.delayed = flow.delayed || w.before < overlap;
  flow.shape = nullptr;
  return flow;
}

void refuse_streamed(const FlowCall& call, std::initializer_list<std::string_view> parameters) {
  for (const std::string_view parameter : parameters)
    if (call.flow(parameter).streams()) blocked("has streamed weights");
}

Flows conv(const FlowCall& call) {
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
  return {windowed(out, window(call, index - 2, size.value()))};
}

Flows deconv(const FlowCall& call) {
  refuse_streamed(call, {"filter", "bias"});
  Flow out = call.flow("input");
  out.shape = nullptr;
  if (out.axis == 1) blocked("uses the streamed axis as channels");
  if (out.axis == 0) return {out};
  if (!call.value("output_shape").items.empty()) blocked("has an explicit output length");
  const StreamWindow w = window(call, static_cast<size_t>(out.axis) - 2, 1);
  if (w.stride > 1 && out.delayed)
    blocked("upsamples a delayed stream",
            "tract computes a wrong delay: repeat entries and convolve instead");
  out.delayed = true;
  return {out};
}

/// Lists of pools have entries for all axes.
Flow pooled(const FlowCall& call, bool pads_with_numbers) {
  const Flow flow = call.first();
  const size_t index = flow.axis;
  const StreamWindow w = window(call, index, call.ints("size").at(index));
  if (flow.axis < 2 && (w.size != 1 || w.stride != 1))
    blocked("pools over a streamed batch or channel axis");
  if (!pads_with_numbers && (w.before != 0 || w.after != 0))
    blocked("averages over padding without counting it",
            "pad before the pool, or let it count the padding (count_include_pad=True)");
  return windowed(flow, w);
}

Flows max_pool(const FlowCall& call) { return {pooled(call, true)}; }
Flows max_pool_with_index(const FlowCall& call) {
  if (call.first().axis >= 2)
    blocked("returns indices of maxima along the stream",
            "the indices would be relative to the piece");
  const Flow out = pooled(call, true);
  return {out, out};
}
Flows box(const FlowCall& call) { return {pooled(call, false)}; }

Flows stft(const FlowCall& call) {
  Flow out = call.first();
  if (call.integer("axis") != out.axis)
    blocked("takes frames along another axis than the streamed one");
  out.delayed = true;
  if (out.rank >= 0) ++out.rank;
  out.shape = nullptr;
  return {out};
}

}  // namespace

std::vector<FlowRow> window_flows() {
  return {{"conv", conv},           {"deconv", deconv},
          {"max_pool", max_pool},   {"max_pool_with_index", max_pool_with_index},
          {"avg_pool", box},        {"box", box},
          {"tract_core_stft", stft}};
}

}  // namespace t2n::stream
