// SPDX-License-Identifier: Apache-2.0
// A Runner gives the engine's outputs, and a comparison with them can fail.
#include <doctest/doctest.h>

#include "src/check/compare.h"
#include "src/check/runner.h"
#include "tests/tract/support.h"

namespace t2n::test {
namespace {

TEST_CASE("tract runs a model and the outputs are compared") {
  for (const int minor : kSeries) {
    const auto found = engine(minor);
    if (!found) continue;
    CAPTURE(minor);
    const TempFolder folder;
    write_linear(folder);
    const auto runner = check::tract_runner(*found);
    CHECK_EQ(runner->name(), cat("tract ", tract::version_str(found->version)));
    runner->load(folder.path());
    const auto outputs = runner->run({iota_2x3()});
    REQUIRE_EQ(outputs.size(), 1);
    const auto verdict_for = [&](const std::vector<float>& expected) {
      return check::compare(f32({2, 2}, expected), outputs[0], {}).verdict;
    };
    CHECK_EQ(verdict_for({9, 19, 27, 64}), check::Verdict::ok);
    CHECK_EQ(verdict_for({9, 19, 27, 64.1F}), check::Verdict::differs);
  }
}

TEST_CASE("options reach the engine") {
  const auto found = engine(23);
  if (!found) return;
  const TempFolder folder;
  folder.write("graph.nnef", graph("x = external<scalar>(shape = [2, 3]);\n"
                                   "y = transpose(x, axes = [1, 1]);\n"));
  const auto runner = check::tract_runner(*found, {.timeout = std::chrono::milliseconds(800)});
  const std::string error = error_of([&] { runner->load(folder.path()); });
  CHECK_NE(error.find("did not answer within 0.8 s"), std::string::npos);
}

}  // namespace
}  // namespace t2n::test
