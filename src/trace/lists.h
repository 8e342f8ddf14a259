// Which elements of lists the program takes, and what this requires of sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "src/trace/decisions.h"
#include "src/trace/marks.h"
#include "src/trace/open_loops.h"

namespace t2n::trace {

/// Lists whose length follows from sizes, and positions in lists that follow from sizes or from the
/// iteration of a rolled loop. Changes the marks of lists, and settles decisions.
class Lists {
 public:
  Lists(const ir::Graph& graph, const TraceOptions& options, const Position& position, Marks& marks,
        Decisions& decisions, const OpenLoops& loops)
      : graph_(graph),
        options_(options),
        position_(position),
        marks_(marks),
        decisions_(decisions),
        loops_(loops) {}

  bool is_open(const c10::IValue& list) const;
  /// Called before an element is read, written, removed, or inserted at a position. `asked`: the
  /// mark of the position.
  void settle_access(const std::string& name, const torch::jit::Stack& inputs, const Mark& asked);
  /// Called before an operation gets all elements as they are.
  void settle_argument(const c10::IValue& list);
  /// Called after l[start:end].
  void follow_slice(const torch::jit::Stack& inputs, const c10::IValue& part);
  /// The outline of a list that was changed, or of a list made from it. `before` and `more`: the
  /// outlines of the operands.
  ListLayout changed_list_layout(const std::string& name, const torch::jit::Stack& inputs,
                                 const Mark& asked, ListLayout before, ListLayout more);
  /// Called after a rolled loop: checks its accesses at positions that follow from the iteration.
  void settle_accesses(const RolledLoop& loop, const ir::Dim& length);

 private:
  void settle_length(const c10::IValue& list);
  std::optional<size_t> cut(ListLayout& list_layout, int64_t place, bool from_front);
  // iteration_lists.cpp
  bool follows_iteration(const c10::IValue& list, const Mark& asked) const;
  void settle_iteration_access(const std::string& name, const torch::jit::Stack& inputs,
                               const Mark& asked);
  bool are_alike(c10::ArrayRef<c10::IValue> elements) const;
  void settle_inside(const ListLayout& list_layout, const ir::Dim& low, const ir::Dim& high);
  ListLayout written_in_iterations(const Mark& asked, const c10::IValue& list, bool is_from_end,
                                   ListLayout list_layout);

  const ir::Graph& graph_;
  const TraceOptions& options_;
  const Position& position_;
  Marks& marks_;
  Decisions& decisions_;
  const OpenLoops& loops_;
};

}  // namespace t2n::trace
