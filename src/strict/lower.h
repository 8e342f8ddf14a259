// Strict NNEF: rewrites a flat document from tract's operations to those of NNEF 1.0.5.
//
// NNEF has three types of tensors, without width, and computes with `scalar` only. So floats of
// every width are `scalar`; integers are `integer` as inputs, outputs and indices, and `scalar`
// during computations (Ref::is_scalar), exact up to 2^24; booleans are `logical`.
#pragma once

#include <vector>

#include "nnef/ast.h"
#include "src/diag/diagnostic.h"
#include "src/draft/notes.h"
#include "src/target/target.h"

namespace t2n::strict {

/// A part that no composition of standard operations expresses.
struct Refusal {
  int place = -1;  ///< in Notes::places, or none
  Diagnostic diagnostic;
};

struct Lowered {
  nnef::Document document;        ///< only valid if nothing is refused
  std::vector<Refusal> refusals;  ///< at most one for each place
};

/// All sizes must be numbers. The document may contain statements without a reader, and tensors
/// that no statement defines, because an operator failed before; all others have notes.
Lowered lower(const nnef::Document& source, const draft::Notes& notes,
              const target::Target& target);

}  // namespace t2n::strict
