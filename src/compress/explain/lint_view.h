// A graph as the lint's rules see it, and the rules.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/compress/explain/lint.h"

namespace t2n::compress {

// By name, for all overloads.
bool is_quantise(const ir::Node& node);    ///< floats to integers
bool is_dequantise(const ir::Node& node);  ///< integers to floats
bool is_fake_quant(const ir::Node& node);  ///< both

/// The scales and zero points of quantised or fake-quantised values.
struct Affine {
  std::vector<double> scales;
  std::vector<int64_t> zero_points;
  friend bool operator==(const Affine&, const Affine&) = default;
};

/// For a graph that does not change meanwhile.
struct LintView {
  LintView(const ir::Graph& graph, const passes::PassContext& context);

  const ir::Graph& graph;
  const passes::PassContext& context;
  std::vector<int> producers;
  std::vector<int> constants;
  std::vector<bool> known;
  std::vector<bool> is_output;
  std::vector<std::vector<size_t>> readers;  ///< by value: indices of nodes
  /// By value: whether it is quantised, or a rearrangement of dequantised elements; with its scales
  /// and zero points if known.
  std::vector<bool> is_rounded;
  std::vector<std::optional<Affine>> affine;

  const ir::Value& value(ir::ValueId id) const { return graph.values[id]; }
  bool is_known(ir::ValueId id) const { return known[id]; }
  /// The operation that produces a value, or nullptr.
  const ir::Node* producer(ir::ValueId id) const;
  /// The constant, if its values are loaded, or nullptr.
  const ir::Tensor* loaded(ir::ValueId id) const;
  /// True for a layer with all weights and activations quantised.
  bool is_quantised_layer(const ir::Node& node) const;

 private:
  void propagate_affine();
};

/// For messages.
std::string quoted_name(const LintView& view, ir::ValueId id);

/// Collects findings.
class Findings {
 public:
  explicit Findings(std::vector<Finding>& all) : all_(all) {}
  /// `help`: "" for the rule's own.
  void add(std::string_view rule, const LintView& view, const ir::Node& at, std::string message,
           std::string help = {});

 private:
  std::vector<Finding>& all_;
};

// Rules about the structure (lint_structure.cpp).
void find_redundant_pairs(const LintView& view, Findings& findings);
void find_float_constants(const LintView& view, Findings& findings);
void find_unlike_scales(const LintView& view, Findings& findings);
void find_float_islands(const LintView& view, Findings& findings);  // lint_islands.cpp
// Rules about requests and observations (lint_requests.cpp).
void find_unused_settings(const LintView& view, Findings& findings);
void find_unseen_ranges(const LintView& view, Findings& findings);
void find_saturation(const LintView& view, Findings& findings);
// Rules about values (lint_values.cpp).
void find_dead_channels(const LintView& view, Findings& findings);
void find_stored_twice(const LintView& view, Findings& findings);

}  // namespace t2n::compress
