// SPDX-License-Identifier: Apache-2.0
// Changes of the model by forward: found after a run, and made explicit or refused.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/frontend/state/leaves.h"
#include "src/frontend/state/state_watch.h"
#include "src/model/traced.h"

namespace t2n::trace {

/// A part of the model that differs after a run.
struct Change {
  std::string path;
  Location location;
  std::string reason;  ///< why it cannot become an input; "" if it can
  std::string remedy;
  at::Tensor before;  ///< undefined if it cannot become an input
  at::Tensor after;
  bool in_place = false;      ///< the memory is the same as before
  bool could_be_seen = true;  ///< the next run may read it, as far as StateWatch knows
  bool from_data = false;     ///< it depends on the values of an input
  bool was_read = true;       ///< by the program, in this run
};

/// `before` and `after`: the attributes as listed before and after the run. `free_axes`: see
/// TraceOptions.
std::vector<Change> find_changes(const std::vector<Attribute>& before,
                                 const std::vector<Attribute>& after, const StateWatch& watch,
                                 const std::set<std::pair<std::string, int64_t>>& free_axes);

/// A change of a constant of the program, by a write.
Change constant_change(Location location);

/// "encoder.h" -> "encoder_h"
std::string state_name(const std::string& path);

/// The indices of the live inputs among `candidates`: those that an output, or the next value of
/// another live input, depends on. `next`: the next value of each candidate.
std::set<size_t> live_states(const ir::Graph& graph, const std::vector<ir::ValueId>& candidates,
                             const std::vector<ir::ValueId>& next);

/// Errors: `model-state`, one for all of them.
[[noreturn]] void refuse_changes(const std::vector<Change>& changes, const ir::Graph& graph);
/// The same for changes that cannot be made explicit.
[[noreturn]] void refuse_explicit(const std::vector<Change>& changes, const ir::Graph& graph);
/// Notes what forward writes and never reads.
void note_unread(const std::vector<Change>& changes, const ir::Graph& graph, const Report& report);

}  // namespace t2n::trace
