// SPDX-License-Identifier: Apache-2.0
// Pairs nodes by signatures of decreasing strength. Signatures are hashes: in a graph of a million
// nodes, two different ones are equal by chance once in 10^7 graphs.
#include "src/diff/match.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "src/diff/subsequence.h"

namespace t2n::diff {
namespace {

using Signature = uint64_t;
using Signatures = std::vector<Signature>;

Signature mixed(Signature a, Signature b) {
  Signature z = a * 0x9E3779B97F4A7C15ULL + b;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

Signature of_text(std::string_view text) { return std::hash<std::string_view>{}(text); }

/// The operation and its literal arguments.
Signature own_signature(const Node& node, bool with_label) {
  Signature out = of_text(node.operation);
  if (with_label) out = mixed(out, of_text(node.label));
  for (const Operand& operand : node.operands)
    out = mixed(mixed(out, of_text(operand.parameter)), of_text(operand.text));
  return out;
}

Signatures own_signatures(const FlatGraph& graph, bool with_labels) {
  Signatures out;
  for (const Node& node : graph.nodes) out.push_back(own_signature(node, with_labels));
  return out;
}

/// How a value is computed, starting from the inputs.
Signatures forward_signatures(const FlatGraph& graph, bool with_labels) {
  Signatures out = own_signatures(graph, with_labels);
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    if (graph.inputs[i] != kUndefined) out[graph.inputs[i].node] = mixed(1, i);
  for (size_t node = 0; node < out.size(); ++node)
    for (const Operand& operand : graph.nodes[node].operands)
      for (const NodeOutput& source : operand.sources)
        out[node] = mixed(mixed(out[node], out[source.node]), source.output);
  return out;
}

/// How a value is used, starting from the results. Uses are a set: their order has no meaning.
Signatures backward_signatures(const FlatGraph& graph, bool with_labels) {
  Signatures out = own_signatures(graph, with_labels);
  Signatures uses(out.size(), 0);
  for (size_t i = 0; i < graph.results.size(); ++i)
    if (graph.results[i] != kUndefined)
      uses[graph.results[i].node] += mixed(mixed(2, i), graph.results[i].output);
  for (size_t node = out.size(); node-- > 0;) {
    out[node] = mixed(out[node], uses[node]);
    Signature consumer = out[node];
    for (const Operand& operand : graph.nodes[node].operands)
      for (const NodeOutput& source : operand.sources) {
        consumer = mixed(consumer, 3);
        uses[source.node] += mixed(consumer, source.output);
      }
  }
  return out;
}

class Matcher {
 public:
  Matcher(const FlatGraph& a, const FlatGraph& b) : a_(a), b_(b) {
    out_.of_a.resize(a.nodes.size());
    out_.of_b.resize(b.nodes.size());
  }

  Matching run() {
    pair_inputs();
    pair_by(forward_signatures, true);
    pair_by(backward_signatures, true);
    pair_variables();
    pair_by(forward_signatures, false);
    pair_by(backward_signatures, false);
    pair_by_order(own_signatures(a_, false), own_signatures(b_, false));
    pair_by_order(operations(a_), operations(b_));
    pair_variables();
    pair_labels();
    return std::move(out_);
  }

 private:
  void pair(size_t a, size_t b) {
    if (out_.of_a[a] || out_.of_b[b] || a_.nodes[a].is_variable() != b_.nodes[b].is_variable())
      return;
    out_.of_a[a] = b;
    out_.of_b[b] = a;
  }

  void pair_inputs() {
    for (size_t i = 0; i < std::min(a_.inputs.size(), b_.inputs.size()); ++i)
      if (a_.inputs[i] != kUndefined && b_.inputs[i] != kUndefined)
        pair(a_.inputs[i].node, b_.inputs[i].node);
  }

  /// Without labels, a variable equals any other of its shape: then variables match by their
  /// readers.
  static std::vector<size_t> unmatched(const FlatGraph& graph,
                                       const std::vector<std::optional<size_t>>& matched,
                                       bool with_variables) {
    std::vector<size_t> out;
    for (const size_t node : graph.order)
      if (!matched[node] && (with_variables || !graph.nodes[node].is_variable()))
        out.push_back(node);
    return out;
  }

  void pair_by(Signatures (*signatures)(const FlatGraph&, bool), bool with_labels) {
    const Signatures of_a = signatures(a_, with_labels);
    const Signatures of_b = signatures(b_, with_labels);
    std::map<Signature, std::vector<size_t>> waiting;
    std::vector<size_t> nodes = unmatched(b_, out_.of_b, with_labels);
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node)
      waiting[of_b[*node]].push_back(*node);
    for (const size_t node : unmatched(a_, out_.of_a, with_labels)) {
      const auto found = waiting.find(of_a[node]);
      if (found == waiting.end() || found->second.empty()) continue;
      pair(node, found->second.back());
      found->second.pop_back();
    }
  }

  static Signatures operations(const FlatGraph& graph) {
    Signatures out;
    for (const Node& node : graph.nodes) out.push_back(of_text(node.operation));
    return out;
  }

  /// Pairs the longest common subsequence of the remaining nodes, up to a limit of differences.
  void pair_by_order(const Signatures& of_a, const Signatures& of_b) {
    constexpr size_t kMostDifferences = 2000;
    const std::vector<size_t> a = unmatched(a_, out_.of_a, false);
    const std::vector<size_t> b = unmatched(b_, out_.of_b, false);
    const auto select = [](const Signatures& signatures, const std::vector<size_t>& nodes) {
      Signatures out;
      for (const size_t node : nodes) out.push_back(signatures[node]);
      return out;
    };
    const Signatures left = select(of_a, a);
    const Signatures right = select(of_b, b);
    for (const auto& [i, j] : common_subsequence(left, right, kMostDifferences)) pair(a[i], b[j]);
  }

  /// Pairs variables at the same position of matching operations.
  void pair_variables() {
    for (size_t node = 0; node < a_.nodes.size(); ++node) {
      if (!out_.of_a[node]) continue;
      const Node& other = b_.nodes[*out_.of_a[node]];
      for (const Operand& operand : a_.nodes[node].operands)
        for (const Operand& its : other.operands)
          if (its.parameter == operand.parameter) pair_sources(operand, its);
    }
  }

  void pair_sources(const Operand& a, const Operand& b) {
    for (size_t i = 0; i < std::min(a.sources.size(), b.sources.size()); ++i)
      if (a_.nodes[a.sources[i].node].is_variable()) pair(a.sources[i].node, b.sources[i].node);
  }

  void pair_labels() {
    std::map<std::string, size_t> labels;
    for (const size_t node : unmatched(b_, out_.of_b, true))
      if (b_.nodes[node].is_variable()) labels.emplace(b_.nodes[node].label, node);
    for (const size_t node : unmatched(a_, out_.of_a, true))
      if (const auto found = labels.find(a_.nodes[node].label);
          a_.nodes[node].is_variable() && found != labels.end())
        pair(node, found->second);
  }

  const FlatGraph& a_;
  const FlatGraph& b_;
  Matching out_;
};

}  // namespace

Matching match(const FlatGraph& a, const FlatGraph& b) { return Matcher(a, b).run(); }

std::map<std::string, std::string> matching_tensors(const nnef::Document& a,
                                                    const nnef::Document& b) {
  const FlatGraph flat_a = flatten(a), flat_b = flatten(b);
  const Matching matching = match(flat_a, flat_b);
  std::map<std::string, std::string> out;
  for (size_t i = 0; i < flat_a.nodes.size(); ++i) {
    if (!matching.of_a[i]) continue;
    const std::vector<std::string>& names = flat_a.nodes[i].outputs;
    const std::vector<std::string>& others = flat_b.nodes[*matching.of_a[i]].outputs;
    for (size_t k = 0; k < std::min(names.size(), others.size()); ++k) out[names[k]] = others[k];
  }
  return out;
}

}  // namespace t2n::diff
