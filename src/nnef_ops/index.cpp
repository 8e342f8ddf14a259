// SPDX-License-Identifier: Apache-2.0
// Gathering, scattering and sorting; standard NNEF only has `gather` along one axis.
#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "src/nnef_ops/arith.h"
#include "src/nnef_ops/book.h"
#include "src/nnef_ops/flow_call.h"
#include "src/nnef_ops/shape_call.h"
#include "src/nnef_ops/strict_call.h"

namespace t2n::nnef_ops {
namespace {

Shapes gather_shape(const ShapeCall& call) {
  const Ints input = call.shape("input");
  const Ints indices = call.shape("indices");
  const size_t axis = call.axis("axis", input.size());
  Ints out(input.begin(), axis_at(input, axis));
  out.insert(out.end(), indices.begin(), indices.end());
  out.insert(out.end(), axis_at(input, axis + 1), input.end());
  return {out};
}

Flows gather_flow(const FlowCall& call) {
  const Flow data = call.flow("input"), index = call.flow("indices");
  const auto axis = static_cast<int>(call.integer("axis"));
  if (data.streams() && index.streams()) blocked("indexes a stream with another stream");
  if (!data.streams() && !index.streams()) blocked("indexes with the input length", kNoEnd);
  if (data.streams()) {
    if (axis == data.axis)
      blocked("indexes the stream at fixed positions",
              "entries at fixed positions need the complete input");
    if (index.rank < 0) blocked("gathers in an unsupported way");
    Flow out = data;
    if (axis < data.axis) out.axis += index.rank - 1;
    if (out.rank >= 0) out.rank += index.rank - 1;
    out.shape = nullptr;
    return {out};
  }
  Flow out = index;
  out.axis += axis;
  out.rank = data.rank < 0 || index.rank < 0 ? -1 : data.rank + index.rank - 1;
  return with_new_shape(out);
}

/// Tensors of intermediate steps may have this many elements.
constexpr int64_t kMostElements = int64_t{1} << 24;

int64_t count_of(const Shape& shape) { return ir::element_count(ir::static_shape(shape)); }

void check_size(const StrictCall& call, Builder& out, int64_t elements) {
  if (elements <= kMostElements) return;
  refuse(call, out,
         cat("standard NNEF expresses it by comparing every pair of elements, here ", elements,
             " pairs"));
}

Ref gather_along(Builder& out, Ref x, Ref index, int64_t axis, const Shape& shape) {
  const bool keeps = type_of(x) != NumberType::scalar;
  const TensorType type{keeps ? out.dtype(x) : DType::f32, shape};
  return retyped(out, emit(out, "gather", {x, as_integer(out, index)}, {{"axis", axis}}, type),
                 out.dtype(x));
}

/// Non-negative index entries; in tract, negative ones count from the end.
Ref from_front(Builder& out, Ref index, const Dim& n) {
  if (out.is_positions(index)) return index;
  if (const auto known = out.constant_value(index)) {
    std::vector<int64_t> entries = ir::to_i64(*known);
    const auto is_plain = [](int64_t each) { return each >= 0; };
    if (std::all_of(entries.begin(), entries.end(), is_plain)) return index;
    for (int64_t& each : entries) each += each < 0 ? n.value() : 0;
    return out.constant(ir::tensor_of(DType::i64, known->shape, entries), "index");
  }
  const Ref x = as_number(out, index);
  const Ref from_end = add(out, x, number(out, static_cast<double>(n.value())));
  return select(out, compare(out, "lt", x, number(out, 0.0)), from_end, x);
}

Refs lower_gather(const StrictCall& call, Builder& out) {
  const Ref x = call.operands[0];
  const int64_t axis = call.at("axis").integer;
  const Dim& n = out.shape(x).at(axis);
  const Ref index = from_front(out, call.operands[1], n);
  const bool is_computed = !out.is_constant(index) && type_of(index) != NumberType::integer;
  if (is_computed && n.value() > kMostElements)
    refuse(call, out,
           cat("a computed index is a scalar, exact up to 2^24, and the axis has ", n.value(),
               " entries"));
  return {gather_along(out, x, index, axis, call.result().shape)};
}

/// Row-major indices of x[.., index[..], ..]; along all other axes, entries have the same index as
/// in `index`.
Ref flat_indices(Builder& out, const Shape& shape, Ref index, int axis) {
  const Ints strides = ir::contiguous_strides(ir::static_shape(shape));
  const int rank = static_cast<int>(shape.size());
  Ref flat = mul(out, as_number(out, index), number(out, static_cast<double>(strides[axis])));
  for (int each = 0; each < rank; ++each) {
    const Dim& n = out.shape(index)[each];
    if (each == axis || n == Dim(1)) continue;
    const Ref offsets =
        mul(out, index_range(out, n, each, rank), number(out, static_cast<double>(strides[each])));
    flat = add(out, flat, offsets);
  }
  return flat;
}

Ref gather_elements_along(Builder& out, Ref x, Ref index, int axis) {
  const Ref flat = flat_indices(out, out.shape(x), index, axis);
  const Ref line = out.reshape(x, {Dim(count_of(out.shape(x)))});
  return gather_along(out, line, flat, 0, out.shape(index));
}

Shapes indices_shape(const ShapeCall& call) { return {call.shape("indices")}; }

Refs lower_gather_elements(const StrictCall& call, Builder& out) {
  const Ref x = call.operands[0];
  const auto axis = static_cast<int>(call.at("axis").integer);
  check_size(call, out, count_of(out.shape(x)));
  const Dim n = out.shape(x)[axis];
  return {gather_elements_along(out, x, from_front(out, call.operands[1], n), axis)};
}

/// The matches of writes, for every pair of a write (axis 0) and an element (axis 1).
struct Hits {
  Ref hit;     ///< logical
  Ref number;  ///< of the write, from 1; 0 if it does not hit
};

Hits hits_of(Builder& out, Ref index, const Dim& size, int axis) {
  const int rank = out.rank(index) + 1;
  const Ref writes = out.unsqueeze(as_number(out, index), {axis + 1});
  const Ref hit = compare(out, "eq", writes, index_range(out, size, axis + 1, rank));
  const Dim n = out.shape(index)[axis];
  const Ref numbers = add(out, index_range(out, n, axis, rank), number(out, 1.0));
  return {hit, select(out, hit, numbers, number(out, 0.0))};
}

Ref reduced_along(Builder& out, std::string_view op, Ref x, int axis) {
  return out.squeeze(reduce(out, op, x, {axis}), {axis});
}

/// The last of several writes wins.
Ref written(Builder& out, Ref x, Ref index, Ref updates, int axis) {
  const Dim size = out.shape(x)[axis];
  const Ref last = reduced_along(out, "max_reduce", hits_of(out, index, size, axis).number, axis);
  const Ref winner = maximum(out, sub(out, last, number(out, 1.0)), number(out, 0.0));
  const Ref values = gather_elements_along(out, updates, winner, axis);
  return select(out, compare(out, "gt", last, number(out, 0.0)), values, x);
}

/// Elements beyond the extent of the index along other axes keep their values.
Ref written_within(Builder& out, Ref x, Ref index, Ref updates, int axis) {
  for (int other = 0; other < out.rank(x); ++other) {
    const int64_t reach = extent(out, index, other), n = extent(out, x, other);
    if (other == axis || reach == n) continue;
    const Ref part = written_within(out, out.slice(x, other, 0, reach), index, updates, axis);
    return out.concat({part, out.slice(x, other, reach, n)}, other);
  }
  return written(out, x, index, updates, axis);
}

Refs lower_scatter_elements(const StrictCall& call, Builder& out) {
  const auto axis = static_cast<int>(call.at("axis").integer);
  const Ref x = call.operands[0], updates = call.operands[2];
  const Ref index = from_front(out, call.operands[1], out.shape(x)[axis]);
  if (const std::string& reduction = call.at("reduction").text; reduction != "none")
    refuse(call, out, cat("scattering with the reduction ", reduction));
  const int64_t size = out.shape(x)[axis].value();
  check_size(call, out, count_of(out.shape(index)) * size);
  return {written_within(out, x, index, updates, axis)};
}

/// Rows of x by an index of one number each.
Refs lower_scatter_nd(const StrictCall& call, Builder& out) {
  const Ref x = call.operands[0], index = call.operands[1], updates = call.operands[2];
  const Shape& shape = out.shape(x);
  const Ints index_shape = out.sizes(index);
  const int64_t depth = index_shape.back();
  const int64_t writes = count_of(out.shape(index)) / std::max<int64_t>(depth, 1);
  const Ints sizes = ir::static_shape(shape);
  int64_t row_count = 1, width = 1;
  for (size_t i = 0; i < sizes.size(); ++i)
    (static_cast<int64_t>(i) < depth ? row_count : width) *= sizes[i];
  check_size(call, out, std::max(writes * row_count, row_count * width));
  // The row of each write, in row-major order.
  const Ref entries = out.reshape(index, {Dim(writes), Dim(depth)});
  Ref row = number(out, 0.0);
  int64_t stride = row_count;
  for (int64_t i = 0; i < depth; ++i) {
    stride /= sizes[i];
    const Ref coordinate = as_number(
        out, from_front(out, out.squeeze(out.slice(entries, 1, i, i + 1), {1}), shape[i]));
    row = add(out, row, mul(out, coordinate, number(out, static_cast<double>(stride))));
  }
  const Ref last = reduced_along(out, "max_reduce", hits_of(out, row, Dim(row_count), 0).number, 0);
  const Ref winner = maximum(out, sub(out, last, number(out, 1.0)), number(out, 0.0));
  const Ref lines = out.reshape(updates, {Dim(writes), Dim(width)});
  const Ref values = gather_along(out, lines, winner, 0, {Dim(row_count), Dim(width)});
  const Ref is_written = out.unsqueeze(compare(out, "gt", last, number(out, 0.0)), {1});
  const Ref y = select(out, is_written, values, out.reshape(x, {Dim(row_count), Dim(width)}));
  return {out.reshape(y, shape)};
}

Shapes topk_shape(const ShapeCall& call) {
  Ints out = call.shape("input");
  const auto k = call.number_of("k");
  if (!k) return {};
  const size_t axis = call.axis("axis", out.size());
  call.require(*k <= out[axis], "'k' is ", *k, " of ", out[axis], " values");
  out[axis] = *k;
  return Shapes{out, out};
}

/// The rank of each element, by comparison with all others; equal ones keep their order.
Ref rank_of(Builder& out, Ref x, int axis, bool is_largest) {
  const int rank = out.rank(x) + 1;
  const Dim n = out.shape(x)[axis];
  const Ref self = out.unsqueeze(x, {axis + 1}), other = out.unsqueeze(x, {axis});
  const Ref is_before = compare(out, is_largest ? "gt" : "lt", other, self);
  const Ref earlier =
      compare(out, "lt", index_range(out, n, axis + 1, rank), index_range(out, n, axis, rank));
  const Ref wins = add(out, is_before, logical_and(out, compare(out, "eq", other, self), earlier));
  return reduced_along(out, "sum_reduce", as_number(out, wins), axis + 1);
}

Refs sorted_by_comparing(const StrictCall& call, Builder& out, Ref x, int axis, int64_t k) {
  const int rank = out.rank(x) + 1;
  const Dim n = out.shape(x)[axis];
  const Ref ranks = out.unsqueeze(rank_of(out, x, axis, call.at("largest").logical), {axis + 1});
  const Ref is_at = compare(out, "eq", ranks, index_range(out, Dim(k), axis + 1, rank));
  const Ref indices =
      reduced_along(out, "sum_reduce",
                    select(out, is_at, index_range(out, n, axis, rank), number(out, 0.0)), axis);
  // NaN compares false with everything, so several elements may have the same rank.
  const Ref within = minimum(out, indices, number(out, static_cast<double>(n.value() - 1)));
  return {gather_elements_along(out, call.operands[0], within, axis),
          retyped(out, within, call.results[1].dtype)};
}

/// The k best, one after another: each is removed before the next is searched. Removed elements
/// become infinite, so other infinities become the largest finite number.
Refs picked(const StrictCall& call, Builder& out, Ref x, int axis, int64_t k) {
  const bool is_largest = call.at("largest").logical;
  const Dim n = out.shape(x)[axis];
  constexpr double kFurthest = 3.4028234663852886e38;
  const Ref last = number(out, is_largest ? -kFurthest : kFurthest);
  x = is_largest ? maximum(out, x, last) : minimum(out, x, last);
  const double kInfinite = std::numeric_limits<double>::infinity();
  const Ref removed = number(out, is_largest ? -kInfinite : kInfinite);
  const Shape best_shape = with_size(out.shape(x), axis, Dim(1));
  Refs indices;
  for (int64_t i = 0; i < k; ++i) {
    const Ref best = emit(out, is_largest ? "argmax_reduce" : "argmin_reduce", {x},
                          {{"axes", Ints{axis}}}, {DType::i64, best_shape});
    indices.push_back(as_number(out, best));
    const Ref is_best = compare(out, "eq", index_range(out, n, axis, out.rank(x)), indices.back());
    x = select(out, is_best, removed, x);
  }
  const Ref all = out.concat(indices, axis);
  return {gather_elements_along(out, call.operands[0], all, axis),
          retyped(out, all, call.results[1].dtype)};
}

Refs lower_topk(const StrictCall& call, Builder& out) {
  constexpr int64_t kFew = 8;
  const auto axis = static_cast<int>(call.at("axis").integer);
  const int64_t k = call.at("k").integer;
  const Ref x = as_number(out, call.operands[0]);
  const int64_t n = extent(out, x, axis);
  check_size(call, out, count_of(out.shape(x)));
  if (k <= kFew && k < n) return picked(call, out, x, axis, k);
  check_size(call, out, count_of(out.shape(x)) * n);
  return sorted_by_comparing(call, out, x, axis, k);
}

Shapes one_hot_shape(const ShapeCall& call) {
  Ints out = call.shape("input");
  out.insert(axis_at(out, call.axis("axis", out.size() + 1)), call.integer("dim"));
  return {out};
}

Flows one_hot_flow(const FlowCall& call) {
  Flow out = call.first_flow();
  if (call.integer("axis") <= out.axis) ++out.axis;
  return with_new_shape(out);
}

/// Entries from `start` up to, but not including, `end`.
Shapes range_shape(const ShapeCall& call) {
  const auto start = call.number_of("start"), end = call.number_of("end"),
             step = call.number_of("step");
  if (!start || !end || !step || *step == 0) return {};
  const int64_t direction = *step > 0 ? *end - *start : *start - *end;
  const int64_t size = std::abs(*step);
  return {{direction <= 0 ? 0 : (direction + size - 1) / size}};
}

/// The number of the time step: 0, 1, …
Flows range_flow(const FlowCall& call) {
  call.refuse_length({"start", "step"});
  if (call.result() == nullptr || !call.number(call.value("start")) ||
      !call.number(call.value("step")))
    blocked("counts time steps in an unsupported way");
  const auto rate = rate_of(call.result()->at(0), call.symbol());
  if (!rate || rate->down != 1)
    blocked("counts time steps at a lower rate than the input's",
            "tract only counts the time steps of the input");
  Flow out;
  out.axis = 0;
  out.rank = 1;
  return {out};
}

}  // namespace

void add_index(Book& book) {
  book.add("gather", {gather_shape, nullptr, nullptr, nullptr, kMovesData});
  book.add("tract_core_gather", {nullptr, gather_shape, gather_flow, lower_gather, kMovesData});
  book.add("tract_core_gather_elements", {nullptr, indices_shape, nullptr, lower_gather_elements});
  book.add("tract_core_scatter_elements", {nullptr, unary_shape, nullptr, lower_scatter_elements});
  book.add("tract_core_scatter_nd", {nullptr, unary_shape, nullptr, lower_scatter_nd});
  book.add("tract_core_topk", {nullptr, topk_shape, nullptr, lower_topk});
  book.add("tract_core_one_hot", {nullptr, one_hot_shape, one_hot_flow});
  book.add("tract_core_range", {nullptr, range_shape, range_flow});
  book.add("tract_core_gather_nd tract_onnx_non_zero", {});
}

}  // namespace t2n::nnef_ops
