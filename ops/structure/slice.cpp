// SPDX-License-Identifier: Apache-2.0
// Parts of a tensor along an axis: slices, splits, reversals, rotations, differences.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "ops/structure/families.h"
#include "ops/structure/positions.h"
#include "src/diag/error.h"
#include "src/translate/arith.h"
#include "src/translate/integer_division.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

/// -1 counts from the end.
Dim index_of(Emitter& out, Ref x, int axis, const Dim& index) {
  return out.at_sample(index) >= 0 ? index : index + size_of(out, x, axis);
}

Ref entry_at(Emitter& out, Ref x, int axis, const Dim& index) {
  return out.squeeze(out.slice(x, axis, index, index + Dim(1)), {axis});
}

void select_entry(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const int axis = op.axis("dim", out.rank(x));
  out.result(entry_at(out, x, axis, index_of(out, x, axis, op.dim("index"))));
}

constexpr int64_t kNoEnd = std::numeric_limits<int64_t>::max();

/// A slice with symbolic bounds.
Ref symbolic_slice(const OpView& op, Emitter& out, Ref x, int axis) {
  const Dim& size = size_of(out, x, axis);
  const Dim& count = op.shape()[axis];
  const SliceRange range = symbolic_range(op, out, size, count);
  if (count == size) return x;
  const Ref part = out.slice(x, axis, range.begin, range.end, op.i64("step"));
  // tract does not know that N - min(N, 1) is max(N - 1, 0).
  return ir::has_choice(range.begin) ? out.sized(part, axis, count) : part;
}

void slice(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const int axis = op.axis("dim", out.rank(x));
  const bool is_symbolic =
      !size_of(out, x, axis).is_constant() || op.is_symbolic("start") || op.is_symbolic("end");
  if (is_symbolic) return out.result(symbolic_slice(op, out, x, axis));
  const int64_t step = op.i64("step");
  const int64_t start = op.opt_i64("start").value_or(0);
  const int64_t end = op.opt_i64("end").value_or(kNoEnd);
  const int64_t count = known_size(out, x, axis);
  const int64_t begin = slice_bound(start, count);
  out.result(out.slice(x, axis, begin, std::max(begin, slice_bound(end, count)), step));
}

void narrow(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const int axis = op.axis("dim", out.rank(x));
  const Dim begin = index_of(out, x, axis, op.dim("start"));
  out.result(out.slice(x, axis, begin, begin + op.dim("length")));
}

/// Gathers the entries, because the model computes the start.
void narrow_tensor(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const int axis = op.axis("dim", out.rank(x));
  const Ref start = out.reshape(out.cast(op.tensor("start"), DType::i64), {Dim(1)});
  const Ref begin = wrapped(out, start, size_of(out, x, axis));
  out.result(take(out, x, add(out, begin, iota(out, op.dim("length"), 0, 1)), axis));
}

/// Consecutive parts, with the sizes that torch gave them.
void parts(const OpView& op, Emitter& out, int axis) {
  const Ref x = op.tensor("self");
  Dim begin = 0;
  for (int i = 0; i < op.outputs(); ++i) {
    const Dim end = begin + op.shape(i)[axis];
    if (op.is_used(i)) out.result(out.slice(x, axis, begin, end), i);
    begin = end;
  }
}

void split(const OpView& op, Emitter& out) {
  ignore_present(op, {"split_size", "split_sizes", "chunks", "sections"},
                 "the sizes of the results show it");
  parts(op, out, op.axis("dim", out.rank(op.tensor("self"))));
}

/// Positions that are symbolic, or count from a symbolic end, must ascend.
void symbolic_parts_between(const OpView& op, Emitter& out, int axis, const Shape& positions) {
  const Ref x = op.tensor("self");
  const Dim& size = size_of(out, x, axis);
  Dim begin = 0;
  for (int i = 0; i < op.outputs(); ++i) {
    const size_t at = i;
    const Dim& count = op.shape(i)[axis];
    if (op.is_used(i)) out.result(out.slice(x, axis, begin, begin + count), i);
    begin = at < positions.size() ? index_of(out, x, axis, positions[at]) : size;
  }
}

/// Parts between positions, which need not ascend: some parts may be empty or overlap.
void parts_between(const OpView& op, Emitter& out, int axis, const Shape& requested) {
  const Ref x = op.tensor("self");
  if (!is_static(requested) || !size_of(out, x, axis).is_constant())
    return symbolic_parts_between(op, out, axis, requested);
  const Ints positions = ir::static_shape(requested);
  const int64_t size = known_size(out, x, axis);
  int64_t begin = 0;
  for (int i = 0; i < op.outputs(); ++i) {
    const size_t at = i;
    const int64_t end = at < positions.size() ? slice_bound(positions[at], size) : size;
    if (op.is_used(i)) out.result(out.slice(x, axis, begin, std::max(begin, end)), i);
    begin = end;
  }
}

void split_at(const OpView& op, Emitter& out) {
  const int axis = op.axis("dim", out.rank(op.tensor("self")));
  parts_between(op, out, axis, op.dims("indices"));
}

/// A tensor of rank 0 is a number of sections, one of rank 1 a list of positions.
void split_by_tensor(const OpView& op, Emitter& out) {
  const int axis = op.axis("dim", out.rank(op.tensor("self")));
  const ir::Tensor sections = op.constant("tensor_indices_or_sections");
  if (sections.shape.empty()) return parts(op, out, axis);
  parts_between(op, out, axis, ir::to_shape(ir::to_i64(sections)));
}

/// hsplit, vsplit and dsplit: the axis is in the name.
int named_axis(const OpView& op, Emitter& out) {
  const char letter = op.op()[6];
  if (letter == 'v') return 0;
  if (letter == 'd') return 2;
  return out.rank(op.tensor("self")) == 1 ? 0 : 1;
}

void split_named(const OpView& op, Emitter& out) {
  ignore_present(op, {"sections"}, "the sizes of the results show it");
  const int axis = named_axis(op, out);
  if (op.has_argument("indices")) return parts_between(op, out, axis, op.dims("indices"));
  parts(op, out, axis);
}

void unbind(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const int axis = op.axis("dim", out.rank(x));
  for (int i = 0; i < op.outputs(); ++i)
    if (op.is_used(i)) out.result(entry_at(out, x, axis, i), i);
}

void flip(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const bool takes_none = op.ints("dims").empty();
  out.result(takes_none ? x : reversed(out, x, op.axes("dims", out.rank(x))));
}

void fliplr(const OpView& op, Emitter& out) { out.result(reversed(out, op.tensor("self"), {1})); }
void flipud(const OpView& op, Emitter& out) { out.result(reversed(out, op.tensor("self"), {0})); }

/// The first entry of the result. The remainder by a symbolic size is known if the shift is
/// smaller than the size.
std::optional<Dim> roll_start(Emitter& out, const Dim& size, const Dim& shift) {
  if (size.is_constant() && shift.is_constant())
    return size.value() == 0 ? 0 : ir::floor_mod_int(-shift.value(), size.value());
  const int64_t by = out.at_sample(shift), all = out.at_sample(size);
  if (shift == Dim(0) || shift == size || by < -all || by > all) return {};
  return by >= 0 ? size - shift : Dim(0) - shift;
}

/// Entry i is entry (i - shift) mod size. The size, which the model computes, may be 0 or
/// less than the shift.
Ref roll_by_gather(Emitter& out, Ref x, int axis, const Dim& shift) {
  const Dim& size = size_of(out, x, axis);
  const Ref from = sub(out, out.range(size), out.size(shift, DType::i64));
  const Ref one = out.scalar(int64_t{1}, DType::i64);
  const Ref entries = maximum(out, out.size(size, DType::i64), one);
  const Ref quotient = divide_integers(out, from, entries, Rounding::floor).quotient;
  return take(out, x, sub(out, from, mul(out, quotient, entries)), axis);
}

Ref roll_axis(const OpView& op, Emitter& out, Ref x, int axis, const Dim& shift) {
  const Dim size = size_of(out, x, axis);
  if (shift == Dim(0) || shift == size) return x;
  if (is_unbacked(size) || is_unbacked(shift)) return roll_by_gather(out, x, axis, shift);
  const auto cut = roll_start(out, size, shift);
  if (!cut) op.refuse("shifts", Limit::unknown_size, "roll by less than the size of the axis");
  if (*cut == Dim(0)) return x;
  return out.concat({out.slice(x, axis, *cut, size), out.slice(x, axis, 0, *cut)}, axis);
}

/// Without dims the flattened tensor is moved.
void roll(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const Shape shifts = op.dims("shifts");
  const Ints dims = op.ints("dims");
  if (dims.empty()) {
    const Ref flat = flattened(out, x);
    return out.result(out.reshape(roll_axis(op, out, flat, 0, shifts.at(0)), op.shape()));
  }
  Ref y = x;
  const int rank = out.rank(x);
  for (size_t i = 0; i < dims.size(); ++i) {
    const auto axis = static_cast<int>(dims[i] < 0 ? dims[i] + rank : dims[i]);
    if (rank > 0) y = roll_axis(op, out, y, axis, shifts.at(i));
  }
  out.result(y);
}

/// Rotates by k quarter turns, from the first of two axes towards the second.
void rot90(const OpView& op, Emitter& out) {
  Ref x = op.tensor("self");
  Ints dims = op.ints("dims");
  for (int64_t& dim : dims)
    if (dim < 0) dim += out.rank(x);
  Ints swap = all_axes(out.rank(x));
  std::swap(swap.at(dims.at(0)), swap.at(dims.at(1)));
  const int64_t turns = ir::floor_mod_int(op.i64("k"), 4);
  if (turns == 1) x = out.transpose(reversed(out, x, {dims[1]}), swap);
  if (turns == 2) x = reversed(out, reversed(out, x, {dims[0]}), {dims[1]});
  if (turns == 3) x = reversed(out, out.transpose(x, swap), {dims[1]});
  out.result(x);
}

Ref sliced(Emitter& out, Ref x, int axis, const Dim& begin, const Dim& end) {
  return out.slice(x, axis, begin, end);
}

/// Entries [begin, end) by gather: tract has an internal error if it moves slices of differences up
/// to a concatenation.
Ref gathered_range(Emitter& out, Ref x, int axis, const Dim& begin, const Dim& end) {
  if (!begin.is_constant() || !end.is_constant()) {
    const Ref index = out.range(end - begin);
    return take(out, x, begin == Dim(0) ? index : add(out, index, out.size(begin, DType::i64)),
                axis);
  }
  std::vector<int64_t> entries;
  for (int64_t i = begin.value(); i < end.value(); ++i) entries.push_back(i);
  return take(out, x, entries, axis);
}

Ref neighbours_difference(Emitter& out, Ref x, int axis, bool is_first) {
  const Dim size = size_of(out, x, axis);
  if (size == Dim(0)) return x;
  if (size == Dim(1)) return out.slice(x, axis, 0, 0);
  const auto part = is_first ? &sliced : &gathered_range;
  // An empty axis has no differences.
  const bool can_be_empty = is_unbacked(size) && may_be_empty(out, x, axis);
  const Dim count = can_be_empty ? max(size - Dim(1), Dim(0)) : size - Dim(1);
  const Ref after = part(out, x, axis, size - count, size);
  const Ref before = part(out, x, axis, 0, count);
  return out.dtype(x) == DType::boolean ? logical_xor(out, after, before) : sub(out, after, before);
}

void diff(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const int axis = op.axis("dim", out.rank(x));
  const int64_t times = op.i64("n");
  const auto prepend = op.opt_tensor("prepend");
  const auto append = op.opt_tensor("append");
  if (times == 0) return out.result(x);
  std::vector<Ref> all;
  for (const auto& part : {prepend, std::optional(x), append})
    if (part) all.push_back(out.cast(*part, op.dtype()));
  Ref y = out.concat(all, axis);
  for (int64_t n = 0; n < times; ++n) y = neighbours_difference(out, y, axis, n == 0);
  out.result(y);
}

Bounds diff_bounds(const OperandBounds& x) {
  const Bounds self = x.at("self");
  const Bounds all = hull(self, hull(x.at("prepend", self), x.at("append", self)));
  return up_to(magnitude(all) * std::exp2(x.at("n", {1, 1}).high));
}

}  // namespace

void register_slice(Registry& r) {
  r.same({"aten::select.int", "aten::select_copy.int"},
         {"slice", "entry `index` of an axis", select_entry});
  r.same({"aten::slice.Tensor", "aten::slice_copy.Tensor"},
         {"slice", "entries start, start + step, … before end", slice});
  r.same({"aten::narrow", "aten::narrow_copy"}, {"slice", "`length` entries from `start`", narrow});
  r.same({"aten::narrow.Tensor"},
         {"tract_core_gather", "`length` entries from `start`", narrow_tensor});
  r.same({"aten::split.Tensor", "aten::split", "aten::split.sizes", "aten::split_with_sizes",
          "aten::chunk", "aten::unsafe_split.Tensor", "aten::unsafe_split_with_sizes",
          "aten::unsafe_chunk", "aten::split_copy.Tensor", "aten::split_with_sizes_copy",
          "aten::tensor_split.sections"},
         {"slice", "consecutive parts of an axis", split});
  r.same({"aten::tensor_split.indices"},
         {"slice", "the parts between positions of an axis", split_at});
  r.same({"aten::tensor_split.tensor_indices_or_sections"},
         {"slice",
          "consecutive parts of an axis",
          split_by_tensor,
          {},
          "the positions must be known at export"});
  r.same({"aten::hsplit.int", "aten::hsplit.array", "aten::vsplit.int", "aten::vsplit.array",
          "aten::dsplit.int", "aten::dsplit.array"},
         {"slice", "consecutive parts of axis 1 (hsplit; 0 for vectors), 0 (vsplit) or 2 (dsplit)",
          split_named});
  r.same({"aten::unbind.int", "aten::unbind_copy.int"},
         {"slice", "all entries of an axis", unbind});
  r.same({"aten::flip"}, {"slice", "axes in reverse order", flip});
  r.same({"aten::fliplr"}, {"slice", "columns in reverse order", fliplr});
  r.same({"aten::flipud"}, {"slice", "rows in reverse order", flipud});
  r.same({"aten::roll"}, {"concat", "entries shifted along an axis, with wrap-around", roll});
  r.same({"aten::rot90"},
         {"transpose", "rotated by k quarter turns in the plane of two axes", rot90});
  r.same({"aten::diff"},
         {"sub", "each entry minus the one before, n times", diff, ir::Promotion::operands});
  r.bounds({diff_bounds, true}, "diff");
  r.bounds({bounds::kept},
           "slice select split split_with_sizes chunk unsafe_chunk unsafe_split unbind "
           "tensor_split hsplit vsplit dsplit narrow flip fliplr flipud roll rot90");
  r.zero_signs(ZeroSign::propagated, "slice select narrow chunk split unbind");
  r.rearranges({.axes = {"dim"}},
               "chunk narrow select slice split split_with_sizes tensor_split unbind "
               "unsafe_chunk unsafe_split unsafe_split_with_sizes");
  r.rearranges({.axes = {"dims"}}, "flip roll");
  r.linear("diff dsplit fliplr flipud hsplit narrow_copy rot90 vsplit");
}

}  // namespace t2n::ops
