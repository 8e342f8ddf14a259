// SPDX-License-Identifier: Apache-2.0
// Results of attempts that may fail without an error.
#pragma once

#include <string>
#include <variant>

namespace t2n {

/// Why there is no result.
struct Reason {
  std::string text;
};

/// A result, or the reason why there is none.
template <typename T>
using OrReason = std::variant<T, Reason>;

}  // namespace t2n
