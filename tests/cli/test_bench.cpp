// SPDX-License-Identifier: Apache-2.0
// bench: times of one or two artefacts in the real engine, with the sizes and states that it feeds.
#include <filesystem>

#include "tests/cli/program.h"

namespace t2n::test {
namespace {

/// y = x @ x' in S steps of a dynamic axis.
void write_products(const Sandbox& sandbox, const std::string& folder, const std::string& body) {
  sandbox.folder().write(folder + "/graph.nnef",
                         "version 1.0;\nextension tract_registry tract_core;\n"
                         "extension tract_symbol S;\n"
                         "graph net(x) -> (y) {\n"
                         "x = tract_core_external(shape = [S, 64], datum_type = 'f32');\n" +
                             body + "\n}\n");
}

constexpr const char* kOne = "y = matmul(x, x, transposeB = true);";
constexpr const char* kMany =
    "a = matmul(x, x, transposeB = true);\nb = matmul(a, x);\nc = tanh(b);\n"
    "d = matmul(c, x, transposeB = true);\ne = matmul(d, x);\nf = tanh(e);\n"
    "y = matmul(f, x, transposeB = true);";

}  // namespace

TEST_CASE("the times of one artefact, and its slowest operations") {
  if (!engine(23)) return;
  const Sandbox sandbox;
  write_products(sandbox, "m", kMany);
  const Result result =
      sandbox.run({"bench", "m", "--size", "S=128", "--runs", "20", "--top", "3"});
  CHECK_EQ(result.err, "");
  CHECK_EQ(result.code, 0);
  CHECK(result.out.starts_with("bench: tract 0.23."));
  CHECK(contains(result.out, "\nm: x f32[128,64]\n  time  median  "));
  CHECK(contains(result.out, "\noperations of the optimised graph, in one run:\n"));
  CHECK(contains(result.out, "OptMatMul"));
  CHECK(contains(result.out, "\nslowest:\n"));
  const Result json = sandbox.run({"bench", "m", "--size", "S=128", "--runs", "20", "--json"});
  CHECK(contains(json.out, "  \"engine\": \"tract 0.23."));
  CHECK(contains(json.out, "\"run_seconds\": {\n        \"median\": "));
  CHECK(contains(json.out, "\"count\": 20\n"));
  CHECK(contains(json.out, "\"nodes\": [\n        {\n          \"operation\": \"OptMatMul"));
}

TEST_CASE("two artefacts alternate, and the slower one is seen as such") {
  if (!engine(23)) return;
  const Sandbox sandbox;
  write_products(sandbox, "one", kOne);
  write_products(sandbox, "many", kMany);
  const Result result =
      sandbox.run({"bench", "one", "many", "-i", "x=200,64", "--runs", "50", "--top", "0"});
  CHECK_EQ(result.err, "");
  CHECK(contains(result.out, "\nA = one: x f32[200,64]\nB = many: x f32[200,64]\n"));
  CHECK_FALSE(contains(result.out, "slowest"));
  const size_t at = result.out.find("\n  run B/A");
  REQUIRE_NE(at, std::string::npos);
  const std::string line = result.out.substr(at + 10, result.out.find('\n', at + 1) - at - 10);
  CHECK_GT(std::stod(line), 2.0);
  CHECK(line.ends_with(" 50"));
  const Result json = sandbox.run(
      {"bench", "one", "many", "--size", "S=200", "--runs", "10", "--top", "2", "--json"});
  CHECK(contains(json.out, "\"ratios\": {\n    \"load\": {\n"));
}

TEST_CASE("states are fed with their first values") {
  if (!engine(23)) return;
  const Sandbox sandbox({"Counter.pt"});
  CHECK_EQ(sandbox.run(export_of("Counter.pt", {"-i", "x=2,3", "--state"})).code, 0);
  const Result result = sandbox.run({"bench", "out.nnef", "--runs", "10", "--top", "0"});
  CHECK_EQ(result.err, "");
  CHECK(contains(result.out,
                 "\nout.nnef: x f32[2,3], count f32[1] (state), kept f32[2,3] (state)\n"));
}

TEST_CASE("older engines measure as well") {
  for (const std::string& target : engine_targets()) {
    if (target == "khronos") continue;
    CAPTURE(target);
    const Sandbox sandbox({"Counter.pt"});
    CHECK_EQ(sandbox
                 .run({"export", "Counter.pt", "-t", target, "-i", "x=2,3", "--state", "-o", "m",
                       "--check"})
                 .code,
             0);
    const Result result =
        sandbox.run({"bench", "m", "--runs", "10", "--top", "5", "--engine", target});
    CHECK_EQ(result.err, "");
    CHECK(contains(result.out, "\nslowest:\n"));
  }
}

TEST_CASE("what cannot be measured") {
  const Sandbox sandbox;
  write_products(sandbox, "m", kOne);
  check_failure(sandbox, {"bench", "m", "--size", "T=3"}, 2,
                "error[usage]: no input has an axis of the size 'T'\n"
                "  help: `t2nnef inspect` shows the inputs\n");
  check_failure(sandbox, {"bench", "m", "--size", "S=x"}, 2,
                "error[usage]: --size 'S=x' is not SYMBOL=SIZE\n"
                "  help: for example --size S=64\n");
  check_failure(sandbox, {"bench", "m", "--size", "S=3", "--engine", "reference"}, 2,
                "error[usage]: the reference interpreter is not measured\n"
                "  why:  it computes what an engine must compute, not as fast as one\n"
                "  help: use --engine tract\n");
  check_failure(sandbox, {"bench", "m", "--size", "S=3", "--loads", "0"}, 2,
                "error[usage]: --loads is 0, not a number from 1 to 100000\n");
  const Result missing = sandbox.run({"bench", "m"});
  CHECK_EQ(missing.code, 2);
  CHECK(contains(missing.err, "help: pass its size, for example --size S=64; or "));
  CHECK_EQ(sandbox.run({"bench", "m", "--size", "S=3"}, no_engine()).code, 7);
  if (!engine(23)) return;
  sandbox.folder().write("bad/graph.nnef",
                         "version 1.0;\nextension tract_registry tract_core;\n"
                         "graph g(x) -> (y) {\nx = external(shape = [2, 3]);\n"
                         "y = reshape(x, shape = [4]);\n}\n");
  CHECK_EQ(sandbox.run({"bench", "bad"}).code, 6);
}

}  // namespace t2n::test
