// SPDX-License-Identifier: Apache-2.0
// Patterns of names, as a shell has them.
#pragma once

#include <string_view>

namespace t2n {

/// True if it may match several names: '*' or '?' is in it.
bool is_glob(std::string_view pattern);

/// '*' matches any characters, '?' one.
bool glob_matches(std::string_view glob, std::string_view text);

}  // namespace t2n
