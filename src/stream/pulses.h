// What of a document runs in pulses: the input comes in pieces, one run after the other, and the
// outputs of all runs, one behind the other, are those of the whole input.
#pragma once

#include <vector>

#include "nnef/ast.h"
#include "src/diag/diagnostic.h"
#include "src/draft/notes.h"
#include "src/target/target.h"

namespace t2n::stream {

/// What tract does not run in pulses, or not as the model does.
struct Refusal {
  int place = -1;  ///< in Notes::places, or none
  Diagnostic diagnostic;
};

struct Pulses {
  std::vector<Refusal> refusals;  ///< one at most of each place
  int64_t multiple = 1;           ///< pulses are multiples of it
  int64_t least = 1;
};

/// Follows the axis along which the input streams through all statements of a finished document
/// for a target that streams. It is an allow-list: what no rule knows is refused.
Pulses find_pulses(const nnef::Document& document, const draft::Notes& notes,
                   const target::Target& target);

}  // namespace t2n::stream
