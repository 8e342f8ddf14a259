// SPDX-License-Identifier: Apache-2.0
// Colours nodes by the values in a report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/picture/picture.h"

namespace t2n::picture {

/// A value for the tensor, the operation or the module with this name.
struct NamedValue {
  std::string name;
  double value = 0;
};

struct ColorTable {
  std::string label;  ///< "max |Δ|"
  std::vector<NamedValue> values;
};

/// Reads `{"label": …, "values": {NAME: NUMBER}}`, or a JSON report of t2nnef: differences of
/// tensors, from a localisation's table or of outputs, else the losses of compressed layers, as
/// noise in relation to the results. Errors: `input-unreadable` for a text that is no JSON, or
/// without values. `origin` names it.
ColorTable read_colors(std::string_view text, const std::string& origin);

/// Sets the values of nodes; the largest, if names of several belong to one. Returns the names that
/// belong to no node.
std::vector<std::string> color(Picture& picture, const ColorTable& table);

}  // namespace t2n::picture
