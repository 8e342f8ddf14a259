// SPDX-License-Identifier: Apache-2.0
// Files that fail by themselves: --max-iterations bounds loops that values end, and sizes that
// follow from values may have to be at least something.
#include "nnef_writer/npz.h"
#include "src/nnef/npz.h"
#include "tests/cli/program.h"

namespace t2n::test {
namespace {

Result run_on(const Sandbox& sandbox, const ir::Tensor& x) {
  nnef::write_npz(std::vector<nnef::NamedTensor>{{"x", x}}, sandbox.path("in.npz"));
  return sandbox.run({"run", "out.nnef", "-i", "@in.npz", "--engine", "tract", "-o", "out.npz"});
}

TEST_CASE("a loop that values end runs as often as it may, and the file fails beyond") {
  if (!engine(23)) return;
  const Sandbox sandbox({"HalvesUntilSmall.pt"});
  const Result refused = sandbox.run(export_of("HalvesUntilSmall.pt", {"-i", "x=2,3"}));
  CHECK_EQ(refused.code, 4);
  const std::string place = "other_models.py:";
  const size_t at = refused.err.find(place);
  REQUIRE_NE(at, std::string::npos);
  const size_t end = refused.err.find_first_of(":, \n", at + place.size());
  const std::string line = refused.err.substr(at, end - at);
  const Result written = sandbox.run(export_of(
      "HalvesUntilSmall.pt", {"-i", "x=2,3", "--max-iterations", line + "=12", "--check"}));
  INFO(written.err);
  REQUIRE_EQ(written.code, 0);

  // None, and as many as there may be.
  CHECK_EQ(run_on(sandbox, f32({2, 3}, {0.5, -1, 0, 1, 0.25, 1})).code, 0);
  CHECK(ir::same_values(nnef::read_npz(sandbox.path("out.npz")).at(0).value,
                        f32({2, 3}, {0.5, -1, 0, 1, 0.25, 1})));
  CHECK_EQ(run_on(sandbox, f32({2, 3}, {4096, -1, 0, 2048, -512, 1024})).code, 0);
  CHECK(ir::same_values(nnef::read_npz(sandbox.path("out.npz")).at(0).value,
                        f32({2, 3}, {1, -1.0F / 4096, 0, 0.5, -0.125, 0.25})));
  // A thirteenth one would be needed.
  const Result beyond = run_on(sandbox, f32({2, 3}, {5000, -1, 0, 2, -4, 1}));
  CHECK_EQ(beyond.code, 6);
  CHECK(contains(beyond.err, "why:  the artefact asserts this of its data-dependent sizes"));
}

TEST_CASE("the largest number of iterations is asked for only where it helps") {
  const Sandbox sandbox({"StopsAppending.pt"});
  const auto said = [&](const Arguments& more) {
    Arguments arguments = {"-i", "x=2,3"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Result result = sandbox.run(export_of("StopsAppending.pt", arguments));
    CHECK_EQ(result.code, 4);
    return result.err;
  };
  const std::string first = said({}), place = "check_models.py:";
  CHECK_FALSE(contains(first, "--max-iterations"));
  const size_t at = first.find(place);
  REQUIRE_NE(at, std::string::npos);
  const std::string line = first.substr(at, first.find_first_of(":, \n", at + place.size()) - at);
  CHECK(contains(said({"--max-iterations", line + "=12"}),
                 "; --max-iterations " + line + " does not help: the loop has another problem"));
}

TEST_CASE("a file's demand of a counted size is said by the export, the report and run") {
  if (!engine(23)) return;
  const Sandbox sandbox({"PicksPositive.pt"});
  const Result written =
      sandbox.run(export_of("PicksPositive.pt", {"-i", "x=2,3", "--report", "report.json"}));
  REQUIRE_EQ(written.code, 0);
  CHECK(contains(written.err,
                 " · gives output_0 f32[N_index], output_1 f32[] · "
                 "requires N_index >= 1 · "));
  const std::string report = sandbox.content("report.json");
  CHECK(contains(report, "\"N_index >= 1\""));
  CHECK_FALSE(contains(report, "born."));
  const Result none = run_on(sandbox, f32({2, 3}, {-1, -2, -3, -4, -5, -6}));
  CHECK_EQ(none.code, 6);
  CHECK(contains(none.err, "numbers of entries are 0 or more; N_index >= 1\n"));
}

TEST_CASE("a branch on a counted size is warned of; the check tells what only the file refuses") {
  if (!engine(23)) return;
  const Sandbox sandbox({"PicksIfAny.pt"});
  const Result written = sandbox.run(
      export_of("PicksIfAny.pt", {"-i", "x=2,3", "--check", "--report", "report.json"}));
  REQUIRE_EQ(written.code, 0);
  CHECK(contains(written.err,
                 "warning[dynamic-assumption]: the exported model requires N_index > 0"));
  CHECK(contains(written.err, "if picked.size(0) > 0:"));
  CHECK(contains(written.out, " that only the artefact rejects)"));
  CHECK_FALSE(contains(sandbox.content("report.json"), "\"input_sets_refused\": 0"));
}

}  // namespace
}  // namespace t2n::test
