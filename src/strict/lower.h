// SPDX-License-Identifier: Apache-2.0
// Strict NNEF: rewrites a flat document from tract's operations to those of NNEF 1.0.5.
//
// NNEF has three types of tensors, without width, and computes with `scalar` only. So floats of
// every width are `scalar`; integers are `integer` as inputs, outputs and indices, and `scalar`
// during computations (Ref::is_scalar), exact up to 2^24; booleans are `logical`.
#pragma once

#include <vector>

#include "src/diag/diagnostic.h"
#include "src/draft/notes.h"
#include "src/nnef/ast.h"
#include "src/target/target.h"

namespace t2n::strict {

/// A part of the document that standard operations cannot express.
struct Refusal {
  int location = -1;  ///< index in Notes::locations, or -1
  Diagnostic diagnostic;
};

struct Lowered {
  nnef::Document document;        ///< only valid without refusals
  std::vector<Refusal> refusals;  ///< at most one per location
};

/// All sizes must be numbers. The document may contain dead statements, and tensors that no
/// statement defines, because the translation of an operator failed; all others have notes.
Lowered lower(const nnef::Document& source, const draft::Notes& notes,
              const target::Target& target);

}  // namespace t2n::strict
