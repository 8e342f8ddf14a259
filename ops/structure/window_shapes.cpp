// SPDX-License-Identifier: Apache-2.0
#include "ops/structure/window_shapes.h"

#include <algorithm>

#include "src/diag/error.h"
#include "src/translate/registry.h"

namespace t2n::ops {

size_t spatial_rank(const ShapeView& op) {
  const std::string_view name = op.op();
  const size_t digit = name.find_first_of("123", name.find("::") + 2);
  T2N_ASSERT(digit != std::string_view::npos, name, " names no rank");
  return name[digit] - '0';
}

Shapes adaptive_pool_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const size_t rank = spatial_rank(op);
  Shape out = all_but_last(x, rank);
  for (const Dim& size : op.dims("output_size", rank, 1)) out.push_back(size);
  return repeated(op, out);
}

}  // namespace t2n::ops
