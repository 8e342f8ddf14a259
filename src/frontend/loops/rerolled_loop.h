// SPDX-License-Identifier: Apache-2.0
// The state of a loop that becomes a scan, while its iterations run.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "src/frontend/loops/origins.h"
#include "src/frontend/numbers/marks.h"

namespace t2n::trace {

/// The contents of a container or object without tensors: numbers, strings, lengths and kinds.
using Content = std::vector<c10::IValue>;

/// A list whose length a loop has changed.
struct ChangedList {
  c10::IValue list;
  int64_t before = 0;      ///< its length before the loop
  Mark known;              ///< the mark of that length
  ListLayout list_layout;  ///< its layout before the loop
  bool only_grows = true;  ///< elements are added only at its end
  bool only_leads = true;  ///< elements are added only at its front
};
using ChangedLists = std::map<const void*, ChangedList>;

/// A container or object that a rerolled loop writes to and that no iteration created.
struct Written {
  c10::IValue value;
  std::optional<Content> content;  ///< after an iteration; none during the first one
};

/// An access to a list element at an index that depends on the iteration.
struct IterationAccess {
  ListLayout list_layout;  ///< of the list
  ir::Dim index;           ///< from the list's front
  friend bool operator==(const IterationAccess&, const IterationAccess&) = default;
};

/// A running loop that becomes a scan.
struct RerolledLoop {
  explicit RerolledLoop(ir::Symbol iteration) : symbol(std::move(iteration)) {}

  c10::IValue trips;
  c10::IValue condition;
  std::vector<c10::IValue> initial;
  std::vector<c10::IValue> carried;
  std::vector<std::optional<int64_t>> steps;  ///< what each iteration adds to a carried integer
  ir::Symbol symbol;                          ///< the iteration's number
  int64_t iterations = 0;
  std::map<const void*, Written> written;
  std::map<const void*, c10::IValue> created;  ///< containers and objects of this iteration
  std::map<const void*, int64_t> lengths;      ///< of changed lists when this iteration began
  /// A carried variable, or a container or object that the loop writes to.
  using Slot = std::variant<size_t, const void*>;
  std::map<Slot, IterationEnds> ends;
  std::vector<IterationAccess> accesses;  ///< to lists, at indices that depend on the iteration
};

}  // namespace t2n::trace
