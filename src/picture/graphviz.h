// SPDX-License-Identifier: Apache-2.0
// The layout of boxes and lines by Graphviz, whose library is loaded on first use.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace t2n::picture {

struct Point {
  double x = 0;
  double y = 0;
};

enum class Side { none, top, bottom };

struct Box {
  double width = 0;  ///< in pixels
  double height = 0;
  Side side = Side::none;  ///< of the sheet, on which it must be
  Point center = {};
};

struct Connection {
  size_t from = 0;
  size_t to = 0;
  size_t label = 0;               ///< its number of characters
  std::vector<Point> curve = {};  ///< a point, and three for each Bézier curve
  std::optional<Point> label_center = {};
};

struct Sheet {
  std::vector<Box> boxes;
  std::vector<Connection> connections;
  double width = 0;
  double height = 0;
};

/// Sets positions and curves. Graphviz sees numbers only. Errors: `cannot-write` if its library is
/// not installed, or fails.
Sheet laid_out(Sheet sheet);

}  // namespace t2n::picture
