#include "ir/quantised_steps.h"

#include <algorithm>
#include <array>
#include <set>

#include "src/diag/one_of.h"

namespace t2n::ir {
namespace {

const Node* producer(const Graph& graph, ValueId id) {
  const auto found = std::find_if(graph.nodes.rbegin(), graph.nodes.rend(), [&](const auto& node) {
    return std::find(node.outputs.begin(), node.outputs.end(), id) != node.outputs.end();
  });
  return found == graph.nodes.rend() ? nullptr : &*found;
}

/// Whether the scale of its result is an argument of the operator.
bool is_given_scale(const Node& node) {
  constexpr std::array<std::string_view, 5> kNames = {"scale", "scales", "output_scale", "Y_scale",
                                                      "Y_scale_i"};
  return std::any_of(node.args.begin(), node.args.end(),
                     [&](const Argument& arg) { return is_one_of(arg.name, kNames); });
}

}  // namespace

bool asks_step(const std::string& op) {
  constexpr std::array<std::string_view, 3> kNames = {"aten::q_scale", "aten::q_zero_point",
                                                      "aten::q_per_channel_axis"};
  return is_one_of(op, kNames);
}

bool has_step_from_data(const Graph& graph, ValueId quantised) {
  std::set<ValueId> seen = {quantised};
  std::vector<ValueId> rest = {quantised};
  while (!rest.empty()) {
    const Node* node = producer(graph, rest.back());
    rest.pop_back();
    if (node == nullptr) continue;
    if (op_name(node->op).starts_with("aten::quantize_per_tensor_dynamic")) return true;
    if (is_given_scale(*node)) continue;
    for_each_input(*node, [&](ValueId id) {
      const bool is_quantised =
          id != kNoValue && graph.values[static_cast<size_t>(id)].quant.has_value();
      if (is_quantised && seen.insert(id).second) rest.push_back(id);
    });
  }
  return false;
}

}  // namespace t2n::ir
