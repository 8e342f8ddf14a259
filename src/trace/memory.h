// Limits on the tensors that a model makes while it is traced.
#pragma once

#include <cstddef>
#include <cstdint>

namespace t2n::trace {

/// Elements of one tensor that anything computes with; views may say more, nobody reads them.
inline constexpr int64_t kMaxElements = int64_t{1} << 32;

/// From now on no tensor gets more memory at once than a model of this size can need for samples of
/// that size, or than --max-memory allows, whoever asks LibTorch for it. Errors where one does:
/// `trace-limit`.
void limit_allocations(size_t model_bytes, size_t sample_bytes);

}  // namespace t2n::trace
