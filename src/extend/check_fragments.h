// SPDX-License-Identifier: Apache-2.0
// The rules for fragments of a user, which can be checked before a model is loaded.
#pragma once

#include "src/extend/own_fragments.h"

namespace t2n::extend {

/// Errors: `fragment-invalid`, with the file and the statement.
void check_fragments(const Extensions& extensions);

}  // namespace t2n::extend
