// What an artefact says that its specification does not allow, with the places in its text.
#pragma once

#include <string>
#include <vector>

#include "src/diag/diagnostic.h"
#include "src/nnef_reader/artefact.h"

namespace t2n::report {

/// Finds what strict NNEF forbids in flat documents without extensions. In others it finds calls of
/// what does not exist or with wrong arguments, names that nothing assigns, and for tract, shapes
/// that do not go together at sizes that the file allows. Errors as data, `nnef-violation`, in the
/// order of the statements as far as they are known; those of submodels follow, with their labels.
std::vector<Diagnostic> violations(const nnef::Artefact& artefact);
std::string violations_json(const std::string& path, const std::vector<Diagnostic>& found);

}  // namespace t2n::report
