// Convolutions, pools and Fourier transforms of frames: they look at a few time steps at a time.
#include <algorithm>

#include "src/stream/flow.h"

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
auto entry(const List& list, size_t at, typename List::value_type otherwise) {
  return at < list.size() ? list[at] : otherwise;
}

/// `at`: the index in the call's lists.
StreamWindow window(const FlowCall& call, size_t at, int64_t size) {
  const auto padding = call.pairs("padding");
  if (at >= padding.size()) blocked("pads a stream so that its length stays");
  return {size, entry(call.ints("stride"), at, 1), entry(call.ints("dilation"), at, 1),
          padding[at].first, padding[at].second};
}

/// There is no delay if the padding in front is as long as the window's reach.
Flow seen_through(Flow flow, const StreamWindow& w) {
  const int64_t overlap = std::max<int64_t>(0, (w.size - 1) * w.dilation + 1 - w.stride);
  flow.delayed = flow.delayed || w.before < overlap;
  flow.shape = nullptr;
  return flow;
}

void require_steady(const FlowCall& call, std::initializer_list<std::string_view> parameters) {
  for (const std::string_view parameter : parameters)
    if (call.flow(parameter).streams()) blocked("has weights that stream");
}

Flows conv(const FlowCall& call) {
  require_steady(call, {"filter", "bias"});
  const Flow flow = call.flow("input");
  if (flow.axis == 1) blocked("takes the stream for channels");
  Flow out = flow;
  out.shape = nullptr;
  if (flow.axis == 0) return {out};
  const Flow filter = call.flow("filter");
  if (!filter.shape) blocked("has weights of an unknown size");
  const auto at = static_cast<size_t>(flow.axis);
  const ir::Dim size = filter.shape->at(at);
  if (!size.is_constant()) blocked("has weights of an unknown size");
  return {seen_through(out, window(call, at - 2, size.value()))};
}

Flows deconv(const FlowCall& call) {
  require_steady(call, {"filter", "bias"});
  Flow out = call.flow("input");
  out.shape = nullptr;
  if (out.axis == 1) blocked("takes the stream for channels");
  if (out.axis == 0) return {out};
  if (!call.value("output_shape").items.empty()) blocked("is given the length of its result");
  const StreamWindow w = window(call, static_cast<size_t>(out.axis) - 2, 1);
  if (w.stride > 1 && out.delayed)
    blocked("stretches a stream that comes late",
            "tract counts the delay wrongly there: repeat entries and convolve instead");
  out.delayed = true;
  return {out};
}

/// Lists of pools have entries for all axes.
Flow pooled(const FlowCall& call, bool pads_with_numbers) {
  const Flow flow = call.first();
  const auto at = static_cast<size_t>(flow.axis);
  const StreamWindow w = window(call, at, call.ints("size").at(at));
  if (flow.axis < 2 && (w.size != 1 || w.stride != 1)) blocked("pools the batch or the channels");
  if (!pads_with_numbers && (w.before != 0 || w.after != 0))
    blocked("averages over the edge of the stream",
            "pad before the pool, or let it count the padding (count_include_pad=True)");
  return seen_through(flow, w);
}

Flows max_pool(const FlowCall& call) { return {pooled(call, true)}; }
Flows max_pool_with_index(const FlowCall& call) {
  if (call.first().axis >= 2)
    blocked("says where in the stream a largest value is", "places count from the piece's begin");
  const Flow out = pooled(call, true);
  return {out, out};
}
Flows box(const FlowCall& call) { return {pooled(call, false)}; }

Flows stft(const FlowCall& call) {
  Flow out = call.first();
  if (call.integer("axis") != out.axis) blocked("takes frames of another axis than the stream's");
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
