// Which integers a model computes, so that a target whose numbers are f32 says where they end.
//
// An analysis of intervals. Ranges are known of constants, of what counts or indexes (positions,
// places of extremes), of inputs that the user declared or that index a table, and through
// arithmetic. Of anything else, other inputs and what is made from floats among it, the analysis
// finds up to which magnitude every computed integer stays within +-2^24.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "ir/graph.h"

namespace t2n::ops {

/// Graph attribute: what integer inputs may hold, by name, as [low, high)
/// (std::map<std::string, std::pair<int64_t, int64_t>>).
inline constexpr const char* kInputRanges = "input_ranges";
using InputRanges = std::map<std::string, std::pair<int64_t, int64_t>>;

/// An operation that may compute an integer beyond 2^24.
struct InexactIntegers {
  const ir::Node* node = nullptr;
  bool is_certain = false;  ///< for every input that is allowed
  double limit = 0;         ///< magnitude of `sources` up to which all is exact; 0: none
  std::string sources;      ///< "'x' and what aten::to gives"; "" where only constants meet
};

/// `op` and `target` as they are called in messages. An error if it is certain, a note where a
/// single sum or difference is all, else a warning.
Diagnostic describe(const ir::Graph& graph, const InexactIntegers& found, const std::string& op,
                    const std::string& target);

/// Nothing if all integers stay within +-2^24 as long as those of the inputs do.
std::optional<InexactIntegers> find_inexact_integers(const ir::Graph& graph);

}  // namespace t2n::ops
