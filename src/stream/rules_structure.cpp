// Operations that are elementwise, act along other axes, or move, cut and join.
#include <algorithm>
#include <string_view>

#include "src/spec/elementwise.h"
#include "src/stream/flow.h"

namespace t2n::stream {
namespace {

constexpr const char* kNoEnd = "a stream has no end while it runs, so nothing can be read there";

/// Only shapes may contain the stream's length.
void refuse_length(const FlowCall& call, std::initializer_list<std::string_view> parameters) {
  for (const std::string_view parameter : parameters)
    if (call.has(parameter) && call.reads_length(parameter))
      blocked("reads how long the input is", kNoEnd);
}

Flows elementwise(const FlowCall& call) {
  Flow out = together(call.operands());
  // Sizes among operands are numbers that follow from the length.
  if (!out.streams() && out.known) blocked("reads how long the input is", kNoEnd);
  return {out};
}

Flows cast(const FlowCall& call) {
  refuse_length(call, {"input"});
  return {call.flow("input")};
}

/// For operations over `axes` that keep the other axes unchanged.
Flows along_other_axes(const FlowCall& call, const ir::Ints& axes, const char* what) {
  const Flow flow = call.first();
  if (std::find(axes.begin(), axes.end(), flow.axis) != axes.end())
    blocked(
        cat(what, " over the whole stream"),
        "a model that streams looks at a fixed number of moments: with a convolution, a pool or "
        "a recurrent layer");
  Flow out = flow;
  out.shape = nullptr;
  return {out, out};
}

/// Whether an operand other than the first streams.
bool any_other_streams(const FlowCall& call) {
  const std::vector<Flow> all = call.operands();
  return std::any_of(all.begin() + 1, all.end(), [](const Flow& flow) { return flow.streams(); });
}

Flows reduction(const FlowCall& call) {
  Flows out = along_other_axes(call, call.ints("axes"), "reduces");
  out.resize(1);
  return out;
}
Flows moments(const FlowCall& call) {
  return along_other_axes(call, call.ints("axes"), "takes moments");
}
Flows softmax(const FlowCall& call) {
  Flows out = along_other_axes(call, call.ints("axes"), "takes a softmax");
  out.resize(1);
  return out;
}
Flows norm(const FlowCall& call) {
  refuse_length(call, {"axis"});
  Flows out = along_other_axes(call, {call.integer("axis")}, "normalises");
  out.resize(1);
  return out;
}
Flows one_axis(const FlowCall& call) {
  Flows out = along_other_axes(call, {call.integer("axis")}, "works");
  out.resize(1);
  return out;
}

/// Mean and variance belong to the layer, along the second axis.
Flows batch_norm(const FlowCall& call) {
  const Flow out = call.flow("input");
  if (!out.streams() || out.axis == 1 || any_other_streams(call))
    blocked("normalises by what streams");
  return {out};
}

Flows cumsum(const FlowCall& call) {
  const Flow flow = call.first();
  if (call.integer("axis") == flow.axis && call.flag("reverse"))
    blocked("sums from the end of the stream", kNoEnd);
  Flow out = flow;
  out.shape = nullptr;
  return {out};
}

Flows transpose(const FlowCall& call) {
  Flow out = call.first();
  const ir::Ints axes = call.ints("axes");
  const auto place = std::find(axes.begin(), axes.end(), out.axis);
  if (place == axes.end()) blocked("moves axes in an unknown way");
  out.axis = static_cast<int>(place - axes.begin());
  out.shape = nullptr;
  return {out};
}

Flows unsqueeze(const FlowCall& call) {
  Flow out = call.first();
  ir::Ints axes = call.ints("axes");
  std::sort(axes.begin(), axes.end());
  for (const int64_t axis : axes)
    if (axis <= out.axis) ++out.axis;
  if (out.rank >= 0) out.rank += static_cast<int>(axes.size());
  out.shape = nullptr;
  return {out};
}

Flows squeeze(const FlowCall& call) {
  Flow out = call.first();
  const ir::Ints axes = call.ints("axes");
  if (std::find(axes.begin(), axes.end(), out.axis) != axes.end())
    blocked("drops the axis of the stream");
  const auto before =
      std::count_if(axes.begin(), axes.end(), [&](int64_t axis) { return axis < out.axis; });
  out.axis -= static_cast<int>(before);
  if (out.rank >= 0) out.rank -= static_cast<int>(axes.size());
  out.shape = nullptr;
  return {out};
}

ir::Dim product(const ir::Shape& shape, size_t begin, size_t end) {
  ir::Dim out(1);
  for (size_t i = begin; i < end; ++i) out = out * shape[i];
  return out;
}

/// Whether a pulse holds as many entries as the size gives for an input of the pulse's length.
bool is_proportional(const ir::Dim& dim, const FlowCall& call) {
  const ir::Dim none = dim.substitute(ir::Sizes{{ir::Symbol(call.symbol()), 0}});
  return none.is_constant() && none.value() == 0;
}

/// Pieces remain in order if axes outside of the streaming axis stay outside.
Flows reshape(const FlowCall& call) {
  Flow out = call.first();
  if (!out.streams()) blocked("gives a tensor the length of the input", kNoEnd);
  if (!out.shape || call.result() == nullptr) blocked("reshapes a stream in an unknown way");
  const ir::Shape& from = *out.shape;
  const ir::Shape& to = *call.result();
  const int axis = streaming_axis(to, call.symbol());
  if (axis < 0) blocked("mixes the axis of the stream with others");
  const auto a = static_cast<size_t>(out.axis), b = static_cast<size_t>(axis);
  if (product(from, 0, a) != product(to, 0, b))
    blocked("mixes the axis of the stream with those in front of it",
            "put the axis of the stream in front before reshaping");
  if (from[a] != to[b] && !(is_proportional(from[a], call) && is_proportional(to[b], call)))
    blocked("cuts the stream into groups, of which an operation before took a part away",
            "form groups first, or pad so that each operation keeps the length");
  out.axis = axis;
  out.rank = static_cast<int>(to.size());
  out.shape = nullptr;
  return {out};
}

Flows slice(const FlowCall& call) {
  Flow out = call.first();
  if (!out.streams())
    blocked("takes as much of a table as the input is long",
            "the next piece would get the same part: compute positions by torch.arange, or from "
            "a convolution");
  const ir::Ints axes = call.ints("axes");
  const nnef::Value& begins = call.value("begin");
  const ir::Ints strides = call.has("stride") ? call.ints("stride") : ir::Ints{};
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] != out.axis) continue;
    const auto begin = call.number(begins.items.at(i));
    if (!begin || *begin < 0) blocked("takes a part that is counted from the end", kNoEnd);
    const int64_t stride = i < strides.size() ? strides[i] : 1;
    if (stride < 1) blocked("turns the stream round", kNoEnd);
    if (call.result() == nullptr || !out.shape) blocked("cuts a stream in an unknown way");
    const auto of_input = rate_of((*out.shape)[static_cast<size_t>(out.axis)], call.symbol());
    const auto rest = rate_of((*call.result())[static_cast<size_t>(out.axis)], call.symbol());
    if (!of_input || !rest || of_input->up * rest->down != rest->up * of_input->down * stride)
      blocked("takes a part that does not grow with the stream",
              "what is at a fixed place can be computed from a whole input only");
    out.delayed = out.delayed || *begin > 0 || stride > 1;
  }
  out.shape = nullptr;
  return {out};
}

Flows concat(const FlowCall& call) {
  const std::vector<Flow> parts = call.flows("values");
  const Flow all = together(parts);
  Flow out = all;
  if (!out.streams()) blocked("joins what is as long as the input in an unknown way");
  if (call.integer("axis") == out.axis &&
      std::count_if(parts.begin(), parts.end(), [](const Flow& f) { return f.streams(); }) > 1)
    blocked("puts one stream behind the end of another", kNoEnd);
  return {out};
}

Flows stack(const FlowCall& call) {
  Flow out = together(call.flows("values"));
  if (call.integer("axis") <= out.axis) ++out.axis;
  if (out.rank >= 0) ++out.rank;
  return {out};
}

bool border_repeats(const FlowCall& call) { return call.text("border").starts_with("replicate"); }

Flows pad(const FlowCall& call) {
  Flow out = call.first();
  const auto padding = call.pairs("padding");
  const auto [before, after] = padding.at(static_cast<size_t>(out.axis));
  out.shape = nullptr;
  if (before == 0 && after == 0) return {out};
  if (border_repeats(call)) out.least = before + 1;
  const std::string border = call.text("border");
  if (border == "reflect")
    blocked("pads by reflection along the stream",
            "tract has no such pulses: pad with zeros, or by repeating the first entry");
  out.delayed = out.delayed || border != "constant";
  return {out};
}

Flows gather(const FlowCall& call) {
  const Flow data = call.flow("input"), index = call.flow("indices");
  const auto axis = static_cast<int>(call.integer("axis"));
  if (data.streams() && index.streams()) blocked("picks entries of a stream by another stream");
  if (!data.streams() && !index.streams())
    blocked("picks entries by the length of the input", kNoEnd);
  if (data.streams()) {
    if (axis == data.axis)
      blocked("picks entries of the stream by their place",
              "what is at a fixed place can be computed from a whole input only");
    if (index.rank < 0) blocked("picks entries in an unknown way");
    Flow out = data;
    if (axis < data.axis) out.axis += index.rank - 1;
    if (out.rank >= 0) out.rank += index.rank - 1;
    out.shape = nullptr;
    return {out};
  }
  Flow out = index;
  out.axis += axis;
  out.rank = data.rank < 0 || index.rank < 0 ? -1 : data.rank + index.rank - 1;
  out.shape = nullptr;
  return {out};
}

/// A tensor as long as the stream, and equal at each time step.
Flows broadcast(const FlowCall& call) {
  Flow out = call.first();
  if (call.result() == nullptr) blocked("repeats a stream in an unknown way");
  const int axis = streaming_axis(*call.result(), call.symbol());
  if (axis == -2) blocked("makes a table of each moment with every other");
  if (out.streams()) {
    if (out.rank < 0) blocked("repeats a stream in an unknown way");
    out.axis += static_cast<int>(call.result()->size()) - out.rank;
    if (out.axis != axis) blocked("repeats a stream along an axis of its own length");
    if (out.delayed)
      blocked("repeats a stream that comes late",
              "tract forgets the delay there: multiply with ones instead of expand()");
  }
  out.axis = axis;
  out.rank = static_cast<int>(call.result()->size());
  out.shape = nullptr;
  return {out};
}

/// 0, 1, …: the number of the time step.
Flows range(const FlowCall& call) {
  refuse_length(call, {"start", "step"});
  if (call.result() == nullptr || !call.number(call.value("start")) ||
      !call.number(call.value("step")))
    blocked("counts moments in an unknown way");
  const auto rate = rate_of(call.result()->at(0), call.symbol());
  if (!rate || rate->down != 1)
    blocked("counts moments of which there are fewer than of the input's",
            "tract counts the input's only");
  Flow out;
  out.axis = 0;
  out.rank = 1;
  return {out};
}

Flows one_hot(const FlowCall& call) {
  Flow out = call.first();
  if (call.integer("axis") <= out.axis) ++out.axis;
  out.shape = nullptr;
  return {out};
}

}  // namespace

std::vector<FlowRow> structure_flows() {
  std::vector<FlowRow> out;
  for (const std::string_view name : spec::unary_operations()) out.push_back({name, elementwise});
  for (const std::string_view name : spec::broadcasting_operations())
    out.push_back({name, elementwise});
  for (const char* name : {"rcp", "silu"}) out.push_back({name, elementwise});
  for (const char* name :
       {"sum_reduce", "max_reduce", "min_reduce", "mean_reduce", "any_reduce", "all_reduce",
        "argmax_reduce", "argmin_reduce", "tract_core_product_reduce",
        "tract_core_argmax_reduce_last", "tract_core_argmin_reduce_last"})
    out.push_back({name, reduction});
  for (const char* name : {"softmax", "tract_core_softmax", "tract_core_log_softmax"})
    out.push_back({name, softmax});
  for (const char* name : {"tract_core_rms_norm", "tract_transformers_rms_norm"})
    out.push_back({name, norm});
  const std::vector<FlowRow> others = {{"tract_core_cast", cast},
                                       {"moments", moments},
                                       {"batch_normalization", batch_norm},
                                       {"tract_core_fft", one_axis},
                                       {"tract_core_cumsum", cumsum},
                                       {"transpose", transpose},
                                       {"unsqueeze", unsqueeze},
                                       {"squeeze", squeeze},
                                       {"reshape", reshape},
                                       {"slice", slice},
                                       {"concat", concat},
                                       {"stack", stack},
                                       {"pad", pad},
                                       {"tract_core_gather", gather},
                                       {"tract_core_broadcast", broadcast},
                                       {"tract_core_range", range},
                                       {"tract_core_one_hot", one_hot}};
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

}  // namespace t2n::stream
