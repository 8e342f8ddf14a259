// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "tests/ops/expressions.h"

namespace t2n::test::activation_tests {
namespace {

using ir::DType;

const double kInf = std::numeric_limits<double>::infinity();
const ir::Tensor kX = uniform({2, 3, 4}, -6, 6, 1);
/// Where exponentials overflow, and where digits get lost.
const ir::Tensor kFar = values({8}, {-1000, -90, -20.5, -1e-6, 1e-6, 20.5, 90, 1000});

const std::vector<std::string> kAll = {
    "torch.relu(x)",
    "torch.relu6(x)",
    "torch.hardtanh(x)",
    "torch.hardtanh(x, -2.0, 0.5)",
    "torch.threshold(x, 0.5, -3.0)",
    "torch.leaky_relu(x)",
    "torch.leaky_relu(x, 0.3)",
    "torch.rrelu(x, 0.1, 0.3)",
    "torch.elu(x)",
    "torch.elu(x, 1.7)",
    "torch.elu(x, 1.5, 0.7, 2.0)",
    "torch.selu(x)",
    "torch.celu(x)",
    "torch.celu(x, 0.6)",
    "torch.silu(x)",
    "torch.mish(x)",
    "torch.gelu(x, approximate='tanh')",
    "torch.hardsigmoid(x)",
    "torch.hardswish(x)",
    "torch.softplus(x)",
    "torch.softplus(x, 2.5, 3.0)",
    "torch.softplus(x, 0.5, 100.0)",
    "x / (1 + torch.abs(x))",
    "x - torch.tanh(x)",
    "torch.softshrink(x)",
    "torch.softshrink(x, 1.5)",
    "torch.hardshrink(x)",
    "torch.hardshrink(x, 1.5)",
    "torch.log_sigmoid(x)",
    "torch.sigmoid(x)",
    "torch.tanh(x)",
};

TEST_CASE("activations with every argument") {
  check_each(kAll, {kX});
  check_each({"torch.gelu(x)"}, {kX});
}

TEST_CASE("random slopes") {
  check_each({"torch.rrelu(x, 0.1, 0.3, False, torch.Generator())"}, {kX});
  check_refused("torch.rrelu(x, 0.1, 0.3, True)", {kX},
                "error[unsupported-argument]: aten::rrelu: training=true has no translation for "
                "TARGET\n"
                "  --> the model (Model)\n"
                "  why:  the only known value is 0\n");
}

TEST_CASE("activations of rank 0, of halves and of doubles") {
  check_each(kAll, {values({}, {-0.7})});
  check_each(kAll, {uniform({3, 5}, -5, 5, 2, DType::f16)}, 4e-3);
  check_each({"torch.gelu(x)"}, {uniform({3, 5}, -5, 5, 2, DType::f16)}, 4e-3);
  check_each(kAll, {uniform({3, 5}, -6, 6, 3, DType::f64)}, 1e-12);
}

TEST_CASE("activations far from zero") {
  // The engine's tanh ends at 0.9999994.
  check_each(kAll, {kFar}, 4e-4);
  check_each({"torch.gelu(x)"}, {kFar});
}

TEST_CASE("smooth activations keep their digits below zero") {
  check_each({"torch.softplus(x) * 1e6", "torch.mish(x) * 1e6", "torch.elu(x * 1e-3) * 1e3"},
             {uniform({5}, -17, -14, 4)}, 1e-4);
}

TEST_CASE("rectifiers of integers") {
  check_each(
      {"torch.relu(x)", "torch.relu6(x)", "torch.clamp(x, -1, 2)", "torch.threshold(x, 1, 7)"},
      {values({5}, {-3, 0, 2, 7, 100}, DType::i64)});
}

TEST_CASE("prelu with one slope, with a slope per channel, known or computed") {
  check_each({"torch.prelu(x, y)"}, {kX, randn({3}, 5)});
  check_each({"torch.prelu(x, y)"}, {kX, randn({1}, 6)});
  check_each({"torch.prelu(x, y)"}, {randn({4}, 7), randn({1}, 8)});
  for (const target::Target& target : test_targets())
    for (const int64_t channels : {1, 3}) {
      CAPTURE(channels);
      const auto model = script("def forward(self, x): return torch.prelu(x, self.weight)\n")
                             .with("weight", randn({channels}, 9));
      CHECK_CLOSE(export_and_run(model, {kX}, target), rel(1e-5));
    }
}

TEST_CASE("glu halves any axis") {
  check_each({"torch.glu(x)", "torch.glu(x, 0)", "torch.glu(x, -3)"}, {randn({2, 3, 4}, 10)});
}

TEST_CASE("softmax and its logarithm, on every axis, with a dtype") {
  check_each(
      {"torch.softmax(x, 0)", "torch.softmax(x, 1)", "torch.softmax(x, -1)",
       "torch.softmax(x, 1, dtype=7)", "torch.log_softmax(x, 0)", "torch.log_softmax(x, 1)",
       "torch.log_softmax(x, -1)", "torch.log_softmax(x, 1, dtype=7)", "torch.softmax(-x, 1)",
       "torch._softmax(x, 1, False)", "torch._log_softmax(x, 1, False)"},
      {randn({2, 3, 4}, 11)});
  check_each({"torch.softmax(x, 0)", "torch.log_softmax(x, -1)"}, {values({}, {3})});
  check_each({"torch.softmax(x, 1)", "torch.log_softmax(x, 1)"},
             {values({1, 3}, {1e4, -1e4, -kInf})});
  check_each({"torch.softmax(x, -1)", "torch.log_softmax(x, -1)", "torch.softmax(x, 0, dtype=6)"},
             {uniform({2, 300}, -6, 6, 12, DType::f16)}, 2e-3);
}

TEST_CASE("the engine's own activations are used where it has them") {
  const auto text = export_text(expression_script("torch.silu(x)", 1), {kX},
                                target::parse_target("tract@0.23.9"));
  CHECK(text.find("tract_core_silu") != std::string::npos);
  const auto old = export_text(expression_script("torch.gelu(x, approximate='tanh')", 1), {kX},
                               target::parse_target("tract@0.21.19"));
  CHECK(old.find("tract_transformers_gelu_approx") != std::string::npos);
}

TEST_CASE("gelu of doubles keeps their digits") {
  check_each({"torch.gelu(x)", "torch.gelu(x, approximate='tanh')"},
             {values({7}, {-30, -3, -0.5, 0, 1e-5, 0.75, 9}, DType::f64)}, 1e-12);
}

}  // namespace
}  // namespace t2n::test::activation_tests
