// SPDX-License-Identifier: Apache-2.0
#include "src/check/choices.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "nnef_writer/archive.h"
#include "src/check/graph_f64_distance.h"
#include "src/check/run_artefact.h"
#include "src/check/verdict_table.h"
#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/model/torch_module.h"
#include "src/passes/passes.h"

namespace t2n {
namespace {

/// An operation whose result torch does not fully define.
struct Choosing {
  bool rounds = false;       ///< else its last result contains indices
  bool takes_first = false;  ///< of equals, by torch's documentation
  bool flattens = false;     ///< without `dim`: selects among all elements
};

constexpr std::array<std::string_view, 4> kRounding = {"round", "floor", "ceil", "trunc"};
/// Without "mode": its values are defined, and its indices are never written.
constexpr std::array<std::string_view, 7> kPairs = {"topk",      "sort", "kthvalue", "median",
                                                    "nanmedian", "max",  "min"};
constexpr std::array<std::string_view, 3> kIndices = {"argsort", "argmax", "argmin"};
constexpr std::array<std::string_view, 4> kFirst = {"max", "min", "argmax", "argmin"};
constexpr std::array<std::string_view, 2> kOfAll = {"argmax", "argmin"};

std::optional<Choosing> choosing(const ir::Graph& graph, const ir::Node& node) {
  const std::string_view name = ir::op_short_name(node.op);
  const ir::ValueId self = ir::operand(node, "self");
  if (node.outputs.empty() || self == ir::kNoValue) return {};
  const auto flag = [&](const char* argument) {
    const bool* value = std::get_if<bool>(node.find(argument));
    return value != nullptr && *value;
  };
  if (is_one_of(name, kRounding)) {
    const bool is_plain = node.find("decimals") == nullptr;
    const ir::DType dtype = graph.values[self].dtype;
    return is_plain && ir::is_float(dtype) ? std::optional(Choosing{.rounds = true}) : std::nullopt;
  }
  const bool is_pair = is_one_of(name, kPairs);
  if (!(is_pair && node.outputs.size() == 2) && !is_one_of(name, kIndices)) return {};
  const ir::Attr* const dim = node.find("dim");
  return Choosing{.rounds = false,
                  .takes_first = is_one_of(name, kFirst) || flag("stable"),
                  .flattens = is_one_of(name, kOfAll) &&
                              (dim == nullptr || std::get_if<ir::Dim>(dim) == nullptr)};
}

ir::ValueId chosen_value(const ir::Node& node, const Choosing& kind) {
  return kind.rounds ? node.outputs[0] : node.outputs.back();
}

/// The choosing operations of a graph, without those in its loops.
std::vector<const ir::Node*> choosing_nodes(const ir::Graph& graph) {
  std::vector<const ir::Node*> out;
  for (const ir::Node& node : graph.nodes)
    if (choosing(graph, node)) out.push_back(&node);
  return out;
}

/// A tensor's elements along one axis: element k of lane (outer, inner).
struct Lanes {
  int64_t outer = 1;
  int64_t count = 1;
  int64_t inner = 1;

  Lanes(const ir::Ints& shape, const ir::Node& node, const Choosing& kind) {
    for (const int64_t size : shape) inner *= size;
    if (shape.empty()) return;
    if (kind.flattens) {
      std::swap(count, inner);
      return;
    }
    const auto rank = static_cast<int64_t>(shape.size());
    const auto* const dim = std::get_if<ir::Dim>(node.find("dim"));
    const int64_t dim_value = dim != nullptr && dim->is_constant() ? dim->value() : -1;
    const size_t axis = dim_value < 0 ? dim_value + rank : dim_value;
    inner = 1;
    for (size_t i = 0; i < shape.size(); ++i)
      (i < axis ? outer : i == axis ? count : inner) *= shape[i];
  }
  size_t at(int64_t o, int64_t k, int64_t i, int64_t length) const {
    return (o * length + k) * inner + i;
  }
};

/// The operand and the own result of an operation in one run.
struct Step {
  const ir::Node* node = nullptr;
  Choosing kind;
  ir::Tensor self;
  ir::Tensor own;
};

/// The elements of `self` at the indices; nothing if one is out of range.
std::optional<std::vector<double>> gathered(const Step& step, const std::vector<int64_t>& indices) {
  const Lanes lanes(step.self.shape, *step.node, step.kind);
  const std::vector<double> values = ir::to_f64(step.self);
  const int64_t length =
      static_cast<int64_t>(indices.size()) / std::max<int64_t>(lanes.outer * lanes.inner, 1);
  std::vector<double> out(indices.size());
  for (int64_t o = 0; o < lanes.outer; ++o)
    for (int64_t k = 0; k < length; ++k)
      for (int64_t i = 0; i < lanes.inner; ++i) {
        const size_t at = lanes.at(o, k, i, length);
        if (indices[at] < 0 || indices[at] >= lanes.count) return {};
        out[at] = values[lanes.at(o, indices[at], i, lanes.count)];
      }
  return out;
}

/// Runs the recorded graph with the given results of its choosing operations.
class ChosenRun {
 public:
  ChosenRun(const SourceModel& model, const InputSet& set, const Choices& choices)
      : model_(model),
        set_(set),
        choices_(choices),
        graph_(passes::at_sizes(model.graph, set.sizes)) {
    for (const ir::Node* node : choosing_nodes(graph_)) {
      keys_.emplace(std::pair(node->op, node->outputs[0]), nodes_.size());
      nodes_.push_back(node);
    }
  }

  size_t count() const { return nodes_.size(); }

  /// Empty if the graph cannot run. `steps`: one for each choosing operation.
  std::vector<ir::Tensor> run(const ir::Evaluator& evaluate, std::vector<Step>& steps) const {
    steps.assign(nodes_.size(), {});
    return run_recorded(model_, set_, [&](const ir::Node& node, const ir::Operand& operand) {
      std::vector<ir::Tensor> results = evaluate(node, operand);
      const auto key = keys_.find(std::pair(node.op, node.outputs.empty() ? -1 : node.outputs[0]));
      if (key == keys_.end()) return results;
      Step& step = steps[key->second];
      step = {nodes_[key->second], *choosing(graph_, *nodes_[key->second]),
              operand(ir::operand(node, "self")), results.back()};
      if (!choices_.empty()) replace(step, choices_[key->second], results);
      return results;
    });
  }

 private:
  static void replace(const Step& step, const ir::Tensor& chosen,
                      std::vector<ir::Tensor>& results) {
    if (chosen.shape != results.back().shape)
      throw Error("forward-failed", "a choice has another shape");
    if (step.kind.rounds) {
      results[0] = ir::tensor_of(results[0].dtype, results[0].shape, ir::to_f64(chosen));
      return;
    }
    const std::vector<int64_t> indices = ir::to_i64(chosen);
    const auto values = gathered(step, indices);
    if (!values) throw Error("forward-failed", "a choice is no index");
    if (results.size() == 2)
      results[0] = ir::tensor_of(results[0].dtype, results[0].shape, *values);
    results.back() = ir::tensor_of(results.back().dtype, results.back().shape, indices);
  }

  const SourceModel& model_;
  const InputSet& set_;
  const Choices& choices_;
  ir::Graph graph_;
  std::vector<const ir::Node*> nodes_;
  std::map<std::pair<ir::OpId, ir::ValueId>, size_t> keys_;
};

/// How far rounding may move an element: four times torch's distance from f64, plus, for inexact
/// elements, some roundings of the largest one.
double freedom(double torch, double wide, double largest) {
  constexpr double kNear = 4;
  constexpr double kRoundings = 16 * 0x1.0p-24;
  const double distance = std::abs(torch - wide);
  return distance == 0 ? 0 : kNear * distance + kRoundings * largest;
}

bool may_round(const Step& step, const Step& wide, const ir::Tensor& chosen) {
  const std::string_view name = ir::op_short_name(step.node->op);
  const auto rounded = [&](double x) {
    if (name == "floor") return std::floor(x);
    if (name == "ceil") return std::ceil(x);
    return name == "trunc" ? std::trunc(x) : std::nearbyint(x);
  };
  const std::vector<double> narrow = ir::to_f64(step.self);
  const std::vector<double> exact = ir::to_f64(wide.self);
  const std::vector<double> own = ir::to_f64(step.own);
  const std::vector<double> taken = ir::to_f64(chosen);
  for (size_t i = 0; i < taken.size(); ++i) {
    if (taken[i] == own[i] || (std::isnan(taken[i]) && std::isnan(own[i]))) continue;
    const double free = freedom(narrow[i], exact[i], std::abs(exact[i]));
    if (free == 0 || !std::isfinite(free)) return false;
    const double most = std::max(free, kNearTie);
    if (taken[i] < rounded(exact[i] - most) || taken[i] > rounded(exact[i] + most)) return false;
  }
  return true;
}

bool may_order(const Step& step, const Step& wide, const ir::Tensor& chosen) {
  const std::vector<int64_t> taken = ir::to_i64(chosen);
  const std::vector<int64_t> own = ir::to_i64(step.own);
  if (taken == own) return true;
  const auto scores = gathered(step, taken);
  const auto expected = gathered(step, own);
  if (!scores || !expected) return false;
  const Lanes lanes(step.self.shape, *step.node, step.kind);
  const std::vector<double> narrow = ir::to_f64(step.self);
  const std::vector<double> exact = ir::to_f64(wide.self);
  const int64_t length =
      static_cast<int64_t>(taken.size()) / std::max<int64_t>(lanes.outer * lanes.inner, 1);
  for (int64_t o = 0; o < lanes.outer; ++o)
    for (int64_t i = 0; i < lanes.inner; ++i) {
      double largest = 0;
      double free = 0;
      for (int64_t k = 0; k < lanes.count; ++k)
        largest = std::max(largest, std::abs(exact[lanes.at(o, k, i, lanes.count)]));
      for (int64_t k = 0; k < lanes.count; ++k) {
        const size_t at = lanes.at(o, k, i, lanes.count);
        free = std::max(free, freedom(narrow[at], exact[at], largest));
      }
      std::set<int64_t> positions;
      for (int64_t k = 0; k < length; ++k) {
        const size_t at = lanes.at(o, k, i, length);
        if (!positions.insert(taken[at]).second) return false;
        if (taken[at] == own[at]) continue;
        if (!(std::abs((*scores)[at] - (*expected)[at]) <= free)) return false;
        if (step.kind.takes_first && free == 0) return false;
      }
    }
  return true;
}

bool are_permitted(const std::vector<Step>& steps, const std::vector<Step>& wide,
                   const Choices& choices) {
  for (size_t k = 0; k < choices.size(); ++k) {
    if (steps[k].node == nullptr || wide[k].node == nullptr) return false;
    if (wide[k].self.shape != steps[k].self.shape) return false;
    const bool is_free = steps[k].kind.rounds ? may_round(steps[k], wide[k], choices[k])
                                              : may_order(steps[k], wide[k], choices[k]);
    if (!is_free) return false;
  }
  return true;
}

/// Whether the file's results equal the expected ones, or are as near to f64.
bool are_results(const std::vector<ir::Tensor>& expected, const std::vector<ir::Tensor>& exact,
                 const std::vector<ir::Tensor>& actual, const check::Tolerance& tolerance) {
  if (expected.size() != actual.size() || exact.size() != actual.size()) return false;
  for (size_t i = 0; i < actual.size(); ++i) {
    const check::Deviation found = check::compare(expected[i], actual[i], tolerance);
    if (found.verdict == check::Verdict::ok) continue;
    const auto measured = check::measure(exact[i], expected[i], actual[i]);
    if (found.not_finite > 0 || !measured || !measured->is_as_near()) return false;
  }
  return true;
}

/// The recorded graph with its choices as additional outputs.
ir::Graph with_choices(const SourceModel& model) {
  ir::Graph graph = model.graph;
  const auto nodes = choosing_nodes(model.graph);
  for (size_t k = 0; k < nodes.size(); ++k) {
    graph.outputs.push_back(chosen_value(*nodes[k], *choosing(model.graph, *nodes[k])));
    graph.output_names.push_back(cat("t2n_choice_", k));
  }
  return graph;
}

target::Target target_of(const check::Runner& runner, spec::Dialect dialect) {
  if (dialect != spec::Dialect::tract) return target::parse_target("khronos");
  std::string name = runner.name();
  const bool is_tract = name.starts_with("tract ");
  if (is_tract) name[name.find(' ')] = '@';
  return target::parse_target(is_tract ? name : "tract");
}

}  // namespace

bool has_choices(const SourceModel& model) { return !choosing_nodes(model.graph).empty(); }

std::vector<Choices> choices_in_engine(const Checking& checking,
                                       const std::vector<const InputSet*>& sets) {
  const SourceModel& model = checking.model;
  check::Runner& engine = checking.runner.engine();
  std::vector<Choices> out;
  try {
    ir::Graph graph = with_choices(model);
    const size_t count = graph.outputs.size() - model.graph.outputs.size();
    const nnef::Document document =
        model.to_document(std::move(graph), target_of(engine, checking.dialect));
    const nnef::PendingArtefact file = nnef::write_artefact(
        document, {checking.options.scratch / "choices", nnef::Destination::Form::folder, 0});
    engine.load(file.path().string());
    for (const InputSet* set : sets) {
      const std::vector<ir::Tensor> inputs = graph_inputs(set->inputs, model);
      std::vector<ir::Tensor> fed;
      for (const size_t index : feeding_order(document, checking.dialect))
        fed.push_back(inputs.at(index));
      const std::vector<ir::Tensor> results = engine.run(fed);
      if (results.size() < count) throw Error("engine-failed", "outputs are missing");
      out.emplace_back(results.end() - static_cast<std::ptrdiff_t>(count), results.end());
    }
  } catch (const Error& error) {
    if (error.diagnostic().id == "internal") throw;
    out.clear();
  }
  engine.load(checking.path);
  return out;
}

bool apply_choices(const SourceModel& model, InputSet& set, const Choices& choices,
                   const std::vector<ir::Tensor>& actual, const check::Tolerance& tolerance) {
  const trace::TorchModule& torch = torch_module();
  std::vector<Step> steps;
  std::vector<Step> wide;
  const ChosenRun chosen(model, set, choices);
  if (chosen.count() != choices.size()) return false;
  const std::vector<ir::Tensor> expected = chosen.run(torch.evaluator(), steps);
  std::vector<ir::Tensor> exact = chosen.run(torch.wide_evaluator(), wide);
  if (!are_results(expected, exact, actual, tolerance) || !are_permitted(steps, wide, choices))
    return false;
  set.expected = expected;
  set.exact = std::move(exact);
  set.nearby.emplace();
  return true;
}

bool are_choices_valid(const SourceModel& model, const std::vector<const InputSet*>& sets,
                       const std::vector<Choices>& choices) {
  if (choices.size() < 2 || choices.size() != sets.size()) return false;
  for (size_t at = 0; at < sets.size(); ++at) {
    std::vector<Step> steps;
    std::vector<Step> wide;
    const ChosenRun chosen(model, *sets[at], choices[at]);
    if (chosen.count() != choices[at].size() ||
        chosen.run(torch_module().evaluator(), steps).empty() ||
        chosen.run(torch_module().wide_evaluator(), wide).empty() ||
        !are_permitted(steps, wide, choices[at]))
      return false;
  }
  double moved = 0;
  double elements = 0;
  for (size_t k = 0; k < choices[0].size(); ++k) {
    check::Movement movement;
    for (size_t at = 1; at < choices.size(); ++at)
      movement.see(choices[0][k], choices[at][k], {check::Level::exact, {}});
    const auto count = static_cast<double>(choices[0][k].elements());
    moved += movement.share() * count;
    elements += count;
  }
  return moved >= check::kMinMoved * elements;
}

}  // namespace t2n
