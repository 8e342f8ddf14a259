// SPDX-License-Identifier: Apache-2.0
// Limits for loops that are written iteration by iteration, for targets without loops.
#pragma once

#include <cstdint>

namespace t2n::limits {

constexpr int64_t kUnrolledIterations = 512;      ///< of one loop; longer files are unreadable
constexpr int64_t kUnrolledOperations = 100'000;  ///< of one loop, in all iterations

}  // namespace t2n::limits
