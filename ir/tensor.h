// SPDX-License-Identifier: Apache-2.0
// A tensor's values: dtype, geometry, and a span of bytes that an owner keeps alive. No torch.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/dtype.h"
#include "ir/shape.h"

namespace t2n::ir {

/// Values may be strided views into a mapped file: reading a graph copies no weights.
struct Tensor {
  DType dtype = DType::f32;
  Ints shape;
  Ints strides;                      ///< in elements; same length as `shape`
  std::span<const std::byte> bytes;  ///< starts at element [0,…,0]; covers every reachable element
  std::shared_ptr<const void> owner;  ///< keeps `bytes` alive

  int64_t elements() const { return element_count(shape); }
  /// A constant of a textual IR without its `.dat` files has no bytes.
  bool is_loaded() const { return !bytes.empty() || elements() == 0; }
};

Ints contiguous_strides(const Ints& shape);
bool is_contiguous(const Tensor& tensor);

/// A tensor that owns a zero-filled buffer; write through mutable_bytes of the returned pair.
struct OwnedTensor {
  Tensor tensor;
  std::span<std::byte> data;
};
OwnedTensor allocate(DType dtype, const Ints& shape);

/// Row-major copy, or the tensor itself if it already is row-major.
Tensor contiguous(const Tensor& tensor);

/// Owned tensors from plain values.
Tensor scalar_tensor(double value, DType dtype);
Tensor scalar_tensor(int64_t value, DType dtype);
template <typename T>
Tensor tensor_of(DType dtype, const Ints& shape, const std::vector<T>& values);

/// A complex tensor as a real one with a last axis of two, over the same bytes; others unchanged.
Tensor as_pairs(Tensor tensor);

/// Element `index` in row-major order as a number (bool as 0/1); errors: complex dtypes are
/// internal errors.
double element_f64(const Tensor& tensor, int64_t index);
int64_t element_i64(const Tensor& tensor, int64_t index);
/// All elements in row-major order.
std::vector<double> to_f64(const Tensor& tensor);
std::vector<int64_t> to_i64(const Tensor& tensor);

/// Conversion between the bit patterns of 16-bit floats and f32.
float half_to_float(uint16_t bits);
uint16_t float_to_half(float value);
float bfloat_to_float(uint16_t bits);
uint16_t float_to_bfloat(float value);

/// Calls `sink` with consecutive row-major chunks of at most `chunk` bytes, without copying the
/// whole tensor.
void for_each_chunk(const Tensor& tensor, size_t chunk,
                    const std::function<void(std::span<const std::byte>)>& sink);

/// True if no element of a float tensor is NaN or infinite; true for other dtypes.
bool is_finite(const Tensor& tensor);

/// Same dtype, shape and bytes.
bool same_values(const Tensor& a, const Tensor& b);

}  // namespace t2n::ir
