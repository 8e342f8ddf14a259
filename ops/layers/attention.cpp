// SPDX-License-Identifier: Apache-2.0
// Scaled dot-product attention.
#include "ops/layers/attention.h"

#include <algorithm>
#include <cmath>

#include "ops/layers/families.h"
#include "ops/pointwise/special.h"
#include "ops/structure/positions.h"
#include "ops/structure/product.h"
#include "src/translate/arith.h"
#include "src/translate/barriers.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

Dim size_from_end(const Emitter& out, Ref x, size_t from_end) {
  const Shape& shape = out.shape(x);
  return shape.at(shape.size() - from_end);
}

/// true where query i (rows) may see key j (columns).
Ref causal_mask(Emitter& out, const Attention& a) {
  const Dim queries = size_from_end(out, a.query, 2), keys = size_from_end(out, a.key, 2);
  return compare(out, "le", iota(out, keys, 1, 2), iota(out, queries, 0, 2));
}

/// The mask as numbers to add to the scores; hidden keys get `hidden`.
Ref additive(Emitter& out, Ref mask, DType dtype, double hidden) {
  if (out.dtype(mask) == DType::boolean)
    return select(out, mask, out.scalar(0.0, dtype), out.scalar(hidden, dtype));
  const Ref x = out.cast(mask, dtype);
  if (hidden == -kInfinity) return x;
  return replaced(out, compare(out, "eq", x, like(out, -kInfinity, x)), hidden, x);
}

bool is_element_seen(const ir::Tensor& mask, int64_t index) {
  return mask.dtype == DType::boolean ? ir::element_i64(mask, index) != 0
                                      : ir::element_f64(mask, index) != -kInfinity;
}

/// True if a constant mask hides all keys from some query.
bool has_masked_row(const ir::Tensor& mask) {
  const int64_t keys = mask.shape.empty() ? 1 : mask.shape.back();
  for (int64_t row = 0; row < mask.elements(); row += keys) {
    bool is_seen = false;
    for (int64_t i = row; i < row + keys && !is_seen; ++i) is_seen = is_element_seen(mask, i);
    if (!is_seen) return true;
  }
  return false;
}

/// Gives queries that see no key torch's result; engines differ.
Ref with_masked_rows(Emitter& out, Ref y, Ref mask, double no_key_value) {
  const auto known = out.constant_value(mask);
  if (known && !has_masked_row(*known)) return y;
  // max_reduce cannot tell -inf from the lowest number, with which some models mask.
  const Ref is_seen = out.dtype(mask) == DType::boolean
                          ? mask
                          : compare(out, "ne", mask, like(out, -kInfinity, mask));
  const Ref sees_any = reduce(out, "max_reduce", is_seen, {out.rank(mask) - 1});
  return select(out, sees_any, y, like(out, no_key_value, y));
}

/// Groups of query heads share a key head: [B, K, S, D] -> [B, K * groups, S, D]. By gather,
/// because tract 0.21 fails to simplify a broadcast and reshape in front of the product.
Ref repeated_heads(Emitter& out, Ref x, Ref query) {
  const int axis = out.rank(x) - 3;
  const int64_t key_heads = known_size(out, x, axis);
  const int64_t query_heads = known_size(out, query, axis);
  if (key_heads == query_heads) return x;
  std::vector<int64_t> heads;
  for (int64_t head = 0; head < query_heads; ++head)
    heads.push_back(head * key_heads / query_heads);
  return take(out, x, heads, axis);
}

Attention with_repeated_heads(Emitter& out, Attention a) {
  a.key = repeated_heads(out, a.key, a.query);
  a.value = repeated_heads(out, a.value, a.query);
  return a;
}

Attention all_widened(Emitter& out, Attention a, double hidden) {
  for (Ref* x : {&a.query, &a.key, &a.value}) *x = widened(out, *x);
  if (a.mask) a.mask = additive(out, *a.mask, out.dtype(a.query), hidden);
  return a;
}

/// tract skips blocks that a mask hides from all their queries, even for a query that sees no other
/// key, where torch compares the remaining scores. So each query must see a key, or an infinity
/// must hide the keys.
bool hides_by_infinity(const Emitter& out, Ref mask) {
  constexpr double kSeen = -1e4;  // a score of -65503 or less is skipped
  if (out.dtype(mask) == DType::boolean) return true;
  const auto known = out.constant_value(mask);
  if (!known) return false;
  const int64_t keys = known->shape.empty() ? 1 : known->shape.back();
  for (int64_t row = 0; row < known->elements(); row += keys) {
    double most = -kInfinity;
    for (int64_t i = row; i < row + keys; ++i) most = std::max(most, ir::element_f64(*known, i));
    if (most < kSeen && most != -kInfinity) return false;
  }
  return true;
}

/// Broadcasts the leading axes to those of the query; heads may differ if queries are grouped.
Ref with_batch_of(Emitter& out, Ref x, const Attention& a) {
  Shape shape = out.shape(a.query);
  const size_t fixed = a.is_grouped ? 3 : 2;
  for (size_t i = 1; i <= fixed; ++i) shape[shape.size() - i] = size_from_end(out, x, i);
  return out.broadcast_to(x, shape);
}

/// tract needs the mask in full over queries and keys; batch and heads broadcast.
Ref full_mask(Emitter& out, Ref mask, const Attention& a) {
  const Ref x = with_rank(out, mask, out.rank(a.query));
  Shape shape = out.shape(x);
  shape[shape.size() - 2] = size_from_end(out, a.query, 2);
  shape[shape.size() - 1] = size_from_end(out, a.key, 2);
  return out.broadcast_to(x, shape);
}

/// True if the leading axes of key and value equal the query's or broadcast to them.
bool leads(const Emitter& out, const Attention& a) {
  const size_t batch = out.shape(a.query).size() - (a.is_grouped ? 3 : 2);
  for (const Ref x : {a.key, a.value})
    for (size_t i = 0; i < batch; ++i) {
      const Dim other = out.shape(x)[i];
      if (other != Dim(1) && other != out.shape(a.query)[i]) return false;
    }
  return true;
}

/// tract needs to know the number of heads, the axis before the last two.
bool has_known_heads(const Emitter& out, const Attention& a) {
  const auto is_known = [&](Ref x) {
    return out.rank(x) < 4 || size_from_end(out, x, 3).is_constant();
  };
  return is_known(a.query) && is_known(a.key) && is_known(a.value);
}

bool is_native(const Emitter& out, const Attention& a) {
  const int rank = out.rank(a.query);
  return rank <= 4 && has_known_heads(out, a) && out.dtype(a.query) != DType::f64 &&
         out.rank(a.key) == rank && out.rank(a.value) == rank && leads(out, a) &&
         (!a.mask || hides_by_infinity(out, *a.mask));
}

Ref native_attention(Emitter& out, std::string_view name, const Attention& a) {
  std::vector<Ref> operands = {a.query, a.key, a.value};
  if (a.mask) operands.push_back(full_mask(out, *a.mask, a));
  Attributes attributes = {
      {"datum_type", "f32"}, {"acc_datum_type", "f32"}, {"is_causal", a.is_causal}};
  if (a.scale) attributes.emplace_back("scale", *a.scale);
  Shape shape = out.shape(a.query);
  shape.back() = out.shape(a.value).back();
  return out.call(name, operands, attributes, out.dtype(a.query), shape);
}

/// With more keys than queries, the engine aligns a causal mask at the last key, torch at the
/// first.
Attention with_explicit_causality(Emitter& out, Attention a) {
  if (!a.is_causal || size_from_end(out, a.query, 2) == size_from_end(out, a.key, 2)) return a;
  a.mask = causal_mask(out, a);
  a.is_causal = false;
  return a;
}

Ref by_engine(Emitter& out, std::string_view name, Attention a) {
  const std::optional<Ref> mask = a.mask;
  a = all_widened(out, with_explicit_causality(out, a), kLowest);
  const int rank = out.rank(a.query);
  for (Ref* x : {&a.query, &a.key, &a.value}) *x = with_rank(out, *x, 3);
  for (Ref* x : {&a.key, &a.value}) *x = with_batch_of(out, *x, a);
  Ref y = native_attention(out, name, a);
  if (rank < 3) y = out.squeeze(y, {0});
  return mask ? with_masked_rows(out, y, *mask, a.no_key_value) : y;
}

Attention read_attention(const OpView& op, Emitter& out) {
  op.require("dropout_p", 0);
  Attention a;
  a.query = op.tensor("query");
  a.key = op.tensor("key");
  a.value = op.tensor("value");
  a.mask = op.opt_tensor("attn_mask");
  a.is_causal = op.boolean("is_causal");
  a.scale = op.opt_f64("scale");
  a.is_grouped = op.has_argument("enable_gqa") && op.boolean("enable_gqa") && out.rank(a.query) > 2;
  return a;
}

void scaled_dot_product(const OpView& op, Emitter& out) {
  out.result(out.cast(attention(op, out, op.nnef(), read_attention(op, out)), op.dtype()));
  for (int i = 1; i < op.outputs(); ++i)
    if (op.is_used(i)) op.refuse_op(Limit::backward_output, "read its first output only");
}

/// The number of queries by the width of values.
Shape attended(const ShapeView& op) {
  const Shape &query = op.shape("query"), &value = op.shape("value");
  Shape out = op.boolean("enable_gqa")
                  ? all_but_last(query, 2)
                  : op.broadcast(all_but_last(query, 2), all_but_last(value, 2));
  const Shape& key = op.shape("key");
  op.unified(query.back(), key.back());
  op.unified(key.at(key.size() - 2), value.at(value.size() - 2));
  out.push_back(query.at(query.size() - 2));
  Shape scores = out;
  scores.push_back(value.at(value.size() - 2));
  op.require_fit("attn_mask", scores);
  out.push_back(value.back());
  return out;
}

Shapes attention_shapes(const ShapeView& op) { return {attended(op)}; }

Shapes flash_attention_shapes(const ShapeView& op) {
  return {attended(op), all_but_last(op.shape("query"), 1)};
}

}  // namespace

AttentionResult composed_attention(const OpView& op, Emitter& out, Attention a) {
  if (a.is_grouped) a = with_repeated_heads(out, a);
  // Heads that the model itself repeats trigger the same bug of tract 0.21.
  for (Ref* x : {&a.key, &a.value}) *x = with_broadcast_barrier(out, *x);
  if (a.is_causal) a.mask = causal_mask(out, a);
  const std::optional<Ref> mask = a.mask;
  a = all_widened(out, a, -kInfinity);
  const double width = static_cast<double>(known_size(out, a.query, out.rank(a.query) - 1));
  const Ref products = product_transposed(op, out, a.query, a.key);
  Ref scores = scaled(out, products, a.scale.value_or(1 / std::sqrt(width)));
  if (a.mask) scores = add(out, scores, *a.mask);
  const Ints last = {out.rank(scores) - 1};
  Ref weights =
      out.call("softmax", {scores}, {{"axes", last}}, out.dtype(scores), out.shape(scores));
  if (mask && !a.is_causal) weights = with_masked_rows(out, weights, *mask, a.no_key_value);
  return {product(op, out, weights, a.value), weights};
}

Ref attention(const OpView& op, Emitter& out, std::string_view name, Attention a) {
  const bool is_ours = name != "tract_transformers_sdpa" || !is_native(out, a);
  return is_ours ? composed_attention(op, out, a).output : by_engine(out, name, a);
}

void register_attention(Registry& r) {
  r.add({.op = "aten::scaled_dot_product_attention",
         .also = {"aten::_scaled_dot_product_flash_attention_for_cpu"},
         .doc = "softmax(query . key^T * scale + attn_mask) . value",
         .variants = {{has(Feature::sdpa), "tract_transformers_sdpa", scaled_dot_product},
                      {any_target(), "softmax", scaled_dot_product}},
         .limits = "dropout_p other than 0 is refused"});
  r.shapes(attention_shapes, "scaled_dot_product_attention");
  r.shapes(flash_attention_shapes, "_scaled_dot_product_flash_attention_for_cpu");
}

}  // namespace t2n::ops
