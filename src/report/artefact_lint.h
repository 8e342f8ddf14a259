// What can be seen of odd quantisation in an artefact of any exporter.
#pragma once

#include <string>
#include <vector>

#include "src/diag/finding.h"
#include "src/nnef_reader/artefact.h"

namespace t2n::report {

/// The rules of src/compress/lint.h as far as statements of the graph and stored tensors show them:
/// `idle-pair`, `float-constant`, `unlike-scales`, `float-island`, `idle-setting` (an entry of
/// graph.quant for no tensor), `unseen-range` (the least scale that observers give, or an empty
/// range), `dead-channel` and `stored-twice`. Places are the
/// module, where a label names it, and the line of graph.nnef. Fragments are not looked into.
std::vector<Finding> lint_artefact(const nnef::Artefact& artefact);

}  // namespace t2n::report
