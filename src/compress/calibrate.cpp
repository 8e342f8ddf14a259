#include "src/compress/calibrate.h"

#include <algorithm>
#include <any>
#include <map>

#include "src/compress/layers.h"
#include "src/compress/moments.h"
#include "src/compress/observe.h"
#include "src/compress/statistics.h"

namespace t2n::compress {
namespace {

/// Observers by the name of their result, which does not depend on sizes.
using Observers = std::map<std::string, Statistics>;

const std::string& name_of(const ir::Graph& graph, const ir::Node& node) {
  return graph.values[static_cast<size_t>(node.outputs.at(0))].name;
}

Observers open_observers(const ir::Graph& graph) {
  const std::vector<bool> known = known_values(graph);
  Observers out;
  for (const ir::Node& node : graph.nodes) {
    if (!is_observe(node)) continue;
    const Observation of = read_observation(node);
    const bool waits = of.low.empty() && of.scale.empty();
    if (waits && !known[static_cast<size_t>(of.self)]) out.emplace(name_of(graph, node), of);
  }
  return out;
}

/// True for an observer behind another one: it sees what the first one leaves.
bool observes_observer(const ir::Graph& graph, const std::vector<int>& producers, ir::ValueId id) {
  const int producer = producers[static_cast<size_t>(id)];
  return producer >= 0 && is_observe(graph.nodes[static_cast<size_t>(producer)]);
}

bool is_same_question(const Observation& a, const Observation& b) {
  return a.grid == b.grid && a.axis == b.axis && a.least_squares == b.least_squares;
}

}  // namespace

void Calibration::keep(const ir::Graph& graph) {
  const std::vector<int> producers = ir::producers(graph);
  const std::vector<bool> known = known_values(graph);
  for (const ir::Node& node : graph.nodes) {
    if (!is_observe(node)) continue;
    const Observation of = read_observation(node);
    if (known[static_cast<size_t>(of.self)] || observes_observer(graph, producers, of.self))
      continue;
    seen_[graph.values[static_cast<size_t>(of.self)].name].push_back(of);
  }
  const auto moments = graph.attributes.find(kSeenInputs);
  if (moments == graph.attributes.end()) return;
  for (const auto& [address, sums] : std::any_cast<const Moments&>(moments->second))
    moments_.insert_or_assign(address, sums);
}

bool Calibration::recall(ir::Graph& graph) const {
  const std::vector<int> producers = ir::producers(graph);
  const Observers open = open_observers(graph);
  std::vector<std::pair<ir::Node*, Observation>> found;
  for (ir::Node& node : graph.nodes) {
    if (!is_observe(node) || !open.contains(name_of(graph, node))) continue;
    Observation of = read_observation(node);
    const auto at = seen_.find(graph.values[static_cast<size_t>(of.self)].name);
    if (at == seen_.end() || observes_observer(graph, producers, of.self)) return false;
    const auto same = std::find_if(at->second.begin(), at->second.end(),
                                   [&](const auto& each) { return is_same_question(each, of); });
    if (same == at->second.end()) return false;
    of.low = same->low;
    of.high = same->high;
    found.emplace_back(&node, std::move(of));
  }
  for (auto& [node, of] : found) node->args = observation_arguments(of);
  if (!moments_.empty()) graph.attributes[kSeenInputs] = moments_;
  return true;
}

bool needs_calibration(const ir::Graph& graph) { return !open_observers(graph).empty(); }

size_t calibrate(ir::Graph& graph, const Batches& batches, const AtBatch& at_batch,
                 const ir::Evaluator& evaluate,
                 const std::map<std::string, InputsWanted>& inputs_of) {
  Observers observers = open_observers(graph);
  Moments moments;
  size_t count = 0;
  for (auto inputs = batches(); !inputs.empty(); inputs = batches(), ++count) {
    const ir::Graph now = at_batch(inputs);
    ir::run_graph(now, inputs, [&](const ir::Node& node, const ir::Operand& operand) {
      const auto observer = observers.find(is_observe(node) ? name_of(now, node) : "");
      if (observer != observers.end())
        observer->second.see(operand(std::get<ir::TensorRef>(*node.find("self")).id));
      const bool is_inside =
          &node < now.nodes.data() || &node >= now.nodes.data() + now.nodes.size();
      if (!inputs_of.empty() && !is_inside)  // addresses in loops' bodies start anew
        if (const auto wanted = inputs_of.find(ir::node_address(now, node));
            wanted != inputs_of.end())
          add_moments(moments, wanted->second, now, node, operand, evaluate);
      return evaluate(node, operand);
    });
  }
  if (!inputs_of.empty()) {
    keep_weights(moments, graph, evaluate);
    graph.attributes[kSeenInputs] = std::move(moments);
  }
  for (ir::Node& node : graph.nodes) {
    if (!is_observe(node)) continue;
    const auto observer = observers.find(name_of(graph, node));
    if (observer == observers.end() || observer->second.empty()) continue;
    Observation of = read_observation(node);
    for (const Range& range : observer->second.ranges()) {
      of.low.push_back(range.low);
      of.high.push_back(range.high);
    }
    node.args = observation_arguments(of);
  }
  return count;
}

}  // namespace t2n::compress
