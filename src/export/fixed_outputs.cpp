#include "src/export/fixed_outputs.h"

#include <algorithm>

namespace t2n {
namespace {

bool names_a_size(const ir::Argument& argument) {
  if (const auto* one = std::get_if<ir::Dim>(&argument.value)) return !one->is_constant();
  const auto* many = std::get_if<std::vector<ir::Dim>>(&argument.value);
  return many != nullptr && std::any_of(many->begin(), many->end(),
                                        [](const ir::Dim& dim) { return !dim.is_constant(); });
}

enum class Follows { nothing, sizes, values };

/// By output, as the graph has it.
std::vector<Follows> outputs_follow(const ir::Graph& graph) {
  std::vector<Follows> follows(graph.values.size(), Follows::nothing);
  for (const ir::ValueId id : graph.inputs) follows[static_cast<size_t>(id)] = Follows::values;
  for (const ir::Node& node : graph.nodes) {
    const bool is_of_sizes =
        node.body != nullptr || std::any_of(node.args.begin(), node.args.end(), names_a_size);
    Follows all = is_of_sizes ? Follows::sizes : Follows::nothing;
    ir::for_each_input(node, [&](ir::ValueId id) {
      if (id != ir::kNoValue) all = std::max(all, follows[static_cast<size_t>(id)]);
    });
    for (const ir::ValueId id : node.outputs)
      if (id != ir::kNoValue) follows[static_cast<size_t>(id)] = all;
  }
  std::vector<Follows> out;
  for (const ir::ValueId id : graph.outputs) out.push_back(follows[static_cast<size_t>(id)]);
  return out;
}

}  // namespace

std::vector<bool> fixed_outputs(const ir::Graph& graph, const InputSets& sets) {
  std::vector<bool> out;
  for (const Follows follows : outputs_follow(graph)) {
    const size_t at = out.size();
    const auto is_other = [&](const InputSet& set) {
      return !ir::same_values(set.expected.at(at), sets.sets.front().expected.at(at));
    };
    out.push_back(follows == Follows::nothing ||
                  (follows == Follows::sizes && std::ranges::any_of(sets.sets, is_other)));
  }
  return out;
}

}  // namespace t2n
