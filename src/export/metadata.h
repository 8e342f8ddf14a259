// SPDX-License-Identifier: Apache-2.0
// The user's own properties of an artefact.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "src/target/target.h"

namespace t2n {

/// Keys and values, in order.
using Metadata = std::vector<std::pair<std::string, std::string>>;

/// Reads texts such as "author=me". Errors: `usage` for a text without a key, a key that is given
/// twice or reserved, characters that a file cannot contain, and a target without properties.
Metadata parse_metadata(const std::vector<std::string>& texts, const target::Target& target);

}  // namespace t2n
