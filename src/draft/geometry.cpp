// SPDX-License-Identifier: Apache-2.0
// Changes of geometry that change how a constant is stored.
#include <utility>

#include "src/diag/error.h"
#include "src/draft/draft.h"

namespace t2n::draft {
namespace {

/// A view of the tensor with the axes `kept`, in this order.
ir::Tensor with_axes(const ir::Tensor& tensor, const Ints& kept) {
  ir::Tensor out = tensor;
  out.shape.clear();
  out.strides.clear();
  for (const int64_t axis : kept) {
    out.shape.push_back(tensor.shape[axis]);
    out.strides.push_back(tensor.strides[axis]);
  }
  return out;
}

ir::Tensor sliced(const ir::Tensor& tensor, size_t axis, int64_t begin, int64_t count,
                  int64_t stride) {
  ir::Tensor out = tensor;
  out.shape[axis] = count;
  out.strides[axis] *= stride;
  if (out.elements() > 0 && tensor.is_loaded()) {
    const int64_t skip = begin * tensor.strides[axis] * ir::dtype_size(tensor.dtype);
    out.bytes = tensor.bytes.subspan(skip);
  }
  return out;
}

}  // namespace

/// True if changing how the values are stored costs little.
bool Draft::may_change_storage(const TensorEntry& entry) const {
  if (entry.kind != TensorEntry::Kind::constant) return false;
  const bool is_small = stored_bytes(entry) <= kLargeBytes;
  if (entry.parts.size() > 1) return is_small && is_loaded(entry);
  return is_small || entry.uses <= 1;
}

/// The constant `ref` stored as `values`.
Ref Draft::stored_as(Ref ref, ir::Tensor values) {
  TensorEntry entry = at(ref);
  entry.shape = ir::to_shape(values.shape);
  entry.parts = {std::move(values)};
  entry.axis = 0;
  entry.variable = -1;
  return add(std::move(entry));
}

std::optional<Ref> Draft::stored_in_shape(Ref ref, const Shape& shape) {
  const TensorEntry& entry = at(ref);
  if (!may_change_storage(entry)) return {};
  const ir::Tensor values = joined_or_part(entry);
  const Ints sizes = ir::static_shape(shape);
  if (auto view = viewed(values, sizes)) return stored_as(ref, *view);
  if (stored_bytes(entry) > kLargeBytes || !values.is_loaded()) return {};
  return stored_as(ref, *viewed(ir::contiguous(values), sizes));
}

std::optional<Ref> Draft::stored_with_axes(Ref ref, const Ints& axes) {
  if (!may_change_storage(at(ref))) return {};
  return stored_as(ref, with_axes(joined_or_part(at(ref)), axes));
}

std::optional<Ref> Draft::stored_slice(Ref ref, int axis, int64_t begin, int64_t count,
                                       int64_t stride) {
  if (!may_change_storage(at(ref))) return {};
  return stored_as(
      ref, sliced(joined_or_part(at(ref)), static_cast<size_t>(axis), begin, count, stride));
}

std::optional<Ref> Draft::stored_repeated(Ref ref, const Shape& shape) {
  if (!may_change_storage(at(ref))) return {};
  ir::Tensor values = joined_or_part(at(ref));
  const Ints sizes = ir::static_shape(shape);
  const size_t added = sizes.size() - values.shape.size();
  values.shape.insert(values.shape.begin(), added, 1);
  values.strides.insert(values.strides.begin(), added, 0);
  for (size_t i = 0; i < sizes.size(); ++i)
    if (values.shape[i] != sizes[i]) values.strides[i] = 0;
  values.shape = sizes;
  return stored_as(ref, std::move(values));
}

std::optional<Ref> Draft::stored_joined(const std::vector<Ref>& parts, int axis,
                                        const Shape& shape) {
  for (const Ref part : parts) {
    const TensorEntry& entry = at(part);
    if (!may_change_storage(entry) || entry.parts.size() != 1 ||
        without_broadcast_axes(entry.parts[0]).shape != entry.parts[0].shape)
      return {};
  }
  TensorEntry joint = at(parts.at(0));
  joint.parts.clear();
  for (const Ref part : parts) joint.parts.push_back(at(part).parts[0]);
  joint.shape = shape;
  joint.axis = axis;
  joint.variable = -1;
  return add(std::move(joint));
}

}  // namespace t2n::draft
