// SPDX-License-Identifier: Apache-2.0
// Operations on the geometry of tensors: statements, or new strides for constants.
#include <algorithm>
#include <utility>

#include "src/diag/error.h"
#include "src/draft/axes.h"
#include "src/tract_forms/sizes/size_text.h"
#include "src/translate/emitter.h"
#include "src/translate/emitter_body.h"
#include "src/translate/emitter_state.h"
#include "src/translate/sizes.h"
#include "src/translate/streamed.h"

namespace t2n::ops {
namespace {

using Padding = std::vector<std::pair<int64_t, int64_t>>;

bool is_ascending(const Ints& axes, int rank) {
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i] < 0 || axes[i] >= rank || (i > 0 && axes[i] <= axes[i - 1])) return false;
  return true;
}

bool has_no_elements(const Shape& shape) {
  return std::find(shape.begin(), shape.end(), Dim(0)) != shape.end() && is_static(shape);
}

Shape inserted(const Shape& shape, const Ints& axes) {
  Shape out = shape;
  for (const int64_t axis : axes) out.insert(out.begin() + axis, Dim(1));
  return out;
}

/// The number of elements of a shape as tract infers it.
Dim elements_found(const Shape& shape) {
  Dim out = 1;
  for (const Dim& size : shape) out = out * tract_forms::parsed_form(size);
  return out;
}

bool has_quotient(const Dim& size) { return has_operation<ir::FloorDiv>(size); }

/// An empty constant of that shape.
ir::Tensor empty_tensor(DType dtype, const Shape& shape) {
  return ir::allocate(dtype, ir::static_shape(shape)).tensor;
}

}  // namespace

Ref Emitter::reshape(Ref x, const Shape& shape) {
  const TensorEntry entry = state_->at(x);
  if (entry.shape == shape) return x;
  if (is_static(entry.shape) && is_static(shape)) {
    T2N_ASSERT(ir::element_count(ir::static_shape(entry.shape)) ==
                   ir::element_count(ir::static_shape(shape)),
               "reshape of ", ir::shape_str(entry.shape), " to ", ir::shape_str(shape));
    // A 0 in the shape of tract's reshape means "as before".
    if (has_no_elements(shape)) return constant(empty_tensor(entry.dtype, shape), "empty");
  }
  if (is_static(shape))
    if (const auto stored = state_->stored_in_shape(x, shape)) return *stored;
  if (const auto groups = reshape_streamed(*this, x, shape)) return *groups;
  if (shape.empty()) return squeeze(x, draft::all_axes(entry.shape.size()));
  if (entry.shape.empty()) return unsqueeze(x, draft::all_axes(shape.size()));
  const bool is_dynamic = !is_static(entry.shape) || !is_static(shape);
  if (is_dynamic && !target::has(state_->target, target::Feature::open_sizes))
    return reshape_groups(x, shape);
  const Dim count = element_count(shape);
  if (is_dynamic && elements_found(entry.shape) != elements_found(shape)) {
    const Ref flat = call("reshape", {x}, {{"shape", Ints{-1}}}, entry.dtype, {count});
    x = ir::is_unbacked(count) ? slice_dynamic(flat, 0, 0, count) : sized(flat, 0, count);
  } else if (is_dynamic && std::any_of(shape.begin(), shape.end(), has_quotient)) {
    // tract writes S + S/2 as (3*S)/2 in some places only, so sizes that stay are left out.
    return reshape_groups(x, shape);
  }
  return call("reshape", {x}, {{"shape", shape}}, entry.dtype, shape);
}

Ref Emitter::unsqueeze(Ref x, const Ints& axes) {
  const TensorEntry entry = state_->at(x);
  const Shape shape = inserted(entry.shape, axes);
  T2N_ASSERT(is_ascending(axes, static_cast<int>(shape.size())), "unsqueeze axes not ascending");
  if (axes.empty()) return x;
  if (is_static(shape))
    if (const auto stored = state_->stored_in_shape(x, shape)) return *stored;
  return reshaped("unsqueeze", x, axes, shape);
}

/// In the body of a scan, an axis is never removed and added again, or the reverse: tract 0.23
/// moves such pairs out and in endlessly.
Ref Emitter::reshaped(const char* op, Ref x, const Ints& axes, const Shape& shape) {
  const tract_forms::Facts& known = std::as_const(*state_).facts(x);
  if (known.reshaped && known.reshaped_axes == axes && state_->at(*known.reshaped).shape == shape)
    return *known.reshaped;
  const Ref out = call(op, {x}, {{"axes", axes}}, state_->at(x).dtype, shape);
  if (state_->is_body) {
    state_->facts(out).reshaped = x;
    state_->facts(out).reshaped_axes = axes;
  }
  return out;
}

Ref Emitter::squeeze(Ref x, const Ints& axes) {
  const TensorEntry entry = state_->at(x);
  T2N_ASSERT(is_ascending(axes, rank(x)), "squeeze axes not ascending");
  if (axes.empty()) return x;
  Ints kept;
  Shape shape;
  for (int64_t axis = 0; axis < rank(x); ++axis) {
    const Dim& size = entry.shape[axis];
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) {
      kept.push_back(axis);
      shape.push_back(size);
    } else {
      T2N_ASSERT(size == Dim(1), "squeeze of an axis of size ", size.str());
    }
  }
  if (const auto stored = state_->stored_with_axes(x, kept)) return *stored;
  return reshaped("squeeze", x, axes, shape);
}

Ref Emitter::transpose(Ref x, const Ints& permutation) {
  const TensorEntry entry = state_->at(x);
  Ints sorted = permutation;
  std::sort(sorted.begin(), sorted.end());
  T2N_ASSERT(is_ascending(sorted, rank(x)) && rank(x) == static_cast<int>(permutation.size()),
             "transpose needs each axis once");
  if (sorted == permutation) return x;
  if (const auto stored = state_->stored_with_axes(x, permutation)) return *stored;
  Shape shape;
  for (const int64_t axis : permutation) shape.push_back(entry.shape[axis]);
  return call("transpose", {x}, {{"axes", permutation}}, entry.dtype, shape);
}

/// A gather instead of a slice with a stride, which tract 0.22 and 0.23 refuse for a reshaped
/// tensor.
Ref Emitter::gather_steps(Ref x, int axis, int64_t first, int64_t count, int64_t step) {
  std::vector<int64_t> entries;
  for (int64_t i = 0; i < count; ++i) entries.push_back(first + i * step);
  const Ref indices = constant(ir::tensor_of(DType::i64, {count}, entries), "steps");
  Shape shape = this->shape(x);
  shape[axis] = count;
  return call("tract_core_gather", {x, indices}, {{"axis", axis}}, dtype(x), shape);
}

Ref Emitter::slice(Ref x, int axis, int64_t begin, int64_t end, int64_t stride) {
  const TensorEntry entry = state_->at(x);
  Shape shape = entry.shape;
  Dim& size = shape.at(axis);
  T2N_ASSERT(stride != 0 && begin >= 0 && begin <= end &&
                 (!size.is_constant() || end <= size.value()) &&
                 (stride > 0 || (begin == 0 && size == Dim(end))),
             "slice ", begin, ":", end, ":", stride, " of ", size.str());
  if (begin == 0 && size == Dim(end) && stride == 1) return x;
  const int64_t step = stride < 0 ? -stride : stride;
  const int64_t count = (end - begin + step - 1) / step;
  size = count;
  if (has_no_elements(shape)) return constant(empty_tensor(entry.dtype, shape), "empty");
  // tract moves an empty slice before the operation that adds the axis, and contradicts itself.
  if (count == 0) return gather_steps(x, axis, begin, 0, 1);
  if (stride == 1 && !entry.shape[axis].is_constant()) return slice_dynamic(x, axis, begin, end);
  if (stride > 0)
    if (const auto stored = state_->stored_slice(x, axis, begin, count, stride)) return *stored;
  if (stride != 1) return gather_steps(x, axis, stride < 0 ? end - 1 : begin, count, stride);
  return call("slice", {x}, {{"axes", Ints{axis}}, {"begin", Ints{begin}}, {"end", Ints{end}}},
              entry.dtype, shape);
}

/// tract confuses the shapes before and after if a constant is broadcast to a symbolic size
/// ("Incompatible reshape"). The entries are gathered by an index that tract cannot evaluate.
Ref Emitter::gather_broadcast(Ref x, const Shape& shape) {
  Ref out = unsqueeze(x, draft::all_axes(shape.size() - this->shape(x).size()));
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis].is_constant() || this->shape(out)[axis] != Dim(1)) continue;
    const Ref zeros = elementwise("min", {range(shape[axis]), scalar(0, DType::i64)});
    Shape next = this->shape(out);
    next[axis] = shape[axis];
    out = call("tract_core_gather", {out, zeros}, {{"axis", static_cast<int64_t>(axis)}}, dtype(x),
               next);
  }
  return broadcast_to(out, shape);
}

Ref Emitter::broadcast_to(Ref x, const Shape& shape) {
  const TensorEntry entry = state_->at(x);
  if (state_->agrees(entry.shape, shape)) return x;
  const size_t added = shape.size() - entry.shape.size();
  T2N_ASSERT(shape.size() >= entry.shape.size(), "broadcast to a lower rank");
  for (size_t i = 0; i < entry.shape.size(); ++i)
    T2N_ASSERT(entry.shape[i] == Dim(1) || state_->agrees(entry.shape[i], shape[added + i]),
               "broadcast of ", ir::shape_str(entry.shape), " to ", ir::shape_str(shape));
  if (has_no_elements(shape)) return constant(empty_tensor(entry.dtype, shape), "empty");
  if (is_static(shape))
    if (const auto stored = state_->stored_repeated(x, shape)) return *stored;
  // tract hoists a broadcast out of a body, but keeps the shape that it has there.
  if (entry.varies) return broadcast_varying(*this, x, shape);
  if (const auto repeated = repeat_streamed(*this, x, shape)) return *repeated;
  // Before a product, tract loses an axis that a broadcast adds.
  if (added > 0 && entry.kind != TensorEntry::Kind::constant)
    return broadcast_to(unsqueeze(x, draft::all_axes(added)), shape);
  if (entry.kind == TensorEntry::Kind::constant && !is_static(shape) &&
      !target::streams(state_->target))
    return gather_broadcast(x, shape);
  return call("tract_core_broadcast", {x}, {{"shape", shape}}, entry.dtype, shape);
}

Ref Emitter::concat(const std::vector<Ref>& parts, int axis) {
  const size_t at = axis;
  std::vector<Ref> filled;
  Shape shape = this->shape(parts.at(0));
  shape.at(at) = 0;
  for (const Ref part : parts) {
    T2N_ASSERT(dtype(part) == dtype(parts[0]), "concat of ", ir::dtype_name(dtype(parts[0])),
               " and ", ir::dtype_name(dtype(part)));
    shape[at] = shape[at] + this->shape(part).at(at);
    if (has_no_elements(this->shape(part))) continue;
    filled.push_back(part);
  }
  if (filled.empty()) return constant(empty_tensor(dtype(parts[0]), shape), "empty");
  if (filled.size() == 1) return filled[0];
  if (const auto stored = state_->stored_joined(filled, axis, shape)) return *stored;
  Dim size = 0;
  for (Ref& part : filled) {
    size = size + tract_forms::parsed_form(this->shape(part)[at]);
    Shape shape_of_part = this->shape(filled[0]);
    shape_of_part[at] = this->shape(part)[at];
    part = with_named_sizes(*this, part, shape_of_part);
  }
  const Ref all = call_list("concat", filled, {{"axis", axis}}, dtype(parts[0]), shape);
  // tract does not know that (S + 1)/2 + S/2 is S.
  const bool is_inferred = size == tract_forms::parsed_form(shape[at]) || is_streamed(shape[at]);
  return is_inferred ? all : sized(all, axis, shape[at]);
}

Ref Emitter::pad(Ref x, const Padding& padding, double value) {
  const auto is_zero = [](const auto& p) { return p.first == 0 && p.second == 0; };
  T2N_ASSERT(static_cast<int>(padding.size()) == rank(x), "pad needs one pair per axis");
  if (std::all_of(padding.begin(), padding.end(), is_zero)) return x;
  if (dtype(x) == DType::boolean)  // tract pads numbers only
    return cast(pad(cast(x, DType::u8), padding, value), DType::boolean);
  Shape shape = this->shape(x);
  for (size_t i = 0; i < padding.size(); ++i) {
    T2N_ASSERT(padding[i].first >= 0 && padding[i].second >= 0, "negative padding is a slice");
    shape[i] = shape[i] + Dim(padding[i].first + padding[i].second);
  }
  return call("pad", {x}, {{"padding", padding}, {"border", "constant"}, {"value", value}},
              dtype(x), shape);
}

}  // namespace t2n::ops
