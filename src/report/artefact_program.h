// SPDX-License-Identifier: Apache-2.0
// The graph of an artefact as the lint's rules see it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/nnef/artefact.h"
#include "src/quant_lint/program.h"

namespace t2n::report {

/// Fragments are not examined: they define operations.
struct ArtefactProgram {
  lint::Program program;                  ///< constants are named by their labels
  std::vector<const nnef::Value*> calls;  ///< by statement: an invocation, or nullptr
  std::map<std::string, size_t> values;   ///< by name
};

/// The artefact must outlive it.
ArtefactProgram artefact_program(const nnef::Artefact& artefact);

/// True for products whose second operand is a weight.
bool is_layer(std::string_view op);

}  // namespace t2n::report
