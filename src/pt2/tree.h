// SPDX-License-Identifier: Apache-2.0
// The structure of nested arguments and results. Private to src/pt2.
#pragma once

#include "src/pt2/json_cursor.h"
#include "src/pt2/program.h"

namespace t2n::pt2 {

/// `text`: a pytree specification of version 1, as JSON. Errors: `model-corrupt`.
Tree read_tree(const std::string& text, const std::string& record);

}  // namespace t2n::pt2
