// SPDX-License-Identifier: Apache-2.0
// Proves comparisons of sizes from assumptions.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "ir/comparison.h"

namespace t2n::ir {

enum class Verdict { always, never, unknown };

/// Whether the comparison holds for all values of its symbols that satisfy the assumptions; symbols
/// are never negative. `always` and `never` are proofs. The answer is `unknown` if no proof was
/// found, or if numbers do not fit into 64 bits.
Verdict prove(const Comparison& comparison, std::span<const Comparison> assumptions = {});

/// While it exists, all proofs of this thread together may take this many steps; then prove()
/// throws `dynamic-size`. Counting steps instead of seconds gives the same result on every machine.
/// Caches verdicts.
class ProofBudget {
 public:
  static constexpr int64_t kSteps = 1'000'000'000;  ///< about ten seconds
  explicit ProofBudget(int64_t steps = kSteps);
  ~ProofBudget();
  ProofBudget(const ProofBudget&) = delete;
  ProofBudget& operator=(const ProofBudget&) = delete;

 private:
  friend Verdict prove(const Comparison& comparison, std::span<const Comparison> assumptions);
  int64_t remaining_;
  std::map<std::string, Verdict> known_;  ///< by the query with its assumptions
  ProofBudget* outer_;
};

}  // namespace t2n::ir
