// SPDX-License-Identifier: Apache-2.0
// Sizes of symbols in one run, and what expressions and comparisons are there.
#pragma once

#include <set>
#include <vector>

#include "ir/comparison.h"

namespace t2n::ir {

std::set<Symbol> symbols_of(const Sizes& sizes);

/// The value of an expression; `sizes` must contain all its symbols.
int64_t evaluate(const Dim& dim, const Sizes& sizes);
Ints evaluate(const Shape& shape, const Sizes& sizes);

bool holds(const Comparison& comparison, const Sizes& sizes);
/// Whether all comparisons hold that contain only known symbols.
bool all_hold(const std::vector<Comparison>& comparisons, const Sizes& sizes);

/// Both lists, one after the other.
std::vector<Comparison> joined(std::vector<Comparison> first,
                               const std::vector<Comparison>& second);

}  // namespace t2n::ir
