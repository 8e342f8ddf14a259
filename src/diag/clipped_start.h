// SPDX-License-Identifier: Apache-2.0
// Shortens names whose first characters are often equal.
#pragma once

#include <cstddef>
#include <string>

namespace t2n {

/// "…layers.3.output": at most the last `most` characters of UTF-8 text, with "…" if some are
/// missing.
std::string clipped_start(const std::string& text, size_t most);

}  // namespace t2n
