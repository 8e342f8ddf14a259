// Operations that are elementwise, act along other axes, or move, slice and concatenate.
#include <algorithm>
#include <string_view>

#include "src/nnef_ops/elementwise.h"
#include "src/nnef_ops/flow_call.h"

namespace t2n::stream {
namespace {

constexpr const char* kNoEnd = "the end of a stream is unknown while it runs";

/// Only shapes may contain the stream's length.
void refuse_length(const FlowCall& call, std::initializer_list<std::string_view> parameters) {
  for (const std::string_view parameter : parameters)
    if (call.has(parameter) && call.reads_length(parameter))
      blocked("uses the total input length", kNoEnd);
}

Flows elementwise(const FlowCall& call) {
  Flow out = combined_flow(call.operands());
  // Sizes among operands are numbers that depend on the length.
  if (!out.streams() && out.known) blocked("uses the total input length", kNoEnd);
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
        cat(what, " over the entire stream"),
        "use an operation on a fixed number of time steps: a convolution, a pool or a recurrent "
        "layer");
  Flow out = flow;
  out.shape = nullptr;
  return {out, out};
}

/// Whether an operand other than the first streams.
bool any_other_streams(const FlowCall& call) {
  const std::vector<Flow> operands = call.operands();
  return std::any_of(operands.begin() + 1, operands.end(),
                     [](const Flow& flow) { return flow.streams(); });
}

Flows reduction(const FlowCall& call) {
  Flows out = along_other_axes(call, call.ints("axes"), "reduces");
  out.resize(1);
  return out;
}
Flows moments(const FlowCall& call) {
  return along_other_axes(call, call.ints("axes"), "computes mean and variance");
}
Flows softmax(const FlowCall& call) {
  Flows out = along_other_axes(call, call.ints("axes"), "computes a softmax");
  out.resize(1);
  return out;
}
Flows norm(const FlowCall& call) {
  refuse_length(call, {"axis"});
  Flows out = along_other_axes(call, {call.integer("axis")}, "normalises");
  out.resize(1);
  return out;
}
Flows fft(const FlowCall& call) {
  Flows out = along_other_axes(call, {call.integer("axis")}, "takes a Fourier transform");
  out.resize(1);
  return out;
}

/// Mean and variance belong to the layer, along the second axis.
Flows batch_norm(const FlowCall& call) {
  const Flow out = call.flow("input");
  if (!out.streams() || out.axis == 1 || any_other_streams(call))
    blocked("has streamed statistics or parameters");
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
  const auto position = std::find(axes.begin(), axes.end(), out.axis);
  if (position == axes.end()) blocked("permutes axes in an unsupported way");
  out.axis = static_cast<int>(position - axes.begin());
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
    blocked("removes the streamed axis");
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

/// Whether a pulse has as many entries as the size for an input of the pulse's length.
bool is_proportional(const ir::Dim& dim, const FlowCall& call) {
  const ir::Dim at_zero = dim.substitute(ir::Sizes{{ir::Symbol(call.symbol()), 0}});
  return at_zero.is_constant() && at_zero.value() == 0;
}

/// Pieces remain in order if the axes before the streaming axis are unchanged.
Flows reshape(const FlowCall& call) {
  Flow out = call.first();
  if (!out.streams()) blocked("reshapes a tensor to the input length", kNoEnd);
  if (!out.shape || call.result() == nullptr) blocked("reshapes a stream in an unsupported way");
  const ir::Shape& from = *out.shape;
  const ir::Shape& to = *call.result();
  const int axis = streaming_axis(to, call.symbol());
  if (axis < 0) blocked("merges the streamed axis with other axes");
  const size_t a = out.axis, b = static_cast<size_t>(axis);
  if (product(from, 0, a) != product(to, 0, b))
    blocked("merges the streamed axis with preceding axes",
            "make the streamed axis the first axis before reshaping");
  if (from[a] != to[b] && !(is_proportional(from[a], call) && is_proportional(to[b], call)))
    blocked("splits the stream into groups after an operation that changed its length",
            "form the groups first, or pad so that each operation keeps the length");
  out.axis = axis;
  out.rank = static_cast<int>(to.size());
  out.shape = nullptr;
  return {out};
}

Flows slice(const FlowCall& call) {
  Flow out = call.first();
  if (!out.streams())
    blocked("slices a table to the input length",
            "each piece would get the same part: compute positions by torch.arange or a "
            "convolution");
  const ir::Ints axes = call.ints("axes");
  const nnef::Value& begins = call.value("begin");
  const ir::Ints strides = call.has("stride") ? call.ints("stride") : ir::Ints{};
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
  out.shape = nullptr;
  return {out};
}

Flows concat(const FlowCall& call) {
  const std::vector<Flow> parts = call.flows("values");
  const Flow all = combined_flow(parts);
  Flow out = all;
  if (!out.streams()) blocked("concatenates tensors of the input length in an unsupported way");
  if (call.integer("axis") == out.axis &&
      std::count_if(parts.begin(), parts.end(), [](const Flow& f) { return f.streams(); }) > 1)
    blocked("concatenates two streams along the time axis", kNoEnd);
  return {out};
}

Flows stack(const FlowCall& call) {
  Flow out = combined_flow(call.flows("values"));
  if (call.integer("axis") <= out.axis) ++out.axis;
  if (out.rank >= 0) ++out.rank;
  return {out};
}

bool replicates_border(const FlowCall& call) {
  return call.text("border").starts_with("replicate");
}

Flows pad(const FlowCall& call) {
  Flow out = call.first();
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

Flows gather(const FlowCall& call) {
  const Flow data = call.flow("input"), index = call.flow("indices");
  const auto axis = static_cast<int>(call.integer("axis"));
  if (data.streams() && index.streams()) blocked("indexes a stream with another stream");
  if (!data.streams() && !index.streams()) blocked("indexes with the input length", kNoEnd);
  if (data.streams()) {
    if (axis == data.axis)
      blocked("indexes the stream at fixed positions",
              "entries at fixed positions need the complete input");
    if (index.rank < 0) blocked("gathers in an unsupported way");
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

/// Broadcasts a tensor to the length of the stream.
Flows broadcast(const FlowCall& call) {
  Flow out = call.first();
  if (call.result() == nullptr) blocked("broadcasts a stream in an unsupported way");
  const int axis = streaming_axis(*call.result(), call.symbol());
  if (axis == -2) blocked("builds a time × time matrix");
  if (out.streams()) {
    if (out.rank < 0) blocked("broadcasts a stream in an unsupported way");
    out.axis += static_cast<int>(call.result()->size()) - out.rank;
    if (out.axis != axis) blocked("broadcasts a stream along an axis of its own length");
    if (out.delayed)
      blocked("broadcasts a delayed stream",
              "tract loses the delay: multiply by ones instead of expand()");
  }
  out.axis = axis;
  out.rank = static_cast<int>(call.result()->size());
  out.shape = nullptr;
  return {out};
}

/// The number of the time step: 0, 1, …
Flows range(const FlowCall& call) {
  refuse_length(call, {"start", "step"});
  if (call.result() == nullptr || !call.number(call.value("start")) ||
      !call.number(call.value("step")))
    blocked("counts time steps in an unsupported way");
  const auto rate = rate_of(call.result()->at(0), call.symbol());
  if (!rate || rate->down != 1)
    blocked("counts time steps at a lower rate than the input's",
            "tract only counts the time steps of the input");
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
                                       {"tract_core_fft", fft},
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
