// How much is written one after the other for targets that have no loops.
#pragma once

#include <cstdint>

namespace t2n::limits {

constexpr int64_t kUnrolledIterations = 512;      ///< of one loop; a file of more nobody reads
constexpr int64_t kUnrolledOperations = 100'000;  ///< of one loop, in all iterations

}  // namespace t2n::limits
