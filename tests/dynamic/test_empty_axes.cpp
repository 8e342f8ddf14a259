// SPDX-License-Identifier: Apache-2.0
// Sizes that may be 0 although nobody said so: those of caches.
#include <doctest/doctest.h>

#include "src/dynamic/empty_axes.h"
#include "tests/ir/support.h"

namespace t2n::test {
namespace {

/// Of a graph with a cache [4, 8] of P entries and new entries [3, 8] that `body` reads.
std::string sizes_in(const std::string& body, const std::string& other = "3") {
  const ir::Graph graph =
      ir::parse("graph m(%cache: f32[4,8], %new: f32[3,8]) -> (%r as \"r\") {\n" + body + "}\n");
  const ir::Shape cache = {ir::parse_dim("P"), 8}, fresh = {ir::parse_dim(other), 8};
  std::string out;
  for (const ir::Comparison& each : dynamic::sizes_of_caches(graph, {cache, fresh}, {}))
    out += ir::str(each) + ";";
  return out;
}

const std::string kDoubled =
    "  %more: f32[3,8] = aten::add.Tensor(self=%new, other=%new, alpha=1)\n";
const std::string kJoined = "  %r: f32[7,8] = aten::cat(tensors=[%cache, %more], dim=0)\n";

TEST_CASE("an axis that is only joined may be empty") {
  CHECK_EQ(sizes_in(kDoubled + kJoined), "P >= 0;");
  CHECK_EQ(sizes_in(kDoubled + "  %r: f32[7,8] = aten::cat(tensors=[%more, %cache], dim=-2)\n"),
           "P >= 0;");
}

TEST_CASE("an axis with other readers, or of the only part, may not be empty") {
  const std::string sum =
      "  %s: f32[8] = aten::sum.dim_IntList(self=%cache, dim=[0], keepdim=false, "
      "dtype=none)\n";
  CHECK_EQ(sizes_in(kDoubled + kJoined + sum), "");
  CHECK_EQ(sizes_in("  %r: f32[3,8] = aten::add.Tensor(self=%new, other=%new, alpha=1)\n"), "");
  CHECK_EQ(sizes_in("  %r: f32[7,8] = aten::cat(tensors=[%cache, %new], dim=0)\n"), "");
  CHECK_EQ(sizes_in(kDoubled + kJoined, "P"), "");
  CHECK_EQ(sizes_in(kDoubled + "  %r: f32[4,16] = aten::cat(tensors=[%cache, %more], dim=1)\n"),
           "");
}

}  // namespace
}  // namespace t2n::test
