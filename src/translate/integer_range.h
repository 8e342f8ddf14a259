// SPDX-License-Identifier: Apache-2.0
// Bounds the integers that a model computes, to warn on targets whose numbers are f32.
//
// This is an interval analysis. It knows the ranges of constants, of counts and indices, and of
// inputs that the user declared or that index a table, and propagates them through arithmetic. For
// everything else, including other inputs and integers converted from floats, it determines the
// largest magnitude for which every computed integer stays within +-2^24.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "ir/graph.h"
#include "ir/op_table.h"

namespace t2n::ops {

/// Graph attribute: the range of integer inputs, by name, as [low, high) (std::map<std::string,
/// std::pair<int64_t, int64_t>>).
inline constexpr const char* kInputRanges = "input_ranges";
using InputRanges = std::map<std::string, std::pair<int64_t, int64_t>>;

/// An operation that may compute an integer beyond 2^24.
struct InexactIntegers {
  const ir::Node* node = nullptr;
  bool is_certain = false;  ///< for every allowed input
  double limit = 0;         ///< magnitude of `sources` up to which everything is exact; 0: none
  std::string sources;      ///< "'x' and the result of aten::to"; "" if only constants are involved
};

/// `op` and `target` are names for messages. The result is an error if `is_certain`, a note for a
/// single sum or difference, else a warning.
Diagnostic describe(const ir::Graph& graph, const InexactIntegers& found, const std::string& op,
                    const std::string& target);

/// std::nullopt if all integers stay within +-2^24 as long as those of the inputs do.
std::optional<InexactIntegers> find_inexact_integers(const ir::Graph& graph,
                                                     const ir::OpTable& operators);

}  // namespace t2n::ops
