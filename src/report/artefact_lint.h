// Finds unusual quantisation in an artefact of any exporter.
#pragma once

#include <string>
#include <vector>

#include "src/diag/finding.h"
#include "src/nnef/artefact.h"

namespace t2n::report {

/// The rules of src/compress/lint.h, as far as statements of the graph and stored tensors show
/// them: `idle-pair`, `float-constant`, `unlike-scales`, `float-island`, `idle-setting` (an entry
/// of graph.quant without a tensor), `unseen-range` (the smallest scale of observers, or an empty
/// range), `dead-channel` and `stored-twice`. Locations are the module, if a label contains it, and
/// the line of graph.nnef. Fragments are not examined.
std::vector<Finding> lint_artefact(const nnef::Artefact& artefact);

}  // namespace t2n::report
