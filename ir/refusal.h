// SPDX-License-Identifier: Apache-2.0
// The node that stands for an operation that a pass cannot express.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace t2n::ir {

/// Why an operation has no translation. `t2n::refused` has it as arguments, so that all refusals of
/// a model are reported together.
struct Refusal {
  std::string op;       ///< "aten::matmul"
  std::string tensors;  ///< "complex tensors": the kind of operands that is refused; "" for any
  std::string why;
  std::string help;

  /// "aten::matmul of complex tensors"
  std::string subject() const;
};

inline constexpr const char* kRefused = "t2n::refused";

std::vector<Argument> refusal_arguments(const Refusal& refusal);
/// Nothing for any other node.
std::optional<Refusal> refusal_of(const Node& node);

}  // namespace t2n::ir
