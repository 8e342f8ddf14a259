// SPDX-License-Identifier: Apache-2.0
// What operator tests export, as digests that two builds can be compared by.
#pragma once

#include <string>

#include "src/nnef/ast.h"

namespace t2n::test {

/// Appends a line to the file that T2NNEF_DIGESTS names: the test case that runs, how many
/// artefacts it has made before, the target, and a digest of every byte that is written. Does
/// nothing without the variable.
void note_digest(const nnef::Document& document, const std::string& target);

}  // namespace t2n::test
