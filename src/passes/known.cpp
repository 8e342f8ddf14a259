// SPDX-License-Identifier: Apache-2.0
#include "src/passes/known.h"

#include <algorithm>
#include <array>

#include "ir/op_traits.h"

namespace t2n::passes {
namespace {

/// Layers in training mode, which are random or update their statistics.
bool is_training(const ir::Node& node) {
  for (const char* name : {"train", "training"})
    if (const ir::Attr* flag = node.find(name); flag && *flag == ir::Attr(true)) return true;
  const ir::Attr* dropout = node.find("dropout_p");
  return dropout && *dropout != ir::Attr(0.0);
}

/// Observers: ours still have to record ranges, and torch's write to their operands, which are
/// constants.
bool is_observing(const ir::Node& node) {
  static const std::array ops = {ir::op_id("t2n::observe"),
                                 ir::op_id("aten::fused_moving_avg_obs_fake_quant"),
                                 ir::op_id("aten::_fused_moving_avg_obs_fq_helper")};
  return std::find(ops.begin(), ops.end(), node.op) != ops.end();
}

}  // namespace

bool is_computable(const ir::Graph& graph, const ir::Node& node) {
  if (ir::is_unpredictable(node.op) || node.body || is_training(node) || is_observing(node))
    return false;
  return std::none_of(node.args.begin(), node.args.end(),
                      [](const ir::Argument& arg) { return ir::is_symbolic(arg.value); }) &&
         std::all_of(node.outputs.begin(), node.outputs.end(), [&](ir::ValueId id) {
           const ir::Value& output = graph.values[id];
           return !output.quant && !ir::is_symbolic(ir::Attr(output.shape));
         });
}

}  // namespace t2n::passes
