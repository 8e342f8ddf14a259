// SPDX-License-Identifier: Apache-2.0
// Dynamic axes on the command line: what is said, written and refused.
#include "src/diag/error.h"
#include "tests/cli/program.h"

namespace t2n::test {
namespace {

/// One of the models of variable length, with its inputs.
struct ModelSandbox : Sandbox {
  explicit ModelSandbox(const std::string& name) {
    copy_fixture("variable_length/" + name, "model.pt");
    copy_fixture("variable_length/input.npz", "in.npz");
  }
};

Arguments dynamic_export(const Arguments& more, const std::string& model = "model.pt") {
  Arguments out = {"export", model, "-t", "tract", "-o", "out"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

TEST_CASE("attention of any length is exported and checked at three sizes") {
  if (!engine(23)) return;
  const ModelSandbox sandbox("attention.pt");
  const Result result =
      sandbox.run(dynamic_export({"--check", "--engine", "tract", "--strict", "--dynamic",
                                  "ids:0=B", "--dynamic", "ids:-1=S", "--assert", "S<=64"}));
  CHECK_EQ(result.code, 0);
  INFO(result.err);
  CHECK(contains(result.err, "ids i64[B,S] (from trace) · gives output_0 f32[B,S,16]"));
  CHECK(contains(result.err, "requires S <= 64"));
  CHECK(contains(result.out, "also at B=1, S=1; B=7, S=13"));
  const std::string graph = sandbox.content("out/graph.nnef");
  for (const char* line :
       {"extension tract_symbol B;", "extension tract_symbol S;", "extension tract_assert B >= 1;",
        "extension tract_assert S >= 1;", "extension tract_assert S <= 64;", "shape = [B, S]"})
    CHECK_MESSAGE(contains(graph, line), line);
}

TEST_CASE("of a traced model it is said what a trace does not keep") {
  const Sandbox sandbox({"PadsOfATrace.pt"});
  const Result result =
      sandbox.run(dynamic_export({"-i", "x=2,5", "--dynamic", "x:1=T"}, "PadsOfATrace.pt"));
  CHECK_EQ(result.code, 4);
  CHECK(contains(
      result.err,
      "; the model was traced: a trace keeps only the results of min(), max(), if, int() and math "
      "in Python at the traced sizes, while torch.jit.script keeps the operations\n"));
}

TEST_CASE("a cache that grows is inputs and outputs of other lengths") {
  for (const std::string& target : engine_targets()) {
    CAPTURE(target);
    const ModelSandbox sandbox("decoder.pt");
    const Result result =
        sandbox.run({"export", "model.pt", "-t", target, "--check", "--engine", target, "--strict",
                     "--dynamic", "*:0=B", "--dynamic", "ids:1=S", "--dynamic", "past.*:2=P",
                     "--assert", "P>=0", "--report", "report.json"});
    CHECK_EQ(result.code, 0);
    INFO(result.err);
    if (result.code != 0) continue;
    CHECK(contains(result.out, "also at B=1, P=0, S=1; B="));
    std::string report = sandbox.content("report.json");
    std::erase_if(report, [](char c) { return c == ' ' || c == '\n'; });
    for (const char* part : {R"("name":"past_0_0","dtype":"f32","shape":["B",2,"P",8])",
                             R"("name":"output_1_0_0","dtype":"f32","shape":["B",2,"P+S",8])",
                             R"("dynamic":{"relations":["B>=1","S>=1","P>=0"]})",
                             R"("sizes":[{"B":2,"P":7,"S":3},{"B":1,"P":0,"S":1},)"})
      CHECK_MESSAGE(contains(report, part), part);
  }
}

TEST_CASE("a loop over an open axis is a scan of any length") {
  if (!engine(23)) return;
  const ModelSandbox sandbox("loop.pt");
  const Result result =
      sandbox.run(dynamic_export({"--check", "--engine", "tract", "--strict", "-i", "x=@in.npz",
                                  "--dynamic", "x:0=B", "--dynamic", "x:1=T"}));
  CHECK_EQ(result.code, 0);
  INFO(result.err);
  CHECK(contains(result.out, " · also at B=1, T=1; B="));
  CHECK(contains(sandbox.content("out/graph.nnef"), "tract_core_scan("));
}

TEST_CASE("a loop of one size is a scan if it is asked for") {
  if (!engine(23)) return;
  const ModelSandbox sandbox("loop.pt");
  const Arguments plain = {"--check", "--engine", "tract", "--strict", "-i", "x=@in.npz"};
  const Result unrolled = sandbox.run(dynamic_export(plain));
  CHECK_EQ(unrolled.code, 0);
  CHECK_FALSE(contains(sandbox.content("out/graph.nnef"), "tract_core_scan("));
  Arguments more = plain;
  more.emplace_back("--roll-loops");
  const Result rolled = sandbox.run(dynamic_export(more));
  INFO(rolled.err);
  CHECK_EQ(rolled.code, 0);
  CHECK(contains(sandbox.content("out/graph.nnef"), "tract_core_scan("));
  check_failure(
      sandbox, dynamic_export({"--roll-loops", "--dynamic", "x:1=T"}), 2,
      "error[usage]: --roll-loops needs static sizes\n"
      "  help: remove it: with --dynamic, loops over dynamic sizes already become scans\n");
}

TEST_CASE("inspect shows outputs over the axes, and the line that exports them") {
  const ModelSandbox sandbox("attention.pt");
  const Result result = sandbox.run({"inspect", "model.pt", "--dynamic", "ids:1=S"});
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.out, "outputs:\n  output_0 f32[2,S,16]\n"));
  CHECK(contains(result.out, "t2nnef export model.pt --target tract --check --dynamic ids:1=S\n"));
}

TEST_CASE("all that is asserted is said, but that there is something of each size") {
  const ModelSandbox sandbox("attention.pt");
  const Result result = sandbox.run(dynamic_export(
      {"--dynamic", "ids:0=B", "--dynamic", "ids:-1=S", "--assert", "S-B>=1", "--assert", "S>=1"}));
  INFO(result.err);
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.err, "requires -B + S >= 1, "));
}

TEST_CASE("branches on sizes bind the file, or are refused") {
  const ModelSandbox sandbox("branch.pt");
  const Arguments more = {"-i", "@in.npz", "--dynamic", "x:1=T"};
  const Result result = sandbox.run(dynamic_export(more));
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.err,
                 "warning[dynamic-assumption]: the exported model requires T > 4\n"
                 "  --> the model (Branch), make.py:78:9\n"
                 "   |  if x.size(1) > 4:\n"
                 "   |  ^^^^^^^^^^^^^^^^^\n"
                 "  why:  a branch on a size is fixed to the direction taken at all sizes tried\n"
                 "  help: to confirm it, add --assert 'T > 4'\n"));
  CHECK(contains(sandbox.content("out/graph.nnef"), "extension tract_assert T > 4;"));

  const ModelSandbox other("branch.pt");
  check_failure(other, dynamic_export({"-i", "x=2,4,3", "--dynamic", "x:1=T"}), 4,
                "error[dynamic-differs]: a branch depends on a size: it takes different directions "
                "at T=4 and at T=5\n"
                "  --> the model (Branch), make.py:78:9\n"
                "   |  if x.size(1) > 4:\n"
                "   |  ^^^^^^^^^^^^^^^^^\n"
                "  why:  NNEF has no branches; the exported model would contain one direction "
                "only\n"
                "  help: compute the same for all sizes, or export one model per size\n");
}

TEST_CASE("a length that was fixed by the trace is found") {
  const ModelSandbox sandbox("unrolled.pt");
  check_failure(
      sandbox, dynamic_export({"--dynamic", "x:1=T"}), 4,
      "error[dynamic-failed]: the model does not run at T=11, only at the sample's T=10\n"
      "  --> the model (Unrolled), make.py:90\n"
      "  why:  aten::view failed: shape '[2, 9, -1]' is invalid for input of size 80\n"
      "  help: a size of the sample may have been fixed by tracing: take it from x.size() in the "
      "model; the model "
      "was traced: a trace keeps only the results of min(), max(), if, int() and math in Python at "
      "the traced sizes, while torch.jit.script keeps the operations\n");
}

TEST_CASE("declarations are refused before any work is done") {
  const ModelSandbox sandbox("attention.pt");
  check_failure(sandbox, dynamic_export({"--dynamic", "ids=S"}), 2,
                "error[usage]: cannot read --dynamic 'ids=S'\n"
                "  help: write INPUT:AXIS=SIZE, as in x:0=B or ids:-1=S\n");
  check_failure(sandbox, dynamic_export({"--dynamic", "idx:0=B"}), 2,
                "error[usage]: --dynamic idx:0=B: the model has no input 'idx'\n"
                "  why:  its inputs are: ids\n"
                "  help: did you mean 'ids'?\n");
  check_failure(sandbox, dynamic_export({"--assert", "S>=1"}), 2,
                "error[usage]: --assert needs --dynamic\n");
  check_failure(sandbox, dynamic_export({"--dynamic", "ids:0=B", "--assert", "C+B>=5"}), 2,
                "error[usage]: --assert 'B + C >= 5': no dynamic axis declares 'C'\n"
                "  why:  the axes declare: B\n");
}

}  // namespace
}  // namespace t2n::test
