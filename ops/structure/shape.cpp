// SPDX-License-Identifier: Apache-2.0
// Rearrangements of the same elements: reshapes, permutations, broadcasts and repetitions.
#include <algorithm>
#include <numeric>

#include "ops/structure/families.h"
#include "ops/structure/index.h"
#include "ops/structure/positions.h"
#include "ops/structure/product.h"
#include "src/translate/arith.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

/// torch has computed the shape, so the arguments that led to it carry no more information.
void as_result_shape(const OpView& op, Emitter& out) {
  ignore_present(op, {"size", "shape", "stride", "start_dim", "end_dim", "dim", "sizes", "other"},
                 "the result's shape shows it");
  out.result(out.reshape(op.tensor("self"), op.shape()));
}

/// One of the operators that add axes until a tensor has one, two or three.
void list_as_result_shape(const OpView& op, Emitter& out) {
  const std::vector<Ref> tensors = op.tensors("tensors");
  for (int i = 0; i < op.outputs(); ++i) out.result(out.reshape(tensors.at(i), op.shape(i)), i);
}

void same_elements(const OpView& op, Emitter& out) { out.result(op.tensor("self")); }

/// Reads the bits of one dtype as another.
void view_dtype(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  if (op.opt_dtype("dtype") != out.dtype(x))
    op.refuse("dtype", Limit::reinterpretation, "convert the values with .to(dtype)");
  out.result(x);
}

void squeeze(const OpView& op, Emitter& out) {
  Ref x = op.tensor("self");
  const int rank = out.rank(x);
  const Ints requested = op.has_argument("dim") && rank > 0 ? op.axes("dim", rank) : all_axes(rank);
  if (op.has_argument("dim")) op.ignore("dim", "of rank 0 there is nothing to take");
  // An empty list of dims selects none, while op.axes() means all.
  if (out.rank(x) == op.rank()) return out.result(x);
  const auto size = [&](int64_t axis) { return out.shape(x)[axis]; };
  Ints ones;
  std::copy_if(requested.begin(), requested.end(), std::back_inserter(ones),
               [&](int64_t axis) { return size(axis) == Dim(1); });
  // The model asserts that a symbolic axis which the result lacks has size 1: `T // 12 == 1`.
  for (const int64_t axis : requested) {
    const auto remaining = std::find(op.shape().begin(), op.shape().end(), size(axis));
    if (rank - static_cast<int>(ones.size()) == op.rank()) break;
    if (size(axis).is_constant() || remaining != op.shape().end()) continue;
    x = out.slice(x, static_cast<int>(axis), 0, 1);
    ones.push_back(axis);
  }
  std::sort(ones.begin(), ones.end());
  out.result(out.squeeze(x, ones));
}

void unsqueeze(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  out.result(out.unsqueeze(x, {op.axis("dim", out.rank(x) + 1)}));
}

void expand(const OpView& op, Emitter& out) {
  ignore_present(op, {"size", "other", "implicit"}, "the result's shape shows it");
  out.result(out.broadcast_to(op.tensor("self"), op.shape()));
}

void broadcast_tensors(const OpView& op, Emitter& out) {
  const std::vector<Ref> tensors = op.tensors("tensors");
  for (int i = 0; i < op.outputs(); ++i)
    out.result(out.broadcast_to(tensors.at(i), op.shape(i)), i);
}

bool is_empty(const Shape& shape) {
  return std::find(shape.begin(), shape.end(), Dim(0)) != shape.end();
}

Ref empty(Emitter& out, DType dtype, const Shape& shape) {
  return out.full(out.scalar(0.0, dtype), shape);
}

/// `repeats` counts from the last axis; missing ones are 1. Repeats the entries of a streamed
/// tensor along axes of known size, since tract does not tile it.
std::optional<Ref> tiled_pieces(Emitter& out, Ref x, const Shape& repeats) {
  const Shape shape = out.shape(x);
  if (std::none_of(shape.begin(), shape.end(),
                   [&](const Dim& size) { return out.is_streamed(size); }))
    return {};
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (repeats[axis] == Dim(1)) continue;
    if (!shape[axis].is_constant() || !repeats[axis].is_constant()) return {};
    std::vector<int64_t> entries;
    for (int64_t i = 0; i < repeats[axis].value() * shape[axis].value(); ++i)
      entries.push_back(i % shape[axis].value());
    x = take(out, x, entries, static_cast<int>(axis));
  }
  return x;
}

void tile(const OpView& op, Emitter& out) {
  Shape repeats = op.dims(op.has_argument("repeats") ? "repeats" : "dims");
  const int rank = op.rank();
  repeats.insert(repeats.begin(), static_cast<size_t>(rank) - repeats.size(), Dim(1));
  const Ref x = with_rank(out, op.tensor("self"), rank);
  if (is_empty(op.shape())) return out.result(empty(out, op.dtype(), op.shape()));
  if (out.shape(x) == op.shape()) return out.result(x);
  if (const auto tiled = tiled_pieces(out, x, repeats)) return out.result(*tiled);
  bool is_broadcast = !is_static(op.shape()) || out.varies(x);
  for (size_t i = 0; i < repeats.size(); ++i)
    is_broadcast = is_broadcast && (repeats[i] == Dim(1) || out.shape(x)[i] == Dim(1));
  if (is_broadcast) return out.result(out.broadcast_to(x, op.shape()));
  out.result(out.call(op.nnef(), {x}, {{"repeats", repeats}}, op.dtype(), op.shape()));
}

/// Each entry along an axis `repeats` times before the next.
void repeat_each(const OpView& op, Emitter& out, Ref x, int axis, const Dim& repeats) {
  const Ref separate = out.unsqueeze(out.rank(x) == 0 ? out.unsqueeze(x, {0}) : x, {axis + 1});
  const Shape shape = with_size(out.shape(separate), axis + 1, repeats);
  out.result(out.reshape(out.broadcast_to(separate, shape), op.shape()));
}

void repeat_interleave(const OpView& op, Emitter& out) {
  op.ignore("output_size", "depends on repeats");
  const bool is_flat = op.is_none("dim");
  const Ref x = is_flat ? flattened(out, op.tensor("self")) : op.tensor("self");
  repeat_each(op, out, x, is_flat ? 0 : op.axis("dim", out.rank(x)), op.dim("repeats"));
}

/// Entry i occurs repeats[i] times.
std::vector<int64_t> repeated_indices(const std::vector<int64_t>& repeats, int64_t size) {
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < size; ++i) {
    const int64_t count = repeats.size() == 1 ? repeats[0] : repeats.at(i);
    indices.insert(indices.end(), static_cast<size_t>(count), i);
  }
  return indices;
}

void repeat_interleave_tensor(const OpView& op, Emitter& out) {
  op.ignore("output_size", "depends on repeats");
  const bool is_flat = op.is_none("dim");
  const Ref x = is_flat ? flattened(out, op.tensor("self")) : op.tensor("self");
  const int axis = is_flat ? 0 : op.axis("dim", out.rank(x));
  if (const Ref repeats = op.tensor("repeats"); has_computed_repeats(out, repeats, op)) {
    const Dim entries = out.rank(x) == 0 ? Dim(1) : size_of(out, x, axis);
    const Dim& count = op.shape().at(axis);
    return finish(
        op, out,
        take(out, at_least_1d(out, x),
             computed_repeat_indices(out, at_least_1d(out, repeats), entries, count), axis));
  }
  const Ints repeats = ir::to_i64(op.constant("repeats"));
  if (repeats.size() == 1 && !is_static(out.shape(x)))
    return repeat_each(op, out, x, axis, Dim(repeats[0]));
  const auto indices = repeated_indices(repeats, known_size(out, x, axis));
  if (indices.empty()) return out.result(empty(out, op.dtype(), op.shape()));
  out.result(take(out, x, indices, axis));
}

void repeat_interleave_indices(const OpView& op, Emitter& out) {
  op.ignore("output_size", "depends on repeats");
  if (const Ref repeats = op.tensor("repeats"); has_computed_repeats(out, repeats, op))
    return finish(op, out,
                  computed_repeat_indices(out, repeats, size_of(out, repeats, 0), op.shape()[0]));
  const std::vector<int64_t> repeats = ir::to_i64(op.constant("repeats"));
  const auto indices = repeated_indices(repeats, static_cast<int64_t>(repeats.size()));
  out.result(out.cast(int_constant(out, indices, op.sizes(), "indices"), op.dtype()));
}

void swap_axes(const OpView& op, Emitter& out, std::string_view a, std::string_view b) {
  const Ref x = op.tensor("self");
  const int rank = out.rank(x);
  const size_t first = op.axis(a, rank);
  const size_t last = op.axis(b, rank);
  if (rank == 0) return out.result(x);
  Ints permutation = all_axes(rank);
  std::swap(permutation[first], permutation[last]);
  out.result(out.transpose(x, permutation));
}

void transpose(const OpView& op, Emitter& out) { swap_axes(op, out, "dim0", "dim1"); }

void swap_last(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  Ints permutation = all_axes(out.rank(x));
  if (permutation.size() > 1) std::swap(permutation.end()[-1], permutation.end()[-2]);
  out.result(out.transpose(x, permutation));
}

void reverse_axes(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  Ints permutation = all_axes(out.rank(x));
  std::reverse(permutation.begin(), permutation.end());
  out.result(out.transpose(x, permutation));
}

/// Keeps the given order, unlike OpView::axes.
Ints ordered_axes(const OpView& op, std::string_view name, int rank) {
  Ints axes = op.expand_ints(name, static_cast<int>(op.ints(name).size()));
  for (int64_t& axis : axes)
    if (axis < 0) axis += rank;
  return axes;
}

void permute(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  out.result(out.transpose(x, ordered_axes(op, "dims", out.rank(x))));
}

void movedim(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const int rank = out.rank(x);
  if (rank == 0) {
    op.ignore_all({"source", "destination"}, "of rank 0 there is nothing to move");
    return out.result(x);
  }
  const Ints from = ordered_axes(op, "source", rank);
  const Ints to = ordered_axes(op, "destination", rank);
  Ints permutation(static_cast<size_t>(rank), -1);
  for (size_t i = 0; i < from.size(); ++i) permutation[to[i]] = from[i];
  int64_t rest = 0;
  for (int64_t& axis : permutation) {
    if (axis >= 0) continue;
    while (std::find(from.begin(), from.end(), rest) != from.end()) ++rest;
    axis = rest++;
  }
  out.result(out.transpose(x, permutation));
}

void register_facts(Registry& r) {
  r.bounds({bounds::kept},
           "view reshape _reshape_alias view_as reshape_as flatten ravel squeeze unsqueeze "
           "expand expand_as permute transpose t unflatten repeat tile broadcast_to "
           "broadcast_tensors movedim moveaxis swapaxes swapdims adjoint mH mT numpy_T "
           "matrix_H atleast_1d atleast_2d atleast_3d repeat_interleave real");
  r.zero_signs(ZeroSign::propagated,
               "view _unsafe_view reshape _reshape_alias permute transpose t unsqueeze "
               "squeeze flatten movedim unflatten expand");
  r.rearranges({.sizes = "size", .last_size = 2},
               "_reshape_alias _unsafe_view broadcast_to expand view");
  r.rearranges({.axes = {"start_dim", "end_dim"}}, "flatten");
  r.rearranges({.axes = {"source", "destination"}}, "movedim moveaxis");
  r.rearranges({.order = "dims"}, "permute");
  r.rearranges({.sizes = "repeats", .last_size = 1}, "repeat");
  r.rearranges({.sizes = "shape", .last_size = 2}, "reshape");
  r.rearranges({.axes = {"dim"}}, "squeeze unflatten");
  r.rearranges({.axes = {"axis0", "axis1"}}, "swapaxes");
  r.rearranges({.axes = {"dim0", "dim1"}}, "swapdims transpose");
  r.rearranges({.sizes = "dims", .last_size = 1}, "tile");
  r.rearranges({.axes = {"dim"}, .adds_axis = true}, "unsqueeze");
  r.linear(
      "T atleast_1d atleast_2d atleast_3d broadcast_tensors mT numpy_T ravel "
      "repeat_interleave t");
}

}  // namespace

void register_shape(Registry& r) {
  r.same({"aten::reshape", "aten::view", "aten::_unsafe_view", "aten::_reshape_alias",
          "aten::view_copy", "aten::_reshape_copy", "aten::flatten.using_ints",
          "aten::unflatten.int", "aten::ravel", "aten::view_as", "aten::reshape_as",
          "aten::atleast_1d", "aten::atleast_2d", "aten::atleast_3d"},
         {"reshape", "the same elements in row-major order, in another shape", as_result_shape});
  r.same({"aten::atleast_1d.Sequence", "aten::atleast_2d.Sequence", "aten::atleast_3d.Sequence"},
         {"reshape", "each tensor with axes of extent 1 added", list_as_result_shape});
  r.elementwise(
      {"aten::real", "aten::conj", "aten::_conj", "aten::conj_physical"},
      {"complex-to-pairs", "the real part, or the conjugate; of real numbers the tensor itself",
       same_elements});
  r.same({"aten::view.dtype", "aten::view_copy.dtype"},
         {"", "the same bits as another dtype", view_dtype, {}, "another dtype is refused"});
  r.same({"aten::squeeze", "aten::squeeze.dim", "aten::squeeze.dims", "aten::squeeze_copy",
          "aten::squeeze_copy.dim", "aten::squeeze_copy.dims"},
         {"squeeze", "without axes of extent 1", squeeze});
  r.same({"aten::unsqueeze", "aten::unsqueeze_copy"},
         {"unsqueeze", "with an axis of extent 1 at dim", unsqueeze});
  r.same({"aten::expand", "aten::expand_as", "aten::broadcast_to", "aten::expand_copy"},
         {"tract_core_broadcast", "axes of extent 1 repeated", expand});
  r.same({"aten::broadcast_tensors"},
         {"tract_core_broadcast", "all tensors expanded to one shape", broadcast_tensors});
  r.same({"aten::repeat", "aten::tile"}, {"tile", "the tensor repeated along each axis", tile});
  r.same({"aten::repeat_interleave.self_int"},
         {"tract_core_broadcast", "each entry of an axis repeated", repeat_interleave});
  r.same({"aten::repeat_interleave.self_Tensor"}, {"tract_core_gather",
                                                   "entry i of an axis repeated repeats[i] times",
                                                   repeat_interleave_tensor,
                                                   {},
                                                   "repeats must be known at export"});
  r.same({"aten::repeat_interleave.Tensor"}, {"",
                                              "i, repeats[i] times",
                                              repeat_interleave_indices,
                                              {},
                                              "repeats must be known at export"});
  r.same({"aten::transpose.int", "aten::swapdims", "aten::transpose_copy.int"},
         {"transpose", "two axes exchanged", transpose});
  r.same({"aten::t", "aten::t_copy", "aten::mT", "aten::mH", "aten::adjoint", "aten::matrix_H"},
         {"transpose", "the last two axes exchanged", swap_last});
  r.same({"aten::numpy_T"}, {"transpose", "all axes in reverse order", reverse_axes});
  r.same({"aten::permute", "aten::permute_copy"}, {"transpose", "axes in another order", permute});
  r.same({"aten::movedim.int", "aten::movedim.intlist", "aten::moveaxis.int",
          "aten::moveaxis.intlist"},
         {"transpose", "some axes moved, the others in their order", movedim});
  register_facts(r);
}

}  // namespace t2n::ops
