// SPDX-License-Identifier: Apache-2.0
#include "ops/structure/positions.h"

#include <algorithm>

#include "src/diag/error.h"
#include "src/translate/packed.h"
#include "src/translate/sizes.h"
#include "src/translate/unbacked_sizes.h"

namespace t2n::ops {
namespace {

struct Indexed {
  int axis;
  Ref index;  ///< i64
};

/// The positions of true elements: one index per axis of the mask.
std::vector<Ref> known_nonzero(Emitter& out, const ir::Tensor& mask) {
  const Ints flags = ir::to_i64(mask);
  std::vector<Ints> columns(mask.shape.size());
  for (size_t at = 0; at < flags.size(); ++at) {
    if (flags[at] == 0) continue;
    auto rest = static_cast<int64_t>(at);
    for (size_t axis = columns.size(); axis-- > 0; rest /= mask.shape[axis])
      columns[axis].push_back(rest % mask.shape[axis]);
  }
  std::vector<Ref> indices;
  indices.reserve(columns.size());
  for (const Ints& column : columns)
    indices.push_back(int_constant(out, column, {static_cast<int64_t>(column.size())}, "index"));
  return indices;
}

/// `count`: the number of elements that a computed mask selects, if it has a symbol.
std::vector<Ref> indices_of_mask(const OpView& op, Emitter& out, Ref mask,
                                 const std::optional<Dim>& count) {
  const auto known = out.constant_value(mask);
  if (!known && (!count || !is_unbacked(*count) || !out.has(target::Feature::non_zero)))
    op.refuse("indices", Limit::data_dependent_shape, computed_mask_help());
  if (!known) return nonzero_indices(out, mask, *count);
  if (known->shape.empty())
    op.refuse("indices", Limit::mask_without_axes, "index with a mask of the tensor's shape");
  return known_nonzero(out, *known);
}

bool is_mask(const Emitter& out, Ref index) {
  return out.dtype(index) == DType::boolean || out.dtype(index) == DType::u8;
}

/// The first axis of the indices in the shape of the selection.
size_t first_index_axis(const OpView& op, const Emitter& out) {
  Ints axes;
  int64_t axis = 0;
  for (const auto& item : op.opt_tensors("indices")) {
    const int count = item && is_mask(out, *item) ? out.rank(*item) : 1;
    for (int i = 0; i < count; ++i, ++axis)
      if (item) axes.push_back(axis);
  }
  return axes.empty() || !is_adjacent(axes) ? 0 : static_cast<size_t>(axes[0]);
}

std::vector<Indexed> indexed_axes(const OpView& op, Emitter& out, bool reads) {
  std::vector<Indexed> found;
  int axis = 0;
  std::optional<Dim> count;
  if (const size_t axis_of_count = first_index_axis(op, out);
      reads && axis_of_count < op.shape().size())
    count = op.shape()[axis_of_count];
  for (const auto& item : op.opt_tensors("indices")) {
    if (!item) {
      ++axis;
    } else if (is_mask(out, *item)) {
      for (const Ref index : indices_of_mask(op, out, *item, count))
        found.push_back({axis++, index});
    } else {
      found.push_back({axis++, out.cast(*item, DType::i64)});
    }
  }
  return found;
}

/// Row-major positions of constant indices.
Ref merged_constants(Emitter& out, const std::vector<Indexed>& parts, Ref self) {
  Ints shape;
  for (const Indexed& part : parts) shape = broadcast_sizes(shape, out.sizes(part.index));
  Ints flat(static_cast<size_t>(ir::element_count(shape)), 0);
  for (const Indexed& part : parts) {
    const int64_t size = extent(out, self, part.axis);
    const Ref same = out.broadcast_to(wrapped(out, part.index, size), ir::to_shape(shape));
    const Ints values = ir::to_i64(*out.constant_value(same));
    for (size_t i = 0; i < flat.size(); ++i) flat[i] = flat[i] * size + values[i];
  }
  return int_constant(out, flat, shape, "index");
}

Ref merged(Emitter& out, const std::vector<Indexed>& parts, Ref self) {
  const auto is_known = [&](const Indexed& part) {
    return out.constant_value(part.index) && size_of(out, self, part.axis).is_constant();
  };
  if (std::all_of(parts.begin(), parts.end(), is_known)) return merged_constants(out, parts, self);
  Ref flat = wrapped(out, parts[0].index, size_of(out, self, parts[0].axis));
  for (size_t i = 1; i < parts.size(); ++i) {
    const Dim& size = size_of(out, self, parts[i].axis);
    flat = add(out, mul(out, flat, out.size(size, DType::i64)), wrapped(out, parts[i].index, size));
  }
  return flat;
}

}  // namespace

const std::string& computed_masks() {
  static const std::string text =
      cat("masks that the model computes, before tract ",
          target::version_str(target::feature_row(target::Feature::non_zero).since),
          " and in standard NNEF");
  return text;
}

const std::string& computed_mask_help() {
  static const std::string text =
      cat("use torch.where or masked_fill, or export for tract ",
          target::version_str(target::feature_row(target::Feature::non_zero).since), " or newer");
  return text;
}

Positions positions(const OpView& op, Emitter& out, Ref self, bool reads) {
  const std::vector<Indexed> parts = indexed_axes(op, out, reads);
  Positions result;
  for (const Indexed& part : parts) result.axes.push_back(part.axis);
  if (parts.size() == 1) result.index = parts[0].index;
  if (parts.size() > 1) result.index = merged(out, parts, self);
  return result;
}

bool is_adjacent(const Ints& axes) {
  return axes.back() - axes.front() + 1 == static_cast<int64_t>(axes.size());
}

Ints to_front(const Ints& axes, int rank) {
  Ints permutation = axes;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) permutation.push_back(axis);
  return permutation;
}

Rows as_rows(Emitter& out, Ref x, const Ints& axes) {
  const Ints permutation = to_front(axes, out.rank(x));
  const Ref front = out.transpose(x, permutation);
  const Shape shape = out.shape(front);
  const auto indexed = static_cast<std::ptrdiff_t>(axes.size());
  Dim count = 1;
  std::for_each(shape.begin(), shape.begin() + indexed,
                [&](const Dim& size) { count = count * size; });
  Shape merged(shape.begin() + indexed, shape.end());
  merged.insert(merged.begin(), count);
  return {out.reshape(front, merged), shape, permutation};
}

Ref from_rows(Emitter& out, Ref y, const Rows& rows) {
  return out.transpose(out.reshape(y, rows.shape), inverse(rows.permutation));
}

Ref wrapped(Emitter& out, Ref index, const Dim& size) {
  if (const auto known = out.constant_value(index)) {
    Ints values = ir::to_i64(*known);
    const bool is_plain = std::all_of(values.begin(), values.end(), [](auto v) { return v >= 0; });
    if (is_plain || size.is_constant()) {
      for (int64_t& value : values)
        if (value < 0) value += size.value();
      return int_constant(out, values, known->shape, "index");
    }
  }
  const Ref from_end = add(out, index, out.size(size, out.dtype(index)));
  return select(out, compare(out, "lt", index, like(out, 0, index)), from_end, index);
}

Ref take(Emitter& out, Ref x, const std::vector<int64_t>& indices, int axis) {
  const auto count = static_cast<int64_t>(indices.size());
  return take(out, x, int_constant(out, indices, {count}, "indices"), axis);
}

Ref take(Emitter& out, Ref x, Ref index, int axis) {
  Shape shape = out.shape(x);
  const Shape& selected = out.shape(index);
  shape.erase(shape.begin() + axis);
  shape.insert(shape.begin() + axis, selected.begin(), selected.end());
  Attributes attributes = {{"axis", axis}};
  if (is_q4_0(out, x))
    attributes.emplace_back("datum_type", std::string(ir::dtype_name(out.dtype(x))));
  return out.call("tract_core_gather", {x, index}, attributes, out.dtype(x), shape);
}

}  // namespace t2n::ops
