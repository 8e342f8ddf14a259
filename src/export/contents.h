// What a file holds, compared with a new export of the model in memory. Outputs that hardly move
// show little of a weight; the weight itself shows all.
#pragma once

#include <optional>

#include "src/diag/diagnostic.h"
#include "src/export/traced_model.h"
#include "src/nnef_reader/artefact.h"

namespace t2n {

/// The weights and numbers of a file that differ from those of the document, by more than folding
/// on another machine explains. Nothing for files that are not of this version, or that
/// differ in more than that: these are judged by outputs alone.
std::optional<Diagnostic> other_contents(const nnef::Artefact& artefact,
                                         const nnef::Document& document);

/// The same for the export of a model as it was traced. Nothing if the artefact's target cannot
/// have it.
std::optional<Diagnostic> other_contents(const nnef::Artefact& artefact, const TracedModel& model);

}  // namespace t2n
