// SPDX-License-Identifier: Apache-2.0
#include "ir/elements.h"

#include <algorithm>

#include "ir/cast.h"
#include "src/diag/error.h"

namespace t2n::ir {
namespace {

constexpr int64_t kPart = 1 << 14;  // elements

/// Elements `first` and after it, of a row-major tensor.
void read_part(const Tensor& plain, int64_t first, std::vector<double>& out) {
  const int64_t size = dtype_size(plain.dtype);
  const int64_t count = std::min(kPart, plain.elements() - first);
  out.resize(count);
  (void)cast_elements(plain.dtype,
                      plain.bytes.subspan(first * size, static_cast<size_t>(count * size)),
                      DType::f64, std::as_writable_bytes(std::span(out)));
}

}  // namespace

size_t inner_size(const Ints& shape, size_t axis) {
  size_t out = 1;
  for (size_t i = axis + 1; i < shape.size(); ++i) out *= shape[i];
  return out;
}

void for_each_part(const Tensor& tensor,
                   const std::function<void(size_t, std::span<const double>)>& use) {
  const Tensor plain = contiguous(tensor);
  std::vector<double> part;
  for (int64_t first = 0; first < plain.elements(); first += kPart) {
    read_part(plain, first, part);
    use(static_cast<size_t>(first), part);
  }
}

void for_each_part(
    const Tensor& a, const Tensor& b,
    const std::function<void(std::span<const double>, std::span<const double>)>& use) {
  T2N_ASSERT(a.shape == b.shape, "tensors of two shapes");
  const Tensor plain = contiguous(b);
  std::vector<double> part;
  for_each_part(a, [&](size_t first, std::span<const double> values) {
    read_part(plain, static_cast<int64_t>(first), part);
    use(values, part);
  });
}

void read_row(const Tensor& tensor, int64_t index, std::vector<float>& out) {
  Tensor row = tensor;
  row.shape.erase(row.shape.begin());
  row.strides.erase(row.strides.begin());
  const int64_t skip = index * tensor.strides[0] * dtype_size(tensor.dtype);
  row.bytes = tensor.bytes.subspan(skip);
  row = contiguous(row);
  const size_t bytes = row.elements() * dtype_size(row.dtype);
  out.resize(row.elements());
  (void)cast_elements(row.dtype, row.bytes.first(bytes), DType::f32,
                      std::as_writable_bytes(std::span(out)));
}

Tensor dequantised(const Tensor& integers, const QuantInfo& quant) {
  const size_t inner = inner_size(integers.shape, static_cast<size_t>(quant.axis));
  std::vector<double> values = to_f64(integers);
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t channel = i / inner % quant.scales.size();
    values[i] =
        (values[i] - static_cast<double>(quant.zero_points[channel])) * quant.scales[channel];
  }
  return tensor_of<double>(DType::f32, integers.shape, values);
}

}  // namespace t2n::ir
