// SPDX-License-Identifier: Apache-2.0
#include "ir/dynamic_qparams.h"

#include <algorithm>
#include <array>
#include <set>

#include "src/diag/one_of.h"

namespace t2n::ir {
namespace {

/// The nodes that compute values.
class Producers {
 public:
  explicit Producers(const Graph& graph) : graph_(graph), producers_(producers(graph)) {}
  const Graph& graph() const { return graph_; }
  const Node* producer(ValueId id) const {
    const int at = producers_.at(id);
    return at < 0 ? nullptr : &graph_.nodes[at];
  }

 private:
  const Graph& graph_;
  std::vector<int> producers_;
};

/// Whether an argument of the operator gives the scale of the result.
bool has_scale_argument(const Node& node) {
  constexpr std::array<std::string_view, 5> kNames = {"scale", "scales", "output_scale", "Y_scale",
                                                      "Y_scale_i"};
  return std::any_of(node.args.begin(), node.args.end(),
                     [&](const Argument& arg) { return is_one_of(arg.name, kNames); });
}

bool is_tensor(const Node& node, std::string_view argument) {
  const auto* ref = std::get_if<TensorRef>(node.find(argument));
  return ref != nullptr && ref->id != kNoValue;
}

/// Whether a value is an input, or was computed from one.
bool depends_on_inputs(const Producers& origins, ValueId value) {
  const std::vector<ValueId>& inputs = origins.graph().inputs;
  std::set<ValueId> seen = {value};
  std::vector<ValueId> worklist = {value};
  while (!worklist.empty()) {
    const ValueId id = worklist.back();
    worklist.pop_back();
    if (std::find(inputs.begin(), inputs.end(), id) != inputs.end()) return true;
    if (const Node* node = origins.producer(id))
      for_each_input(*node, [&](ValueId operand) {
        if (operand != kNoValue && seen.insert(operand).second) worklist.push_back(operand);
      });
  }
  return false;
}

/// Whether the operator quantises by a scale, or a zero point, that the graph computes from inputs.
bool computes_scale(const Producers& origins, const Node& node) {
  if (op_name(node.op).starts_with("aten::quantize_per_tensor_dynamic")) return true;
  return std::any_of(node.args.begin(), node.args.end(), [&](const Argument& arg) {
    return (arg.name == "scale" || arg.name == "zero_point") && is_tensor(node, arg.name) &&
           depends_on_inputs(origins, operand(node, arg.name));
  });
}

}  // namespace

bool reads_qparams(const std::string& op) {
  constexpr std::array<std::string_view, 3> kNames = {"aten::q_scale", "aten::q_zero_point",
                                                      "aten::q_per_channel_axis"};
  return is_one_of(op, kNames);
}

bool has_dynamic_qparams(const Graph& graph, ValueId quantised) {
  const Producers origins(graph);
  std::set<ValueId> seen = {quantised};
  std::vector<ValueId> worklist = {quantised};
  while (!worklist.empty()) {
    const Node* node = origins.producer(worklist.back());
    worklist.pop_back();
    if (node == nullptr) continue;
    if (computes_scale(origins, *node)) return true;
    if (has_scale_argument(*node)) continue;
    for_each_input(*node, [&](ValueId id) {
      const bool is_quantised = id != kNoValue && graph.values[id].quant.has_value();
      if (is_quantised && seen.insert(id).second) worklist.push_back(id);
    });
  }
  return false;
}

}  // namespace t2n::ir
