// A value of the program that runs, with what is known of it beside.
#pragma once

#include <ATen/core/ivalue.h>

#include <optional>
#include <string>
#include <vector>

#include "src/trace/shadow.h"

namespace t2n::trace {

struct Slot {
  c10::IValue value;
  Shadow shadow;
};

/// A loop that becomes a scan, while it runs.
struct RolledLoop {
  Slot trips;
  Slot condition;
  std::vector<Slot> initial;
  std::vector<Slot> carried;
  std::vector<std::optional<int64_t>> steps;  ///< by which a carried integer grows in each turn
  ir::Symbol symbol;                          ///< of the turn
  int64_t turns = 0;
};

}  // namespace t2n::trace
