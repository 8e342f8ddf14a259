// Checks what runs in pulses: the input comes in pieces, run after run, and the joined outputs of
// all runs equal those of the whole input.
#pragma once

#include <vector>

#include "nnef/ast.h"
#include "src/diag/diagnostic.h"
#include "src/draft/notes.h"
#include "src/target/target.h"

namespace t2n::stream {

/// A part that tract does not run in pulses, or not as the model does.
struct Refusal {
  int place = -1;  ///< in Notes::places, or none
  Diagnostic diagnostic;
};

struct Pulses {
  std::vector<Refusal> refusals;  ///< at most one for each place
  int64_t multiple = 1;           ///< pulses must be multiples of it
  int64_t least = 1;
};

/// Follows the input's streaming axis through all statements of a finished document for a target
/// that streams. This is an allow-list: what has no rule is refused.
Pulses find_pulses(const nnef::Document& document, const draft::Notes& notes,
                   const target::Target& target);

}  // namespace t2n::stream
