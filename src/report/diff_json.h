// A comparison of two artefacts as JSON: `t2nnef.diff/1`, to which fields are only added.
#pragma once

#include <string>

#include "src/diff/diff.h"

namespace t2n::report {

/// A list per part that differs; numbers that are infinite are null.
std::string diff_json(const std::string& a, const std::string& b, const diff::Result& result);

}  // namespace t2n::report
