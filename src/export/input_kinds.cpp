#include "src/export/input_kinds.h"

#include <algorithm>

namespace t2n {

bool has_floats(const std::vector<Sample>& samples) {
  return std::any_of(samples.begin(), samples.end(), [](const Sample& sample) {
    const auto* tensor = std::get_if<ir::Tensor>(&sample.input.value);
    return tensor != nullptr && ir::is_float(tensor->dtype) && !sample.input.is_state;
  });
}

bool has_free_integers(const std::vector<Sample>& samples) {
  return std::any_of(samples.begin(), samples.end(), [](const Sample& sample) {
    const auto* tensor = std::get_if<ir::Tensor>(&sample.input.value);
    return tensor != nullptr && tensor->bytes.empty() && !sample.range &&
           ir::is_integer(tensor->dtype);
  });
}

std::vector<size_t> tensor_places(const std::vector<Sample>& samples) {
  std::vector<size_t> out;
  for (size_t i = 0; i < samples.size(); ++i)
    if (const auto* tensor = std::get_if<ir::Tensor>(&samples[i].input.value);
        tensor != nullptr && tensor->elements() > 0)
      out.push_back(i);
  return out;
}

std::set<std::string> unread_inputs(const ir::Graph& graph) {
  std::set<ir::ValueId> read(graph.outputs.begin(), graph.outputs.end());
  for (size_t i = graph.nodes.size(); i > 0; --i) {
    const ir::Node& node = graph.nodes[i - 1];
    if (std::any_of(node.outputs.begin(), node.outputs.end(),
                    [&](ir::ValueId id) { return read.contains(id); }))
      ir::for_each_input(node, [&](ir::ValueId id) { read.insert(id); });
  }
  std::set<std::string> out;
  for (const ir::ValueId id : graph.inputs)
    if (!read.contains(id)) out.insert(graph.values[static_cast<size_t>(id)].name);
  return out;
}

}  // namespace t2n
