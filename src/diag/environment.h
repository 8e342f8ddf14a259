// SPDX-License-Identifier: Apache-2.0
// Variables of the environment.
#pragma once

#include <cstdlib>
#include <string>

namespace t2n {

/// "" for a variable that is not set.
inline std::string environment_value(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace t2n
