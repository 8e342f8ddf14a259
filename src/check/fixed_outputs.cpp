// SPDX-License-Identifier: Apache-2.0
#include "src/check/fixed_outputs.h"

#include <algorithm>

namespace t2n {
namespace {

bool names_a_size(const ir::Argument& argument) {
  if (const auto* one = std::get_if<ir::Dim>(&argument.value)) return !one->is_constant();
  const auto* many = std::get_if<std::vector<ir::Dim>>(&argument.value);
  return many != nullptr && std::any_of(many->begin(), many->end(),
                                        [](const ir::Dim& dim) { return !dim.is_constant(); });
}

enum class DependsOn { nothing, sizes, values };

/// For each output of the graph.
std::vector<DependsOn> output_dependencies(const ir::Graph& graph) {
  std::vector<DependsOn> depends_on(graph.values.size(), DependsOn::nothing);
  for (const ir::ValueId id : graph.inputs) depends_on[id] = DependsOn::values;
  for (const ir::Node& node : graph.nodes) {
    const bool reads_sizes =
        node.body != nullptr || std::any_of(node.args.begin(), node.args.end(), names_a_size);
    DependsOn all = reads_sizes ? DependsOn::sizes : DependsOn::nothing;
    ir::for_each_input(node, [&](ir::ValueId id) {
      if (id != ir::kNoValue) all = std::max(all, depends_on[id]);
    });
    for (const ir::ValueId id : node.outputs)
      if (id != ir::kNoValue) depends_on[id] = all;
  }
  std::vector<DependsOn> out;
  for (const ir::ValueId id : graph.outputs) out.push_back(depends_on[id]);
  return out;
}

}  // namespace

std::vector<bool> fixed_outputs(const ir::Graph& graph, const InputSets& sets) {
  std::vector<bool> out;
  for (const DependsOn depends_on : output_dependencies(graph)) {
    const size_t at = out.size();
    const auto differs = [&](const InputSet& set) {
      return !ir::same_values(set.expected.at(at), sets.sets.front().expected.at(at));
    };
    out.push_back(depends_on == DependsOn::nothing ||
                  (depends_on == DependsOn::sizes && std::ranges::any_of(sets.sets, differs)));
  }
  return out;
}

}  // namespace t2n
