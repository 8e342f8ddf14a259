// SPDX-License-Identifier: Apache-2.0
// What this installation has, as text.
#pragma once

#include <string>

namespace t2n::cli {

/// What `t2nnef env` prints. Call it before a model is loaded, which confines the process.
std::string environment_text();

}  // namespace t2n::cli
