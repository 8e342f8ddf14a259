// SPDX-License-Identifier: Apache-2.0
// Warnings and notes of an export, and rare refusals, each with the smallest model that causes it.
#include "tests/cli/program.h"

namespace t2n::test {
namespace {

/// What the export says. It must end with this code.
std::string said(const std::string& model, const Arguments& more, int code = 0) {
  const Sandbox sandbox({model});
  const Result result = sandbox.run(export_of(model, more));
  CAPTURE(result.err);
  CHECK_EQ(result.code, code);
  return result.err;
}

}  // namespace

TEST_CASE("complex outputs are pairs, with a warning") {
  CHECK(contains(said("Spectrum.pt", {"-i", "x=8"}),
                 "warning[complex-as-pairs]: in the file, the last axis of 'output_0' has the real "
                 "and the imaginary part\n"));
}

TEST_CASE("an output that keeps the sample's size is suspicious") {
  const std::string err = said("FixedLength.pt", {"-i", "x=16", "--dynamic", "x:0=N"});
  CHECK(contains(err,
                 "warning[dynamic-suspect]: aten::zeros: size holds the literal 16, which is N in "
                 "the sample\n"));
  CHECK(contains(err, "warning[dynamic-suspect]: the output 'output_0' does not grow with N\n"));
}

TEST_CASE("a loop of too few iterations cannot be compared") {
  const std::string err =
      said("SumsRows.pt", {"-i", "x=2,3", "--dynamic", "x:0=N", "--assert", "N<=2"}, 4);
  CHECK(
      contains(err, "error[short-loop]: a loop of dynamic length cannot be expressed as one scan"));
  CHECK(contains(err, "give sample inputs for which it takes at least 3 iterations\n"));
  said("SumsRows.pt", {"-i", "x=2,3", "--dynamic", "x:0=N"});
}

TEST_CASE("a loop that is too short is the only reason for its numbers") {
  const Arguments bounded = {"-i", "x=2,3", "--dynamic", "x:0=N", "--assert", "N<=2"};
  const std::string err = said("CountsRows.pt", bounded, 4);
  CHECK(contains(err, "error[short-loop]: "));
  CHECK_FALSE(contains(err, "dynamic-assumption"));
}

TEST_CASE("only a loop that keeps something between iterations differs for pieces of the input") {
  const auto warns = [](const std::string& model) {
    return contains(said(model, {"-i", "x=5,3", "--dynamic", "x:0=N"}),
                    "warning[resets-each-run]: ");
  };
  CHECK(warns("SumsRows.pt"));
  CHECK(warns("NumbersRows.pt"));
  CHECK_FALSE(warns("ScalesRows.pt"));
}

TEST_CASE("torch's own warnings are notes, shown under -v") {
  CHECK(contains(said("DeviatesAlone.pt", {"-i", "x=3,2", "-v"}),
                 "note[torch-warning]: std(): degrees of freedom is <= 0."));
  CHECK_FALSE(contains(said("DeviatesAlone.pt", {"-i", "x=3,2"}), "torch-warning"));
}

TEST_CASE("values at which the model fails are replaced, with a warning") {
  const std::string err = said("TakesPositive.pt", {"-i", "x=3"});
  CHECK(
      contains(err, "warning[values-drawn]: the model fails with the first random values for 'x'"));
  CHECK(contains(err, "why:  the model raises RuntimeError: not positive\n"));
}

TEST_CASE("weights that do not fit blocks of Q4_0 are named") {
  CHECK(contains(said("NarrowRows.pt", {"-i", "x=2,5", "--compress", "q4_0"}),
                 "warning[weight-not-packed]: 1 of 2 weights kept in floats\n"
                 "   narrow.weight: its row length is not a multiple of 32\n"));
}

}  // namespace t2n::test
