// Refuses memory for torch's tensors before it is allocated: kernels ask for what a file says.
#pragma once

#include <cstddef>
#include <cstdint>

namespace t2n::trace {

/// From now on a tensor for which --max-memory leaves no room raises Error `memory-limit`. One call
/// is enough.
void watch_allocations();

/// A limit for the elements of one tensor that is computed with; a view may claim more, unread.
inline constexpr int64_t kMaxElements = int64_t{1} << 32;

/// From now on, no allocation by LibTorch may exceed what a model of this size can need for samples
/// of that size, or what --max-memory allows. Errors, thrown by the code that allocates:
/// `trace-limit`.
void limit_allocations(size_t model_bytes, size_t sample_bytes);

/// While an object lives, all tensors made meanwhile may hold `bytes` together, beside those that
/// existed before. Errors, thrown by the code that makes a tensor: `nnef-limit`.
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
