// Sums, means and maxima of the embeddings of each bag of indices.
#include "ops/arith.h"
#include "ops/index.h"
#include "ops/positions.h"
#include "ops/registry.h"
#include "src/diag/error.h"

namespace t2n::ops {
namespace {

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

/// A product with [bag, element]: 1, or 1 / size, where the element lies in the bag.
Ref weighted_sums(Emitter& out, Ref rows, const std::vector<Bag>& bags, bool is_mean) {
  const int64_t elements = extent(out, rows, 0);
  const auto count = static_cast<int64_t>(bags.size());
  std::vector<double> weights(static_cast<size_t>(count * elements), 0);
  for (size_t bag = 0; bag < bags.size(); ++bag)
    for (int64_t i = bags[bag].begin; i < bags[bag].end; ++i)
      weights[bag * static_cast<size_t>(elements) + static_cast<size_t>(i)] =
          is_mean ? 1.0 / static_cast<double>(bags[bag].end - bags[bag].begin) : 1.0;
  const Ref matrix =
      out.constant(ir::tensor_of(out.dtype(rows), {count, elements}, weights), "bags");
  return out.call("matmul", {matrix, rows}, {}, out.dtype(rows),
                  with_size(out.shape(rows), 0, count));
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

void embedding_bag(const OpView& op, Emitter& out) {
  op.ignore_all({"scale_grad_by_freq", "sparse"}, "they matter to gradients only");
  if (op.has_argument("padding_idx") && op.opt_i64("padding_idx").value_or(-1) >= 0)
    op.refuse("padding_idx", "which elements count would depend on the data",
              "use a zero row of the weight instead");
  const Ref indices = op.tensor("indices");
  Ref rows = widened(out, take(out, op.tensor("weight"), indices, 0));
  if (const auto weights = op.opt_tensor("per_sample_weights"))
    rows = mul(out, rows, out.cast(out.unsqueeze(*weights, {1}), out.dtype(rows)));
  const std::vector<Bag> bags = read_bags(op, extent(out, indices, 0));
  const int64_t mode = op.i64("mode");
  finish(op, out, mode == 2 ? maxima(out, rows, bags) : weighted_sums(out, rows, bags, mode == 1));
}

}  // namespace

void register_embedding_bag(Registry& r) {
  r.add({.op = "aten::embedding_bag",
         .also = {"aten::embedding_bag.padding_idx", "aten::_embedding_bag",
                  "aten::_embedding_bag_forward_only"},
         .doc = "sum, mean or maximum of weight[indices] over each bag; no other result",
         .variants = {{any_target(), "matmul", embedding_bag}},
         .limits = "padding_idx; offsets that the model computes"});
}

}  // namespace t2n::ops
