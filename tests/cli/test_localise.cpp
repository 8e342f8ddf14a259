// SPDX-License-Identifier: Apache-2.0
// What a check says of where a difference begins, and of the statement at which an engine fails.
#include "tests/cli/program.h"

namespace t2n::test {
namespace {

/// An export of the fixture as the folder `m`, with one change of its text.
void change_export(Sandbox& sandbox, const std::string& fixture, const std::string& from,
                   const std::string& to) {
  sandbox.copy_fixture(fixture + "/model.pt", "model.pt");
  sandbox.copy_fixture(fixture + "/input.npz", "input.npz");
  REQUIRE_EQ(sandbox.run({"export", "model.pt", "-t", "tract", "-i", "@input.npz", "-o", "m"}).code,
             0);
  std::string text = sandbox.content("m/graph.nnef");
  const size_t at = text.find(from);
  REQUIRE_NE(at, std::string::npos);
  sandbox.folder().write("m/graph.nnef", text.replace(at, from.size(), to));
}

Result check(const Sandbox& sandbox, const Arguments& more) {
  Arguments arguments = {"check", "model.pt", "m", "-i", "@input.npz"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return sandbox.run(arguments);
}

}  // namespace

TEST_CASE("the first tensor that differs is named with its statement, module and line") {
  if (!engine(23)) return;
  Sandbox sandbox;
  change_export(sandbox, "digits_cnn", "relu(features_2_1_batch_norm)",
                "tanh(features_2_1_batch_norm)");
  for (const char* const engine : {"tract", "reference"}) {
    const Result result = check(sandbox, {"--engine", engine});
    CHECK_EQ(result.code, 5);
    CHECK(contains(result.err, "  --> features.2.2 (ReLU), make.py:31\n"));
    CHECK(contains(result.err,
                   "   the difference begins in tanh 'features_2_2_relu' at graph.nnef:29, which "
                   "computes aten::relu of features.2.2 (ReLU), make.py:31\n"));
    CHECK(contains(result.err, "of 2048 elements differ, most in [1,9,2,2]: expected 6.18"));
    CHECK(contains(result.err, "     the model's:    min 0, max 6.18"));
    CHECK(contains(result.err,
                   "   in the file: the file has tanh 'features_2_2_relu', an export of the model "
                   "relu, graph.nnef:29, which computes aten::relu of features.2.2 (ReLU)"));
  }
}

TEST_CASE("--localize never ends a check with its first difference, always prints all tensors") {
  if (!engine(23)) return;
  Sandbox sandbox;
  change_export(sandbox, "digits_cnn", "padding = [(1, 1), (1, 1)]", "padding = [(0, 2), (1, 1)]");
  const Result never = check(sandbox, {"--localize", "never"});
  CHECK_EQ(never.code, 5);
  CHECK_FALSE(contains(never.err, "begins in"));
  CHECK(contains(never.err,
                 ": padding is [(0, 2), (1, 1)], an export of the model has [(1, 1), (1, 1)]\n"));
  const Result always = check(sandbox, {"--localize", "always"});
  CHECK_EQ(always.code, 5);
  CHECK(contains(always.out, "\n  classifier (Linear), make.py:31\n"));
  const std::string last = always.out.substr(always.out.find("classifier (Linear)"));
  CHECK(contains(last, "\n  DIFFERS "));
  CHECK(contains(last, "  34  linear               output_0\n"));
  check_failure(sandbox, {"check", "model.pt", "m", "--localize", "soon"}, 2,
                "error[usage]: --localize 'soon' is not known\n"
                "  help: write --localize never, on-failure or always\n");
}

TEST_CASE("the JSON of a check has the tensors at which differences begin") {
  if (!engine(23)) return;
  Sandbox sandbox;
  change_export(sandbox, "digits_cnn", "padding = [(1, 1), (1, 1)]", "padding = [(0, 2), (1, 1)]");
  const Result result = check(sandbox, {"--json"});
  for (const char* const part :
       {"\"localisation\": {", "\"tensors\": 10,", "\"tensor\": \"features_0_0_conv2d\",",
        "\"line\": 14,", "\"operator\": \"aten::_convolution\",", "\"module\": \"features.0.0\",",
        "\"difference\": \"conv 'features_0_0_conv2d': padding is [(0, 2), (1, 1)], an export of "
        "the model has [(1, 1), (1, 1)]\""})
    CHECK_MESSAGE(contains(result.out, part), part);
}

TEST_CASE("the statement at which an engine fails is named") {
  if (!engine(23)) return;
  Sandbox sandbox;
  change_export(sandbox, "digits_cnn", "shape = [4, 128]", "shape = [4, 127]");
  for (const char* const engine : {"tract", "reference"}) {
    const Result result = check(sandbox, {"--engine", engine});
    CHECK_EQ(result.code, 6);
    CHECK(contains(result.err, "  --> the model (DigitsCnn), make.py:31\n"));
    CHECK(contains(result.err,
                   "   fails at graph.nnef:31: flatten = reshape(features_3_adaptive_avg_pool2d, "
                   "shape = [4, 127]);\n   which computes aten::flatten.using_ints\n"));
  }
}

TEST_CASE("an operation that the engine does not know is that of the model with its operands") {
  if (!engine(23)) return;
  Sandbox sandbox;
  change_export(sandbox, "digits_cnn", "relu(features_2_1_batch_norm)",
                "rellu(features_2_1_batch_norm)");
  const Result result = check(sandbox, {"--engine", "tract"});
  CHECK_EQ(result.code, 6);
  CHECK(contains(result.err, "  --> features.2.2 (ReLU), make.py:31\n"));
  CHECK(contains(result.err, "   which computes aten::relu\n"));
}

}  // namespace t2n::test
