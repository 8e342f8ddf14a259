// SPDX-License-Identifier: Apache-2.0
// Quantisation (§4.9), and operations of tract without rules: their shapes are unknown.
#include "src/nnef_ops/book.h"
#include "src/nnef_ops/shape_call.h"

namespace t2n::nnef_ops {
namespace {

Shapes quantize_shape(const ShapeCall& call) {
  call.require(call.integer("bits") > 0, "'bits' is ", call.integer("bits"),
               ", and must be positive");
  return over_first_shape(call);
}

}  // namespace

void add_others(Book& book) {
  book.add(
      "linear_quantize min_max_linear_quantize zero_point_linear_quantize "
      "logarithmic_quantize",
      {quantize_shape});
  book.add(
      "tract_core_clamped_swiglu tract_core_complex_to_inner_dim tract_core_einsum_q "
      "tract_core_gru_seq tract_core_inner_dim_to_complex tract_core_matmul "
      "tract_core_qconv tract_core_qmatmul tract_core_shape_of tract_core_submodel "
      "tract_extra_exp_mean_norm tract_extra_exp_unit_norm tract_moe_ffn "
      "tract_onnx_is_nan tract_onnx_isinf tract_onnx_lrn tract_onnx_ml_direct_lookup "
      "tract_onnx_ml_reverse_lookup tract_onnx_ml_tree_ensemble_classifier "
      "tract_onnx_multinomial tract_onnx_non_max_suppression tract_onnx_random "
      "tract_pulse_delay tract_pulse_mask tract_pulse_pulse_pad "
      "tract_qwen35_causal_conv1d_update tract_qwen35_gdn_recurrent tract_resource_get "
      "tract_transformers_causal_conv1d_update tract_transformers_dyn_kv_cache "
      "tract_transformers_gdn_recurrent tract_transformers_quantized_dyn_kv_cache "
      "tract_transformers_quantized_kv_sdpa tract_transformers_window_kv_sdpa",
      {});
}

}  // namespace t2n::nnef_ops
