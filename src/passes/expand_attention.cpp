// SPDX-License-Identifier: Apache-2.0
// The pass `expand-attention`: fused attention layers become linear layers, attention and norms, so
// that other passes find their weights. Each new layer belongs to the module of its weight.
#include <limits>
#include <map>
#include <string>
#include <string_view>

#include "src/passes/passes.h"
#include "src/passes/rewriter.h"

namespace t2n::passes {
namespace {

using ir::Dim;
using ir::TensorRef;
using ir::ValueId;

class FusedAttention : public Rewriter {
 public:
  explicit FusedAttention(ir::Graph& graph) : Rewriter(graph), uses_(ir::use_counts(graph)) {
    for (size_t i = 0; i < graph.scopes.size(); ++i)
      scopes_.emplace(ir::module_path(graph, static_cast<ir::ScopeId>(i)),
                      static_cast<ir::ScopeId>(i));
  }

  /// False if the node stays.
  bool rewrite() {
    const std::string_view op = ir::op_name(node().op);
    if (op == "aten::_transformer_encoder_layer_fwd") return is_plain("src") && encoder_layer();
    if (op != "aten::_native_multi_head_attention") return false;
    const ValueId x = ir::operand(node(), "query");
    const bool attends_to_itself =
        ir::operand(node(), "key") == x && ir::operand(node(), "value") == x;
    if (!attends_to_itself || uses_attention_weights() || !is_plain("query")) return false;
    define(attended(tensor("query"), integer("num_head", 1)));
    return true;
  }

 private:
  bool is_plain(std::string_view argument) const {
    const ValueId x = tensor(argument);
    constexpr int64_t kMostKinds = 2;
    const int64_t kind = integer("mask_type", -1);
    return dtype(x) == ir::DType::f32 && rank(x) == 3 &&
           (is_none("mask") || (kind >= 0 && kind <= kMostKinds));
  }

  /// Whether anything reads the attention weights.
  bool uses_attention_weights() const {
    const auto& outputs = node().outputs;
    return outputs.size() > 1 && outputs[1] != ir::kNoValue && uses_[outputs[1]] > 0;
  }

  /// Operations that `emit_layer` emits belong to the module of a weight, if the graph has it.
  template <typename EmitLayer>
  ValueId inside(std::string_view weight, const EmitLayer& emit_layer) {
    const std::string& name = value(tensor(weight)).name;
    const size_t dot = name.rfind('.');
    const auto found = dot == name.npos ? scopes_.end() : scopes_.find(name.substr(0, dot));
    const ir::ScopeId outer = node_.scope;
    if (found != scopes_.end()) node_.scope = found->second;
    const ValueId out = emit_layer();
    node_.scope = outer;
    return out;
  }

  ValueId linear(ValueId x, std::string_view weight, std::string_view bias) {
    ir::Shape out = shape(x);
    out.back() = shape(tensor(weight)).at(0);
    return inside(weight, [&] {
      return emit("aten::linear",
                  {{"input", TensorRef{x}},
                   {"weight", TensorRef{tensor(weight)}},
                   {"bias", TensorRef{tensor(bias)}}},
                  dtype(x), out);
    });
  }

  /// [B, T, E] -> [B, H, T, E / H]
  ValueId split(ValueId x, int64_t heads) {
    const ir::Shape from = shape(x);
    const int64_t each = from[2].value() / heads;
    const ValueId unflattened =
        emit("aten::unflatten.int",
             {{"self", TensorRef{x}}, {"dim", Dim(2)}, {"sizes", std::vector<Dim>{heads, each}}},
             dtype(x), {from[0], from[1], heads, each});
    return permute(unflattened, {0, 2, 1, 3});
  }

  ValueId joined(ValueId x) {
    const ValueId permuted = permute(x, {0, 2, 1, 3});
    const ir::Shape from = shape(permuted);
    return emit("aten::flatten.using_ints",
                {{"self", TensorRef{permuted}}, {"start_dim", Dim(2)}, {"end_dim", Dim(3)}},
                dtype(x), {from[0], from[1], from[2] * from[3]});
  }

  /// The mask, inverted: true means "attend" here and "ignore" in fused layers. A mask of type 0 is
  /// [T, T], of type 1 [B, T] over keys, of type 2 [B, H, T, T].
  ir::Attr mask() {
    if (is_none("mask")) return ir::None{};
    const ValueId attends = unary("aten::logical_not", cast(tensor("mask"), ir::DType::boolean));
    if (integer("mask_type", 0) != 1) return TensorRef{attends};
    return TensorRef{unsqueeze(unsqueeze(attends, 1), 2)};
  }

  /// Replaces results of queries without keys by NaN; the plain operator returns zeros.
  ValueId nan_without_keys(ValueId y, const ir::Attr& mask) {
    const auto* const attends = std::get_if<TensorRef>(&mask);
    if (attends == nullptr) return y;
    ir::Shape rows = shape(attends->id);
    rows.back() = 1;
    const ValueId has_keys = emit("aten::any.dim",
                                  {{"self", *attends},
                                   {"dim", Dim(static_cast<int64_t>(rows.size()) - 1)},
                                   {"keepdim", true}},
                                  ir::DType::boolean, rows);
    return where(has_keys, y, constant({}, {std::numeric_limits<double>::quiet_NaN()}, dtype(y)));
  }

  ValueId attended(ValueId x, int64_t heads) {
    return inside("qkv_weight", [&] { return attended_inside(x, heads); });
  }

  ValueId attended_inside(ValueId x, int64_t heads) {
    const int64_t size = integer("embed_dim", 0);
    const ValueId all = linear(x, "qkv_weight", "qkv_bias");
    const auto part = [&](int64_t which) {
      return split(slice(all, 2, which * size, (which + 1) * size), heads);
    };
    const ValueId query = part(0);
    const ValueId key = part(1);
    const ValueId value = part(2);
    const ir::Attr keys = mask();
    const ValueId y = emit("aten::scaled_dot_product_attention",
                           {{"query", TensorRef{query}},
                            {"key", TensorRef{key}},
                            {"value", TensorRef{value}},
                            {"attn_mask", keys},
                            {"dropout_p", 0.0},
                            {"is_causal", false},
                            {"scale", ir::None{}},
                            {"enable_gqa", false}},
                           dtype(x), shape(query));
    return linear(joined(nan_without_keys(y, keys)), "proj_weight", "proj_bias");
  }

  ValueId normed(ValueId x, std::string_view weight, std::string_view bias) {
    return inside(weight, [&] {
      return emit("aten::layer_norm",
                  {{"input", TensorRef{x}},
                   {"normalized_shape", std::vector<Dim>{shape(x).back()}},
                   {"weight", TensorRef{tensor(weight)}},
                   {"bias", TensorRef{tensor(bias)}},
                   {"eps", scalar("eps", 0)},
                   {"cudnn_enable", false}},
                  dtype(x), shape(x));
    });
  }

  ValueId fed_forward(ValueId x) {
    const ValueId wide = linear(x, "ffn_weight_1", "ffn_bias_1");
    const ValueId active =
        flag("use_gelu", false)
            ? emit("aten::gelu", {{"self", TensorRef{wide}}, {"approximate", std::string("none")}},
                   dtype(wide), shape(wide))
            : unary("aten::relu", wide);
    return linear(active, "ffn_weight_2", "ffn_bias_2");
  }

  bool encoder_layer() {
    const ValueId x = tensor("src");
    const bool norm_first = flag("norm_first", false);
    const auto first = [&](ValueId value) { return normed(value, "norm_weight_1", "norm_bias_1"); };
    const auto second = [&](ValueId value) {
      return normed(value, "norm_weight_2", "norm_bias_2");
    };
    const int64_t heads = integer("num_heads", 1);
    const ValueId attention = attended(norm_first ? first(x) : x, heads);
    const ValueId sum = binary("aten::add.Tensor", attention, x);
    const ValueId middle = norm_first ? sum : first(sum);
    const ValueId fed = fed_forward(norm_first ? second(middle) : middle);
    const ValueId y = binary("aten::add.Tensor", fed, middle);
    define(norm_first ? y : second(y));
    return true;
  }

  std::map<std::string, ir::ScopeId> scopes_;  ///< by module path
  std::vector<int> uses_;
};

}  // namespace

bool expand_attention(ir::Graph& graph, const PassContext& /*context*/) {
  FusedAttention rewriter(graph);
  return rewriter.replace_where([&] { return rewriter.rewrite(); });
}

}  // namespace t2n::passes
