// SPDX-License-Identifier: Apache-2.0
// The texts of ops/fragments/*.nnef, embedded at build.
#pragma once

#include <span>

#include "src/nnef/fragment_text.h"

namespace t2n::ops {

using nnef::FragmentText;

/// All embedded texts, sorted by file name.
std::span<const FragmentText> fragment_texts();

}  // namespace t2n::ops
