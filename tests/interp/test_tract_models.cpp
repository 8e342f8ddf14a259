// SPDX-License-Identifier: Apache-2.0
// Operations of single families of models, beside tract.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/interp/agree.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

using ir::DType;

TEST_CASE("experts by every gate, activation and layout") {
  const ir::Tensor x = randn({3, 2}, 1), router = randn({4, 2}, 2);
  const ir::Tensor in = randn({4, 2, 5}, 3), out = randn({4, 5, 2}, 4);
  for (const char* gate : {"softmax_topk", "softmax_all", "sigmoid", "raw"})
    for (const char* activation : {"silu", "gelu", "relu"}) {
      const std::string rest = std::string("k = 2, activation = '") + activation + "', gate = '" +
                               gate + "', expert_layout = ";
      check_same(
          {"out = tract_moe_ffn(x, y, z, w, " + rest + "'canonical');", {x, router, in, out}});
      check_same({"out = tract_moe_ffn(x, y, z, w, w3 = mul(z, 2.0), " + rest + "'canonical');",
                  {x, router, in, out}});
      check_same({"out = tract_moe_ffn(x, y, w, z, " + rest + "'linear');", {x, router, in, out}});
    }
  check_same(
      {"out = tract_moe_ffn(x, y, z, w, w3 = mul(z, 2.0), k = 2, activation = 'swiglu', "
       "gate = 'softmax_topk', act_alpha = 1.7, act_limit = 0.5, expert_layout = "
       "'canonical');",
       {x, router, in, out}});
  check_same(
      {"out = tract_moe_ffn(x, y, z, w, wg_bias = [0.5, -0.5, 1.0, 0.0], k = 1, "
       "activation = 'silu', gate = 'raw', expert_layout = 'canonical');",
       {x, router, in, out}});
}

TEST_CASE("an expert by hand") {
  check_agree({"out = tract_moe_ffn(x, y, z, w, k = 1, activation = 'relu', gate = 'raw', "
               "expert_layout = 'canonical');",
               {values({1, 1}, {2}), values({2, 1}, {1, 3}), values({2, 1, 1}, {10, 5}),
                values({2, 1, 1}, {1, 0.5})}},
              {values({1, 1}, {30})});  // expert 1 of logit 6: 6 * relu(2*5) * 0.5
}

TEST_CASE("steps of a causal convolution") {
  const double four = 4 / (1 + std::exp(-4.0));
  for (const char* name :
       {"tract_transformers_causal_conv1d_update", "tract_qwen35_causal_conv1d_update"})
    check_agree(
        {std::string("(out, out2) = ") + name + "(x, y, z);",
         {values({1, 1, 2}, {1, 4}, DType::f16), values({1, 4}, {1, 2, 0, -1}, DType::f16),
          values({1, 1, 4}, {9, 1, 2, 3}, DType::f16)}},
        {values({1, 1, 2}, {four, four}, DType::f16), values({1, 1, 4}, {2, 3, 1, 4}, DType::f16)},
        1e-3);
}

TEST_CASE("steps of a gated delta rule") {
  const auto half = [](uint64_t seed) { return randn({1, 3, 2, 128}, seed, DType::f16); };
  check_same({"g = squeeze(slice(tract_core_cast(x, to = 'f32'), axes = [3], begin = [0], "
              "end = [1]), axes = [3]);\n"
              "  b = squeeze(slice(y, axes = [3], begin = [5], end = [6]), axes = [3]);\n"
              "  (out, out2) = tract_transformers_gdn_recurrent(x, y, z, g, b, w);",
              {half(1), half(2), half(3), randn({1, 2, 128, 128}, 4)}},
             2, 1e-2);
}

}  // namespace
}  // namespace t2n::test
