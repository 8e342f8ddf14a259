// SPDX-License-Identifier: Apache-2.0
// Each group as a graph of its own: its members, the ports of tensors that cross its border, and
// lines between them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/picture/picture.h"

namespace t2n::picture {

struct Member {
  bool is_group = false;
  size_t index = 0;
  friend auto operator<=>(const Member&, const Member&) = default;
};

/// A tensor that enters or leaves a group.
struct Port {
  size_t node = 0;  ///< that computes it
  size_t result = 0;
  bool is_input = false;
  friend auto operator<=>(const Port&, const Port&) = default;
};

/// A connection of two ends: members, and after them ports.
struct LevelLine {
  size_t from = 0;
  size_t to = 0;
  size_t node = 0;  ///< that computes the tensor, or the first of several
  size_t result = 0;
  size_t tensors = 1;
};

struct Level {
  std::vector<Member> members;
  std::vector<Port> ports;
  std::vector<LevelLine> lines;
};

/// By group.
std::vector<Level> levels_of(const Picture& picture);

}  // namespace t2n::picture
