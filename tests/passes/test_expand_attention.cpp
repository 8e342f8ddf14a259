// SPDX-License-Identifier: Apache-2.0
// Fused attention as the layers that it is made of.
#include <doctest/doctest.h>

#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

std::string fused(const std::string& key) {
  return R"(graph m(%x: f32[1,3,4], %k: f32[1,3,4]) -> (%y as "y") {
  const %qkv_weight: f32[12,4] = bytes=192
  const %qkv_bias: f32[12] = bytes=48
  const %weight: f32[4,4] = bytes=64
  const %bias: f32[4] = bytes=16
  %y: f32[1,3,4], %w: f32[1,3,3] = aten::_native_multi_head_attention(query=%x, key=%)" +
         key + R"(, value=%x, embed_dim=4, num_head=2, qkv_weight=%qkv_weight, qkv_bias=%qkv_bias, proj_weight=%weight, proj_bias=%bias, mask=none, need_weights=false, average_attn_weights=true, mask_type=none)
})";
}

TEST_CASE("self-attention becomes linear layers around an attention of heads") {
  CHECK_EQ(after("expand-attention", fused("x")), R"(graph m(%x: f32[1,3,4], %k: f32[1,3,4]) -> (%y as "y") {
  const %qkv_weight: f32[12,4] = bytes=192
  const %qkv_bias: f32[12] = bytes=48
  const %weight: f32[4,4] = bytes=64
  const %bias: f32[4] = bytes=16
  %y_linear: f32[1,3,12] = aten::linear(input=%x, weight=%qkv_weight, bias=%qkv_bias) as linear_0
  %y_slice: f32[1,3,4] = aten::slice.Tensor(self=%y_linear, dim=2, start=0, end=4, step=1) as slice_0
  %y_unflatten: f32[1,3,2,2] = aten::unflatten.int(self=%y_slice, dim=2, sizes=[2, 2]) as unflatten_0
  %y_permute: f32[1,2,3,2] = aten::permute(self=%y_unflatten, dims=[0, 2, 1, 3]) as permute_0
  %y_slice_2: f32[1,3,4] = aten::slice.Tensor(self=%y_linear, dim=2, start=4, end=8, step=1) as slice_1
  %y_unflatten_2: f32[1,3,2,2] = aten::unflatten.int(self=%y_slice_2, dim=2, sizes=[2, 2]) as unflatten_1
  %y_permute_2: f32[1,2,3,2] = aten::permute(self=%y_unflatten_2, dims=[0, 2, 1, 3]) as permute_1
  %y_slice_3: f32[1,3,4] = aten::slice.Tensor(self=%y_linear, dim=2, start=8, end=12, step=1) as slice_2
  %y_unflatten_3: f32[1,3,2,2] = aten::unflatten.int(self=%y_slice_3, dim=2, sizes=[2, 2]) as unflatten_2
  %y_permute_3: f32[1,2,3,2] = aten::permute(self=%y_unflatten_3, dims=[0, 2, 1, 3]) as permute_2
  %y_scaled_dot_product_attention: f32[1,2,3,2] = aten::scaled_dot_product_attention(query=%y_permute, key=%y_permute_2, value=%y_permute_3, attn_mask=none, dropout_p=0.0, is_causal=false, scale=none, enable_gqa=false) as scaled_dot_product_attention_0
  %y_permute_4: f32[1,3,2,2] = aten::permute(self=%y_scaled_dot_product_attention, dims=[0, 2, 1, 3]) as permute_3
  %y_flatten: f32[1,3,4] = aten::flatten.using_ints(self=%y_permute_4, start_dim=2, end_dim=3) as flatten_0
  %y: f32[1,3,4] = aten::linear(input=%y_flatten, weight=%weight, bias=%bias) as linear_1
}
)");
}

TEST_CASE("attention to something else stays") { check_unchanged("expand-attention", fused("k")); }

}  // namespace
}  // namespace t2n::passes
