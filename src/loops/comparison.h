// SPDX-License-Identifier: Apache-2.0
// Compares the iterations of a loop, and builds one body for all of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/loops/iteration.h"
#include "src/loops/iterations.h"
#include "src/loops/masked_body.h"
#include "src/loops/rerolling.h"

namespace t2n::loops {

/// Finds the recurrence of iterations that are all equal. Only reads the graph, except that scans
/// of earlier loops get the outputs that these iterations read.
class IterationComparison {
 public:
  /// `start`: the first iteration that must be equal to all later ones. Errors: those of
  /// refuse_loop, if the iterations differ.
  IterationComparison(Rerolling& rerolling, const Iterations& all, int64_t start);

  const Recurrence& found() const { return found_; }
  /// Maps the names of an iteration's results and states to those of the first iteration.
  std::map<std::string, std::string> names_in(int64_t iteration) const;
  /// The recurrence. States that iterations fill slice by slice become stacked results.
  Recurrence take();

 private:
  const LoopRecord& loop() const { return all_.loop(); }
  const ir::Value& outer(ir::ValueId id) const { return graph_.values[id]; }
  const ir::Node& node(int64_t at, size_t position) const { return all_.node(at, position); }

  [[noreturn]] void differ(const ir::Node& at, std::string why, std::string help) const;
  /// Reports the node whose operands are resolved, else the loop.
  [[noreturn]] void differ(std::string why, std::string help) const;
  void check_sizes() const;
  void require_no_scales(const ir::Node& node) const;
  void check_same(size_t position) const;
  void check_complex();
  void add_node(size_t position);

  // comparison_body.cpp
  bool add_slice(size_t position);
  void add_body_node(size_t position);
  bool fill_with_number(ir::Node& node, const ir::Node& recorded);
  void use_number(ir::Node& node, const ir::Node& recorded);

  // comparison_numbers.cpp
  ir::ValueId number_node(std::string_view op, ir::ValueId self, ir::Attr other,
                          const ir::Node& origin);
  ir::ValueId atom_value(const ir::Atom& atom, const ir::Node& origin);
  ir::ValueId sum_value(const ir::Dim& dim, const ir::Node& origin);
  ir::ValueId number_value(const ir::Dim& dim, const ir::Node& origin);
  std::optional<std::pair<ir::Dim, ir::Dim>> range_of(const ir::Dim& index) const;

  // comparison_writes.cpp
  ir::ValueId part_indices(const ir::Dim& index, int64_t width, const ir::Node& origin);
  ir::ValueId read_part(ir::ValueId self, const AxisPart& part, const ir::Dim& index,
                        size_t position);
  bool add_window(size_t position, ir::ValueId source, const AxisPart& part);
  bool add_gathered(size_t position, ir::ValueId source, const AxisPart& part);
  bool add_read_of_state(size_t position);
  std::optional<size_t> state_after(ir::ValueId inner) const;
  bool require_inside(ir::ValueId owner, const AxisPart& part);
  ir::ValueId positions(ir::ValueId owner, int64_t axis);
  void write_parts();
  void write_part(ir::Node& node, size_t state);

  // comparison_parts.cpp
  bool may_be_part(size_t position) const;
  bool add_part(size_t position);
  const Part& part_of(Part part, const ir::Node& origin);
  ir::ValueId piece_of(const Slices& slices);
  void require_least(const ir::Dim& number, int64_t least, const ir::Node& origin);
  void check_extents(size_t position) const;
  std::optional<ir::Node> with_lengths(ir::Node node) const;
  void use_lengths(ir::Node& node, const ir::Node& recorded);
  void find_parts();
  void add_results(ir::Node node, size_t position);

  // comparison_operands.cpp
  std::vector<IterationValues> operands(size_t position) const;
  bool is_invariant(size_t position) const;
  ir::ValueId operand(const IterationValues& ids);
  std::optional<ir::ValueId> outer_value(const IterationValues& ids) const;
  std::optional<DefSite> own_result(const IterationValues& ids) const;
  std::optional<Slices> consecutive_slices(const IterationValues& ids);
  ir::ValueId captured(ir::ValueId id);
  std::optional<ir::QuantInfo> quant_of(const Slices& slices) const;
  ir::ValueId scanned(Slices slices, const std::string& name);
  ir::ValueId state(const IterationValues& ids);
  void resolve_states();

  // comparison_arguments.cpp
  void check_arguments() const;
  void check_attr(const ir::Node& at, const ir::Attr& first, const ir::Attr& other,
                  const std::map<std::string, std::string>& names, int64_t iteration) const;
  ir::Dim renamed(const ir::Dim& dim, const std::map<std::string, std::string>& names,
                  int64_t iteration) const;
  void check_body(const ir::Node& at, const ir::Graph& first, const ir::Graph& other,
                  int64_t iteration) const;

  Rerolling& rerolling_;
  const ir::Graph& graph_;
  const ScanValues& values_;
  const Iterations& all_;
  Body body_;
  Recurrence found_;
  MaskedBody masked_;
  std::vector<Part> parts_;
  const ir::Node* reader_ = nullptr;              ///< whose operands are resolved
  std::map<ir::ValueId, ir::ValueId> constants_;  ///< outer constant to its copy in the body
  std::map<ir::ValueId, size_t> written_;         ///< body values that are states after a write
};

}  // namespace t2n::loops
