// The memory of torch's tensors, refused before it is taken: kernels ask for what a file says.
#pragma once

#include <cstdint>

namespace t2n::trace {

/// From now on a tensor that --max-memory leaves no room for is Error `memory-limit`. Once is
/// enough.
void watch_allocations();

/// While one lives, all tensors that are made may hold `bytes` together, above what there was.
/// Errors of whatever makes tensors: `nnef-limit`.
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
