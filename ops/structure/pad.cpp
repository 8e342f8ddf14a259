// SPDX-License-Identifier: Apache-2.0
// Padding: by a number, by reflection, by the edge value, or from the other end.
#include <algorithm>
#include <cmath>
#include <utility>

#include "ir/prove.h"
#include "ops/structure/families.h"
#include "ops/structure/spatial.h"
#include "src/diag/error.h"
#include "src/translate/arith.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

/// torch lists pairs from the last axis backwards.
Pads per_axis(const Ints& flat, int rank) {
  Pads pads(static_cast<size_t>(rank));
  for (size_t i = 0; i + 1 < flat.size(); i += 2)
    pads.at(pads.size() - 1 - i / 2) = {flat[i], flat[i + 1]};
  return pads;
}

Pads positive(Pads pads) {
  for (auto& [before, after] : pads) {
    before = std::max<int64_t>(before, 0);
    after = std::max<int64_t>(after, 0);
  }
  return pads;
}

/// Negative padding removes entries.
Ref cropped(Emitter& out, Ref x, const Pads& pads) {
  for (size_t i = 0; i < pads.size(); ++i) {
    const int64_t before = std::max<int64_t>(-pads[i].first, 0);
    const int64_t after = std::max<int64_t>(-pads[i].second, 0);
    if (before == 0 && after == 0) continue;
    const int axis = static_cast<int>(i);
    x = out.slice(x, axis, before, size_of(out, x, axis) - Dim(after));
  }
  return x;
}

Shape padded_shape(Shape shape, const Pads& pads) {
  for (size_t i = 0; i < pads.size(); ++i)
    shape[i] = shape[i] + Dim(pads[i].first + pads[i].second);
  return shape;
}

/// tract's `pad` has the value as an f32 literal.
bool has_literal(double value, DType dtype) {
  if (std::isnan(value)) return false;
  if (ir::is_integer(dtype)) return std::abs(value) <= 0x1p24;
  return dtype != DType::f64 || std::isinf(value) ||
         static_cast<double>(static_cast<float>(value)) == value;
}

/// Blocks of the value on both sides, axis after axis.
Ref joined_with_blocks(Emitter& out, Ref x, const Pads& pads, Ref number) {
  for (size_t i = 0; i < pads.size(); ++i) {
    const int axis = static_cast<int>(i);
    std::vector<Ref> parts;
    if (pads[i].first > 0)
      parts.push_back(out.full(number, with_size(out.shape(x), axis, pads[i].first)));
    parts.push_back(x);
    if (pads[i].second > 0)
      parts.push_back(out.full(number, with_size(out.shape(x), axis, pads[i].second)));
    x = out.concat(parts, axis);
  }
  return x;
}

Ref constant_padded(Emitter& out, Ref x, const Pads& pads, double value, Ref number) {
  const Ref y = cropped(out, x, pads);
  const Pads rest = positive(pads);
  return has_literal(value, out.dtype(x)) ? out.pad(y, rest, value)
                                          : joined_with_blocks(out, y, rest, number);
}

/// Reads edge entries before negative padding removes any.
Ref border_padded(Emitter& out, Ref x, const Pads& pads, const char* border) {
  const bool is_bool = out.dtype(x) == DType::boolean;
  const Ref in = is_bool ? out.cast(x, DType::u8) : x;
  const Pads more = positive(pads);
  const Ref y = out.call("pad", {in}, {{"padding", more}, {"border", border}}, out.dtype(in),
                         padded_shape(out.shape(in), more));
  return cropped(out, is_bool ? out.cast(y, DType::boolean) : y, pads);
}

/// Negative padding removes entries before the other end is read.
Ref circular_padded(Emitter& out, Ref x, const Pads& pads) {
  x = cropped(out, x, pads);
  for (size_t i = 0; i < pads.size(); ++i) {
    const int64_t before = std::max<int64_t>(pads[i].first, 0);
    const int64_t after = std::max<int64_t>(pads[i].second, 0);
    if (before == 0 && after == 0) continue;
    const int axis = static_cast<int>(i);
    const Dim size = size_of(out, x, axis);
    std::vector<Ref> parts;
    if (before > 0) parts.push_back(out.slice(x, axis, size - Dim(before), size));
    parts.push_back(x);
    if (after > 0) parts.push_back(out.slice(x, axis, 0, after));
    x = out.concat(parts, axis);
  }
  return x;
}

/// In the order of torch's enumeration (ATen/native/PadNd.h).
enum class PadMode { reflect, replicate, circular, constant };

/// The index of the entry that `mode` pads position `at` with; `at` may be outside of the axis.
Ref entry_of_border(Emitter& out, Ref at, const Dim& size, PadMode mode) {
  const Ref none = out.scalar(0, DType::i64), last = out.size(size - Dim(1), DType::i64);
  if (mode == PadMode::replicate) return minimum(out, maximum(out, at, none), last);
  if (mode == PadMode::reflect) {
    const Ref from_end = sub(out, last, out.elementwise("abs", {at}));
    return sub(out, last, out.elementwise("abs", {from_end}));
  }
  const Ref length = out.size(size, DType::i64);
  const Ref forward = select(out, compare(out, "lt", at, none), add(out, at, length), at);
  return select(out, compare(out, "gt", forward, last), sub(out, forward, length), forward);
}

std::string_view amounts(const OpView& op) { return op.has_argument("pad") ? "pad" : "padding"; }

bool has_symbolic_amounts(const OpView& op) { return !is_static(op.dims(amounts(op))); }

Pads read_pads(const OpView& op, Emitter& out) {
  return per_axis(op.ints(amounts(op)), out.rank(op.tensor("self")));
}

/// A block of `number` to pad `x`. Its other sizes come from x itself: tract cannot prove that a
/// size which an earlier padding produced equals our expression of it.
Ref padding_block(Emitter& out, Ref x, Ref number, int axis, const Dim& size) {
  const Ref first = out.slice(with_entry(out, x, axis), axis, 0, 1);
  Shape block_shape(static_cast<size_t>(out.rank(x)), Dim(1));
  block_shape[axis] = size;
  const Ref block = out.full(number, block_shape);
  return select(out, compare(out, "eq", first, first), block, block);
}

/// Whether a symbolic amount is 0 or negative at all sizes.
bool only_crops(const Dim& amount) {
  return !amount.is_constant() && ir::prove({amount, ir::Relation::le, 0}) == ir::Verdict::always;
}

/// Whether an amount removes entries. Where no proof shows it, the sample determines the sign.
bool crops(const Emitter& out, const Dim& amount) {
  return out.at_sample(amount) < 0 || only_crops(amount);
}

/// Symbolic amounts: tract's `pad` takes integers only.
Ref symbolic_padded(const OpView& op, Emitter& out, Ref number) {
  const Shape flat = op.dims(amounts(op));
  Ref x = op.tensor("self");
  bool is_first_border = true;
  for (size_t i = 0; i + 1 < flat.size(); i += 2) {
    const int axis = out.rank(x) - 1 - static_cast<int>(i / 2);
    const Dim before = flat[i], after = flat[i + 1];
    const bool cuts_first = crops(out, before), cuts_last = crops(out, after);
    const Dim end = size_of(out, x, axis) + (cuts_last ? after : Dim(0));
    x = out.slice(x, axis, cuts_first ? Dim(0) - before : Dim(0), end);
    const bool is_none = before == Dim(0) && after == Dim(0);
    const bool is_first = is_none || std::exchange(is_first_border, false);
    const auto block = [&](const Dim& size) {
      if (!is_first) return padding_block(out, x, number, axis, size);
      return out.full(number, with_size(out.shape(x), axis, size));
    };
    std::vector<Ref> parts;
    if (!cuts_first && !(before == Dim(0))) parts.push_back(block(before));
    parts.push_back(x);
    if (!cuts_last && !(after == Dim(0))) parts.push_back(block(after));
    x = out.concat(parts, axis);
  }
  return x;
}

/// Symbolic amounts, all non-negative: gathers the entries.
Ref symbolic_border_padded(const OpView& op, Emitter& out, PadMode mode) {
  const Shape flat = op.dims(amounts(op));
  Ref x = op.tensor("self");
  for (size_t i = 0; i + 1 < flat.size(); i += 2) {
    const Dim before = flat[i], after = flat[i + 1];
    if (before == Dim(0) && after == Dim(0)) continue;
    if (crops(out, before) || crops(out, after))
      throw Error("unsupported-argument", "a symbolic amount of padding is negative",
                  "the padding would read entries that it removes", "slice the tensor instead");
    const int axis = out.rank(x) - 1 - static_cast<int>(i / 2);
    const Dim size = size_of(out, x, axis), padded = size + before + after;
    const Ref at = sub(out, out.range(padded), out.size(before, DType::i64));
    x = out.call("tract_core_gather", {x, entry_of_border(out, at, size, mode)}, {{"axis", axis}},
                 out.dtype(x), with_size(out.shape(x), axis, padded));
  }
  return x;
}

/// `value` is the argument `value`; an integer argument may exceed what a double holds.
void pad_with(const OpView& op, Emitter& out, double value) {
  const Ref x = op.tensor("self");
  const bool is_integer = ir::is_integer(out.dtype(x)) && !op.is_none("value");
  const Ref number = is_integer ? op.number("value", out.dtype(x)) : like(out, value, x);
  if (has_symbolic_amounts(op)) return out.result(symbolic_padded(op, out, number));
  out.result(constant_padded(out, x, read_pads(op, out), value, number));
}

void constant_pad(const OpView& op, Emitter& out) { pad_with(op, out, op.f64("value")); }

void reflection_pad(const OpView& op, Emitter& out) {
  if (has_symbolic_amounts(op))
    return out.result(symbolic_border_padded(op, out, PadMode::reflect));
  out.result(border_padded(out, op.tensor("self"), read_pads(op, out), "reflect"));
}

void replication_pad(const OpView& op, Emitter& out) {
  if (has_symbolic_amounts(op))
    return out.result(symbolic_border_padded(op, out, PadMode::replicate));
  out.result(border_padded(out, op.tensor("self"), read_pads(op, out), "replicated"));
}

void circular_pad(const OpView& op, Emitter& out) {
  if (has_symbolic_amounts(op))
    return out.result(symbolic_border_padded(op, out, PadMode::circular));
  out.result(circular_padded(out, op.tensor("self"), read_pads(op, out)));
}

void pad_by(const OpView& op, Emitter& out, PadMode mode) {
  const double value = op.opt_f64("value").value_or(0);
  switch (mode) {
    case PadMode::reflect: return reflection_pad(op, out);
    case PadMode::replicate: return replication_pad(op, out);
    case PadMode::circular: return circular_pad(op, out);
    case PadMode::constant: return pad_with(op, out, value);
  }
}

void pad(const OpView& op, Emitter& out) {
  const std::vector<std::string> modes = {"reflect", "replicate", "circular", "constant"};
  const auto known = std::find(modes.begin(), modes.end(), op.one_of("mode", modes));
  pad_by(op, out, static_cast<PadMode>(known - modes.begin()));
}

/// The same modes as numbers.
void pad_enum(const OpView& op, Emitter& out) {
  pad_by(op, out, static_cast<PadMode>(op.i64("mode")));
}

/// `_pad_enum` numbers its modes: reflect, replicate, circular, constant.
bool pads_by(const ShapeView& op, std::string_view mode) {
  if (op.op().find(mode) != std::string_view::npos) return true;
  if (!op.has("mode")) return false;
  if (op.is_text("mode")) return op.str("mode").starts_with(mode);
  return op.i64("mode") == (mode == "reflect" ? 0 : 2);
}

/// Pairs, starting at the last axis.
Shapes pad_shapes(const ShapeView& op) {
  Shape out = op.shape("self");
  const bool reflects = pads_by(op, "reflect"), wraps = pads_by(op, "circular");
  const Shape pads = op.dims(op.has("padding") ? "padding" : "pad");
  for (size_t i = 0; i + 1 < pads.size(); i += 2) {
    Dim& size = out.at(out.size() - 1 - i / 2);
    // A negative amount crops, which is another operation.
    for (const Dim& amount : {pads[i], pads[i + 1]}) {
      if (!amount.is_constant() && !only_crops(amount)) op.holds(amount, Relation::ge, 0);
      if (reflects || wraps) op.require(amount, reflects ? Relation::lt : Relation::le, size);
    }
    size = size + pads[i] + pads[i + 1];
  }
  return {out};
}

}  // namespace

void register_pad(Registry& r) {
  r.same({"aten::pad"},
         {"pad", "entries added around the tensor; negative padding removes entries", pad});
  r.same({"aten::_pad_enum"}, {"pad", "the same as aten::pad", pad_enum});
  r.same({"aten::constant_pad_nd"}, {"pad", "a number around the tensor", constant_pad});
  r.same({"aten::reflection_pad1d", "aten::reflection_pad2d", "aten::reflection_pad3d"},
         {"pad", "the tensor mirrored at its border entries", reflection_pad});
  r.same({"aten::replication_pad1d", "aten::replication_pad2d", "aten::replication_pad3d"},
         {"pad", "the border entries repeated", replication_pad});
  r.same({"aten::_pad_circular"}, {"concat",
                                   "the tensor continued from its other end",
                                   circular_pad,
                                   {},
                                   "negative padding is refused"});
  r.shapes(pad_shapes,
           "pad constant_pad_nd reflection_pad1d reflection_pad2d reflection_pad3d "
           "replication_pad1d replication_pad2d replication_pad3d _pad_circular _pad_enum");
  r.bounds({bounds::kept},
           "pad constant_pad_nd reflection_pad1d reflection_pad2d reflection_pad3d "
           "replication_pad1d replication_pad2d replication_pad3d _pad_circular _pad_enum");
  r.linear(
      "constant_pad_nd pad reflection_pad1d reflection_pad2d reflection_pad3d "
      "replication_pad1d replication_pad2d replication_pad3d");
}

}  // namespace t2n::ops
