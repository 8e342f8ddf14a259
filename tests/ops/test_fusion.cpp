// SPDX-License-Identifier: Apache-2.0
// What tract makes of our graphs: its own profile names the fused operators.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/ops/check_script.h"

namespace t2n::test::fusion_tests {
namespace {

struct Form {
  std::string expression;
  std::string fused;  ///< in the profile of tract@0.23.9
};

const ir::Tensor kX = randn({2, 4, 6, 8}, 1);
const Parameters kParameters = {{"w", uniform({8}, 0.5, 2, 2)},
                                {"b", randn({8}, 3)},
                                {"square", randn({8, 8}, 4)},
                                {"cos", randn({6, 8}, 5)},
                                {"sin", randn({6, 8}, 6)}};

const std::vector<Form> kForms = {
    {"torch.silu(x)", "Silu"},
    {"x * torch.sigmoid(x)", "Silu"},
    {"torch.gelu(x)", "GeluExact"},
    {"0.5 * x * (1.0 + torch.erf(x / 1.4142135623730951))", "GeluExact"},
    {"torch.gelu(x, approximate='tanh')", "GeluApproximate"},
    {"torch.hardswish(x)", "HardSwish"},
    {"torch.rms_norm(x, [8], self.w, 1e-5)", "RmsNorm"},
    {"self.w * (x * torch.rsqrt(x.pow(2).mean(-1, True) + 1e-5))", "RmsNorm"},
    {"torch.layer_norm(x, [8], self.w, self.b)", "RmsNorm"},
    {"torch.scaled_dot_product_attention(x, x, x)", "FlashSDPA"},
    {"x * self.cos + torch.cat([-x[..., 4:], x[..., :4]], -1) * self.sin", "ApplyRope"},
    {"torch.linear(x, self.square, self.b)", "OptMatMul"},
};

}  // namespace

TEST_CASE("written-out and plain forms run fused in the newest engine") {
  for (const Form& form : kForms) {
    CAPTURE(form.expression);
    const Script model = with_parameters(form.expression, 1, kParameters);
    const std::string profile = engine_profile(model, {kX}, newest_target());
    CHECK_NE(profile.find("\"" + form.fused), std::string::npos);
    INFO(profile);
    CHECK_EQ(profile.find("\"Erf"), std::string::npos);
  }
}

TEST_CASE("fused forms compute what torch computes, in every engine") {
  for (const Form& form : kForms) check_with(kParameters, {form.expression}, {kX}, 2e-5);
}

}  // namespace t2n::test::fusion_tests
