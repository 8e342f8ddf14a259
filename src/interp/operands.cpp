// SPDX-License-Identifier: Apache-2.0
#include "src/interp/operands.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <optional>

#include "src/diag/error.h"

namespace t2n::interp {
namespace {

bool is_unsigned(at::ScalarType type) {
  return type == at::kByte || type == at::kUInt16 || type == at::kUInt32 || type == at::kUInt64;
}

/// True for two types of the same kind: floats, signed or unsigned integers.
bool same_kind(at::ScalarType a, at::ScalarType b) {
  if (at::isFloatingType(a) || at::isFloatingType(b))
    return at::isFloatingType(a) && at::isFloatingType(b);
  return a != at::kBool && b != at::kBool && is_unsigned(a) == is_unsigned(b);
}

at::ScalarType wider(at::ScalarType a, at::ScalarType b) {
  return c10::elementSize(a) < c10::elementSize(b) ? b : a;
}

bool is_dimension(const Value& value) { return value.get<int64_t>() != nullptr; }

bool is_number(const Value& value) {
  return value.constant && (!value.is_tensor() || to_tensor(value).numel() == 1);
}

/// The common type of NNEF's generic "scalar" and tract's types (nnef/src/registry.rs).
std::optional<at::ScalarType> tract_type(const Value& a, const Value& b) {
  const at::ScalarType left = to_tensor(a).scalar_type();
  const at::ScalarType right = to_tensor(b).scalar_type();
  if (left == right) return left;
  if (is_dimension(a) || is_dimension(b)) {
    const at::ScalarType other = is_dimension(a) ? right : left;
    if (at::isFloatingType(other) || other == at::kBool) return std::nullopt;
    return at::kLong;
  }
  if (is_number(a)) return right;
  if (is_number(b)) return left;
  if (a.constant) return right;
  if (b.constant) return left;
  if (!same_kind(left, right)) return std::nullopt;
  return wider(left, right);
}

at::Tensor clamped_to(const at::Tensor& tensor, at::ScalarType type) {
  // Beyond 2^53 only the type's limits are exact in f64; torch's cast is undefined there.
  const at::Tensor wide = tensor.to(at::kDouble).trunc();
  const double low =
      is_unsigned(type) ? 0.0 : -std::ldexp(1.0, 8 * static_cast<int>(c10::elementSize(type)) - 1);
  const int bits = 8 * static_cast<int>(c10::elementSize(type)) - (is_unsigned(type) ? 0 : 1);
  const double high = std::ldexp(1.0, bits);
  const at::Tensor inside = at::where(wide < high, at::where(wide >= low, wide, low), 0.0);
  const at::Tensor number = at::where(wide.isnan(), 0.0, inside).to(at::kLong);
  const int64_t top =
      bits == 63 || bits == 64 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << bits) - 1;
  return at::where(wide >= high, at::scalar_tensor(top, at::kLong), number).to(type);
}

}  // namespace

at::Tensor with_rank(const at::Tensor& tensor, int64_t rank) {
  Ints sizes = tensor.sizes().vec();
  if (static_cast<int64_t>(sizes.size()) >= rank) return tensor;
  sizes.resize(rank, 1);
  return tensor.reshape(sizes);
}

Tensors same_rank(const Tensors& tensors) {
  int64_t rank = 0;
  for (const at::Tensor& tensor : tensors) rank = std::max(rank, tensor.dim());
  Tensors out;
  for (const at::Tensor& tensor : tensors) out.push_back(with_rank(tensor, rank));
  return out;
}

std::pair<at::Tensor, at::Tensor> operands(const KernelCall& call, std::string_view a,
                                           std::string_view b) {
  const Value& left = call.value(a);
  const Value& right = call.value(b);
  at::Tensor x = to_tensor(left);
  at::Tensor y = to_tensor(right);
  if (call.is_tract()) {
    const auto type = tract_type(left, right);
    if (!type) fail(cat(call.operation(), " of ", described(left), " and ", described(right)));
    x = cast(x, *type);
    y = cast(y, *type);
  } else if (x.scalar_type() != y.scalar_type()) {
    fail(cat(call.operation(), " of ", described(left), " and ", described(right)));
  }
  const Tensors aligned = same_rank({x, y});
  return {aligned[0], aligned[1]};
}

at::Tensor cast(const at::Tensor& tensor, at::ScalarType type) {
  if (tensor.scalar_type() == type) return tensor;
  if (type == at::kBool) return widened(tensor).ne(0);
  if (!at::isFloatingType(tensor.scalar_type()) || at::isFloatingType(type)) return tensor.to(type);
  return clamped_to(tensor, type);
}

bool lacks_kernels(at::ScalarType type) {
  return type == at::kUInt16 || type == at::kUInt32 || type == at::kUInt64;
}

at::Tensor widened(const at::Tensor& tensor) {
  return lacks_kernels(tensor.scalar_type()) ? tensor.to(at::kLong) : tensor;
}

at::Tensor in_f32(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kHalf ? tensor.to(at::kFloat) : tensor;
}

int64_t checked_axis(int64_t axis, int64_t rank) {
  if (axis < 0 || axis >= rank) fail(cat("there is no axis ", axis, " of ", rank));
  return axis;
}

Ints checked_axes(const KernelCall& call, std::string_view name, int64_t rank) {
  Ints axes = call.ints(name);
  for (const int64_t axis : axes) checked_axis(axis, rank);
  Ints sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    fail(cat(quoted(name), " names an axis twice"));
  return axes;
}

at::Tensor with_merged_axes(const at::Tensor& x, const Ints& axes) {
  Ints order;
  for (int64_t axis = 0; axis < x.dim(); ++axis)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) order.push_back(axis);
  const auto kept = static_cast<int64_t>(order.size());
  order.insert(order.end(), axes.begin(), axes.end());
  return x.permute(order).flatten(kept, -1);
}

Ints reduced_shape(const at::Tensor& x, const Ints& axes) {
  Ints shape = x.sizes().vec();
  for (const int64_t axis : axes) shape[axis] = 1;
  return shape;
}

}  // namespace t2n::interp
