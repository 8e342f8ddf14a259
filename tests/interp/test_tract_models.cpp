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

TEST_CASE("a step of a causal convolution") {
  for (const char* name :
       {"tract_transformers_causal_conv1d_update", "tract_qwen35_causal_conv1d_update"})
    check_agree({std::string("(out, out2) = ") + name + "(x, y, z);",
                 {values({1, 1}, {1}, DType::f16), values({1, 4}, {1, 2, 0, -1}, DType::f16),
                  values({1, 1, 4}, {9, 1, 2, 3}, DType::f16)}},
                {values({1, 1}, {4 / (1 + std::exp(-4.0))}, DType::f16),
                 values({1, 1, 4}, {1, 2, 3, 1}, DType::f16)},
                1e-3);
}

TEST_CASE("a step of a gated delta rule") {
  const auto half = [](const ir::Ints& shape, uint64_t seed) {
    return randn(shape, seed, DType::f16);
  };
  check_same({"(out, out2) = tract_transformers_gdn_recurrent(x, y, z, mul(slice(w, axes = [3, 2], "
              "begin = [0, 0], end = [1, 1]), -1.0), tract_core_cast(slice(w, axes = [3, 2], "
              "begin = [0, 1], end = [1, 2]), to = 'f16'), w);",
              {half({1, 2, 1, 128}, 1), half({1, 2, 1, 128}, 2), half({1, 2, 1, 128}, 3),
               uniform({1, 2, 128, 128}, 0, 1, 4)}},
             2, 1e-2);
}

}  // namespace
}  // namespace t2n::test
