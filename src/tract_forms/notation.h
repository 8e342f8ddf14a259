// SPDX-License-Identifier: Apache-2.0
// Constants in tract's notation.
#pragma once

#include "src/draft/draft.h"

namespace t2n::tract_forms {

draft::Notation notation();

}  // namespace t2n::tract_forms
