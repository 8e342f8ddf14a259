// A loop that becomes a scan, while its iterations run.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "src/trace/loop_record.h"
#include "src/trace/marks.h"

namespace t2n::trace {

/// What a container or object holds but for tensors: numbers, strings, lengths and kinds.
using Content = std::vector<c10::IValue>;

/// A list whose length a loop has changed.
struct ChangedList {
  c10::IValue list;
  size_t before = 0;       ///< its length before the loop
  Mark known;              ///< what that followed from
  Outline outline;         ///< what it consisted of
  bool only_grows = true;  ///< at its end
  bool only_leads = true;  ///< it grows at its front
};
using ChangedLists = std::map<const void*, ChangedList>;

/// A container or object that a rolled loop writes to, and that the iteration did not make.
struct Written {
  c10::IValue held;
  std::optional<Content> content;  ///< after an iteration; none before the first has ended
};

/// An element of a list that was asked for in an iteration, by a place that follows from it.
struct IterationAccess {
  Outline outline;  ///< of the list
  ir::Dim place;    ///< from its front
  friend bool operator==(const IterationAccess&, const IterationAccess&) = default;
};

/// A number as an expression over sizes.
ir::Dim expression(const c10::IValue& number);

/// A loop that becomes a scan, while it runs.
struct RolledLoop {
  explicit RolledLoop(ir::Symbol of) : symbol(std::move(of)) {}

  c10::IValue trips;
  c10::IValue condition;
  std::vector<c10::IValue> initial;
  std::vector<c10::IValue> carried;
  std::vector<std::optional<int64_t>>
      steps;          ///< by which a carried integer grows in each iteration
  ir::Symbol symbol;  ///< of the iteration
  int64_t iterations = 0;
  std::map<const void*, Written> written;
  std::map<const void*, c10::IValue> made;  ///< containers and objects of this iteration
  std::map<const void*, size_t> lengths;    ///< of changed lists when this iteration began
  /// A carried variable, or a container or object that is written to.
  using Place = std::variant<size_t, const void*>;
  std::map<Place, IterationEnds> ends;
  std::vector<IterationAccess> accesses;  ///< to lists, at places that follow from the iteration
};

}  // namespace t2n::trace
