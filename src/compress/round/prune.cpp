// SPDX-License-Identifier: Apache-2.0
// The passes `prune-weights`, and `insert-compression`, which inserts masks and observers together.
#include "src/compress/round/prune.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "ir/elements.h"
#include "src/compress/calibrate/quantisers.h"
#include "src/compress/passes.h"
#include "src/diag/error.h"
#include "src/passes/known.h"
#include "src/passes/layers.h"

namespace t2n::compress {
namespace {

using ir::ValueId;

/// The pruning that settings request for one layer.
struct PruningRequest {
  std::string layer;  ///< its address
  std::optional<Pruning> pruning;
  int inputs = 0;      ///< the weight's axis of the layer's inputs
  int64_t groups = 1;  ///< groups of the inputs along that axis
};

/// By weight, in the order of the layers.
using PruningRequests = std::map<ValueId, std::vector<PruningRequest>>;

int inputs_axis(const passes::Weight& weight, size_t rank) {
  if (!weight.channel_axis) return 0;  // a grouped transposed convolution
  if (*weight.channel_axis == 0) return 1;
  if (weight.argument == "weight") return 0;  // transposed
  const int last = static_cast<int>(rank) - 1;
  return *weight.channel_axis == last ? last - 1 : last;  // an operand of a matrix product
}

/// Weights of other convolutions have the inputs of one group only.
int64_t groups_of_inputs(const ir::Node& node, const passes::Weight& weight) {
  const bool is_transposed = !weight.channel_axis || *weight.channel_axis != 0;
  return is_transposed ? passes::groups_of(node) : 1;
}

/// "a share of 0.5": layers with equal texts share a mask.
std::string request_text(const PruningRequest& request) {
  if (!request.pruning) return "no pruning";
  const Pruning& pruning = *request.pruning;
  if (pruning.group > 0)
    return cat(pruning.keep, " of each ", pruning.group, " along axis ", request.inputs);
  return cat("a share of ", pruning.sparsity, pruning.is_global ? " of all modules together" : "");
}

std::vector<double> magnitudes_of(const ir::Tensor& weight) {
  std::vector<double> out = ir::to_f64(weight);
  for (double& each : out)
    each = std::isnan(each) ? std::numeric_limits<double>::infinity() : std::abs(each);
  return out;
}

/// Elements below a magnitude are pruned, and the first elements that equal it.
struct Threshold {
  double magnitude = -1;
  ptrdiff_t equals = 0;
};

Threshold threshold_of(std::vector<double> magnitudes, double share) {
  // 0.29 * 100 is slightly below 29.
  constexpr double kRoundingError = 1e-9;
  const auto all = static_cast<double>(magnitudes.size());
  const auto count = static_cast<ptrdiff_t>(std::floor(share * all + kRoundingError));
  if (count == 0) return {};
  const auto last = magnitudes.begin() + (count - 1);
  std::nth_element(magnitudes.begin(), last, magnitudes.end());
  Threshold out{*last, 0};
  out.equals = count - std::count_if(magnitudes.begin(), magnitudes.end(),
                                     [&](double each) { return each < out.magnitude; });
  return out;
}

using Mask = std::vector<bool>;

Mask mask_of_threshold(const std::vector<double>& magnitudes, Threshold& threshold) {
  Mask out;
  out.reserve(magnitudes.size());
  for (const double each : magnitudes)
    out.push_back(each > threshold.magnitude ||
                  (each == threshold.magnitude && --threshold.equals < 0));
  return out;
}

/// Prunes all but the largest elements at these indices.
void keep_largest(const std::vector<double>& magnitudes, std::vector<size_t>& indices, int keep,
                  Mask& mask) {
  std::stable_sort(indices.begin(), indices.end(),
                   [&](size_t a, size_t b) { return magnitudes[a] < magnitudes[b]; });
  for (size_t i = 0; i + static_cast<size_t>(keep) < indices.size(); ++i) mask[indices[i]] = false;
}

Mask mask_of_neighbours(const ir::Tensor& weight, const PruningRequest& request) {
  const std::vector<double> magnitudes = magnitudes_of(weight);
  Mask out(magnitudes.size(), true);
  const size_t axis = request.inputs;
  const size_t along = weight.shape.at(axis);
  const size_t run = along / static_cast<size_t>(request.groups);
  const size_t inner = ir::inner_size(weight.shape, axis);
  const size_t width = request.pruning->group;
  std::vector<size_t> indices;
  for (size_t begin = 0; begin < magnitudes.size(); begin += along * inner)
    for (size_t at = 0; at < inner; ++at)
      for (size_t i = 0; i < along; ++i) {
        indices.push_back(begin + i * inner + at);
        const size_t in_run = i % run + 1;
        if (in_run % width != 0 && in_run != run) continue;
        keep_largest(magnitudes, indices, request.pruning->keep, out);
        indices.clear();
      }
  return out;
}

class AddingMasks {
 public:
  AddingMasks(Insertions& insertions, const ir::Graph& graph, const Settings& settings)
      : insertions_(insertions), graph_(graph), constants_(ir::constant_index(graph)) {
    const std::vector<bool> known = passes::known_values(graph);
    for (const ir::Node& node : graph.nodes) {
      if (node.body) note_body(*node.body, settings);
      if (const auto layer = passes::layer_of(graph, node, known)) {
        const std::optional<Pruning> pruning = settings.of(graph, node).prune;
        for (const passes::Weight& weight : layer->weights) note(node, weight, pruning);
      }
    }
    std::erase_if(requests_, [](const auto& each) {
      return std::none_of(
          each.second.begin(), each.second.end(),
          [](const PruningRequest& request) { return request.pruning.has_value(); });
    });
  }

  void run() {
    find_thresholds();
    for (const auto& [weight, requests] : requests_) add(weight, requests);
  }

  /// Reports weights that are not pruned although settings request it, and weights in which a
  /// pattern is incomplete.
  void report_unpruned(const Report& report) const {
    warn_of(report, "pattern-remainder", remainders_,
            cat("a pattern does not divide the inputs of ", remainders_.size(),
                remainders_.size() == 1 ? " weight" : " weights"),
            "exclude their modules with --ignore, or use a pattern that divides their inputs");
    warn_of(
        report, "weight-not-pruned", unpruned_,
        cat(unpruned_.size(), unpruned_.size() == 1 ? " weight is" : " weights are", " not pruned"),
        "exclude their modules with --ignore, or prune the model before it is saved");
  }

 private:
  /// Records a weight whose number of inputs is not a multiple of the pattern's group.
  void note_remainder(ValueId weight, const PruningRequest& request) {
    const Pruning& pruning = *request.pruning;
    if (pruning.group == 0) return;
    const int64_t inputs = data(weight).shape.at(request.inputs) / request.groups;
    const int64_t remainder = inputs % pruning.group;
    if (remainder == 0) return;
    remainders_.push_back(cat(graph_.values[weight].name, ": of its ", inputs, " inputs, ",
                              std::min<int64_t>(remainder, pruning.keep), " of the last ",
                              remainder, " stay"));
  }

  const ir::Tensor& data(ValueId weight) const { return graph_.constants[constants_[weight]].data; }

  void note(const ir::Node& node, const passes::Weight& weight,
            const std::optional<Pruning>& pruning) {
    const size_t at = weight.value;
    const ir::Value& value = graph_.values[at];
    if (constants_[at] < 0 || value.quant) {
      if (pruning)
        note_unpruned(
            graph_, node, weight,
            value.quant ? "the model already quantises it" : "it is computed from other constants");
      return;
    }
    if (!data(weight.value).is_loaded()) return;
    requests_[weight.value].push_back({ir::node_address(graph_, node), pruning,
                                       inputs_axis(weight, value.shape.size()),
                                       groups_of_inputs(node, weight)});
  }

  void note_body(const ir::Graph& body, const Settings& settings) {
    const std::vector<bool> known = passes::known_values(body);
    for (const ir::Node& node : body.nodes) {
      if (node.body) note_body(*node.body, settings);
      const auto layer = passes::layer_of(body, node, known);
      if (!layer || !settings.of(body, node).prune) continue;
      for (const passes::Weight& weight : layer->weights)
        note_unpruned(body, node, weight, "a loop reads it");
    }
  }

  void note_unpruned(const ir::Graph& graph, const ir::Node& node, const passes::Weight& weight,
                     std::string_view why) {
    const std::string module = ir::module_path(graph, node.scope);
    unpruned_.push_back(cat(graph.values[weight.value].name,
                            module.empty() ? "" : cat(", of ", quoted(module)), ": ", why));
  }

  /// Finds thresholds shared by several weights.
  void find_thresholds() {
    std::map<double, std::vector<double>> pools;
    for (const auto& [weight, requests] : requests_) {
      const std::optional<Pruning>& pruning = requests.front().pruning;
      if (!pruning || !pruning->is_global) continue;
      const std::vector<double> magnitudes = magnitudes_of(data(weight));
      std::vector<double>& pool = pools[pruning->sparsity];
      pool.insert(pool.end(), magnitudes.begin(), magnitudes.end());
    }
    for (auto& [share, pool] : pools) thresholds_[share] = threshold_of(std::move(pool), share);
  }

  Mask mask_of(ValueId weight, const PruningRequest& request) {
    if (request.pruning->group > 0) return mask_of_neighbours(data(weight), request);
    const std::vector<double> magnitudes = magnitudes_of(data(weight));
    if (request.pruning->is_global)
      return mask_of_threshold(magnitudes, thresholds_.at(request.pruning->sparsity));
    Threshold own = threshold_of(magnitudes, request.pruning->sparsity);
    return mask_of_threshold(magnitudes, own);
  }

  void add(ValueId weight, const std::vector<PruningRequest>& requests) {
    const PruningRequest& first = requests.front();  // the others are equal, or the commit fails
    if (first.pruning) note_remainder(weight, first);
    ir::Tensor mask;
    if (first.pruning)
      mask =
          ir::tensor_of(ir::DType::boolean, data(weight).shape, as_numbers(mask_of(weight, first)));
    for (const PruningRequest& request : requests)
      insertions_.add({.at = {weight, std::nullopt},
                       .priority = kPruningPriority,
                       .algorithm = cat("pruning of ", request.layer),
                       .slot = "mask",
                       .key = request_text(request),
                       .build = [mask](passes::Rewriter& rewriter, ValueId value) {
                         return masked(rewriter, value, mask);
                       }});
  }

  static std::vector<uint8_t> as_numbers(const Mask& mask) { return {mask.begin(), mask.end()}; }

  static ValueId masked(passes::Rewriter& rewriter, ValueId value, const ir::Tensor& mask) {
    const ValueId zero = rewriter.number(0, rewriter.dtype(value));
    const ValueId out = rewriter.where(rewriter.constant(mask), value, zero);
    rewriter.swap_names(value, out);
    return out;
  }

  Insertions& insertions_;
  const ir::Graph& graph_;
  std::vector<int> constants_;
  PruningRequests requests_;
  std::map<double, Threshold> thresholds_;  ///< by share
  std::vector<std::string> unpruned_;
  std::vector<std::string> remainders_;
};

}  // namespace

void add_pruning(Insertions& insertions, const ir::Graph& graph, const Settings& settings,
                 const Report& report) {
  AddingMasks adding(insertions, graph, settings);
  adding.run();
  adding.report_unpruned(report);
}

}  // namespace t2n::compress

bool t2n::compress::prune_weights(ir::Graph& graph, const passes::PassContext& context) {
  if (context.settings == nullptr) return false;
  compress::Insertions insertions;
  compress::add_pruning(insertions, graph, *context.settings, context.report);
  return insertions.commit(graph);
}

bool t2n::compress::insert_compression(ir::Graph& graph, const passes::PassContext& context) {
  if (context.settings == nullptr) return false;
  compress::Insertions insertions;
  compress::add_pruning(insertions, graph, *context.settings, context.report);
  compress::add_quantisers(insertions, graph, *context.settings, context.report);
  return insertions.commit(graph);
}
