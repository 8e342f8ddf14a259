// SPDX-License-Identifier: Apache-2.0
// Checks what runs in pulses: the input arrives in pieces, one per run, and the concatenated
// outputs of all runs equal those of the complete input.
#pragma once

#include <vector>

#include "src/diag/diagnostic.h"
#include "src/draft/notes.h"
#include "src/nnef/ast.h"
#include "src/target/target.h"

namespace t2n::stream {

/// A part that tract does not run in pulses, or computes differently there.
struct Refusal {
  int location = -1;  ///< index in Notes::locations, or -1
  Diagnostic diagnostic;
};

struct Pulses {
  std::vector<Refusal> refusals;  ///< at most one per location
  int64_t multiple = 1;           ///< pulses must be multiples of it
  int64_t least = 1;
};

/// Propagates the input's streaming axis through all statements of a finished document for a target
/// that streams. This is an allow-list: operations without a rule are refused.
Pulses find_pulses(const nnef::Document& document, const draft::Notes& notes,
                   const target::Target& target);

}  // namespace t2n::stream
