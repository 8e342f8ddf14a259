// SPDX-License-Identifier: Apache-2.0
#include "src/export/compress_search.h"

#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "src/compress/explain/loss.h"
#include "src/compress/layer_table.h"
#include "src/diag/error.h"
#include "src/passes/layers.h"
#include "src/passes/passes.h"

namespace t2n {
namespace {

using compress::Choice;
using compress::Form;

/// Bytes of the constants that are read, and of their channels' scales.
int64_t bytes_of_constants(const ir::Graph& graph, compress::Storage storage) {
  std::vector<bool> is_read(graph.values.size());
  for (const ir::ValueId id : graph.outputs) is_read[id] = true;
  for (const ir::Node& node : graph.nodes)
    ir::for_each_input(node, [&](ir::ValueId id) { is_read[id] = true; });
  int64_t out = 0;
  for (const ir::Constant& constant : graph.constants)
    if (is_read[constant.value]) out += compress::constant_bytes(graph, constant, storage);
  return out;
}

/// Whether the last axis of an output holds classes, unlike in images.
bool has_classes(const compress::OutputLoss& loss, size_t rank) {
  constexpr size_t kMostAxes = 3;
  return loss.rows > 0 && rank <= kMostAxes;
}

double share(int64_t part, int64_t all) {
  return static_cast<double>(part) / static_cast<double>(all);
}

/// Groups constants that are weights of the same layers (union-find).
class SharedWeights {
 public:
  void join(const std::vector<ir::ValueId>& constants) {
    for (const ir::ValueId id : constants) parents_[root(id)] = root(constants.front());
  }
  ir::ValueId root(ir::ValueId id) const {
    for (auto at = parents_.find(id); at != parents_.end() && at->second != id;
         at = parents_.find(id))
      id = at->second;
    return id;
  }

 private:
  std::map<ir::ValueId, ir::ValueId> parents_;
};

class Searching {
 public:
  Searching(const ir::Graph& before, const compress::Settings& settings, const SearchTools& tools)
      : before_(before), settings_(settings), tools_(tools) {
    find_layers();
  }

  SearchResult run(const compress::Goal& goal) {
    const compress::SearchSpace space = {can_narrow_, can_widen_,
                                         [this](const Choice& choice) { return loss(choice); },
                                         [this](const Choice& choice) { return bytes(choice); }};
    const compress::SearchResult found = compress::search(space, goal);
    if (!found.is_within_budget) refuse_budget(found, goal);
    if (!found.is_within_loss) refuse_loss(found, goal);
    out_.goal = goal;
    out_.loss = found.loss;
    out_.bytes = found.bytes;
    out_.bytes_of_floats = found.bytes_of_floats;
    out_.entries = entries_of(found.choice);
    for (size_t i = 0; i < out_.layers.size(); ++i) {
      out_.layers[i].form = found.choice[i];
      out_.layers[i].alone = found.alone[i];
    }
    return std::move(out_);
  }

 private:
  /// Finds the layers with settings. Layers that share a constant form one group.
  void find_layers() {
    const compress::LayerTable table(before_);
    const std::vector<bool> known = passes::known_values(before_);
    std::vector<std::pair<const ir::Node*, ir::ValueId>> requested;
    SharedWeights shared;
    for (const ir::Node& node : before_.nodes) {
      const auto layer = passes::layer_of(before_, node, known);
      const compress::NodeSettings node_settings = settings_.of(before_, node);
      if (!layer || !node_settings.requests_any()) continue;
      std::vector<ir::ValueId> constants;
      for (const passes::Weight& weight : layer->weights)
        constants.push_back(table.stored(weight.value).second);
      if (constants.empty()) continue;
      shared.join(constants);
      requested.emplace_back(&node, constants.front());
    }
    std::map<ir::ValueId, size_t> index_of_group;
    for (const auto& [node, constant] : requested) {
      const size_t at =
          index_of_group.emplace(shared.root(constant), out_.layers.size()).first->second;
      if (at == out_.layers.size()) {
        out_.layers.emplace_back();
        can_narrow_.push_back(true);
        can_widen_.push_back(true);
      }
      out_.layers[at].addresses.push_back(ir::node_address(before_, *node));
      out_.layers[at].modules.push_back(ir::module_path(before_, node->scope));
      const compress::NodeSettings node_settings = settings_.of(before_, *node);
      can_narrow_[at] = can_narrow_[at] && is_wide(node_settings) && tools_.can_pack(*node);
      can_widen_[at] = can_widen_[at] && is_narrow(node_settings);
    }
  }

  static bool is_wide(const compress::NodeSettings& settings) {
    return settings.weights && settings.weights->format == compress::Format::integers;
  }

  /// Fewer than 8 bits.
  static bool is_narrow(const compress::NodeSettings& settings) {
    return settings.weights &&
           (settings.weights->format == compress::Format::q4_0 ||
            (is_wide(settings) && settings.weights->scheme.bits < compress::QuantScheme().bits));
  }

  std::vector<compress::SettingsEntry> entries_of(const Choice& choice) const {
    std::vector<compress::SettingsEntry> out;
    for (size_t i = 0; i < choice.size(); ++i) {
      if (choice[i] == Form::as_configured) continue;
      for (const std::string& address : out_.layers[i].addresses) {
        constexpr double kBitsOfBlocks = 4;
        constexpr double kBitsOfBytes = 8;
        compress::SettingsEntry entry = {.scope = address, .options = {}, .origin = "the search"};
        if (choice[i] == Form::narrower)
          entry.options = {{"weights.format", "q4_0"}, {"weights.bits", kBitsOfBlocks}};
        else if (choice[i] == Form::wider)
          entry.options = {{"weights.format", "int"}, {"weights.bits", kBitsOfBytes}};
        else
          entry.kind = compress::SettingsEntry::Kind::ignored;
        out.push_back(std::move(entry));
      }
    }
    return out;
  }

  const CompressedGraph& compressed(const Choice& choice) {
    if (!last_compressed_ || last_compressed_->first != choice) {
      last_compressed_.reset();
      last_compressed_.emplace(choice, tools_.compress(entries_of(choice)));
    }
    return last_compressed_->second;
  }

  int64_t bytes(const Choice& choice) {
    const auto known = bytes_.find(choice);
    if (known != bytes_.end()) return known->second;
    return bytes_[choice] = bytes_of_constants(compressed(choice).stored, tools_.storage);
  }

  compress::Loss loss(const Choice& choice) {
    if (const auto known = losses_.find(choice); known != losses_.end()) return known->second;
    const CompressedGraph& graphs = compressed(choice);
    bytes_[choice] = bytes_of_constants(graphs.stored, tools_.storage);
    compress::OutputLoss sum;
    size_t index = 0;
    size_t rank = 0;
    tools_.each_batch([&](const LossBatch& batch) {
      const auto first_output = [&](const ir::Graph& graph) {
        return ir::contiguous(
            ir::run_graph(passes::at_sizes(graph, batch.sizes), batch.inputs, tools_.evaluate)
                .at(0));
      };
      if (index == expected_.size()) expected_.push_back(first_output(before_));
      rank = expected_[index].shape.size();
      sum.add(expected_[index++], first_output(graphs.after), judged(batch, tools_.labels));
    });
    sum.name = before_.output_names.at(0);
    compress::require_labels(sum, tools_.labels);
    ++out_.tried;
    return losses_[choice] = measured(sum, rank);
  }

  compress::Loss measured(const compress::OutputLoss& sum, size_t rank) {
    compress::Loss out;
    const double signal = sum.all.signal;
    if (sum.all.noise > 0) out.noise = signal > 0 ? sum.all.noise / signal : 1;
    out_.measure = sum.labelled > 0         ? LossMeasure::accuracy
                   : has_classes(sum, rank) ? LossMeasure::top1
                                            : LossMeasure::noise;
    if (out_.measure == LossMeasure::accuracy)
      out.metric = share(sum.right_before - sum.right_after, sum.labelled);
    else if (out_.measure == LossMeasure::top1)
      out.metric = share(sum.rows - sum.same_top1, sum.rows);
    else
      out.metric = out.noise;
    return out;
  }

  [[noreturn]] static void refuse_budget(const compress::SearchResult& found,
                                         const compress::Goal& goal) {
    throw Error(
        "compression-goal",
        cat("the constants take at least ", found.bytes, " bytes, --budget allows ", *goal.budget),
        cat("all compressible layers are compressed then; in floats the constants take ",
            found.bytes_of_floats, " bytes"),
        "use a larger budget, or settings that need fewer bytes: --compress q4_0");
  }

  [[noreturn]] void refuse_loss(const compress::SearchResult& found,
                                const compress::Goal& goal) const {
    constexpr double kPercent = 100;
    if (!goal.budget)
      throw Error(
          "compression-goal",
          cat("with all layers in floats the first output still loses ",
              kPercent * found.loss.metric, " % (", measure_name(out_.measure), ")"),
          "two runs of the model on the same inputs differ, for example because of random numbers",
          "omit --max-loss");
    throw Error(
        "compression-goal",
        cat("the best model within --budget loses ", kPercent * found.loss.metric, " % (",
            measure_name(out_.measure), "), --max-loss allows ", kPercent * *goal.max_loss, " %"),
        cat("the constants take ", found.bytes, " bytes of ", *goal.budget),
        "use a larger budget, allow more loss, or round better: \"rounding\": \"gptq\"");
  }

  const ir::Graph& before_;
  const compress::Settings settings_;  ///< without the entries of the search
  const SearchTools& tools_;
  std::vector<bool> can_narrow_;
  std::vector<bool> can_widen_;
  std::vector<ir::Tensor> expected_;  ///< first outputs of the float graph, by batch
  std::optional<std::pair<Choice, CompressedGraph>> last_compressed_;
  std::map<Choice, int64_t> bytes_;
  std::map<Choice, compress::Loss> losses_;
  SearchResult out_;
};

}  // namespace

compress::BatchRows judged(const LossBatch& batch, const std::vector<int64_t>& labels) {
  const bool has_rows = !batch.inputs.empty() && !batch.inputs[0].shape.empty();
  return {labels, has_rows ? batch.inputs[0].shape[0] : 1, batch.filled};
}

std::string_view measure_name(LossMeasure measure) {
  switch (measure) {
    case LossMeasure::accuracy: return "accuracy";
    case LossMeasure::top1: return "top-1";
    case LossMeasure::noise: return "noise";
  }
  internal_error(__FILE__, __LINE__, "no such measure of loss");
}

SearchResult search_compression(const ir::Graph& before, const compress::Settings& settings,
                                const compress::Goal& goal, const SearchTools& tools) {
  return Searching(before, settings, tools).run(goal);
}

}  // namespace t2n
