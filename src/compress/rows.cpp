#include "src/compress/rows.h"

#include <span>

#include "ir/cast.h"

namespace t2n::compress {

void read_row(const ir::Tensor& tensor, int64_t index, std::vector<float>& out) {
  ir::Tensor row = tensor;
  row.shape.erase(row.shape.begin());
  row.strides.erase(row.strides.begin());
  const int64_t skip = index * tensor.strides[0] * ir::dtype_size(tensor.dtype);
  row.bytes = tensor.bytes.subspan(static_cast<size_t>(skip));
  row = ir::contiguous(row);
  const auto bytes = static_cast<size_t>(row.elements() * ir::dtype_size(row.dtype));
  out.resize(static_cast<size_t>(row.elements()));
  (void)ir::cast_elements(row.dtype, row.bytes.first(bytes), ir::DType::f32,
                          std::as_writable_bytes(std::span(out)));
}

}  // namespace t2n::compress
