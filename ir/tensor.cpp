// SPDX-License-Identifier: Apache-2.0
// Reads, copies and streams tensors with any strides.
#include "ir/tensor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "ir/cast.h"
#include "src/diag/error.h"
#include "src/limits/limits.h"

namespace t2n::ir {
namespace {

size_t element_bytes(const Tensor& tensor) { return dtype_size(tensor.dtype); }

size_t total_bytes(const Tensor& tensor) {
  return static_cast<size_t>(tensor.elements()) * element_bytes(tensor);
}

/// One axis of an iteration: the number of steps, and the distance of elements.
struct Axis {
  int64_t size;
  int64_t stride;
};

/// The axes without those of size 1, with neighbours joined if one step spans the next axis.
std::vector<Axis> joined_axes(const Tensor& tensor) {
  std::vector<Axis> out;
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    const Axis axis{tensor.shape[i], tensor.strides[i]};
    if (axis.size == 1) continue;
    if (!out.empty() && out.back().stride == axis.stride * axis.size)
      out.back() = {out.back().size * axis.size, axis.stride};
    else
      out.push_back(axis);
  }
  if (out.empty()) out.push_back({1, 1});
  return out;
}

template <size_t kSize>
void gather(const std::byte* from, int64_t stride, size_t count, std::byte* to) {
  for (size_t i = 0; i < count; ++i)
    std::memcpy(to + i * kSize, from + static_cast<int64_t>(i * kSize) * stride, kSize);
}

void gather_run(const std::byte* from, int64_t stride, size_t count, size_t size, std::byte* to) {
  if (stride == 1) {
    std::memcpy(to, from, count * size);
    return;
  }
  switch (size) {
    case 1: return gather<1>(from, stride, count, to);
    case 2: return gather<2>(from, stride, count, to);
    case 4: return gather<4>(from, stride, count, to);
    case 8: return gather<8>(from, stride, count, to);
    case 16: return gather<16>(from, stride, count, to);
    default: internal_error(__FILE__, __LINE__, cat("elements of ", size, " bytes"));
  }
}

/// Walks the rows of a tensor: all positions on every axis but the last.
class Rows {
 public:
  explicit Rows(std::vector<Axis> axes) : axes_(std::move(axes)), index_(axes_.size()) {}

  const Axis& row() const { return axes_.back(); }
  int64_t offset() const { return offset_; }  ///< of the row's first element

  /// False after the last row.
  bool next() {
    for (size_t i = axes_.size() - 1; i-- > 0;) {
      offset_ += axes_[i].stride;
      if (++index_[i] < axes_[i].size) return true;
      offset_ -= axes_[i].stride * axes_[i].size;
      index_[i] = 0;
    }
    return false;
  }

 private:
  std::vector<Axis> axes_;
  std::vector<int64_t> index_;
  int64_t offset_ = 0;
};

int64_t offset_of(const Tensor& tensor, int64_t index) {
  T2N_ASSERT(index >= 0 && index < tensor.elements(), "element ", index, " of ", tensor.elements());
  int64_t offset = 0;
  for (size_t i = tensor.shape.size(); i-- > 0;) {
    offset += index % tensor.shape[i] * tensor.strides[i];
    index /= tensor.shape[i];
  }
  return offset;
}

template <typename T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, float>) return DType::f32;
  if constexpr (std::is_same_v<T, double>) return DType::f64;
  if constexpr (std::is_same_v<T, int64_t>) return DType::i64;
  if constexpr (std::is_same_v<T, int32_t>) return DType::i32;
  return DType::u8;
}

void cast_or_assert(DType from, std::span<const std::byte> in, DType to, std::span<std::byte> out) {
  const auto misfit = cast_elements(from, in, to, out);
  T2N_ASSERT(!misfit, "element ", *misfit, " (", dtype_name(from), ") does not fit ",
             dtype_name(to));
}

template <typename T>
T element(const Tensor& tensor, int64_t index) {
  const size_t size = element_bytes(tensor);
  const auto from =
      tensor.bytes.subspan(static_cast<size_t>(offset_of(tensor, index)) * size, size);
  T value{};
  cast_or_assert(tensor.dtype, from, dtype_of<T>(), std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

template <typename T>
std::vector<T> all_elements(const Tensor& tensor) {
  const Tensor rows = contiguous(tensor);
  std::vector<T> out(tensor.elements());
  cast_or_assert(tensor.dtype, rows.bytes.first(total_bytes(rows)), dtype_of<T>(),
                 std::as_writable_bytes(std::span(out)));
  return out;
}

}  // namespace

Ints contiguous_strides(const Ints& shape) {
  Ints out(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    out[i] = stride;
    stride *= shape[i];
  }
  return out;
}

bool is_contiguous(const Tensor& tensor) {
  if (tensor.elements() == 0) return true;
  const std::vector<Axis> axes = joined_axes(tensor);
  return axes.size() == 1 && axes[0].stride == 1;
}

OwnedTensor allocate(DType dtype, const Ints& shape) {
  const int64_t count = element_count(shape);
  T2N_ASSERT(count >= 0, "a tensor of ", count, " elements");
  int64_t bytes = 0;
  if (__builtin_mul_overflow(count, dtype_size(dtype), &bytes)) bytes = -1;
  limits::require_bytes(bytes, cat("a tensor of ", shape_str(to_shape(shape))));
  const size_t size = bytes;
  auto buffer = std::make_shared<std::vector<std::byte>>(size);
  const std::span<std::byte> data(*buffer);
  return {Tensor{dtype, shape, contiguous_strides(shape), data, std::move(buffer)}, data};
}

Tensor contiguous(const Tensor& tensor) {
  if (is_contiguous(tensor)) return tensor;
  OwnedTensor out = allocate(tensor.dtype, tensor.shape);
  size_t at = 0;
  for_each_chunk(tensor, size_t{1} << 20, [&](std::span<const std::byte> chunk) {
    std::memcpy(out.data.data() + at, chunk.data(), chunk.size());
    at += chunk.size();
  });
  return std::move(out.tensor);
}

template <typename T>
Tensor tensor_of(DType dtype, const Ints& shape, const std::vector<T>& values) {
  T2N_ASSERT(element_count(shape) == static_cast<int64_t>(values.size()), values.size(),
             " values for a tensor of ", element_count(shape));
  OwnedTensor out = allocate(dtype, shape);
  cast_or_assert(dtype_of<T>(), std::as_bytes(std::span(values)), dtype, out.data);
  return std::move(out.tensor);
}

template Tensor tensor_of(DType, const Ints&, const std::vector<float>&);
template Tensor tensor_of(DType, const Ints&, const std::vector<double>&);
template Tensor tensor_of(DType, const Ints&, const std::vector<int64_t>&);
template Tensor tensor_of(DType, const Ints&, const std::vector<int32_t>&);
template Tensor tensor_of(DType, const Ints&, const std::vector<uint8_t>&);

Tensor scalar_tensor(double value, DType dtype) {
  return tensor_of(dtype, {}, std::vector<double>{value});
}

Tensor scalar_tensor(int64_t value, DType dtype) {
  return tensor_of(dtype, {}, std::vector<int64_t>{value});
}

Tensor as_pairs(Tensor tensor) {
  if (!is_complex(tensor.dtype)) return tensor;
  tensor.dtype = component_dtype(tensor.dtype);
  for (int64_t& stride : tensor.strides) stride *= 2;
  tensor.shape.push_back(2);
  tensor.strides.push_back(1);
  return tensor;
}

double element_f64(const Tensor& tensor, int64_t index) { return element<double>(tensor, index); }
int64_t element_i64(const Tensor& tensor, int64_t index) { return element<int64_t>(tensor, index); }
std::vector<double> to_f64(const Tensor& tensor) { return all_elements<double>(tensor); }
std::vector<int64_t> to_i64(const Tensor& tensor) { return all_elements<int64_t>(tensor); }

void for_each_chunk(const Tensor& tensor, size_t chunk,
                    const std::function<void(std::span<const std::byte>)>& sink) {
  const size_t total = total_bytes(tensor);
  const size_t size = element_bytes(tensor);
  const size_t per_chunk = std::max<size_t>(chunk / size, 1);
  if (is_contiguous(tensor)) {
    for (size_t at = 0; at < total; at += per_chunk * size)
      sink(tensor.bytes.subspan(at, std::min(per_chunk * size, total - at)));
    return;
  }
  Rows rows(joined_axes(tensor));
  const Axis row = rows.row();
  std::vector<std::byte> buffer(std::min(per_chunk * size, total));
  size_t filled = 0;
  do {
    const std::byte* first = tensor.bytes.data() + rows.offset() * dtype_size(tensor.dtype);
    for (int64_t at = 0; at < row.size;) {
      const size_t count =
          std::min(static_cast<size_t>(row.size - at), (buffer.size() - filled) / size);
      const std::byte* from = first + at * row.stride * dtype_size(tensor.dtype);
      gather_run(from, row.stride, count, size, buffer.data() + filled);
      filled += count * size;
      at += static_cast<int64_t>(count);
      if (filled < buffer.size()) continue;
      sink(buffer);
      filled = 0;
    }
  } while (rows.next());
  if (filled > 0) sink(std::span(buffer).first(filled));
}

bool is_finite(const Tensor& tensor) {
  if (!is_float(tensor.dtype)) return true;
  const std::vector<double> values = to_f64(tensor);
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

bool same_values(const Tensor& a, const Tensor& b) {
  if (a.dtype != b.dtype || a.shape != b.shape) return false;
  const size_t total = total_bytes(a);
  if (total > 0 && (a.bytes.empty() || b.bytes.empty())) return false;  // one is not loaded
  return total == 0 ||
         std::memcmp(contiguous(a).bytes.data(), contiguous(b).bytes.data(), total) == 0;
}

}  // namespace t2n::ir
