// The pass `insert-fake-quant`: observers with a grid are replaced by rounding to that grid.
#include <algorithm>

#include "src/compress/observe.h"
#include "src/diag/error.h"
#include "src/passes/pass.h"
#include "src/passes/rewriter.h"

namespace t2n::compress {
namespace {

using ir::Dim;
using ir::TensorRef;
using ir::ValueId;

ValueId fake_quantised(passes::Rewriter& rewriter, ValueId x, const Observation& of) {
  const Dim low(lowest(of.grid));
  const Dim high(highest(of.grid));
  if (!of.axis)
    return rewriter.emit("aten::fake_quantize_per_tensor_affine",
                         {{"self", TensorRef{x}},
                          {"scale", of.scale.at(0)},
                          {"zero_point", Dim(of.zero_point.at(0))},
                          {"quant_min", low},
                          {"quant_max", high}},
                         rewriter.dtype(x), rewriter.shape(x));
  const auto count = static_cast<int64_t>(of.scale.size());
  const ValueId scale = rewriter.constant({count}, of.scale, ir::DType::f32);
  const ValueId point = rewriter.constant(
      {count}, std::vector<double>(of.zero_point.begin(), of.zero_point.end()), ir::DType::i32);
  return rewriter.emit("aten::fake_quantize_per_channel_affine",
                       {{"self", TensorRef{x}},
                        {"scale", TensorRef{scale}},
                        {"zero_point", TensorRef{point}},
                        {"axis", Dim(*of.axis)},
                        {"quant_min", low},
                        {"quant_max", high}},
                       rewriter.dtype(x), rewriter.shape(x));
}

void warn_unseen(const ir::Graph& graph, const ir::Node& node, const passes::PassContext& context) {
  if (!context.report) return;
  Diagnostic out;
  out.severity = Severity::warning;
  out.id = "range-never-seen";
  out.message = cat(quoted(graph.values[static_cast<size_t>(read_observation(node).self)].name),
                    " stays in floats: no range of it was seen");
  out.where.push_back(ir::node_where(graph, node));
  out.help = "calibrate with samples that reach it, or leave its module out with --ignore";
  context.report(out);
}

}  // namespace
}  // namespace t2n::compress

bool t2n::passes::insert_fake_quant(ir::Graph& graph, const PassContext& context) {
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(), compress::is_observe)) return false;
  Rewriter rewriter(graph);
  return rewriter.replace_where([&] {
    if (!compress::is_observe(rewriter.node())) return false;
    const compress::Observation of = compress::read_observation(rewriter.node());
    if (of.scale.empty()) compress::warn_unseen(graph, rewriter.node(), context);
    const ir::ValueId x = rewriter.tensor("self");
    rewriter.define(of.scale.empty() ? x : compress::fake_quantised(rewriter, x, of));
    return true;
  });
}
