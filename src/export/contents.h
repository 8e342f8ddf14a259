// What a file holds, compared with a new export of the model in memory. Outputs that hardly move
// show little of a weight; the weight itself shows all.
#pragma once

#include <optional>

#include "src/diag/diagnostic.h"
#include "src/export/traced_model.h"
#include "src/nnef_reader/artefact.h"

namespace t2n {

/// How a file's contents compare with those of an export.
struct Contents {
  /// The file is of this version, with the same inputs and properties, and up to two statements
  /// more or less. Another number is that of another form of the model, or of chosen passes, and no
  /// fault by itself.
  bool are_known = false;
  /// The first statement, and the weights and numbers, that differ by more than folding on another
  /// machine explains.
  std::optional<Diagnostic> other;
};

/// The target that a document names, or the newest.
target::Target named_target(const nnef::Document& document);

/// Files that are not comparable are judged by outputs alone.
Contents contents_of(const nnef::Artefact& artefact, const nnef::Document& document);

/// The same for the export of a model as it was traced. Not known if the artefact's target cannot
/// have it.
Contents contents_of(const nnef::Artefact& artefact, const TracedModel& model);

}  // namespace t2n
