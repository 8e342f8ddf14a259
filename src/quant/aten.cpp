// Operators of `aten` on quantised tensors: to and from them, and those that know both kinds.
#include <algorithm>

#include "src/quant/rules.h"

namespace t2n::quant {
namespace {

using ir::DType;
using ir::TensorRef;
using ir::ValueId;

// --- to and from quantised tensors ---

/// fbgemm divides and adds the zero point with one rounding, as a sum in f64 does.
void quantize(QuantBuilder& b, ValueId x, int index) {
  const ir::QuantInfo& to = *b.output_info(index);
  if (to.is_per_channel()) return b.define_real(x, ZeroPoint::before_rounding, false, index);
  const double inverse = as_f32(1 / as_f32(to.scales[0]));
  const auto point = static_cast<double>(to.zero_points[0]);
  const ValueId product =
      b.binary("aten::mul.Tensor", b.cast(x, DType::f64), b.number(inverse, DType::f64));
  const ValueId sum = b.binary("aten::add.Tensor", product, b.number(point, DType::f64));
  b.define(b.steps_of_rounded(b.rounded(b.cast(sum, DType::f32)), to), index);
}

void quantize(QuantBuilder& b) {
  if (!b.has("tensors")) return quantize(b, b.real("self"), 0);
  const std::vector<ValueId> all = b.reals("tensors");
  for (size_t i = 0; i < all.size(); ++i) quantize(b, all[i], static_cast<int>(i));
}

void dequantize(QuantBuilder& b) {
  for (const std::string_view list : {"tensors", "qtensors"}) {
    if (!b.has(list) || !std::holds_alternative<ir::TensorRefs>(*b.find(list))) continue;
    const std::vector<ValueId> all = b.reals(list);
    for (size_t i = 0; i < all.size(); ++i) b.define(all[i], static_cast<int>(i));
    return;
  }
  for (const std::string_view one : {"self", "qtensor", "tensors"})
    if (b.has(one)) return b.define(b.real(one));
}

void int_repr(QuantBuilder& b) {
  b.define(b.integers_of(b.steps("self"), b.info("self"), b.output().dtype));
}

void make_quantised(QuantBuilder& b) { b.define(b.steps_of(b.tensor("self"), *b.output_info())); }

// --- operators for both ---

void keep(QuantBuilder& b) { b.is_alike() ? b.keep_on_steps() : b.redo_on_reals(); }
void round(QuantBuilder& b) { b.is_alike() ? b.round_on_steps() : b.redo_on_reals(); }
void redo(QuantBuilder& b) { b.redo_on_reals(); }

/// Zeros are zero steps; any other number is rounded to some.
void pad(QuantBuilder& b) {
  b.is_alike() && b.Rewriter::real("value", 0) == 0 ? b.keep_on_steps() : b.redo_on_reals();
}

/// They rearrange, choose or compare elements: steps lie as the reals do.
constexpr std::string_view kKeep[] = {"_reshape_alias",
                                      "_unsafe_view",
                                      "adaptive_max_pool1d",
                                      "adaptive_max_pool2d",
                                      "alias",
                                      "amax",
                                      "amin",
                                      "argmax",
                                      "argmin",
                                      "argsort",
                                      "broadcast_to",
                                      "cat",
                                      "channel_shuffle",
                                      "chunk",
                                      "clone",
                                      "concat",
                                      "contiguous",
                                      "detach",
                                      "diagonal",
                                      "expand",
                                      "expand_as",
                                      "flatten",
                                      "flip",
                                      "gather",
                                      "hsplit",
                                      "index",
                                      "index_select",
                                      "max",
                                      "max_pool1d",
                                      "max_pool2d",
                                      "max_pool3d",
                                      "min",
                                      "movedim",
                                      "narrow",
                                      "native_channel_shuffle",
                                      "permute",
                                      "pixel_shuffle",
                                      "pixel_unshuffle",
                                      "quantized_max_pool1d",
                                      "quantized_max_pool2d",
                                      "quantized_max_pool3d",
                                      "reflection_pad1d",
                                      "reflection_pad2d",
                                      "relu",
                                      "repeat",
                                      "replication_pad1d",
                                      "replication_pad2d",
                                      "reshape",
                                      "reshape_as",
                                      "roll",
                                      "select",
                                      "slice",
                                      "sort",
                                      "split",
                                      "split_with_sizes",
                                      "squeeze",
                                      "stack",
                                      "swapaxes",
                                      "t",
                                      "tensor_split",
                                      "tile",
                                      "topk",
                                      "transpose",
                                      "unbind",
                                      "unflatten",
                                      "unfold",
                                      "unsqueeze",
                                      "upsample_nearest1d",
                                      "upsample_nearest2d",
                                      "upsample_nearest3d",
                                      "view",
                                      "view_as",
                                      "_upsample_nearest_exact1d",
                                      "_upsample_nearest_exact2d",
                                      "_upsample_nearest_exact3d"};

/// They take means: of steps, rounded.
constexpr std::string_view kRound[] = {"_adaptive_avg_pool2d",
                                       "_adaptive_avg_pool3d",
                                       "adaptive_avg_pool1d",
                                       "adaptive_avg_pool2d",
                                       "adaptive_avg_pool3d",
                                       "avg_pool1d",
                                       "avg_pool2d",
                                       "avg_pool3d",
                                       "grid_sampler_2d",
                                       "grid_sampler",
                                       "mean",
                                       "upsample_bilinear2d"};

/// torch computes them on reals.
constexpr std::string_view kRedo[] = {"_prelu_kernel",
                                      "clamp",
                                      "clamp_max",
                                      "clamp_min",
                                      "elu",
                                      "eq",
                                      "ge",
                                      "gelu",
                                      "gt",
                                      "hardsigmoid",
                                      "hardtanh",
                                      "leaky_relu",
                                      "le",
                                      "lt",
                                      "masked_fill",
                                      "ne",
                                      "prelu",
                                      "quantized_batch_norm",
                                      "relu6",
                                      "sigmoid",
                                      "std",
                                      "tanh",
                                      "threshold"};

QuantRules table() {
  QuantRules out = {{"quantize_per_tensor", quantize},
                    {"quantize_per_channel", quantize},
                    {"dequantize", dequantize},
                    {"int_repr", int_repr},
                    {"cast", int_repr},
                    {"_make_per_tensor_quantized_tensor", make_quantised},
                    {"_make_per_channel_quantized_tensor", make_quantised},
                    {"constant_pad_nd", pad},
                    {"pad", pad}};
  for (const std::string_view word : kKeep) out.emplace(word, keep);
  for (const std::string_view word : kRound) out.emplace(word, round);
  for (const std::string_view word : kRedo) out.emplace(word, redo);
  return out;
}

}  // namespace

QuantRule find_aten_rule(std::string_view word) {
  static const QuantRules rules = table();
  return rule_in(rules, word);
}

}  // namespace t2n::quant
