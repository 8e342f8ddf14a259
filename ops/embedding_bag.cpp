// Sums, means and maxima of the embeddings of each bag of indices.
#include <limits>

#include "ops/index.h"
#include "ops/positions.h"
#include "src/diag/error.h"
#include "src/translate/arith.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

/// Below all that counts: tract's maximum over nothing but -inf is the lowest f32.
constexpr double kLowest = std::numeric_limits<float>::lowest();

/// The elements of a bag are those of [begin, end) in the list of indices.
struct Bag {
  int64_t begin;
  int64_t end;
};

std::vector<Bag> read_bags(const OpView& op, int64_t count) {
  Ints starts = ir::to_i64(op.constant("offsets"));
  const bool has_end = op.boolean("include_last_offset");
  if (!has_end) starts.push_back(count);
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

/// Bags without an element that counts give zeros.
Ref means(Emitter& out, Ref rows, Ref counts, const std::vector<Bag>& bags) {
  const Ref sizes = maximum(out, sums(out, counts, bags), like(out, 1, rows));
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

/// A bag of which nothing counts has the maximum of nothing.
Ref maxima_of_counted(Emitter& out, Ref rows, const std::vector<Bag>& bags) {
  const Ref y = maxima(out, rows, bags);
  return select(out, compare(out, "le", y, like(out, kLowest, y)), like(out, 0, y), y);
}

/// [elements, 1]: false for elements that padding_idx leaves out of their bags.
std::optional<Ref> counted(const OpView& op, Emitter& out, Ref indices) {
  const int64_t rows = extent(out, op.tensor("weight"), 0);
  if (!op.has_argument("padding_idx")) return {};
  const auto given = op.opt_i64("padding_idx");
  const bool is_absent = !given || (*given < 0 && op.op() != "aten::embedding_bag.padding_idx");
  if (is_absent) return {};
  const int64_t padding = *given < 0 ? *given + rows : *given;
  return out.unsqueeze(
      compare(out, "ne", indices, like(out, static_cast<double>(padding), indices)), {1});
}

void embedding_bag(const OpView& op, Emitter& out) {
  op.ignore_all({"scale_grad_by_freq", "sparse"}, "they matter to gradients only");
  const Ref indices = op.tensor("indices");
  const int64_t mode = op.i64("mode");
  Ref rows = widened(out, take(out, op.tensor("weight"), indices, 0));
  if (const auto weights = op.opt_tensor("per_sample_weights"))
    rows = mul(out, rows, out.cast(out.unsqueeze(*weights, {1}), out.dtype(rows)));
  const auto counts = counted(op, out, indices);
  if (counts) rows = select(out, *counts, rows, like(out, mode == 2 ? kLowest : 0, rows));
  const std::vector<Bag> bags = read_bags(op, extent(out, indices, 0));
  if (mode == 2)
    return finish(op, out, counts ? maxima_of_counted(out, rows, bags) : maxima(out, rows, bags));
  if (mode == 0) return finish(op, out, sums(out, rows, bags));
  const Ref all = out.full(like(out, 1, rows), {extent(out, indices, 0), 1});
  finish(op, out, means(out, rows, counts ? out.cast(*counts, out.dtype(rows)) : all, bags));
}

}  // namespace

void register_embedding_bag(Registry& r) {
  r.same({"aten::embedding_bag", "aten::embedding_bag.padding_idx", "aten::_embedding_bag",
          "aten::_embedding_bag_forward_only"},
         {"matmul",
          "sum, mean or maximum of weight[indices] over each bag; no other result",
          embedding_bag,
          {},
          "offsets that the model computes"});
}

}  // namespace t2n::ops
