// SPDX-License-Identifier: Apache-2.0
// Checks the size of torch's allocations before they happen: a file can request any size.
#pragma once

#include <cstddef>
#include <cstdint>

namespace t2n::trace {

/// From now on a tensor for which --max-memory leaves no room raises Error `memory-limit`. One call
/// is enough.
void watch_allocations();

/// The maximum number of elements of a tensor that is read; an unread view may have more.
inline constexpr int64_t kMaxElements = int64_t{1} << 32;

/// From now on, no allocation by LibTorch may exceed what a model of this size can need for samples
/// of that size, or what --max-memory allows. Errors, thrown by the code that allocates:
/// `trace-limit`.
void limit_allocations(size_t model_bytes, size_t sample_bytes);

/// While an object lives, all tensors created meanwhile may take `bytes` in total, in addition to
/// those that existed before. Errors, thrown by the code that creates a tensor: `nnef-limit`.
class AllocationLimit {
 public:
  explicit AllocationLimit(int64_t bytes);
  ~AllocationLimit();
  AllocationLimit(const AllocationLimit&) = delete;
  AllocationLimit& operator=(const AllocationLimit&) = delete;

 private:
  int64_t before_;
};

}  // namespace t2n::trace
