// SPDX-License-Identifier: Apache-2.0
// The texts of src/spec/*.nnef, embedded at build.
#pragma once

#include <span>

#include "src/nnef/fragment_text.h"

namespace t2n::spec {

/// All embedded texts, sorted by file name.
std::span<const nnef::FragmentText> fragment_texts();

}  // namespace t2n::spec
