// SPDX-License-Identifier: Apache-2.0
// Stored values: views, conversions and joins of constants, without copying large ones.
#include "src/draft/tensor_entry.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "ir/cast.h"
#include "src/diag/error.h"

namespace t2n::draft {
namespace {

/// Parts joined along `axis`, row-major.
ir::Tensor concatenated(const std::vector<ir::Tensor>& parts, size_t axis, DType dtype,
                        const Ints& shape) {
  ir::OwnedTensor out = ir::allocate(dtype, shape);
  const auto begin = shape.begin();
  const auto split = begin + static_cast<std::ptrdiff_t>(axis);
  const int64_t outer = ir::element_count(Ints(begin, split));
  const int64_t inner = ir::element_count(Ints(split + 1, shape.end())) * ir::dtype_size(dtype);
  size_t at = 0;
  for (int64_t row = 0; row < outer; ++row)
    for (const ir::Tensor& part : parts) {
      const size_t bytes = part.shape[axis] * inner;
      std::memcpy(out.data.data() + at, part.bytes.data() + static_cast<size_t>(row) * bytes,
                  bytes);
      at += bytes;
    }
  return std::move(out.tensor);
}

/// True if axes [first, last) of `tensor` are contiguous among themselves.
bool is_dense(const ir::Tensor& tensor, size_t first, size_t last) {
  for (size_t i = first; i + 1 < last; ++i)
    if (tensor.strides[i] != tensor.strides[i + 1] * tensor.shape[i + 1]) return false;
  return true;
}

/// The tensor without axes of extent 1.
ir::Tensor squeezed(const ir::Tensor& tensor) {
  ir::Tensor out = tensor;
  out.shape.clear();
  out.strides.clear();
  for (size_t i = 0; i < tensor.shape.size(); ++i)
    if (tensor.shape[i] != 1) {
      out.shape.push_back(tensor.shape[i]);
      out.strides.push_back(tensor.strides[i]);
    }
  return out;
}

}  // namespace

bool may_cast_later(const TensorEntry& entry, DType dtype) {
  return entry.parts.size() == 1 && entry.parts[0].dtype == entry.dtype &&
         ir::is_float(entry.dtype) && ir::is_float(dtype) &&
         ir::dtype_size(dtype) < ir::dtype_size(entry.dtype);
}

std::optional<DType> codes_of(const TensorEntry& entry) {
  constexpr int64_t kFewBytes = 16;
  if (entry.kind != TensorEntry::Kind::constant || entry.parts.empty()) return {};
  const DType dtype = entry.parts[0].dtype;
  const bool is_one = std::all_of(entry.parts.begin(), entry.parts.end(),
                                  [&](const ir::Tensor& part) { return part.dtype == dtype; });
  const bool is_byte = dtype == DType::i8 || dtype == DType::u8;
  if (!is_one || !is_byte || !ir::is_float(entry.dtype)) return {};
  return stored_bytes(entry) > kFewBytes * ir::dtype_size(entry.dtype) ? std::optional(dtype)
                                                                       : std::nullopt;
}

int64_t stored_bytes(const TensorEntry& entry) {
  int64_t total = 0;
  for (const ir::Tensor& part : entry.parts)
    total += without_broadcast_axes(part).elements() * ir::dtype_size(entry.dtype);
  return total;
}

std::string type_str(DType dtype, const Shape& shape) {
  return cat(ir::dtype_name(dtype), ir::shape_str(shape));
}

ir::Tensor without_broadcast_axes(const ir::Tensor& tensor) {
  ir::Tensor out = tensor;
  for (size_t i = 0; i < out.shape.size(); ++i)
    if (out.strides[i] == 0 && out.shape[i] > 1) out.shape[i] = 1;
  return out;
}

std::optional<ir::Tensor> converted(const ir::Tensor& tensor, DType dtype) {
  if (tensor.dtype == dtype) return tensor;
  const ir::Tensor base = without_broadcast_axes(tensor);
  const ir::Tensor rows = ir::contiguous(base);
  ir::OwnedTensor out = ir::allocate(dtype, base.shape);
  const size_t bytes = rows.elements() * ir::dtype_size(rows.dtype);
  if (ir::cast_elements(tensor.dtype, rows.bytes.first(bytes), dtype, out.data)) return {};
  for (size_t i = 0; i < tensor.shape.size(); ++i)
    if (base.shape[i] != tensor.shape[i]) out.tensor.strides[i] = 0;
  out.tensor.shape = tensor.shape;
  return std::move(out.tensor);
}

ir::Tensor joined(const TensorEntry& entry) {
  std::vector<ir::Tensor> parts;
  for (const ir::Tensor& part : entry.parts) {
    auto same = converted(part, entry.dtype);
    T2N_ASSERT(same, "constant '", entry.name, "' does not fit ", ir::dtype_name(entry.dtype));
    parts.push_back(*std::move(same));
  }
  if (parts.size() == 1) return std::move(parts[0]);
  for (ir::Tensor& part : parts) part = ir::contiguous(part);
  return concatenated(parts, static_cast<size_t>(entry.axis), entry.dtype,
                      ir::static_shape(entry.shape));
}

ir::Tensor joined_or_part(const TensorEntry& entry) {
  return entry.parts.size() == 1 ? entry.parts[0] : joined(entry);
}

std::optional<ir::Tensor> single_value(const TensorEntry& entry) {
  if (entry.kind != TensorEntry::Kind::constant || entry.parts.size() != 1) return {};
  const ir::Tensor base = without_broadcast_axes(entry.parts[0]);
  if (base.elements() != 1 || !base.is_loaded()) return {};
  return converted(ir::Tensor{base.dtype, {}, {}, base.bytes, base.owner}, entry.dtype);
}

bool is_zero(const TensorEntry& entry) {
  if (entry.kind != TensorEntry::Kind::constant || entry.parts.size() != 1) return false;
  const ir::Tensor base = without_broadcast_axes(entry.parts[0]);
  if (base.elements() == 0 || !base.is_loaded() || ir::element_f64(base, 0) != 0) return false;
  const ir::Tensor rows = ir::contiguous(base);
  for (int64_t i = 0; i < rows.elements(); ++i)
    if (ir::element_f64(rows, i) != 0) return false;
  return true;
}

bool is_loaded(const TensorEntry& entry) {
  return std::all_of(entry.parts.begin(), entry.parts.end(),
                     [](const ir::Tensor& part) { return part.is_loaded(); });
}

std::optional<ir::Tensor> loaded_value(const TensorEntry& entry) {
  if (entry.kind != TensorEntry::Kind::constant || !is_loaded(entry)) return {};
  return joined(entry);
}

std::optional<ir::Tensor> viewed(const ir::Tensor& tensor, const Ints& shape) {
  ir::Tensor out = tensor;
  out.shape = shape;
  out.strides = ir::contiguous_strides(shape);
  const ir::Tensor from = squeezed(tensor);
  if (from.shape.empty() || tensor.elements() == 0) return out;
  // Each group of old axes with as many elements as a group of new ones must be dense.
  size_t old_begin = 0, new_begin = 0;
  while (new_begin < shape.size()) {
    size_t old_end = old_begin, new_end = new_begin;
    int64_t old_count = 1, new_count = 1;
    do {
      if (new_count <= old_count && new_end < shape.size())
        new_count *= shape[new_end++];
      else
        old_count *= from.shape.at(old_end++);
    } while (new_count != old_count);
    if (!is_dense(from, old_begin, old_end)) return {};
    int64_t stride = old_end > old_begin ? from.strides[old_end - 1] : 1;
    for (size_t i = new_end; i-- > new_begin;) {
      out.strides[i] = stride;
      stride *= shape[i];
    }
    old_begin = old_end;
    new_begin = new_end;
  }
  return out;
}

}  // namespace t2n::draft
