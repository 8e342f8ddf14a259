// SPDX-License-Identifier: Apache-2.0
#include "src/translate/streamed.h"

#include <algorithm>
#include <cmath>

#include "src/draft/axes.h"
#include "src/translate/emitter_state.h"

namespace t2n::ops {
namespace {

/// The streamed axis; std::nullopt if there is none, or more than one.
std::optional<size_t> streamed_axis(const Emitter& out, const Shape& shape) {
  std::optional<size_t> found;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!out.is_streamed(shape[i])) continue;
    if (found) return {};
    found = i;
  }
  return found;
}

/// The difference between a size and a multiple of the input's length.
std::optional<int64_t> offset_of(const Dim& size) {
  const Dim at_zero = size.substitute([](const ir::Symbol&) { return Dim(0); });
  return at_zero.is_constant() ? std::optional(at_zero.value()) : std::nullopt;
}

/// The number of elements of one entry along an axis.
std::optional<int64_t> inner_size(const Shape& shape, size_t axis) {
  int64_t out = 1;
  for (size_t i = axis + 1; i < shape.size(); ++i) {
    if (!shape[i].is_constant()) return {};
    out *= shape[i].value();
  }
  return out;
}

}  // namespace

std::optional<Ref> reshape_streamed(Emitter& out, Ref x, const Shape& shape) {
  Shape from = out.shape(x);
  const auto a = streamed_axis(out, from), b = streamed_axis(out, shape);
  if (!a || !b || from[*a] == shape[*b]) return {};
  const auto before = offset_of(from[*a]), after = offset_of(shape[*b]);
  const auto row = inner_size(from, *a), other_row = inner_size(shape, *b);
  if (!before || !after || !row || !other_row || *before >= 0 ||
      *before * *row != *after * *other_row)
    return {};
  std::vector<std::pair<int64_t, int64_t>> padding(from.size());
  padding[*a].second = -*before;
  Shape padded_shape = shape;
  padded_shape[*b] = shape[*b] - Dim(*after);
  const Ref groups = out.reshape(out.pad(x, padding), padded_shape);
  return out.slice(groups, static_cast<int>(*b), Dim(0), shape[*b]);
}

std::optional<Ref> repeat_streamed(Emitter& out, Ref x, const Shape& shape) {
  const Shape from = out.shape(x);
  if (std::none_of(from.begin(), from.end(),
                   [&](const Dim& size) { return out.is_streamed(size); }))
    return {};
  Ref y = out.unsqueeze(x, draft::all_axes(shape.size() - from.size()));
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    Shape next = out.shape(y);
    if (out.state().agrees(next[axis], shape[axis])) continue;
    if (!shape[axis].is_constant()) return {};
    const Ints zeros(shape[axis].value());
    const Ref index =
        out.constant(ir::tensor_of(DType::i64, {shape[axis].value()}, zeros), "repeats");
    next[axis] = shape[axis];
    y = out.call("tract_core_gather", {y, index}, {{"axis", static_cast<int64_t>(axis)}},
                 out.dtype(x), next);
  }
  return y;
}

std::optional<Ref> enlarge_streamed(Emitter& out, Ref x, int axis, const Dim& size,
                                    std::optional<double> scale) {
  Shape joined = out.shape(x);
  Dim& length = joined[axis];
  if (!out.is_streamed(length)) return {};
  const int64_t factor = out.at_sample(size) / std::max<int64_t>(out.at_sample(length), 1);
  if (!(length * Dim(factor) == size) || factor < 1) return {};
  const double ratio = scale && *scale > 0 ? *scale : static_cast<double>(factor);
  const auto step = static_cast<float>(1.0 / ratio);
  constexpr int64_t kEntries = 1 << 20;
  for (int64_t i = 0; i < kEntries; ++i)
    if (static_cast<int64_t>(std::floor(static_cast<float>(i) * step)) != i / factor) return {};
  const Ref expanded = out.unsqueeze(x, {axis + 1});
  Shape repeated = out.shape(expanded);
  repeated[axis + 1] = factor;
  length = size;
  return out.reshape(out.broadcast_to(expanded, repeated), joined);
}

Ref streamed_steps(Emitter& out, Ref x, int axis, int64_t step) {
  // A pool needs leading batch and channel axes.
  Ints leading;
  for (int i = axis; i < 2; ++i) leading.push_back(static_cast<int64_t>(leading.size()));
  const Ref pooled = out.unsqueeze(x, leading);
  Shape shape = out.shape(pooled);
  const size_t at = static_cast<size_t>(axis) + leading.size();
  Ints ones(shape.size(), 1), stride = ones;
  stride[at] = step;
  shape[at] = floor_div(shape[at] + Dim(step - 1), Dim(step));
  const std::vector<std::pair<int64_t, int64_t>> padding(shape.size());
  const Ref y = out.call("box", {pooled},
                         {{"size", ones},
                          {"border", "ignore"},
                          {"padding", padding},
                          {"stride", stride},
                          {"dilation", ones},
                          {"normalize", true}},
                         out.dtype(x), shape);
  return out.squeeze(y, leading);
}

}  // namespace t2n::ops
