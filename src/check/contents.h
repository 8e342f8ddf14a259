// SPDX-License-Identifier: Apache-2.0
// Compares the contents of a file with a new export of the model in memory. Outputs may hardly
// depend on a weight; comparing the weight itself finds every difference.
#pragma once

#include <optional>

#include "src/check/source_model.h"
#include "src/diag/diagnostic.h"
#include "src/nnef/artefact.h"
#include "src/target/target.h"

namespace t2n {

/// The result of comparing a file with an export.
struct Contents {
  /// The file is of this version, with the same inputs and properties, and at most two statements
  /// more or less. More differences come from another form of the model or from pass options, and
  /// are no error.
  bool are_known = false;
  /// The first other statement, and the weights and numbers that differ by more than constant
  /// folding on another machine explains.
  std::optional<Diagnostic> other;
};

/// The target in a document's properties, or the newest one.
target::Target named_target(const nnef::Document& document);

/// `are_known` is false if the two are not comparable.
Contents contents_of(const nnef::Artefact& artefact, const nnef::Document& document);

/// The same for a new export of a traced model. Not known if the artefact's target does not support
/// the model.
Contents contents_of(const nnef::Artefact& artefact, const SourceModel& model);

}  // namespace t2n
