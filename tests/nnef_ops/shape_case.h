// SPDX-License-Identifier: Apache-2.0
// Calls with the shapes of their operands, for tests of shape rules.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace t2n::nnef_ops {

struct ShapeCase {
  const char* inputs;  ///< "x=[2,3] i y=[]"
  const char* call;
  const char* expected;  ///< the shapes of the results, or why there are none
};

/// What infer_shapes says of a call of the standard, in the form of `expected`.
std::string shapes_of(std::string_view inputs, std::string_view call);

void check_shapes(std::span<const ShapeCase> cases);

}  // namespace t2n::nnef_ops
