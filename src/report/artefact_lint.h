// SPDX-License-Identifier: Apache-2.0
// Finds unusual quantisation in an artefact of any exporter.
#pragma once

#include <vector>

#include "src/diag/finding.h"
#include "src/nnef/artefact.h"
#include "src/quant_lint/rules.h"
#include "src/report/artefact_program.h"
#include "src/spec/dialect.h"

namespace t2n::report {

/// The rules of src/quant_lint, as far as statements of the graph and stored tensors show them: all
/// but `saturation`; `idle-setting` is an entry of graph.quant without a tensor, `unseen-range` the
/// smallest scale of observers, or an empty range. Locations are the module, if a label contains
/// it, and the line of graph.nnef. Fragments are not examined.
std::vector<Finding> lint_artefact(const nnef::Artefact& artefact);

// Its rules about variables (artefact_weights.cpp).
/// Floats that are integers of at most 8 bits times one scale, or one scale for each row.
void find_scaled_integers(const lint::Program& program, std::vector<Finding>& out);
/// Channels of layers' weights that contain only zeros.
void find_dead_channels(const ArtefactProgram& artefact, spec::Dialect dialect,
                        std::vector<Finding>& out);
/// Variables with the same values.
void find_equal(const nnef::Artefact& artefact, const lint::Program& program,
                std::vector<Finding>& out);

}  // namespace t2n::report
