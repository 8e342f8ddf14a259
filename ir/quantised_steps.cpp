#include "ir/quantised_steps.h"

#include <algorithm>
#include <array>
#include <set>

#include "src/diag/one_of.h"

namespace t2n::ir {
namespace {

/// The nodes that values come from.
class Origins {
 public:
  explicit Origins(const Graph& graph) : graph_(graph), producers_(producers(graph)) {}
  const Graph& graph() const { return graph_; }
  const Node* of(ValueId id) const {
    const int at = producers_.at(static_cast<size_t>(id));
    return at < 0 ? nullptr : &graph_.nodes[static_cast<size_t>(at)];
  }

 private:
  const Graph& graph_;
  std::vector<int> producers_;
};

/// Whether the scale of its result is an argument of the operator.
bool is_given_scale(const Node& node) {
  constexpr std::array<std::string_view, 5> kNames = {"scale", "scales", "output_scale", "Y_scale",
                                                      "Y_scale_i"};
  return std::any_of(node.args.begin(), node.args.end(),
                     [&](const Argument& arg) { return is_one_of(arg.name, kNames); });
}

bool is_tensor(const Node& node, std::string_view argument) {
  const Attr* attr = node.find(argument);
  const auto* ref = attr == nullptr ? nullptr : std::get_if<TensorRef>(attr);
  return ref != nullptr && ref->id != kNoValue;
}

/// Whether a value is an input, or was computed from one.
bool follows_from_inputs(const Origins& origins, ValueId value) {
  const std::vector<ValueId>& inputs = origins.graph().inputs;
  std::set<ValueId> seen = {value};
  std::vector<ValueId> rest = {value};
  while (!rest.empty()) {
    const ValueId id = rest.back();
    rest.pop_back();
    if (std::find(inputs.begin(), inputs.end(), id) != inputs.end()) return true;
    if (const Node* node = origins.of(id))
      for_each_input(*node, [&](ValueId operand) {
        if (operand != kNoValue && seen.insert(operand).second) rest.push_back(operand);
      });
  }
  return false;
}

/// Whether the operator quantises by a scale, or a zero point, that the graph computes from inputs.
bool computes_scale(const Origins& origins, const Node& node) {
  if (op_name(node.op).starts_with("aten::quantize_per_tensor_dynamic")) return true;
  return std::any_of(node.args.begin(), node.args.end(), [&](const Argument& arg) {
    return (arg.name == "scale" || arg.name == "zero_point") && is_tensor(node, arg.name) &&
           follows_from_inputs(origins, operand(node, arg.name));
  });
}

}  // namespace

bool asks_step(const std::string& op) {
  constexpr std::array<std::string_view, 3> kNames = {"aten::q_scale", "aten::q_zero_point",
                                                      "aten::q_per_channel_axis"};
  return is_one_of(op, kNames);
}

bool has_step_from_data(const Graph& graph, ValueId quantised) {
  const Origins origins(graph);
  std::set<ValueId> seen = {quantised};
  std::vector<ValueId> rest = {quantised};
  while (!rest.empty()) {
    const Node* node = origins.of(rest.back());
    rest.pop_back();
    if (node == nullptr) continue;
    if (computes_scale(origins, *node)) return true;
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
