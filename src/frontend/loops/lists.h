// SPDX-License-Identifier: Apache-2.0
// Accesses to elements of lists, and the guards on sizes that they require.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "src/frontend/loops/running_loops.h"
#include "src/frontend/numbers/decisions.h"
#include "src/frontend/numbers/marks.h"

namespace t2n::trace {

/// Lists whose length depends on sizes, and indices of lists that depend on sizes or on the
/// iteration of a rerolled loop. Changes the marks of lists, and adds guards to the decisions.
class Lists {
 public:
  Lists(const ir::Graph& graph, const TraceOptions& options, Marks& marks, Decisions& decisions,
        const RunningLoops& loops)
      : graph_(graph), options_(options), marks_(marks), decisions_(decisions), loops_(loops) {}

  bool has_symbolic_length(const c10::IValue& list) const;
  /// Called before an element is read, written, removed, or inserted. `index`: the mark of its
  /// index.
  void guard_access(const std::string& name, const torch::jit::Stack& inputs, const Mark& index);
  /// Called before an operation takes a list with all its elements.
  void guard_argument(const c10::IValue& list);
  /// Called after l[start:end].
  void mark_slice(const torch::jit::Stack& inputs, const c10::IValue& part);
  /// The layout of a list that was changed, or of a list created from it. `before` and `added`: the
  /// layouts of the operands.
  ListLayout changed_list_layout(const std::string& name, const torch::jit::Stack& inputs,
                                 const Mark& index, ListLayout before, ListLayout added);
  /// Called after a rerolled loop: guards its accesses at indices that depend on the iteration.
  void guard_accesses(const RerolledLoop& loop, const ir::Dim& length);

 private:
  void guard_length(const c10::IValue& list);
  std::optional<size_t> cut(ListLayout& list_layout, int64_t position, bool from_front);
  // At indices that depend on the iteration.
  bool depends_on_iteration_index(const c10::IValue& list, const Mark& index) const;
  void guard_iteration_access(const std::string& name, const torch::jit::Stack& inputs,
                              const Mark& index);
  bool are_regular(c10::ArrayRef<c10::IValue> elements) const;
  void guard_inside(const ListLayout& list_layout, const ir::Dim& low, const ir::Dim& high);
  ListLayout written_in_iterations(const Mark& index, const c10::IValue& list, bool is_from_end,
                                   ListLayout list_layout);

  const ir::Graph& graph_;
  const TraceOptions& options_;
  Marks& marks_;
  Decisions& decisions_;
  const RunningLoops& loops_;
};

}  // namespace t2n::trace
