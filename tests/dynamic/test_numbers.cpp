// SPDX-License-Identifier: Apache-2.0
// Numbers that follow from sizes, where a program uses them as keys, places and counts.
#include <doctest/doctest.h>

#include "src/diag/error.h"
#include "tests/dynamic/support.h"

namespace t2n::test {
namespace {

/// What the sizes of `x`, f32[2,12] with S = 12, must be, or the error.
std::string said_of(const std::string& body) {
  const Tracing out = trace_body(body, {{2, 12}}, {"x:1=S"});
  std::string text = out.error ? out.error->message : "";
  for (const std::string& each : out.relations) text += each + "; ";
  return text;
}

TEST_CASE("a dictionary key that depends on sizes stays constant, or is refused") {
  const std::string dict = "  d = {12: 1, 3: 2}\n";
  CHECK_EQ(said_of(dict + "  return x * float(d[x.size(1)])\n"),
           "the model does not run at S=13, only at the sample's S=12");
  CHECK_EQ(said_of(dict + "  return x * float(d.get(x.size(1) + 1, 5))\n"), "S >= 1; S >= 12; ");
  CHECK_EQ(said_of(dict + "  d[x.size(1)] = 4\n  return x * float(d[3])\n"),
           "the number 12 is computed from sizes");
  CHECK_EQ(
      said_of(dict + "  return x * float(d[int(round(x.size(1) / 4))])\n"),
      "the model requires (S + 2)//8 + (S + 5)//8 == 3, which NNEF cannot express");
  // No whole number.
  CHECK_EQ(said_of("  d = {2.0: 1, 3.0: 2}\n  return x * float(d.get(float(x.size(1)), 5))\n"),
           "the number 12. is computed from sizes");
}

TEST_CASE("lists of indices in which sizes stand, or nothing") {
  const auto of = [](const std::string& expression) {
    return needed(cat("  return ", expression, "\n"), {{9, 3}}, {"x:0=B"});
  };
  CHECK_EQ(of("x[torch.tensor([0, x.size(0) - 1])]"), Strings{});
  CHECK_EQ(needed("  l: List[int] = []\n  return x[torch.tensor(l)]\n", {{9, 3}}, {"x:0=B"}),
           Strings{});
}

TEST_CASE("a size that follows from values stands beside a declared one") {
  const Tracing out = trace_body("  return x[x[:, 0] > 0] * 2\n", {{9, 6}}, {"x:1=S"});
  CHECK(!out.error);
  CHECK_EQ(out.shapes, "[born.N_index,S]");
}

TEST_CASE("a number of two tensors is none that is read from the first") {
  const Tracing out = trace_body("  return x * complex(x[0, 0], x[1, 1])\n", {{2, 12}}, {});
  REQUIRE(out.error);
  CHECK_EQ(out.error->id, "data-dependent-value");
}

TEST_CASE("parts lie behind those before them") {
  const auto of = [](const std::string& write) {
    return needed(cat("  m = x.clone()\n  ", write, "\n  return m\n"), {{9, 6}}, {"x:0=B"});
  };
  CHECK_EQ(of("m.split(2, 1)[1].mul_(m[:, 4:6])"), Strings{});
  CHECK_EQ(
      of("m.split(2, 1)[1].copy_(m[:, 1:3])"),
      Strings{"unsupported-inplace: an operation writes to a tensor that overlaps its operand"});
}

}  // namespace
}  // namespace t2n::test
