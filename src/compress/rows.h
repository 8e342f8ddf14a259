// Rows of a weight, one at a time.
#pragma once

#include <vector>

#include "ir/tensor.h"

namespace t2n::compress {

/// Reads index `index` of the first axis of a float tensor as f32; nothing else is copied.
void read_row(const ir::Tensor& tensor, int64_t index, std::vector<float>& out);

}  // namespace t2n::compress
