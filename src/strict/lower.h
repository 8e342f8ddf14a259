// Strict NNEF: what a flat document says in tract's words, in those of NNEF 1.0.5 alone.
//
// NNEF has three types of tensors, of no width, and computes with `scalar` only. So floats of every
// width are `scalar`; integers are `integer` where they come in, go out or are indices, and
// `scalar` while they are computed with (Ref::is_scalar), exact up to 2^24; booleans are `logical`.
#pragma once

#include <vector>

#include "nnef/ast.h"
#include "src/diag/diagnostic.h"
#include "src/draft/notes.h"
#include "src/target/target.h"

namespace t2n::strict {

/// What no composition of standard operations says.
struct Refusal {
  int place = -1;  ///< in Notes::places, or none
  Diagnostic diagnostic;
};

struct Lowered {
  nnef::Document document;        ///< to be read only if nothing is refused
  std::vector<Refusal> refusals;  ///< one at most of each place
};

/// All sizes are numbers. The document may hold statements that nothing needs, and tensors that no
/// statement gives, which failed before; all others are noted.
Lowered lower(const nnef::Document& source, const draft::Notes& notes,
              const target::Target& target);

}  // namespace t2n::strict
