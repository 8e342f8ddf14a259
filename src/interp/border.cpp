// SPDX-License-Identifier: Apache-2.0
#include "src/interp/border.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>

#include "src/diag/error.h"
#include "src/interp/operands.h"

namespace t2n::interp {
namespace {

/// The source index of entry `at`, which may be outside an axis of `size`.
int64_t source_index(int64_t at, int64_t size, const std::string& border) {
  if (border == "replicate" || border == "replicated") return std::clamp<int64_t>(at, 0, size - 1);
  const bool even = border == "reflect-even";
  if (!even && border != "reflect") fail(cat("there is no border ", quoted(border)));
  if (at < 0) return even ? -at - 1 : -at;
  if (at >= size) return 2 * size - at - (even ? 1 : 2);
  return at;
}

at::Tensor extended_axis(const at::Tensor& tensor, int64_t axis, std::pair<int64_t, int64_t> width,
                         const std::string& border) {
  const int64_t size = tensor.size(axis);
  Ints indices;
  for (int64_t at = -width.first; at < size + width.second; ++at) {
    indices.push_back(source_index(at, size, border));
    if (indices.back() < 0 || indices.back() >= size)
      fail(
          cat("a border of ", std::max(width.first, width.second), " is too wide for size ", size));
  }
  return tensor.index_select(axis, at::tensor(indices, at::kLong));
}

at::Tensor constant_extended(const at::Tensor& tensor, const Padding& padding, double value) {
  Ints from_last;
  for (auto pair = padding.rbegin(); pair != padding.rend(); ++pair) {
    from_last.push_back(pair->first);
    from_last.push_back(pair->second);
  }
  const at::Tensor wide = widened(tensor);
  return at::constant_pad_nd(wide, from_last, value).to(tensor.scalar_type());
}

}  // namespace

at::Tensor extended(const at::Tensor& tensor, const Padding& padding, const std::string& border,
                    double value) {
  if (static_cast<int64_t>(padding.size()) != tensor.dim())
    fail(cat("paddings of ", padding.size(), " axes for a tensor of rank ", tensor.dim()));
  const auto is_empty = [](const auto& pair) { return pair.first == 0 && pair.second == 0; };
  if (std::all_of(padding.begin(), padding.end(), is_empty)) return tensor;
  if (border == "constant") return constant_extended(tensor, padding, value);
  at::Tensor out = tensor;
  for (size_t axis = 0; axis < padding.size(); ++axis)
    if (!is_empty(padding[axis]))
      out = extended_axis(out, static_cast<int64_t>(axis), padding[axis], border);
  return out;
}

}  // namespace t2n::interp
