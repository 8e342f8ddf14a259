// SPDX-License-Identifier: Apache-2.0
// Writing elements one by one: scatter, scatter_add, scatter_reduce.
#include <algorithm>
#include <limits>

#include "ops/indexing/families.h"
#include "ops/indexing/scatter.h"
#include "ops/structure/index_shapes.h"
#include "src/diag/error.h"
#include "src/translate/integer_division.h"
#include "src/translate/nan.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

std::string_view reduction_name(Combine combine) {
  switch (combine) {
    case Combine::none: return "none";
    case Combine::sum: return "add";
    case Combine::prod: return "mul";
    case Combine::amin: return "min";
    case Combine::amax: return "max";
  }
  return "";
}

/// The value that leaves every element unchanged.
Ref neutral(Emitter& out, Combine combine, Ref x) {
  const DType dtype = out.dtype(x);
  if (combine == Combine::sum || combine == Combine::none) return like(out, 0, x);
  if (combine == Combine::prod) return like(out, 1, x);
  const bool is_min = combine == Combine::amin;
  const double infinity = std::numeric_limits<double>::infinity();
  if (ir::is_float(dtype)) return like(out, is_min ? infinity : -infinity, x);
  const bool has_sign = ir::dtype_name(dtype).front() == 'i';
  const int64_t bits = ir::dtype_size(dtype) * 8 - (has_sign ? 1 : 0);
  const int64_t top = bits >= 63 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << bits) - 1;
  return out.scalar(is_min ? top : has_sign ? -top - 1 : 0, dtype);
}

Ref combined(Emitter& out, Combine combine, Ref a, Ref b) {
  switch (combine) {
    case Combine::none: break;
    case Combine::sum: return add(out, a, b);
    case Combine::prod: return mul(out, a, b);
    case Combine::amin: return minimum(out, a, b);
    case Combine::amax: return maximum(out, a, b);
  }
  return b;
}

std::string_view reducer(Combine combine) {
  switch (combine) {
    case Combine::none: break;
    case Combine::sum: return "sum_reduce";
    case Combine::prod: return "tract_core_product_reduce";
    case Combine::amin: return "min_reduce";
    case Combine::amax: return "max_reduce";
  }
  return "";
}

/// Index and source with all axes but one as long as those of x; added indices match nothing.
std::pair<Ref, Ref> padded(Emitter& out, Ref x, Ref index, Ref src, int axis) {
  const Shape index_shape = out.shape(index), shape = out.shape(x);
  std::vector<std::pair<int64_t, int64_t>> padding(index_shape.size(), {0, 0});
  for (size_t i = 0; i < index_shape.size(); ++i)
    if (static_cast<int>(i) != axis && !(index_shape[i] == shape[i]))
      padding[i].second = out.sizes(x)[i] - out.sizes(index)[i];
  const Dim& size = shape[axis];
  const auto nowhere = static_cast<double>(size.is_constant() ? size.value() : -1);
  return {out.pad(index, padding, nowhere), out.pad(src, padding)};
}

/// Each position of x along `axis` is compared with all indices: [.., position, source, ..].
Ref scatter_by_comparing(Emitter& out, Ref x, Ref index, Ref src, int axis, Combine combine) {
  const auto [all_index, all_src] = padded(out, x, index, src, axis);
  const int rank = out.rank(x);
  const Ref matches = compare(out, "eq", iota(out, size_of(out, x, axis), axis, rank + 1),
                              out.unsqueeze(all_index, {axis}));
  const Ref chosen =
      select(out, matches, out.unsqueeze(all_src, {axis}), neutral(out, combine, src));
  const Ref gathered = out.squeeze(reduce(out, reducer(combine), chosen, {axis + 1}), {axis + 1});
  return combined(out, combine, x, gathered);
}

/// src cut to the shape of the index: the rest is not read.
Ref cut(Emitter& out, Ref src, Ref index) {
  for (int axis = 0; axis < out.rank(index); ++axis) {
    const size_t at = axis;
    if (out.shape(src)[at] == out.shape(index)[at]) continue;
    src = out.slice(src, axis, 0, size_of(out, index, axis));
  }
  return src;
}

struct Scatter {
  Ref x, index, src;
  int axis;
};

/// The operands with at least one axis; a number is repeated.
Scatter read_scatter(const OpView& op, Emitter& out) {
  Scatter s{.x = at_least_1d(out, op.tensor("self")),
            .index = at_least_1d(out, op.tensor("index")),
            .src = {},
            .axis = op.axis("dim")};
  if (op.has_argument("src"))
    s.src = cut(out, out.cast(at_least_1d(out, op.tensor("src")), out.dtype(s.x)), s.index);
  else
    s.src = out.full(converted_number(op, out, "value", out.dtype(s.x)), out.shape(s.index));
  return s;
}

Write combining_write(const OpView& op, Combine combine) {
  return {combine, op.nnef() == "tract_core_scatter_elements"};
}

/// Without an index the operands need not fit each other.
bool writes_nothing(const OpView& op, Emitter& out) {
  const Shape& shape = out.shape(op.tensor("index"));
  if (std::find(shape.begin(), shape.end(), Dim(0)) == shape.end()) return false;
  ignore_present(op, {"dim", "src", "value", "reduce", "include_self"}, "nothing is written");
  finish(op, out, op.tensor("self"));
  return true;
}

void finish_scatter(const OpView& op, Emitter& out, const Scatter& s, Write write) {
  const Ref y = scatter_elements(out, s.x, s.index, s.src, s.axis, write);
  finish(op, out, out.reshape(y, op.shape()));
}

void scatter(const OpView& op, Emitter& out) {
  if (writes_nothing(op, out)) return;
  finish_scatter(op, out, read_scatter(op, out), {Combine::none, true});
}

void scatter_reduce_old(const OpView& op, Emitter& out) {
  if (writes_nothing(op, out)) return;
  const bool is_sum = op.one_of("reduce", {"add", "multiply"}) == "add";
  finish_scatter(op, out, read_scatter(op, out),
                 combining_write(op, is_sum ? Combine::sum : Combine::prod));
}

void scatter_add(const OpView& op, Emitter& out) {
  if (writes_nothing(op, out)) return;
  finish_scatter(op, out, read_scatter(op, out), combining_write(op, Combine::sum));
}

/// Integers are rounded down; counts that wrapped around to 0 become 1, as in torch.
Ref mean_of(Emitter& out, Ref total, Ref count) {
  if (ir::is_float(out.dtype(total))) return div(out, total, count);
  const Ref is_zero = compare(out, "eq", count, like(out, 0, count));
  return divide_integers(out, total, select(out, is_zero, like(out, 1, count), count),
                         Rounding::floor)
      .quotient;
}

/// The sum of what is written, divided by the count; other elements stay.
void scatter_mean(const OpView& op, Emitter& out, Scatter s, bool includes_self) {
  const Write none{Combine::none, true};
  const Ref zero = out.full(like(out, 0, s.x), out.shape(s.index));
  const Ref one = out.full(like(out, 1, s.x), out.shape(s.index));
  Ref count = out.full(like(out, 1, s.x), out.shape(s.x));
  if (!includes_self) {
    s.x = scatter_elements(out, s.x, s.index, zero, s.axis, none);
    count = scatter_elements(out, count, s.index, zero, s.axis, none);
  }
  const Write sum = combining_write(op, Combine::sum);
  const Ref total = scatter_elements(out, s.x, s.index, s.src, s.axis, sum);
  count = scatter_elements(out, count, s.index, one, s.axis, sum);
  finish(op, out, out.reshape(mean_of(out, total, count), op.shape()));
}

void reduce_into(const OpView& op, Emitter& out, Scatter s) {
  const std::string name = op.one_of("reduce", {"sum", "prod", "mean", "amax", "amin"});
  const bool includes_self = op.boolean("include_self");
  if (name == "mean") return scatter_mean(op, out, s, includes_self);
  const Combine combine = name == "sum"    ? Combine::sum
                          : name == "prod" ? Combine::prod
                          : name == "amax" ? Combine::amax
                                           : Combine::amin;
  if (!includes_self) {
    const Ref start = out.full(neutral(out, combine, s.x), out.shape(s.index));
    s.x = scatter_elements(out, s.x, s.index, start, s.axis, {Combine::none, true});
  }
  const Write write = combining_write(op, combine);
  const bool is_extremum = combine == Combine::amax || combine == Combine::amin;
  if (!is_extremum || !ir::is_float(out.dtype(s.x)) || !may_meet_nan(out))
    return finish_scatter(op, out, s, write);
  const Write any = combining_write(op, Combine::amax);
  const Ref is_absent =
      scatter_elements(out, is_nan(out, s.x), s.index, is_nan(out, s.src), s.axis, any);
  const Ref y = scatter_elements(out, s.x, s.index, s.src, s.axis, write);
  finish(op, out, out.reshape(select(out, is_absent, like(out, kNan, y), y), op.shape()));
}

void scatter_reduce(const OpView& op, Emitter& out) {
  if (!writes_nothing(op, out)) reduce_into(op, out, read_scatter(op, out));
}

/// One index for an entire row of the source.
void index_reduce(const OpView& op, Emitter& out) {
  Scatter s{.x = at_least_1d(out, op.tensor("self")),
            .index = out.cast(at_least_1d(out, op.tensor("index")), DType::i64),
            .src = at_least_1d(out, op.tensor("source")),
            .axis = op.axis("dim")};
  Shape shape(static_cast<size_t>(out.rank(s.src)), Dim(1));
  shape[s.axis] = out.shape(s.index)[0];
  s.index = out.broadcast_to(out.reshape(s.index, shape), out.shape(s.src));
  reduce_into(op, out, s);
}

void add_scatter(Registry& r, std::string_view name, std::string_view doc, Translate translate) {
  r.add({.op = name,
         .doc = doc,
         .variants = {{has(Feature::scatter_reduction), "tract_core_scatter_elements", translate},
                      {any_target(), "select", translate}}});
}

/// scatter: each index is the destination of an element of the source.
Shapes scatter_shapes(const ShapeView& op) {
  const Shape& index = op.shape("index");
  require_in_range_along(op, op.shape("self"));
  require_fits(op, index, op.shape("self"));
  if (op.is_tensor("src")) require_fits(op, index, op.shape("src"), true);
  return shapes::same(op);
}

}  // namespace

Ref scatter_elements(Emitter& out, Ref x, Ref index, Ref src, int axis, Write write) {
  if (write.combine != Combine::none) {
    // Half floats would be rounded at each step; booleans are not numbers.
    const DType dtype = out.dtype(x);
    const bool is_bool = dtype == DType::boolean;
    const DType wide = is_bool ? DType::i32 : dtype == DType::f16 ? DType::f32 : dtype;
    if (wide != dtype)
      return out.cast(
          scatter_elements(out, out.cast(x, wide), index, out.cast(src, wide), axis, write), dtype);
    if (!write.is_native) return scatter_by_comparing(out, x, index, src, axis, write.combine);
  }
  return out.call("tract_core_scatter_elements", {x, index, src},
                  {{"axis", axis}, {"reduction", std::string(reduction_name(write.combine))}},
                  out.dtype(x), out.shape(x));
}

void register_scatter_elements(Registry& r) {
  r.same({"aten::scatter.src", "aten::scatter.value"},
         {"tract_core_scatter_elements", "self with y[i, index[i, j]] = src[i, j] along dim",
          scatter});
  add_scatter(r, "aten::scatter.reduce", "self[i, index[i, j]] plus or times src[i, j]",
              scatter_reduce_old);
  add_scatter(r, "aten::scatter.value_reduce", "self[i, index[i, j]] plus or times value",
              scatter_reduce_old);
  add_scatter(r, "aten::scatter_add", "self[i, index[i, j]] + src[i, j]", scatter_add);
  add_scatter(r, "aten::scatter_reduce.two",
              "sum, prod, mean, amax or amin of self[i, index[i, j]] and src[i, j]",
              scatter_reduce);
  add_scatter(r, "aten::index_reduce",
              "prod, mean, amax or amin of self[index[k]] and source[k] along dim", index_reduce);
  r.shapes(put_rows_shapes, "index_reduce");
  r.shapes(scatter_shapes, "scatter scatter_add scatter_reduce");
  r.bounds({bounds::put, true}, "scatter scatter_add scatter_reduce");
  r.linear("scatter scatter_add");
}

}  // namespace t2n::ops
