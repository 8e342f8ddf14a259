// SPDX-License-Identifier: Apache-2.0
// Attention layers that torch fuses if no gradient is needed.
#include "ops/layers/attention.h"
#include "ops/layers/families.h"
#include "ops/pointwise/special.h"
#include "ops/structure/product.h"
#include "src/translate/arith.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

/// Splits the last axis into heads: [B, T, H * D] -> [B, H, T, D].
Ref split_heads(Emitter& out, Ref x, int64_t heads) {
  const Shape shape = out.shape(x);
  const Ref heads_last = out.reshape(x, {shape[0], shape[1], heads, floor_div(shape[2], heads)});
  return out.transpose(heads_last, {0, 2, 1, 3});
}

Ref joined_heads(Emitter& out, Ref x) {
  const Shape shape = out.shape(x);
  return out.reshape(out.transpose(x, {0, 2, 1, 3}), {shape[0], shape[2], shape[1] * shape[3]});
}

/// Parameters of query, key and value are stacked.
Ref projected(const OpView& op, Emitter& out, Ref x, int which) {
  const int64_t size = op.i64("embed_dim");
  const Ref weight = out.slice(op.tensor("qkv_weight"), 0, which * size, (which + 1) * size);
  const Ref bias = out.slice(op.tensor("qkv_bias"), 0, which * size, (which + 1) * size);
  return linear_layer(op, out, x, weight, bias);
}

/// True means "takes no part". Kinds: 0 is [T, T], 1 is [B, T] of keys, 2 is [B, H, T, T].
std::optional<Ref> read_mask(const OpView& op, Emitter& out) {
  const auto mask = op.opt_tensor("mask");
  const auto kind = op.opt_i64("mask_type");
  if (!mask) return {};
  const Ref takes_part = logical_not(out, out.cast(*mask, DType::boolean));
  return kind == 1 ? out.unsqueeze(takes_part, {1, 2}) : takes_part;
}

Attention self_attention(const OpView& op, Emitter& out, Ref query, Ref key, Ref value,
                         int64_t heads) {
  Attention a;
  a.query = split_heads(out, projected(op, out, query, 0), heads);
  a.key = split_heads(out, projected(op, out, key, 1), heads);
  a.value = split_heads(out, projected(op, out, value, 2), heads);
  a.mask = read_mask(op, out);
  a.no_key_value = kNan;
  return a;
}

Ref output_projection(const OpView& op, Emitter& out, Ref heads) {
  return linear_layer(op, out, joined_heads(out, out.cast(heads, op.dtype())),
                      op.tensor("proj_weight"), op.tensor("proj_bias"));
}

/// Outputs [B, T, E] and the weights: [B, T, S] averaged over the heads, or [B, H, T, S]. The
/// latter also if weights are not requested.
void multi_head(const OpView& op, Emitter& out) {
  const Attention a = self_attention(op, out, op.tensor("query"), op.tensor("key"),
                                     op.tensor("value"), op.i64("num_head"));
  const bool is_average = op.boolean("average_attn_weights");
  const bool averages = op.boolean("need_weights") && is_average;
  if (op.outputs() < 2 || !op.is_used(1))
    return out.result(output_projection(op, out, attention(op, out, op.nnef(), a)));
  const AttentionResult y = composed_attention(op, out, a);
  out.result(output_projection(op, out, y.output));
  const Ref weights =
      averages ? out.squeeze(reduce(out, "mean_reduce", y.weights, {1}), {1}) : y.weights;
  out.result(out.cast(weights, op.dtype(1)), 1);
}

struct EncoderNorm {
  std::string_view weight;
  std::string_view bias;
};
constexpr EncoderNorm kNorm1 = {"norm_weight_1", "norm_bias_1"};
constexpr EncoderNorm kNorm2 = {"norm_weight_2", "norm_bias_2"};

Ref encoder_norm(const OpView& op, Emitter& out, Ref x, const EncoderNorm& norm) {
  const Ref wide = widened(out, x);
  const bool is_f64 = out.dtype(wide) == DType::f64;
  const Ref y = out.call(is_f64 ? "t2n_layer_norm_f64" : "t2n_layer_norm",
                         {wide, out.scalar(op.f64("eps"), out.dtype(wide))},
                         {{"axes", Ints{out.rank(wide) - 1}}}, out.dtype(wide), out.shape(wide));
  const Ref scaled = mul(out, y, widened(out, op.tensor(norm.weight)));
  return out.cast(add(out, scaled, widened(out, op.tensor(norm.bias))), out.dtype(x));
}

Ref feed_forward(const OpView& op, Emitter& out, Ref x) {
  Ref y = linear_layer(op, out, x, op.tensor("ffn_weight_1"), op.tensor("ffn_bias_1"));
  const bool use_gelu = op.boolean("use_gelu");
  y = use_gelu ? out.cast(exact_gelu(out, y), out.dtype(y)) : out.elementwise("relu", {y});
  return linear_layer(op, out, y, op.tensor("ffn_weight_2"), op.tensor("ffn_bias_2"));
}

/// Attention and a feed-forward network, each added to its input and normalised, before or after.
void encoder_layer(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("src");
  const bool norm_first = op.boolean("norm_first");
  const Ref in = norm_first ? encoder_norm(op, out, x, kNorm1) : x;
  const Attention a = self_attention(op, out, in, in, in, op.i64("num_heads"));
  const Ref attended = output_projection(op, out, attention(op, out, op.nnef(), a));
  Ref middle = add(out, attended, x);
  if (!norm_first) middle = encoder_norm(op, out, middle, kNorm1);
  const Ref normed = norm_first ? encoder_norm(op, out, middle, kNorm2) : middle;
  const Ref y = add(out, feed_forward(op, out, normed), middle);
  out.result(norm_first ? y : encoder_norm(op, out, y, kNorm2));
}

/// The weights are averaged over heads if requested; a fused kernel returns none.
Shapes multi_head_shapes(const ShapeView& op) {
  const Shape &query = op.shape("query"), &key = op.shape("key");
  if (op.outputs() < 2) return {query};
  Shape weights = {query.at(0), query.at(1), key.at(1)};
  const bool averages = op.boolean("average_attn_weights");
  if (!op.boolean("need_weights") || !averages)
    weights.insert(weights.begin() + 1, op.dim("num_head"));
  return {query, weights};
}

}  // namespace

void register_attention_layers(Registry& r) {
  r.add({.op = "aten::_native_multi_head_attention",
         .doc = "attention between projections of query, key and value, projected once more",
         .variants = {{has(Feature::sdpa), "tract_transformers_sdpa", multi_head},
                      {any_target(), "softmax", multi_head}}});
  r.add({.op = "aten::_transformer_encoder_layer_fwd",
         .doc = "attention and a feed-forward network, each with residual and layer_norm",
         .variants = {{has(Feature::sdpa), "tract_transformers_sdpa", encoder_layer},
                      {any_target(), "softmax", encoder_layer}}});
  r.shapes(multi_head_shapes, "_native_multi_head_attention");
  r.shapes(shapes::same, "_transformer_encoder_layer_fwd");
}

}  // namespace t2n::ops
