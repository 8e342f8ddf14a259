#include "src/compress/rows.h"

#include <span>

#include "ir/cast.h"

namespace t2n::compress {

void read_row(const ir::Tensor& tensor, int64_t index, std::vector<float>& out) {
  ir::Tensor row = tensor;
  row.shape.erase(row.shape.begin());
  row.strides.erase(row.strides.begin());
  const int64_t skip = index * tensor.strides[0] * ir::dtype_size(tensor.dtype);
  row.bytes = tensor.bytes.subspan(skip);
  row = ir::contiguous(row);
  const size_t bytes = row.elements() * ir::dtype_size(row.dtype);
  out.resize(row.elements());
  (void)ir::cast_elements(row.dtype, row.bytes.first(bytes), ir::DType::f32,
                          std::as_writable_bytes(std::span(out)));
}

}  // namespace t2n::compress
