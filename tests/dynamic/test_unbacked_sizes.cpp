// SPDX-License-Identifier: Apache-2.0
// Sizes that follow from values: what they are called, and what the file demands of them.
#include "src/export/dynamic_model.h"
#include "tests/dynamic/support.h"
#include "tests/ir/support.h"

namespace t2n::test {
namespace {

TEST_CASE("sizes that follow from values are named, without any dynamic axis") {
  const Tracing out = trace_body("  return x[x > 0], x.masked_select(x > 0) * 2\n", {{4, 6}}, {});
  CHECK(!out.error);
  CHECK_EQ(out.shapes, "[born.N_index] [born.N_index]");
  CHECK(out.runtime_assertions.empty());
}

TEST_CASE("sizes that follow from values combine with declared axes") {
  const Tracing out =
      trace_body("  r = x[x[:, 0] > 0]\n  return r, r.size(0) + torch.zeros([x.size(0)])\n",
                 {{9, 6}}, {"x:0=S"});
  CHECK(!out.error);
  CHECK_EQ(out.shapes, "[born.N_index,6] [S]");
}

TEST_CASE("a branch around a write of no rows is ignored, others become selects, or conditions") {
  const char* rows = "  i = torch.where(x[:, 0] > 0)[0]\n  y = torch.zeros_like(x)\n";
  const Tracing harmless =
      trace_body(cat(rows, "  if i.numel() > 0:\n    y.index_add_(0, i, x[i] * 2)\n  return y\n"),
                 {{9, 6}}, {});
  CHECK(!harmless.error);
  CHECK(harmless.runtime_assertions.empty());
  const Tracing chosen =
      trace_body(cat(rows, "  if i.numel() > 0:\n    y = y + 1\n  return y\n"), {{9, 6}}, {});
  CHECK(!chosen.error);
  CHECK(chosen.runtime_assertions.empty());
  const Tracing other =
      trace_body(cat(rows, "  if i.numel() > 0:\n    y.add_(1)\n  return y\n"), {{9, 6}}, {});
  CHECK(!other.error);
  CHECK_EQ(other.runtime_assertions, Strings{"born.N_where > 0"});
  CHECK_EQ(other.said, Strings{"the exported model requires N_where > 0"});
}

TEST_CASE("a number that was read as a size stays one where nothing else counts it") {
  const char* number = "  n = int((x * 2).to(4).max())\n";
  const Tracing lost = trace_body(cat(number, "  return x.sum(0, keepdim=0 > n)\n"), {{9, 6}}, {});
  CHECK(!lost.error);
  CHECK_EQ(lost.runtime_assertions, Strings{"born.N_item >= 0"});
  const Tracing counted =
      trace_body(cat(number, "  return x.sum(0, keepdim=0 > n), torch.zeros([n])\n"), {{9, 6}}, {});
  CHECK(!counted.error);
  CHECK(counted.runtime_assertions.empty());
}

TEST_CASE("a branch that tests the sign of a number read as a size adds a warning") {
  const auto said = [](const std::string& condition) {
    return trace_body(cat("  n = int((x * 4).max())\n  if ", condition,
                          ":\n    n = n + x.size(0)\n  return x[:n]\n"),
                      {{9, 6}}, {})
        .said;
  };
  CHECK_EQ(said("n < 0"), Strings{"the exported model requires N_item >= 0"});
  CHECK_EQ(said("False"), Strings{});
}

TEST_CASE("squeeze() removes an axis whose size follows from values only if it is 1") {
  CHECK_EQ(trace_body("  return torch.nonzero(x[:, 0] > 0).squeeze()\n", {{9, 6}}, {})
               .runtime_assertions,
           Strings{"born.N_nonzero != 1"});
}

}  // namespace
}  // namespace t2n::test
