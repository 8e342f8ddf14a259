// Expressions that fit integers seen at several sizes: what inference finds, found by trial.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ir/shape.h"

namespace t2n::test {

/// The first expression of the symbols, in order of length, that has `values[i]` at `trials[i]`.
/// An internal error if none is found.
ir::Dim fitted(const std::vector<std::map<std::string, int64_t>>& trials,
               const std::vector<int64_t>& values);

}  // namespace t2n::test
