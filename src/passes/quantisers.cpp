// SPDX-License-Identifier: Apache-2.0
#include "src/passes/quantisers.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "ir/op_traits.h"
#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/passes/known.h"
#include "src/passes/zero_signs.h"

namespace t2n::passes {
namespace {

using ir::DType;
using ir::Graph;
using ir::Node;
using ir::Tensor;
using ir::ValueId;

/// With fewer elements, storing integers saves nothing.
constexpr int64_t kFewest = 5;
/// Auxiliary constants, such as scales, are folded up to this size.
constexpr int64_t kMostAuxiliary = int64_t{64} << 10;

/// True for data movement: integers stay integers.
bool is_data_movement(const Node& node) {
  const std::string_view name = ir::op_short_name(node.op);
  return has_trait(name, ir::OpTrait::moves_elements) || name == "cat" || name == "stack";
}

/// True for operations with one result for each element of one operand.
bool is_thin(const Node& node) {
  constexpr std::array<std::string_view, 8> kNames = {"mul",  "div", "add",  "sub",
                                                      "rsub", "neg", "cast", "to"};
  return is_one_of(ir::op_short_name(node.op), kNames);
}

/// True for operations whose results are integer-valued.
bool is_rounding(const Node& node) {
  constexpr std::array<std::string_view, 7> kNames = {"round", "floor", "ceil", "trunc",
                                                      "fix",   "sign",  "sgn"};
  return is_one_of(ir::op_short_name(node.op), kNames);
}

/// Engines have no bf16, and strict NNEF has no f16: such formulas must be folded.
bool is_of_16_bits(DType dtype) { return dtype == DType::bf16 || dtype == DType::f16; }

/// True for operations whose results have few distinct values: comparisons, and integers.
bool is_choosing(const Graph& graph, const Node& node) {
  const std::string_view name = ir::op_short_name(node.op);
  if (ir::has_trait(name, ir::OpTrait::predicate)) return true;
  const DType dtype = graph.values[node.outputs.at(0)].dtype;
  return (name == "cast" || name == "to") && !ir::is_float(dtype) && !ir::is_complex(dtype);
}

/// Evaluates quantisers of constants.
class Recogniser {
 public:
  Recogniser(const Graph& graph, const ir::Evaluator& evaluate, const ir::OpTable& operators)
      : graph_(graph),
        evaluate_(evaluate),
        known_(graph.values.size()),
        producers_(ir::producers(graph)),
        constants_(ir::constant_index(graph)),
        zeros_(graph, operators) {}

  Findings run() {
    find_leaves();
    std::erase_if(leaves_, [this](ValueId id) { return producers_[at(id)] < 0; });
    for (const ValueId id : leaves_)
      if (is_quantiser(id)) recognise(id);
    if (!findings_.integers.empty()) fold_small();
    return std::move(findings_);
  }

 private:
  /// Facts about a value at export.
  struct Known {
    bool is_known = false;           ///< it depends on constants only
    bool is_rounded = false;         ///< a value that it depends on was rounded or compared
    bool is_certain = false;         ///< it was rounded
    int64_t weights = 0;             ///< elements of the largest float constant that it depends on
    ValueId largest = ir::kNoValue;  ///< that constant
  };

  static size_t at(ValueId id) { return id; }
  const ir::Value& value(ValueId id) const { return graph_.values[at(id)]; }
  const Known& known(ValueId id) const { return known_[at(id)]; }
  int64_t elements(ValueId id) const {
    return ir::element_count(ir::static_shape(value(id).shape));
  }
  bool is_small(ValueId id) const {
    return elements(id) * ir::dtype_size(value(id).dtype) <= kMostAuxiliary;
  }
  /// Compares elements, and bytes: weights may have 16 bits.
  bool is_smaller_than_weights(ValueId id) const {
    const Known& facts = known(id);
    return elements(id) < facts.weights &&
           elements(id) * ir::dtype_size(value(id).dtype) <=
               facts.weights * ir::dtype_size(value(facts.largest).dtype);
  }
  const Node* producer(ValueId id) const {
    const int index = producers_[at(id)];
    return index < 0 ? nullptr : &graph_.nodes[index];
  }

  /// Finds known values that are read by operations which depend on the inputs.
  void find_leaves() {
    for (const ir::Constant& each : graph_.constants) {
      const bool is_plain = each.data.is_loaded() && !value(each.value).quant;
      const int64_t floats = ir::is_float(each.data.dtype) ? each.data.elements() : 0;
      known_[at(each.value)] = {is_plain, false, false, floats, each.value};
    }
    std::vector<bool> is_leaf(graph_.values.size());
    const auto mark = [&](ValueId id) {
      if (known(id).is_known && !is_leaf[at(id)]) leaves_.push_back(id);
      is_leaf[at(id)] = true;
    };
    for (const Node& node : graph_.nodes)
      if (!propagate(node)) {
        ir::for_each_input(node, mark);
        if (ir::op_short_name(node.op) == "round") ++findings_.activations;
      }
    for (const ValueId id : graph_.outputs) mark(id);
  }

  bool propagate(const Node& node) {
    const bool rounds = is_rounding(node);
    Known out = {is_computable(graph_, node), rounds || is_choosing(graph_, node), rounds};
    ir::for_each_input(node, [&](ValueId id) {
      const Known& operand = known(id);
      out.is_known = out.is_known && operand.is_known;
      out.is_rounded = out.is_rounded || operand.is_rounded;
      out.is_certain = out.is_certain || operand.is_certain;
      if (operand.weights <= out.weights) return;
      out.weights = operand.weights;
      out.largest = operand.largest;
    });
    for (const ValueId id : node.outputs) known_[at(id)] = out;
    return out.is_known;
  }

  bool is_quantiser(ValueId id) const {
    const Known& facts = known(id);
    return facts.is_rounded && ir::is_float(value(id).dtype) && elements(id) >= kFewest &&
           facts.weights >= kFewest;
  }

  /// The nodes that a value depends on, in order.
  std::vector<size_t> nodes_of(ValueId root) const {
    std::vector<bool> is_needed(graph_.nodes.size());
    std::vector<ValueId> pending = {root};
    while (!pending.empty()) {
      const int index = producers_[at(pending.back())];
      pending.pop_back();
      if (index < 0 || is_needed[index]) continue;
      is_needed[index] = true;
      ir::for_each_input(graph_.nodes[index], [&](ValueId id) { pending.push_back(id); });
    }
    std::vector<size_t> out;
    for (size_t i = 0; i < is_needed.size(); ++i)
      if (is_needed[i]) out.push_back(i);
    return out;
  }

  void compute(ValueId root) {
    for (const size_t i : nodes_of(root)) {
      const Node& node = graph_.nodes[i];
      std::vector<Tensor> results = evaluate_(node, [this](ValueId id) { return computed(id); });
      T2N_ASSERT(results.size() == node.outputs.size(), ir::op_name(node.op), " gave ",
                 results.size(), " results");
      for (size_t k = 0; k < results.size(); ++k)
        values_.insert_or_assign(node.outputs[k], std::move(results[k]));
    }
  }

  const Tensor& computed(ValueId id) const {
    const int constant = constants_[at(id)];
    return constant < 0 ? values_.at(id) : graph_.constants[constant].data;
  }

  void recognise(ValueId root) {
    compute(root);
    found_.clear();
    auxiliary_.clear();
    if (is_of_integers(root))
      record(root);
    else if (known(root).is_certain && elements(root) == known(root).weights)
      findings_.floats.push_back(value(known(root).largest).name);
    values_.clear();
  }

  void record(ValueId root) {
    recognised_.insert(root);
    for (const ValueId id : found_) {
      if (holds_integers(id)) continue;
      findings_.integers.emplace(id, *integers_in(computed(id)));
      findings_.names.emplace(id, value(known(id).largest).name);
    }
    for (const ValueId id : auxiliary_) fold_auxiliary(id);
  }

  /// Folds auxiliary constants. They must be smaller than the weights that they depend on, so that
  /// no weight is kept for their sake.
  void fold_small() {
    for (const ValueId id : leaves_)
      if (is_small(id) && is_smaller_than_weights(id) && !recognised_.contains(id)) {
        compute(id);
        fold_auxiliary(id);
        values_.clear();
      }
  }

  void fold_auxiliary(ValueId id) {
    if (producer(id) && is_small(id) && fits(id)) findings_.auxiliary.emplace(id, computed(id));
  }

  /// Whether the computed value has the graph's dtype and shape, and is its node's only result.
  bool fits(ValueId id) const {
    return producer(id)->outputs.size() == 1 && computed(id).dtype == value(id).dtype &&
           ir::to_shape(computed(id).shape) == value(id).shape;
  }

  bool holds_integers(ValueId id) const { return findings_.integers.contains(id); }

  /// Whether the value, or everything it is computed from, is 8-bit integers. `found_` collects
  /// these, and `auxiliary_` the other operands of the formula.
  bool is_of_integers(ValueId id) {
    const Node* node = producer(id);
    if (node == nullptr || !known(id).is_rounded) return false;
    if (is_of_16_bits(value(id).dtype)) return false;
    if (fits(id) && elements(id) <= known(id).weights && can_be_integers(id)) {
      found_.push_back(id);
      return true;
    }
    if (is_data_movement(*node)) return all_are_integers(*node);
    return is_thin(*node) && one_is_integers(*node);
  }

  /// Integers have no -0.
  bool can_be_integers(ValueId id) const {
    const std::optional<Integers> integers = integers_in(computed(id));
    return integers && !(integers->loses_signs && zeros_.exposes(id));
  }

  bool all_are_integers(const Node& node) {
    bool all = true;
    ir::for_each_input(node, [&](ValueId id) { all = all && is_of_integers(id); });
    return all;
  }

  bool one_is_integers(const Node& node) {
    const int64_t count = elements(node.outputs[0]);
    std::vector<ValueId> operands;
    ir::for_each_input(node, [&](ValueId id) { operands.push_back(id); });
    for (const ValueId id : operands) {
      if (elements(id) != count || !is_of_integers(id)) continue;
      for (const ValueId other : operands)
        if (other != id) auxiliary_.push_back(other);
      // A second operand as large as the weights would have to be stored as well.
      return std::all_of(auxiliary_.begin(), auxiliary_.end(),
                         [&](ValueId other) { return elements(other) < count; });
    }
    return false;
  }

  const Graph& graph_;
  const ir::Evaluator& evaluate_;
  std::vector<Known> known_;    ///< by value
  std::vector<int> producers_;  ///< by value
  std::vector<int> constants_;  ///< by value
  ZeroSigns zeros_;
  std::vector<ValueId> leaves_;  ///< known values read by operations that depend on the inputs
  std::unordered_set<ValueId> recognised_;
  std::vector<ValueId> found_;                  ///< for the current quantiser
  std::vector<ValueId> auxiliary_;              ///< the same
  std::unordered_map<ValueId, Tensor> values_;  ///< likewise: computed values
  Findings findings_;
};

}  // namespace

Findings find_quantisers(const Graph& graph, const ir::Evaluator& evaluate,
                         const ir::OpTable& operators) {
  return Recogniser(graph, evaluate, operators).run();
}

}  // namespace t2n::passes
