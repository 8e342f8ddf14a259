// SPDX-License-Identifier: Apache-2.0
// Sums, means and maxima of the embeddings of each bag of indices; embeddings of bounded norm.
#include "ops/indexing/families.h"
#include "ops/indexing/scatter.h"
#include "ops/pointwise/special.h"
#include "ops/reduction/reduce.h"
#include "ops/structure/index.h"
#include "ops/structure/positions.h"
#include "src/diag/error.h"
#include "src/translate/arith.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

/// A bag holds the elements [begin, end) of the list of indices.
struct Bag {
  int64_t begin;
  int64_t end;
};

/// If `offsets` contains the end of the last bag, LibTorch respects it only in sums of f32 or
/// narrower without a padding_idx; otherwise that bag gets all remaining elements.
enum class Last { from_offsets, all };

std::vector<Bag> read_bags(const OpView& op, int64_t count, Last last) {
  Ints starts = ir::to_i64(op.constant("offsets"));
  const bool has_end = op.boolean("include_last_offset");
  if (!has_end) starts.push_back(count);
  if (last == Last::all) starts.back() = count;
  std::vector<Bag> bags;
  for (size_t i = 0; i + 1 < starts.size(); ++i) bags.push_back({starts[i], starts[i + 1]});
  return bags;
}

/// [bag, element]: 1 where the element lies in the bag.
Ref membership(Emitter& out, const std::vector<Bag>& bags, int64_t elements, DType dtype) {
  const auto count = static_cast<int64_t>(bags.size());
  std::vector<double> weights(static_cast<size_t>(count * elements), 0);
  for (size_t bag = 0; bag < bags.size(); ++bag)
    for (int64_t i = bags[bag].begin; i < bags[bag].end; ++i)
      weights[bag * static_cast<size_t>(elements) + static_cast<size_t>(i)] = 1;
  return out.constant(ir::tensor_of(dtype, {count, elements}, weights), "bags");
}

Ref sums(Emitter& out, Ref rows, const std::vector<Bag>& bags) {
  const Ref bag = membership(out, bags, extent(out, rows, 0), out.dtype(rows));
  return out.call("matmul", {bag, rows}, {}, out.dtype(rows),
                  with_size(out.shape(rows), 0, static_cast<int64_t>(bags.size())));
}

/// Bags without included elements give zeros.
Ref means(Emitter& out, Ref rows, Ref counts, const std::vector<Bag>& bags,
          const std::vector<Bag>& full_bags) {
  const Ref sizes = maximum(out, sums(out, counts, full_bags), like(out, 1, rows));
  return div(out, sums(out, rows, bags), sizes);
}

/// Empty bags give zeros.
Ref maxima(Emitter& out, Ref rows, const std::vector<Bag>& bags) {
  std::vector<Ref> parts;
  for (const Bag& bag : bags)
    parts.push_back(bag.begin == bag.end
                        ? out.full(like(out, 0, rows), with_size(out.shape(rows), 0, 1))
                        : reduce(out, "max_reduce", out.slice(rows, 0, bag.begin, bag.end), {0}));
  return out.concat(parts, 0);
}

/// A bag without included elements gives zeros.
Ref maxima_of_included(Emitter& out, Ref rows, const std::vector<Bag>& bags) {
  const Ref y = maxima(out, rows, bags);
  return select(out, compare(out, "le", y, like(out, kLowest, y)), like(out, 0, y), y);
}

/// [elements, 1]: false for elements that padding_idx leaves out of their bags.
std::optional<Ref> included(const OpView& op, Emitter& out, Ref indices) {
  const int64_t rows = extent(out, op.tensor("weight"), 0);
  if (!op.has_argument("padding_idx")) return {};
  const auto padding_idx = op.opt_i64("padding_idx");
  const bool is_absent =
      !padding_idx || (*padding_idx < 0 && op.op() != "aten::embedding_bag.padding_idx");
  if (is_absent) return {};
  const int64_t padding = *padding_idx < 0 ? *padding_idx + rows : *padding_idx;
  return out.unsqueeze(
      compare(out, "ne", indices, like(out, static_cast<double>(padding), indices)), {1});
}

/// True if the bags are known at export.
bool are_known(const OpView& op, Emitter& out, Ref indices) {
  return out.shape(indices)[0].is_constant() && out.constant_value(op.tensor("offsets"));
}

/// [bag, element]: True if the element is in the bag; the model computes the offsets. An element is
/// in the last bag that begins at or before it, and in none after a last offset.
Ref membership(const OpView& op, Emitter& out, Ref indices, Last last) {
  const Ref offsets = out.cast(op.tensor("offsets"), DType::i64);
  const Ref position = iota(out, out.shape(indices)[0], 1, 2);
  const Ref has_begun = compare(out, "le", out.unsqueeze(offsets, {1}), position);
  Ref begun = reduce(out, "sum_reduce", out.cast(has_begun, DType::i64), {0});
  const bool has_end = op.boolean("include_last_offset");
  const Dim bags = out.shape(offsets)[0] - Dim(has_end ? 1 : 0);
  if (has_end && last == Last::all) begun = minimum(out, begun, out.size(bags, DType::i64));
  const Ref number = add(out, iota(out, bags, 0, 2), out.scalar(1, DType::i64));
  return compare(out, "eq", begun, number);
}

/// Maxima over all elements; those of other bags are masked by the lowest number.
Ref maxima(Emitter& out, Ref rows, Ref bag) {
  const Ref own =
      select(out, out.unsqueeze(bag, {2}), out.unsqueeze(rows, {0}), like(out, kLowest, rows));
  const Ref y = out.squeeze(reduce(out, "max_reduce", own, {1}), {1});
  return select(out, compare(out, "le", y, like(out, kLowest, y)), like(out, 0, y), y);
}

/// A mean divides by the number of all remaining elements, even if fewer are summed.
Ref over_bags(const OpView& op, Emitter& out, Ref rows, const std::optional<Ref>& counts,
              Last last) {
  const Ref indices = op.tensor("indices");
  const int64_t mode = op.i64("mode");
  const Ref bag = membership(op, out, indices, last);
  if (mode == 2) return maxima(out, rows, bag);
  const DType dtype = out.dtype(rows);
  const Dim& bags = out.shape(bag)[0];
  const auto total = [&](Ref weights, Ref x) {
    return out.call("matmul", {out.cast(weights, dtype), x}, {}, dtype,
                    with_size(out.shape(x), 0, bags));
  };
  const Ref sum = total(bag, rows);
  if (mode == 0) return sum;
  const bool is_cut = last == Last::from_offsets && op.boolean("include_last_offset");
  const Ref full = is_cut ? membership(op, out, indices, Last::all) : bag;
  const Ref sizes = counts ? total(full, out.cast(*counts, dtype))
                           : reduce(out, "sum_reduce", out.cast(full, dtype), {1});
  return div(out, sum, maximum(out, sizes, like(out, 1, rows)));
}

/// The common size of all bags, if the offsets are its multiples: torch's layer computes them so
/// for rows of indices.
std::optional<Dim> common_size(const OpView& op, Emitter& out, Ref indices) {
  const ir::Node* const from = op.producer("offsets");
  if (from == nullptr || ir::op_name(from->op) != "aten::arange.start_step" ||
      op.boolean("include_last_offset"))
    return {};
  const auto number = [&](std::string_view name) {
    const Dim* const dim = std::get_if<Dim>(from->find(name));
    return dim == nullptr ? std::nullopt : std::optional(*dim);
  };
  const auto start = number("start"), step = number("step");
  if (start != Dim(0) || !step) return {};
  const Dim bags = out.shape(op.tensor("offsets"))[0];
  return bags * *step == out.shape(indices)[0] ? step : std::nullopt;
}

/// Bags of a common size are rows of a table.
Ref over_equal_bags(const OpView& op, Emitter& out, Ref rows, const std::optional<Ref>& counts,
                    const Dim& size) {
  const Dim bags = op.shape()[0];
  const auto total = [&](std::string_view reduction, Ref x) {
    const Ref table = out.reshape(x, {bags, size, out.shape(x)[1]});
    return out.squeeze(reduce(out, reduction, table, {1}), {1});
  };
  const int64_t mode = op.i64("mode");
  if (mode == 2) {
    const Ref y = total("max_reduce", rows);
    return select(out, compare(out, "le", y, like(out, kLowest, y)), like(out, 0, y), y);
  }
  const Ref sum = total("sum_reduce", rows);
  if (mode == 0) return sum;
  const DType dtype = out.dtype(rows);
  if (!counts) return div(out, sum, out.size(size, dtype));
  const Ref count = total("sum_reduce", out.cast(*counts, dtype));
  return div(out, sum, maximum(out, count, like(out, 1, count)));
}

void embedding_bag(const OpView& op, Emitter& out) {
  op.ignore_all({"scale_grad_by_freq", "sparse"}, "they matter to gradients only");
  const Ref indices = op.tensor("indices");
  const int64_t mode = op.i64("mode");
  Ref rows = widened(out, take(out, op.tensor("weight"), indices, 0));
  if (const auto weights = op.opt_tensor("per_sample_weights"))
    rows = mul(out, rows, out.cast(out.unsqueeze(*weights, {1}), out.dtype(rows)));
  const auto counts = included(op, out, indices);
  if (counts) rows = select(out, *counts, rows, like(out, mode == 2 ? kLowest : 0, rows));
  if (const auto size = common_size(op, out, indices))
    return finish(op, out, over_equal_bags(op, out, rows, counts, *size));
  const bool is_wide = out.dtype(op.tensor("weight")) == DType::f64;
  const Last last = counts || mode == 2 || is_wide ? Last::all : Last::from_offsets;
  if (!are_known(op, out, indices)) return finish(op, out, over_bags(op, out, rows, counts, last));
  const std::vector<Bag> bags = read_bags(op, extent(out, indices, 0), last);
  if (mode == 2)
    return finish(op, out, counts ? maxima_of_included(out, rows, bags) : maxima(out, rows, bags));
  if (mode == 0) return finish(op, out, sums(out, rows, bags));
  const Ref all = out.full(like(out, 1, rows), {extent(out, indices, 0), 1});
  finish(op, out,
         means(out, rows, counts ? out.cast(*counts, out.dtype(rows)) : all, bags,
               read_bags(op, extent(out, indices, 0), Last::all)));
}

/// Scales the looked-up rows whose norm exceeds max_norm down to it.
void embedding_renorm(const OpView& op, Emitter& out) {
  const Ref table = op.tensor("self");
  const Ref indices = flattened(out, out.cast(op.tensor("indices"), DType::i64));
  out.declare_positions(indices);
  const Ref rows = widened(out, take(out, table, indices, 0));
  const double most = op.f64("max_norm");
  const Ref norm = vector_norm(out, rows, op.f64("norm_type"), {1});
  const Ref factor = over(out, most, plus(out, norm, 1e-7));
  const Ref kept = select(out, is_above(out, norm, most), mul(out, rows, factor), rows);
  finish(op, out,
         scatter_rows(out, table, indices, out.cast(kept, op.dtype()), {Combine::none, true}));
}

/// One row per bag; the other results are internal to torch.
Shapes embedding_bag_shapes(const ShapeView& op) {
  const Dim ends = op.boolean("include_last_offset") ? 1 : 0;
  Shapes out;
  for (size_t i = 0; i < op.outputs(); ++i) out.push_back(op.traced(i));
  out.at(0) = {op.shape("offsets").at(0) - ends, op.shape("weight").at(1)};
  return out;
}

}  // namespace

void register_embedding_bag(Registry& r) {
  r.same({"aten::embedding_renorm"},
         {"tract_core_scatter_nd",
          "rows `indices` of self, times max_norm / (norm + 1e-7) where their norm is larger",
          embedding_renorm});
  r.same({"aten::embedding_bag", "aten::embedding_bag.padding_idx", "aten::_embedding_bag",
          "aten::_embedding_bag_forward_only"},
         {"matmul", "sum, mean or maximum of weight[indices] over each bag; no other result",
          embedding_bag});
  r.shapes(embedding_bag_shapes, "embedding_bag _embedding_bag _embedding_bag_forward_only");
  r.shapes(shapes::same, "embedding_renorm");
}

}  // namespace t2n::ops
