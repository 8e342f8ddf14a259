// SPDX-License-Identifier: Apache-2.0
// Points of a program, such as a branch or a loop.
#pragma once

#include <compare>

namespace t2n::ir {

/// Identifies a node of the program's code; equal in all traces of a session.
class ProgramPoint {
 public:
  ProgramPoint() = default;
  ProgramPoint(const void* node) : node_(node) {}  // NOLINT: a node is one

  friend auto operator<=>(const ProgramPoint&, const ProgramPoint&) = default;

 private:
  const void* node_ = nullptr;
};

}  // namespace t2n::ir
