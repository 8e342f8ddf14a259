// SPDX-License-Identifier: Apache-2.0
// The pass `insert-fake-quant`: observers with a scale become fake quantisation with that scale.
#include <algorithm>

#include "src/compress/calibrate/observe.h"
#include "src/compress/passes.h"
#include "src/diag/error.h"
#include "src/passes/rewriter.h"

namespace t2n::compress {
namespace {

using ir::Dim;
using ir::TensorRef;
using ir::ValueId;

ValueId fake_quantised(passes::Rewriter& rewriter, ValueId x, const Observation& observation) {
  const Dim low(lowest(observation.scheme));
  const Dim high(highest(observation.scheme));
  if (!observation.axis)
    return rewriter.emit("aten::fake_quantize_per_tensor_affine",
                         {{"self", TensorRef{x}},
                          {"scale", observation.scale.at(0)},
                          {"zero_point", Dim(observation.zero_point.at(0))},
                          {"quant_min", low},
                          {"quant_max", high}},
                         rewriter.dtype(x), rewriter.shape(x));
  const auto count = static_cast<int64_t>(observation.scale.size());
  const ValueId scale = rewriter.constant({count}, observation.scale, ir::DType::f32);
  const ValueId point = rewriter.constant(
      {count}, std::vector<double>(observation.zero_point.begin(), observation.zero_point.end()),
      ir::DType::i32);
  return rewriter.emit("aten::fake_quantize_per_channel_affine",
                       {{"self", TensorRef{x}},
                        {"scale", TensorRef{scale}},
                        {"zero_point", TensorRef{point}},
                        {"axis", Dim(*observation.axis)},
                        {"quant_min", low},
                        {"quant_max", high}},
                       rewriter.dtype(x), rewriter.shape(x));
}

void warn_unseen(const ir::Graph& graph, const ir::Node& node, const passes::PassContext& context) {
  if (!context.report) return;
  Diagnostic out;
  out.severity = Severity::warning;
  out.id = "range-never-seen";
  out.message = cat(quoted(graph.values[read_observation(node).self].name),
                    " stays in floats: calibration recorded no range for it");
  out.where.push_back(ir::node_where(graph, node));
  out.help = "calibrate with samples that reach it, or exclude its module with --ignore";
  context.report(out);
}

}  // namespace
}  // namespace t2n::compress

bool t2n::compress::insert_fake_quant(ir::Graph& graph, const passes::PassContext& context) {
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(), compress::is_observe)) return false;
  passes::Rewriter rewriter(graph);
  return rewriter.replace_where([&] {
    if (!compress::is_observe(rewriter.node())) return false;
    const compress::Observation observation = compress::read_observation(rewriter.node());
    if (observation.scale.empty()) compress::warn_unseen(graph, rewriter.node(), context);
    const ir::ValueId x = rewriter.tensor("self");
    rewriter.define(observation.scale.empty() ? x
                                              : compress::fake_quantised(rewriter, x, observation));
    return true;
  });
}
