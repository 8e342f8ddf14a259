// Limits on the tensors that a model makes while it is traced.
#pragma once

#include <cstddef>
#include <cstdint>

namespace t2n::trace {

/// A limit for the elements of one tensor that is computed with; a view may claim more, unread.
inline constexpr int64_t kMaxElements = int64_t{1} << 32;

/// From now on, no allocation by LibTorch may exceed what a model of this size can need for samples
/// of that size, or what --max-memory allows. Errors, thrown by the code that allocates:
/// `trace-limit`.
void limit_allocations(size_t model_bytes, size_t sample_bytes);

}  // namespace t2n::trace
