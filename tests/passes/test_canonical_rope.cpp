// SPDX-License-Identifier: Apache-2.0
// Every way to write a rotary embedding that is recognised, and the near misses.
#include <doctest/doctest.h>

#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

constexpr const char* kRopePass = "canonical-rope";

struct Parts {
  std::string first = "aten::slice.Tensor(self=%x, dim=2, start=0, end=4, step=1)";
  std::string second =
      "aten::slice.Tensor(self=%x, dim=-1, start=4, end=9223372036854775807, step=1)";
  std::string turned = "aten::cat(tensors=[%minus, %a], dim=-1)";
  std::string plain = "aten::mul.Tensor(self=%x, other=%cos)";
  std::string sum = "aten::add.Tensor(self=%p, other=%q, alpha=1)";
};

std::string rope_text(const Parts& parts) {
  return cat(
      "graph m(%x: f32[2,3,8], %cos: f32[3,8], %sin: f32[3,8]) -> (%y as \"y\") {\n",
      "  %a: f32[2,3,4] = ", parts.first, " as slice_0\n", "  %b: f32[2,3,4] = ", parts.second,
      " as slice_1\n", "  %minus: f32[2,3,4] = aten::neg(self=%b) as neg_0\n",
      "  %turned: f32[2,3,8] = ", parts.turned, " as cat_0\n", "  %p: f32[2,3,8] = ", parts.plain,
      " as mul_0\n", "  %q: f32[2,3,8] = aten::mul.Tensor(self=%turned, other=%sin) as mul_1\n",
      "  %y: f32[2,3,8] = ", parts.sum, " as add_0\n}\n");
}

bool finds_rope(const Parts& parts) {
  return after(kRopePass, rope_text(parts), {})
             .find("t2n::apply_rope(self=%x, cos=%cos, sin=%sin)") != std::string::npos;
}

TEST_CASE("a rotary embedding becomes one operation") {
  CHECK_EQ(
      after(kRopePass, rope_text({}), {}),
      "graph m(%x: f32[2,3,8], %cos: f32[3,8], %sin: f32[3,8]) -> (%y as \"y\") {\n"
      "  %y: f32[2,3,8] = t2n::apply_rope(self=%x, cos=%cos, sin=%sin) as apply_rope_0 in f32\n"
      "}\n");
  CHECK(finds_rope({.plain = "aten::mul.Tensor(self=%cos, other=%x)"}));
  CHECK(finds_rope({.sum = "aten::add.Tensor(self=%q, other=%p, alpha=1)"}));
  CHECK(finds_rope({.first = "aten::slice.Tensor(self=%x, dim=-1, start=none, end=4, step=1)"}));
}

TEST_CASE("formulas that only look like a rotary embedding stay") {
  CHECK_FALSE(finds_rope({.first = "aten::slice.Tensor(self=%x, dim=2, start=1, end=5, step=1)"}));
  CHECK_FALSE(finds_rope({.turned = "aten::cat(tensors=[%a, %minus], dim=-1)"}));
  CHECK_FALSE(finds_rope({.plain = "aten::mul.Tensor(self=%turned, other=%cos)"}));
  CHECK_FALSE(finds_rope({.sum = "aten::add.Tensor(self=%p, other=%q, alpha=2)"}));
}

TEST_CASE("a target without the operation keeps the formula") {
  PassContext context;
  context.native = {};
  CHECK_EQ(after(kRopePass, rope_text({}), context), ir::print(ir::parse(rope_text({}))));
}

}  // namespace
}  // namespace t2n::passes
