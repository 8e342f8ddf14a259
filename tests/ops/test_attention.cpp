// SPDX-License-Identifier: Apache-2.0
#include "tests/ops/check_script.h"

namespace t2n::test::attention_tests {
namespace {

using ir::DType;

const ir::Tensor kQuery = randn({2, 4, 5, 8}, 1);
const ir::Tensor kKey = randn({2, 4, 7, 8}, 2);
const ir::Tensor kValue = randn({2, 4, 7, 6}, 3);
const std::string kCall = "torch.scaled_dot_product_attention(x, y, z";

TEST_CASE("attention with every argument") {
  check_each({kCall + ")", kCall + ", None, 0.0, False)", kCall + ", scale=0.3)"},
             {kQuery, kKey, kValue});
}

TEST_CASE("attention of equal sizes under its other name") {
  const std::string start = "torch._scaled_dot_product_flash_attention_for_cpu(x, y, z";
  check_with({{"m", randn({5, 7}, 4)}},
             {start + ")[0]", start + ", 0.0, False, attn_mask=self.m, scale=0.3)[0]"},
             {kQuery, kKey, randn({2, 4, 7, 8}, 3)});
  check_each({start + ", 0.0, True)[0]"}, {kQuery, randn({2, 4, 5, 8}, 2), randn({2, 4, 5, 8}, 3)});
}

TEST_CASE("causal attention of equal and unequal lengths") {
  check_each({kCall + ", is_causal=True)", kCall + ", is_causal=True, scale=0.5)"},
             {kQuery, randn({2, 4, 5, 8}, 2), randn({2, 4, 5, 8}, 3)});
  check_each({kCall + ", is_causal=True)"}, {kQuery, kKey, kValue});
  check_each({kCall + ", is_causal=True)"},
             {kQuery, randn({2, 4, 3, 8}, 2), randn({2, 4, 3, 6}, 3)});
}

TEST_CASE("masks of numbers and of booleans") {
  for (const ir::Ints& shape :
       {ir::Ints{2, 4, 5, 7}, ir::Ints{5, 7}, ir::Ints{2, 1, 1, 7}, ir::Ints{1, 4, 5, 7},
        ir::Ints{4, 5, 7}, ir::Ints{1, 7}, ir::Ints{2, 4, 5, 1}}) {
    check_with({{"m", randn(shape, 4)}}, {kCall + ", self.m)"}, {kQuery, kKey, kValue});
    check_with({{"m", randn(shape, 4)}}, {kCall + ", self.m > -0.5)"}, {kQuery, kKey, kValue});
  }
}

TEST_CASE("a known mask that leaves each query a key is given to tract's attention") {
  const auto text = [](ir::Tensor mask) {
    const Script model = expression_script(kCall + ", self.m)", 3).with("m", std::move(mask));
    return export_text(model, {kQuery, kKey, kValue}, target::parse_target("tract@0.23.9"));
  };
  const std::string native = "tract_transformers_sdpa(";
  CHECK_NE(text(randn({5, 7}, 4)).find(native), std::string::npos);
  CHECK_EQ(text(values({1, 7}, std::vector<double>(7, -1e5))).find(native), std::string::npos);
}

TEST_CASE("queries that see no key give zeros") {
  check_with(
      {{"m", values({5, 1}, {1, 1, 0, 1, 0})}},
      {kCall + ", (self.m > 0).expand([5, 7]))", kCall + ", torch.log(self.m).expand([5, 7]))"},
      {kQuery, kKey, kValue});
}

TEST_CASE("windows of keys far from the first") {
  const std::string far = "torch.arange(70).view(70, 1) - torch.arange(70)";
  const std::vector<std::string> masks = {
      cat("(", far, ").abs() < 8"), cat("(", far, " >= 0).logical_and(", far, " < 8)"),
      cat("torch.zeros(70, 70).masked_fill((", far, ").abs() >= 8, -float('inf'))"),
      cat("torch.log(((", far, ").abs() < 8) * (x[0, 0] > -9).any(1, True).float())")};
  std::vector<std::string> all;
  for (const std::string& mask : masks) all.push_back(cat(kCall, ", ", mask, ")"));
  check_each(all, {randn({1, 2, 70, 4}, 1), randn({1, 2, 70, 4}, 2), randn({1, 2, 70, 4}, 3)});
}

TEST_CASE("queries whose keys are all hidden by finite numbers") {
  const std::string rows = "(torch.arange(5).view(5, 1) - torch.zeros(7)) > 2";
  std::vector<std::string> all;
  for (const char* const number : {"-1e5", "-1e9", "-3.4028234663852886e38"}) {
    all.push_back(cat(kCall, ", torch.zeros(5, 7).masked_fill(", rows, ", ", number, "))"));
    all.push_back(
        cat(kCall, ", (x[0, 0, :, :1] * torch.zeros(7)).masked_fill(", rows, ", ", number, "))"));
  }
  check_each(all, {kQuery, kKey, kValue});
}

TEST_CASE("grouped queries share keys") {
  const ir::Tensor key = randn({2, 2, 7, 8}, 2);
  const ir::Tensor value = randn({2, 2, 7, 8}, 3);
  check_with({{"m", randn({2, 1, 5, 7}, 4)}},
             {kCall + ", enable_gqa=True)", kCall + ", self.m, enable_gqa=True, scale=0.2)",
              kCall + ", is_causal=True, enable_gqa=True)"},
             {kQuery, key, value});
}

TEST_CASE("attention of ranks 2, 3 and 5") {
  check_each({kCall + ")", kCall + ", is_causal=True)"},
             {randn({5, 8}, 1), randn({5, 8}, 2), randn({5, 8}, 3)});
  check_with({{"m", randn({5, 7}, 4)}}, {kCall + ")", kCall + ", self.m)"},
             {randn({3, 5, 8}, 1), randn({3, 7, 8}, 2), randn({3, 7, 6}, 3)});
  check_with({{"m", randn({5, 7}, 4)}}, {kCall + ")", kCall + ", self.m > 0)"},
             {randn({2, 3, 2, 5, 8}, 1), randn({2, 3, 2, 7, 8}, 2), randn({2, 3, 2, 7, 6}, 3)});
}

TEST_CASE("batches that broadcast") {
  check_each({kCall + ")"}, {kQuery, randn({1, 4, 7, 8}, 2), randn({1, 4, 7, 8}, 3)});
}

TEST_CASE("attention of halves and doubles") {
  const std::vector<std::string> all = {kCall + ")", kCall + ", is_causal=True)"};
  check_each(all,
             {randn({2, 4, 5, 8}, 1, DType::f16), randn({2, 4, 5, 8}, 2, DType::f16),
              randn({2, 4, 5, 8}, 3, DType::f16)},
             2e-3);
  check_each(all,
             {randn({2, 4, 5, 8}, 1, DType::f64), randn({2, 4, 5, 8}, 2, DType::f64),
              randn({2, 4, 5, 8}, 3, DType::f64)},
             1e-12);
}

Parameters layer_parameters() {
  return {{"qkv_w", randn({24, 8}, 1)},
          {"qkv_b", randn({24}, 2)},
          {"proj_w", randn({8, 8}, 3)},
          {"proj_b", randn({8}, 4)},
          {"n1_w", randn({8}, 5)},
          {"n1_b", randn({8}, 6)},
          {"n2_w", randn({8}, 7)},
          {"n2_b", randn({8}, 8)},
          {"f1_w", randn({16, 8}, 9)},
          {"f1_b", randn({16}, 10)},
          {"f2_w", randn({8, 16}, 11)},
          {"f2_b", randn({8}, 12)},
          {"square", values({3, 3}, {0, 1, 0, 0, 0, 1, 0, 0, 0}, DType::boolean)},
          {"keys", values({2, 3}, {0, 0, 1, 0, 1, 0}, DType::boolean)}};
}

TEST_CASE("whole attention layers") {
  const std::string start =
      "torch._native_multi_head_attention(x, y, z, 8, 2, self.qkv_w, self.qkv_b, self.proj_w, "
      "self.proj_b";
  check_with(layer_parameters(),
             {start + ")", start + ", None, True, False)", start + ", None)[0]",
              start + ", None, False)[0]", start + ", None, False, False)[0]",
              start + ", self.square, False, True, 0)[0]", start + ", self.square, True, True, 0)",
              start + ", self.keys, True, True, 1)[0]"},
             {randn({2, 3, 8}, 1), randn({2, 3, 8}, 2), randn({2, 3, 8}, 3)}, 1e-4);
  // Of one tensor with itself, a kernel without weights is taken.
  check_with(layer_parameters(),
             {"torch._native_multi_head_attention(x, x, x, 8, 2, self.qkv_w, self.qkv_b, "
              "self.proj_w, self.proj_b, None, False)[0]"},
             {randn({2, 3, 8}, 1)}, 1e-4);
}

TEST_CASE("whole encoder layers") {
  const auto call = [](const char* use_gelu, const char* norm_first, const char* mask) {
    return std::string(
               "torch._transformer_encoder_layer_fwd(x, 8, 2, self.qkv_w, self.qkv_b, self.proj_w, "
               "self.proj_b, ") +
           use_gelu + ", " + norm_first +
           ", 1e-3, self.n1_w, self.n1_b, self.n2_w, self.n2_b, self.f1_w, self.f1_b, "
           "self.f2_w, self.f2_b" +
           mask + ")";
  };
  check_with(layer_parameters(),
             {call("False", "False", ""), call("True", "False", ""),
              call("False", "True", ", self.square, 0"), call("True", "True", ", self.keys, 1")},
             {randn({2, 3, 8}, 1)}, 1e-4);
}

TEST_CASE("dropout is refused") {
  // Under this name torch itself refuses.
  const std::string other = "_scaled_dot_product_flash_attention_for_cpu";
  check_refused("torch." + other + "(x, y, z, 0.25)[0]", {kQuery, kKey, randn({2, 4, 7, 8}, 3)},
                "error[forward-failed]: aten::" + other +
                    " failed: scaled_dot_product_attention_flash_attention: Currently do not "
                    "support dropout > 0\n"
                    "  --> the model (Model)\n"
                    "  help: do the sample inputs fit the model? `t2nnef inspect` shows its "
                    "arguments\n");
  for (const target::Target& target : test_targets())
    record({{"aten::" + other, {"dropout_p"}}}, target::target_name(target), Outcome::refused);
  CHECK_EQ(refusal(kCall + ", None, 0.25)", {kQuery, kKey, kValue}),
           "error[unsupported-argument]: aten::scaled_dot_product_attention: dropout_p=0.25 has no "
           "translation for "
           "tract@0.23.9\n"
           "  --> the model (Model)\n"
           "  why:  the only known value is 0\n");
}

}  // namespace
}  // namespace t2n::test::attention_tests
