// What forward changes of the model: found after a run, made explicit or refused.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "src/model/traced.h"
#include "src/trace/leaves.h"
#include "src/trace/state_watch.h"

namespace t2n::trace {

/// A part of the model that is different after a run.
struct Change {
  std::string path;
  Place place;
  std::string reason;  ///< why it cannot be an input of the file; "" if it can
  std::string remedy;
  at::Tensor before;  ///< undefined where it cannot be an input
  at::Tensor after;
  bool in_place = false;      ///< in the memory that it had before
  bool could_be_seen = true;  ///< the next run may see the difference, as far as the watch knows
  bool from_data = false;     ///< follows from the values of an input
  bool was_read = true;       ///< by the program, in this run
};

/// `before` and `after` as listed at the run's two ends. `free_axes`: see TraceOptions.
std::vector<Change> find_changes(const std::vector<Attribute>& before,
                                 const std::vector<Attribute>& after, const StateWatch& watch,
                                 const std::set<std::pair<std::string, int64_t>>& free_axes);

/// A constant of the program that it writes to.
Change constant_change(Place place);

/// "encoder.h" -> "encoder_h"
std::string state_name(const std::string& path);

/// Of the inputs `candidates`, each with the value that follows from it: those that are read on the
/// way to an output, or to what another of them will be.
std::set<size_t> live_states(const ir::Graph& graph, const std::vector<ir::ValueId>& candidates,
                             const std::vector<ir::ValueId>& next);

/// Errors: `model-state`, for all of them at once.
[[noreturn]] void refuse_changes(const std::vector<Change>& changes, const ir::Graph& graph);
/// The same for those that cannot be made explicit.
[[noreturn]] void refuse_explicit(const std::vector<Change>& changes, const ir::Graph& graph);
/// What forward writes and never reads: a note.
void note_unread(const std::vector<Change>& changes, const ir::Graph& graph, const Report& report);

}  // namespace t2n::trace
