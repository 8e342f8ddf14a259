#include "src/translate/streamed.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/translate/emitter_state.h"

namespace t2n::ops {
namespace {

/// The axis that is streamed; nothing if there is none, or more than one.
std::optional<size_t> streamed_axis(const Emitter& out, const Shape& shape) {
  std::optional<size_t> found;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!out.is_streamed(shape[i])) continue;
    if (found) return {};
    found = i;
  }
  return found;
}

/// What a size exceeds a multiple of the input's length by.
std::optional<int64_t> offset_of(const Dim& size) {
  const Dim none = size.substitute([](const ir::Symbol&) { return Dim(0); });
  return none.is_constant() ? std::optional(none.value()) : std::nullopt;
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
  const auto row = inner_size(from, *a), other = inner_size(shape, *b);
  if (!before || !after || !row || !other || *before >= 0 || *before * *row != *after * *other)
    return {};
  std::vector<std::pair<int64_t, int64_t>> padding(from.size());
  padding[*a].second = -*before;
  Shape whole = shape;
  whole[*b] = shape[*b] - Dim(*after);
  const Ref groups = out.reshape(out.pad(x, padding), whole);
  return out.slice(groups, static_cast<int>(*b), Dim(0), shape[*b]);
}

std::optional<Ref> repeat_streamed(Emitter& out, Ref x, const Shape& shape) {
  const Shape from = out.shape(x);
  if (std::none_of(from.begin(), from.end(),
                   [&](const Dim& size) { return out.is_streamed(size); }))
    return {};
  Ints leading(shape.size() - from.size());
  std::iota(leading.begin(), leading.end(), 0);
  Ref y = out.unsqueeze(x, leading);
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    Shape now = out.shape(y);
    if (out.state().agrees(now[axis], shape[axis])) continue;
    if (!shape[axis].is_constant()) return {};
    const Ints zeros(static_cast<size_t>(shape[axis].value()));
    const Ref index =
        out.constant(ir::tensor_of(DType::i64, {shape[axis].value()}, zeros), "repeats");
    now[axis] = shape[axis];
    y = out.call("tract_core_gather", {y, index}, {{"axis", static_cast<int64_t>(axis)}},
                 out.dtype(x), now);
  }
  return y;
}

std::optional<Ref> enlarge_streamed(Emitter& out, Ref x, int axis, const Dim& size,
                                    std::optional<double> scale) {
  Shape joined = out.shape(x);
  Dim& length = joined[static_cast<size_t>(axis)];
  if (!out.is_streamed(length)) return {};
  const int64_t factor = out.at_sample(size) / std::max<int64_t>(out.at_sample(length), 1);
  if (!(length * Dim(factor) == size) || factor < 1) return {};
  const double given = scale && *scale > 0 ? *scale : static_cast<double>(factor);
  const auto step = static_cast<float>(1.0 / given);
  constexpr int64_t kEntries = 1 << 20;
  for (int64_t i = 0; i < kEntries; ++i)
    if (static_cast<int64_t>(std::floor(static_cast<float>(i) * step)) != i / factor) return {};
  const Ref apart = out.unsqueeze(x, {axis + 1});
  Shape repeated = out.shape(apart);
  repeated[static_cast<size_t>(axis) + 1] = factor;
  length = size;
  return out.reshape(out.broadcast_to(apart, repeated), joined);
}

Ref streamed_steps(Emitter& out, Ref x, int axis, int64_t step) {
  // Pools have batch and channel axes, along which they do not move.
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
