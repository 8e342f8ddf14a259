// SPDX-License-Identifier: Apache-2.0
// Files of torch.export on the command line; what is computed is compared in tests/pt2.
#include <filesystem>

#include "tests/cli/program.h"

namespace t2n::test {
namespace {

TEST_CASE("--specialize closes an axis of the file") {
  Sandbox sandbox({"exported_open.pt2"});
  const auto run = [&](const std::string& target, const Arguments& more) {
    Arguments arguments = {"export", "exported_open.pt2", "-t", target, "--dynamic", "x:0=B",
                           "--check"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return sandbox.run(arguments);
  };
  const Result open = run("tract", {});
  CHECK_EQ(open.code, 0);
  CHECK(contains(open.err, "x f32[B,4], opts_w f32[B,3] (from the file)"));
  CHECK(contains(open.err, "requires B >= 2, B <= 64"));
  for (const std::string target : {"tract", "khronos"}) {
    const Result closed = run(target, {"--specialize", "B=5"});
    CHECK_EQ(closed.code, 0);
    CHECK(contains(closed.err, "x f32[5,4], opts_w f32[5,3] (from the file)"));
    CHECK_FALSE(contains(closed.err, "requires"));
  }
  REQUIRE_EQ(run("tract", {"--specialize", "B=5", "-o", "five"}).code, 0);
  CHECK_EQ(
      sandbox
          .run({"check", "exported_open.pt2", "five", "--dynamic", "x:0=B", "--specialize", "B=5"})
          .code,
      0);
  const Result below = run("tract", {"--specialize", "B=1"});
  CHECK_EQ(below.code, 2);
  CHECK(
      below.err.starts_with("error[usage]: --specialize: the model does not hold for this size\n"
                            "  why:  it was exported for sizes with s"));
  CHECK(contains(below.err, " >= 2\n"));
  const Arguments plain = {"export", "exported_open.pt2", "-t", "tract", "--dynamic", "x:0=B"};
  const auto refused = [&](const Arguments& more, const std::string& text) {
    Arguments arguments = plain;
    arguments.insert(arguments.end(), more.begin(), more.end());
    check_failure(sandbox, arguments, 2, text);
  };
  refused({"--specialize", "B=5", "-i", "x=4,4"},
          "error[usage]: --specialize: axis 0 of 'x' has another size in the sample\n"
          "  why:  it is 5 with --specialize\n"
          "  help: give a sample of this size, or none\n");
  refused({"--specialize", "B=99999999999999999999"},
          "error[usage]: cannot read --specialize 'B=99999999999999999999'\n"
          "  help: write SYMBOL=SIZE, as in B=1\n");
  const Result other = run("tract", {"--specialize", "C=5"});
  CHECK_EQ(other.code, 2);
  CHECK(contains(other.err,
                 "--specialize C: no dynamic axis has this size\n"
                 "  why:  the symbols are: B, s"));
  refused({"--specialize", "B"},
          "error[usage]: cannot read --specialize 'B'\n"
          "  help: write SYMBOL=SIZE, as in B=1\n");
}

TEST_CASE("--assert bounds axes of the file, by its symbols or by the user's") {
  const Sandbox sandbox({"exported_open.pt2"});
  const auto run = [&](const Arguments& more) {
    Arguments arguments = {"export", "exported_open.pt2", "-t", "tract", "--check"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return sandbox.run(arguments);
  };
  const std::string open = run({}).err;
  const size_t begin = open.find("x f32[") + 6;
  const std::string symbol = open.substr(begin, open.find(",4]", begin) - begin);
  const Result bounded = run({"--assert", symbol + "<=8"});
  CHECK_EQ(bounded.code, 0);
  CHECK(contains(bounded.err, symbol + " <= 8"));
  const Result renamed = run({"--dynamic", "x:0=B", "--assert", "B<=8"});
  CHECK_EQ(renamed.code, 0);
  CHECK(contains(renamed.err, "B <= 8"));
  const Result unknown = run({"--assert", "B<=8"});
  CHECK_EQ(unknown.code, 2);
  CHECK(contains(unknown.err, cat("error[usage]: --assert 'B <= 8': no dynamic axis declares 'B'\n"
                                  "  why:  the axes declare: ",
                                  symbol)));
}

TEST_CASE("--dynamic names axes that the file has") {
  const Sandbox sandbox({"exported_open.pt2", "exported.pt2"});
  const auto error = [&](const std::string& axis) {
    const Result result =
        sandbox.run({"export", "exported_open.pt2", "-t", "tract", "--dynamic", axis});
    CHECK_EQ(result.code, 2);
    return result.err;
  };
  CHECK_EQ(error("opts:0=B"),
           "error[usage]: --dynamic opts:0=B: the model has no input 'opts'\n"
           "  why:  its inputs are: x, opts_w\n"
           "  help: did you mean 'opts_w'?\n");
  CHECK_EQ(error("x:2=B"),
           "error[usage]: --dynamic x:2=B: 'x' has 2 axes\n"
           "  help: count axes from 0 to 1, or from -1 to -2\n");
  CHECK(contains(error("x:1=B"),
                 "the model was exported for one size of this axis\n"
                 "  why:  its dynamic axes are: x:0=s"));
  const Result closed =
      sandbox.run({"export", "exported.pt2", "-t", "tract", "--specialize", "B=1"});
  CHECK_EQ(closed.err,
           "error[usage]: --specialize B: the model declares no dynamic axes\n"
           "  help: give a sample of the size that you want, with --input\n");
}

TEST_CASE("--method chooses a program of several") {
  Sandbox sandbox({"exported_two.pt2"});
  check_failure(sandbox, {"export", "exported_two.pt2", "-t", "tract"}, 3,
                "error[model-format]: the .pt2 file holds 2 programs\n"
                "  why:  its programs are: decode, encode\n"
                "  help: choose one, for example: --method decode\n");
  check_failure(sandbox, {"export", "exported_two.pt2", "-t", "tract", "--method", "decod"}, 3,
                "error[model-format]: the .pt2 file has no program 'decod'\n"
                "  why:  its programs are: decode, encode\n"
                "  help: did you mean --method decode?\n");
  const Result both = sandbox.run({"export", "exported_two.pt2", "-t", "tract", "--check", "-o",
                                   "all", "--method", "decode", "--method", "encode"});
  CHECK_EQ(both.code, 0);
  CHECK(std::filesystem::exists(sandbox.path("all/encode/graph.nnef")));
  const Result shown = sandbox.run({"inspect", "exported_two.pt2", "--method", "encode"});
  CHECK(contains(shown.out, "methods: decode, encode\n"));
  CHECK(contains(shown.out, "dynamic axes:\n  x:0="));
  const Result tensors = sandbox.run({"tensors", "exported_two.pt2", "-o", "w.npz"});
  CHECK_EQ(tensors.code, 0);
  CHECK(contains(tensors.out, "encode.fc.weight"));
}

}  // namespace
}  // namespace t2n::test
