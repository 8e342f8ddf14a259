// SPDX-License-Identifier: Apache-2.0
#include "src/compress/calibrate/calibrate.h"

#include <algorithm>
#include <any>
#include <map>

#include "src/compress/calibrate/moments.h"
#include "src/compress/calibrate/observe.h"
#include "src/compress/calibrate/statistics.h"
#include "src/passes/layers.h"

namespace t2n::compress {
namespace {

/// Observers by the name of their result, which does not depend on sizes.
using Observers = std::map<std::string, Statistics>;

const std::string& name_of(const ir::Graph& graph, const ir::Node& node) {
  return graph.values[node.outputs.at(0)].name;
}

Observers uncalibrated_observers(const ir::Graph& graph) {
  const std::vector<bool> known = passes::known_values(graph);
  Observers out;
  for (const ir::Node& node : graph.nodes) {
    if (!is_observe(node)) continue;
    const Observation observation = read_observation(node);
    const bool needs_data = observation.low.empty() && observation.scale.empty();
    if (needs_data && !known[observation.self]) out.emplace(name_of(graph, node), observation);
  }
  return out;
}

/// True for an observer whose operand is the result of another observer.
bool observes_observer(const ir::Graph& graph, const std::vector<int>& producers, ir::ValueId id) {
  const int producer = producers[id];
  return producer >= 0 && is_observe(graph.nodes[producer]);
}

bool has_same_settings(const Observation& a, const Observation& b) {
  return a.scheme == b.scheme && a.axis == b.axis && a.least_squares == b.least_squares;
}

}  // namespace

void Calibration::keep(const ir::Graph& graph) {
  const std::vector<int> producers = ir::producers(graph);
  const std::vector<bool> known = passes::known_values(graph);
  for (const ir::Node& node : graph.nodes) {
    if (!is_observe(node)) continue;
    const Observation observation = read_observation(node);
    if (known[observation.self] || observes_observer(graph, producers, observation.self)) continue;
    seen_[graph.values[observation.self].name].push_back(observation);
  }
  const auto moments = graph.attributes.find(kInputMoments);
  if (moments == graph.attributes.end()) return;
  for (const auto& [address, sums] : std::any_cast<const Moments&>(moments->second))
    moments_.insert_or_assign(address, sums);
}

bool Calibration::recall(ir::Graph& graph) const {
  const std::vector<int> producers = ir::producers(graph);
  const Observers uncalibrated = uncalibrated_observers(graph);
  std::vector<std::pair<ir::Node*, Observation>> found;
  for (ir::Node& node : graph.nodes) {
    if (!is_observe(node) || !uncalibrated.contains(name_of(graph, node))) continue;
    Observation observation = read_observation(node);
    const auto recorded = seen_.find(graph.values[observation.self].name);
    if (recorded == seen_.end() || observes_observer(graph, producers, observation.self))
      return false;
    const auto same =
        std::find_if(recorded->second.begin(), recorded->second.end(),
                     [&](const auto& each) { return has_same_settings(each, observation); });
    if (same == recorded->second.end()) return false;
    observation.low = same->low;
    observation.high = same->high;
    found.emplace_back(&node, std::move(observation));
  }
  for (auto& [node, observation] : found) node->args = observation_arguments(observation);
  if (!moments_.empty()) graph.attributes[kInputMoments] = moments_;
  return true;
}

bool needs_calibration(const ir::Graph& graph) { return !uncalibrated_observers(graph).empty(); }

size_t calibrate(ir::Graph& graph, const Batches& batches, const AtBatch& at_batch,
                 const ir::Evaluator& evaluate,
                 const std::map<std::string, MomentRequest>& requests) {
  Observers observers = uncalibrated_observers(graph);
  Moments moments;
  size_t count = 0;
  for (auto inputs = batches(); !inputs.empty(); inputs = batches(), ++count) {
    const ir::Graph sized = at_batch(inputs);
    ir::run_graph(sized, inputs, [&](const ir::Node& node, const ir::Operand& operand) {
      const auto observer = observers.find(is_observe(node) ? name_of(sized, node) : "");
      if (observer != observers.end())
        observer->second.see(operand(std::get<ir::TensorRef>(*node.find("self")).id));
      const bool is_inside =
          &node < sized.nodes.data() || &node >= sized.nodes.data() + sized.nodes.size();
      if (!requests.empty() && !is_inside)  // loop bodies have their own addresses
        if (const auto request = requests.find(ir::node_address(sized, node));
            request != requests.end())
          add_moments(moments, request->second, sized, node, operand, evaluate);
      return evaluate(node, operand);
    });
  }
  if (!requests.empty()) {
    keep_weights(moments, graph, evaluate);
    graph.attributes[kInputMoments] = std::move(moments);
  }
  for (ir::Node& node : graph.nodes) {
    if (!is_observe(node)) continue;
    const auto observer = observers.find(name_of(graph, node));
    if (observer == observers.end() || observer->second.empty()) continue;
    Observation observation = read_observation(node);
    for (const Range& range : observer->second.ranges()) {
      observation.low.push_back(range.low);
      observation.high.push_back(range.high);
    }
    node.args = observation_arguments(observation);
  }
  return count;
}

}  // namespace t2n::compress
