// A comparison of two artefacts as JSON: `t2nnef.diff/1`; later versions only add fields.
#pragma once

#include <string>

#include "src/diff/diff.h"

namespace t2n::report {

/// One list per part with differences; infinite numbers are null.
std::string diff_json(const std::string& a, const std::string& b, const diff::Result& result);

}  // namespace t2n::report
