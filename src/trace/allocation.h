// Refuses memory for torch's tensors before it is allocated: kernels ask for what a file says.
#pragma once

#include <cstdint>

namespace t2n::trace {

/// From now on a tensor for which --max-memory leaves no room raises Error `memory-limit`. One call
/// is enough.
void watch_allocations();

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
