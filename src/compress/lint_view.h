// A graph as rules of the lint look at it, and the rules.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/compress/lint.h"

namespace t2n::compress {

// By name: who calls passes on quantised tensors may have overloads that no rule of ours knows.
bool is_quantise(const ir::Node& node);    ///< reals to integers
bool is_dequantise(const ir::Node& node);  ///< integers to reals
bool is_fake_quant(const ir::Node& node);  ///< both

/// What reals were rounded to.
struct Steps {
  std::vector<double> scales;
  std::vector<int64_t> zero_points;
  friend bool operator==(const Steps&, const Steps&) = default;
};

/// Of a graph that stays as it is in the meantime.
struct LintView {
  LintView(const ir::Graph& graph, const passes::PassContext& context);

  const ir::Graph& graph;
  const passes::PassContext& context;
  std::vector<int> producers;
  std::vector<int> constants;
  std::vector<bool> known;
  std::vector<bool> is_output;
  std::vector<std::vector<size_t>> readers;  ///< per value: indices of nodes
  /// Per value: it is integers, or reals on a grid, at most moved since; its steps where they are
  /// known.
  std::vector<bool> is_rounded;
  std::vector<std::optional<Steps>> steps;

  const ir::Value& value(ir::ValueId id) const { return graph.values[static_cast<size_t>(id)]; }
  bool is_known(ir::ValueId id) const { return known[static_cast<size_t>(id)]; }
  /// The operation that gives a value, or nullptr.
  const ir::Node* producer(ir::ValueId id) const;
  /// The constant, if its values are at hand, or nullptr.
  const ir::Tensor* loaded(ir::ValueId id) const;
  /// A layer all of whose weights and activations are on grids.
  bool is_quantised_layer(const ir::Node& node) const;

 private:
  void follow_steps();
};

/// Where findings go.
class Findings {
 public:
  explicit Findings(std::vector<Finding>& all) : all_(all) {}
  /// `help`: "" for that of the rule.
  void add(std::string_view rule, const LintView& view, const ir::Node& at, std::string message,
           std::string help = {});

 private:
  std::vector<Finding>& all_;
};

// --- rules on the structure (lint_structure.cpp) ---
void find_idle_pairs(const LintView& view, Findings& findings);
void find_float_constants(const LintView& view, Findings& findings);
void find_unlike_scales(const LintView& view, Findings& findings);
void find_float_islands(const LintView& view, Findings& findings);  // lint_islands.cpp
// --- rules on what was asked for and seen (lint_requests.cpp) ---
void find_idle_settings(const LintView& view, Findings& findings);
void find_unseen_ranges(const LintView& view, Findings& findings);
void find_saturation(const LintView& view, Findings& findings);
// --- rules on values (lint_values.cpp) ---
void find_dead_channels(const LintView& view, Findings& findings);
void find_stored_twice(const LintView& view, Findings& findings);

}  // namespace t2n::compress
