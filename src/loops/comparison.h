// Compares the iterations of a loop, and builds one body of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/loops/body.h"
#include "src/loops/iteration.h"
#include "src/loops/iterations.h"
#include "src/loops/rolling.h"

namespace t2n::loops {

/// Finds the recurrence of iterations that are all equal. Reads the graph; the only change is that
/// scans of earlier loops give what these iterations read of them.
class IterationComparison {
 public:
  /// `start`: the first iteration that must be equal to all later ones. Errors: those of
  /// refuse_loop, if the iterations differ.
  IterationComparison(Rolling& rolling, const Iterations& all, int64_t start);

  const Recurrence& found() const { return found_; }
  /// Names of what an iteration computes and carries, and of their counterparts in the first one.
  std::map<std::string, std::string> names_in(int64_t iteration) const;
  /// What it found, once states that iterations fill slice by slice are stacked results.
  Recurrence take();

 private:
  const LoopRecord& loop() const { return all_.loop(); }
  const ir::Value& outer(ir::ValueId id) const { return graph_.values[static_cast<size_t>(id)]; }
  const ir::Node& node(int64_t iteration, size_t position) const {
    return all_.node(iteration, position);
  }

  [[noreturn]] void differ(const ir::Node& at, std::string why, std::string help) const;
  /// At the node whose operands are looked for, else at the loop.
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
                          const ir::Node& beside);
  ir::ValueId atom_value(const ir::Atom& atom, const ir::Node& beside);
  ir::ValueId sum_value(const ir::Dim& dim, const ir::Node& beside);
  ir::ValueId number_value(const ir::Dim& dim, const ir::Node& beside);
  std::optional<std::pair<ir::Dim, ir::Dim>> range_of(const ir::Dim& place) const;

  // comparison_writes.cpp
  ir::ValueId slice_write_value(const ir::Dim& place, int64_t width, const ir::Node& beside);
  ir::ValueId at_places(ir::ValueId self, const AxisPart& part, const ir::Dim& place,
                        size_t position);
  bool add_window(size_t position, ir::ValueId whole, const AxisPart& part);
  bool add_gathered(size_t position, ir::ValueId whole, const AxisPart& part);
  bool add_read_of_state(size_t position);
  std::optional<size_t> state_after(ir::ValueId inner) const;
  bool require_inside(ir::ValueId owner, const AxisPart& part);
  ir::ValueId positions(size_t state, int64_t axis);
  void write_at_places();
  void write_at_place(ir::Node& node, size_t state);

  // comparison_operands.cpp
  std::vector<IterationValues> operands(size_t position) const;
  bool is_invariant(size_t position) const;
  ir::ValueId operand(const IterationValues& ids);
  std::optional<ir::ValueId> outside(const IterationValues& ids) const;
  std::optional<Spot> own(const IterationValues& ids) const;
  std::optional<Slices> run_of(const IterationValues& ids);
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

  Rolling& rolling_;
  const ir::Graph& graph_;
  const ScanValues& values_;
  const Iterations& all_;
  Body body_;
  Recurrence found_;
  const ir::Node* reader_ = nullptr;              ///< whose operands are looked for
  std::map<ir::ValueId, ir::ValueId> constants_;  ///< outside, inside; of constants
  std::map<ir::ValueId, size_t> written_;         ///< states after a write, inside
};

}  // namespace t2n::loops
