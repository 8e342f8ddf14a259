// SPDX-License-Identifier: Apache-2.0
// check: artefacts against their models, ours and others', that fit, differ, or are of another
// signature.
#include <filesystem>

#include "src/diag/error.h"
#include "tests/cli/program.h"

namespace t2n::test {
namespace {

namespace fs = std::filesystem;

/// digits.pt and its export as the folder `m`, so that its text can be changed.
void make_digits(Sandbox& sandbox) {
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  REQUIRE_EQ(sandbox.run({"export", "digits.pt", "-t", "tract", "-o", "m"}).code, 0);
}

void replace(const Sandbox& sandbox, const std::string& from, const std::string& to) {
  std::string text = sandbox.content("m/graph.nnef");
  size_t at = text.find(from);
  REQUIRE_NE(at, std::string::npos);
  for (; at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  sandbox.folder().write("m/graph.nnef", text);
}

}  // namespace

TEST_CASE("an export agrees with its model") {
  if (!engine(23)) return;
  Sandbox sandbox;
  make_digits(sandbox);
  const auto before = sandbox.listing();
  const Result result = sandbox.run({"check", "digits.pt", "m", "--engine", "tract"});
  CHECK_EQ(result.code, 0);
  CHECK_EQ(result.err, "");
  CHECK(result.out.starts_with("check: tract 0.23."));
  CHECK(contains(result.out,
                 " · approximate (atol 0.0001, rtol 0.0005) · 8 input sets\n"
                 "  output    shape  max|Δ|"));
  CHECK(contains(result.out, "\n  output_0  4,10   "));
  CHECK(
      result.out.ends_with(" ok\nreference: LibTorch's executor; t2nnef's own run gives the "
                           "same, bit for bit\n"));
  const Result more =
      sandbox.run({"check", "digits.pt", "m", "--engine", "tract", "--seeds", "4", "--check=very"});
  CHECK_EQ(more.code, 0);
  CHECK(contains(more.out, " · very (atol 0.05, rtol 0.01) · 10 input sets\n"));
  CHECK(sandbox.listing() == before);
}

TEST_CASE("names of another exporter") {
  if (!engine(23)) return;
  Sandbox sandbox;
  make_digits(sandbox);
  replace(sandbox, "graph DigitsCnn(x)", "graph network(image)");
  replace(sandbox, "    x = tract_core_external", "    image = tract_core_external");
  replace(sandbox, "conv(x, ", "conv(image, ");
  replace(sandbox, "output_0", "logits");
  const Result result = sandbox.run({"check", "digits.pt", "m", "--engine", "tract"});
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.out, "\n  logits  4,10   "));
}

TEST_CASE("another artefact differs, and the table shows it") {
  if (!engine(23)) return;
  Sandbox sandbox;
  make_digits(sandbox);
  replace(sandbox, "relu(features_0_1_batch_norm)", "sigmoid(features_0_1_batch_norm)");
  const Result result = sandbox.run({"check", "digits.pt", "m", "--engine", "tract"});
  CHECK_EQ(result.code, 5);
  CHECK(contains(result.out, " DIFFERS\nreference: "));
  CHECK(contains(result.err, "error[output-mismatch]: 'output_0'["));
  CHECK(
      result.err.ends_with(" computes other values than the model\n"
                           "  help: `t2nnef reduce digits.pt --against m` with the same options "
                           "writes the smallest part that differs\n"));
}

TEST_CASE("integers of no known range are more than 0 and 1") {
  const Sandbox sandbox({"Thirds.pt", "Fifths.pt"});
  const Arguments inputs = {"-i", "n=4,4,i64"};
  for (const char* model : {"Thirds", "Fifths"}) {
    Arguments arguments = {"export", cat(model, ".pt"), "-t", "khronos", "--check", "-o", model};
    arguments.insert(arguments.end(), inputs.begin(), inputs.end());
    CHECK_EQ(sandbox.run(arguments).code, 0);
  }
  const Result result = sandbox.run({"check", "Thirds.pt", "Fifths", "-i", "n=4,4,i64"});
  CHECK_EQ(result.code, 5);
  CHECK(contains(result.err, "error[output-mismatch]: 'output_0'["));
}

TEST_CASE("the result of a check as JSON") {
  if (!engine(23)) return;
  Sandbox sandbox;
  make_digits(sandbox);
  const Result result = sandbox.run({"check", "digits.pt", "m", "--engine", "tract", "--json"});
  CHECK_EQ(result.code, 0);
  CHECK(
      result.out.starts_with("{\n  \"format\": \"t2nnef.report/1\",\n  \"command\": \"check\",\n"));
  CHECK(contains(result.out, "  \"model\": {\n    \"file\": \"digits.pt\",\n"));
  CHECK(contains(result.out, "  \"artifact\": {\n    \"path\": \"m\"\n  },\n"));
  CHECK(contains(result.out, "        \"verdict\": \"ok\"\n"));
}

TEST_CASE("a scripted model takes the shapes that the artefact declares") {
  if (!engine(23)) return;
  Sandbox sandbox;
  sandbox.copy_fixture("transformer_encoder/scripted.pt", "scripted.pt");
  sandbox.copy_fixture("transformer_encoder/model.pt", "traced.pt");
  REQUIRE_EQ(sandbox.run({"export", "traced.pt", "-t", "tract", "-o", "m.tgz"}).code, 0);
  CHECK_EQ(sandbox.run({"check", "scripted.pt", "m.tgz", "--engine", "tract"}).code, 0);
  CHECK_EQ(sandbox.run({"check", "traced.pt", "m.tgz", "--engine", "tract"}).code, 0);
}

TEST_CASE("sizes that the artefact excludes are not run") {
  if (!engine(23)) return;
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  const Arguments dynamic = {"check", "digits.pt", "m", "--engine", "tract", "--dynamic", "x:0=N"};
  REQUIRE_EQ(
      sandbox.run({"export", "digits.pt", "-t", "tract", "-o", "m", "--dynamic", "x:0=B"}).code, 0);
  CHECK(contains(sandbox.run(dynamic).out, "also at N=1; N=7"));
  replace(sandbox, "extension tract_assert B >= 1;",
          "extension tract_assert B >= 1;\nextension tract_assert B <= 4;");
  const Result result = sandbox.run(dynamic);
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.out, "also at N=1"));
  check_failure(sandbox, {"check", "digits.pt", "m", "--engine", "tract", "-i", "x=7,1,8,8"}, 3,
                "error[input-sizes]: the sizes of 'x' violate the assertion B <= 4\n"
                "   'x', axis 0: B = 7\n"
                "  why:  tract assumes that assertions hold: otherwise results are wrong\n"
                "  help: give inputs of other sizes; `t2nnef inspect` shows the expected ones\n");
  replace(sandbox, "B <= 4;", "B == 4;");
  CHECK_EQ(sandbox.run({"check", "digits.pt", "m", "--engine", "tract"}).code, 0);
  check_failure(sandbox, dynamic, 3,
                "error[input-sizes]: the sizes of 'x' violate the assertion B == 4\n"
                "   'x', axis 0: B = 1\n"
                "  why:  tract assumes that assertions hold: otherwise results are wrong\n"
                "  help: give inputs of other sizes; `t2nnef inspect` shows the expected ones\n");
}

TEST_CASE("dynamic axes are checked at other sizes") {
  if (!engine(23)) return;
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  const Arguments dynamic = {"--dynamic", "x:0=B"};
  Arguments exported = {"export", "digits.pt", "-t", "tract", "-o", "m.tgz"};
  exported.insert(exported.end(), dynamic.begin(), dynamic.end());
  REQUIRE_EQ(sandbox.run(exported).code, 0);
  const Result sample = sandbox.run({"check", "digits.pt", "m.tgz", "--engine", "tract"});
  CHECK_EQ(sample.code, 0);
  const Result other =
      sandbox.run({"check", "digits.pt", "m.tgz", "--engine", "tract", "-i", "x=7,1,8,8"});
  CHECK_EQ(other.code, 0);
  const Result all =
      sandbox.run({"check", "digits.pt", "m.tgz", "--engine", "tract", "--dynamic", "x:0=B"});
  CHECK_EQ(all.code, 0);
  CHECK(contains(all.out, " input sets · also at B=1; B="));
}

TEST_CASE("signatures that differ are explained") {
  Sandbox sandbox;
  make_digits(sandbox);
  sandbox.copy_fixture("transformer_encoder/model.pt", "other.pt");
  check_failure(sandbox, {"check", "other.pt", "m"}, 5,
                "error[signature-mismatch]: the artefact's input 'x' does not match the model's\n"
                "   the model:    tokens i64[2,12]\n"
                "   the artefact: x f32[4,1,8,8]\n"
                "  help: use --input to pass samples of the artefact's shapes and dtypes\n");
  check_failure(sandbox, {"check", "digits.pt", "m", "-i", "x=5,1,8,8"}, 5,
                "error[signature-mismatch]: the artefact's input 'x' does not match the model's\n"
                "   the model:    x f32[5,1,8,8]\n"
                "   the artefact: x f32[4,1,8,8]\n"
                "  help: use --input to pass samples of the artefact's shapes and dtypes\n");
  replace(sandbox, "-> (output_0)", "-> (output_0, flatten)");
  check_failure(sandbox, {"check", "digits.pt", "m"}, 5,
                "error[signature-mismatch]: the artefact gives 2 outputs, the model 1\n"
                "   the model:    output_0\n"
                "   the artefact: output_0, flatten\n");
  replace(sandbox, "(x) ->", "(x, more) ->");
  replace(sandbox, "    x = tract", "    more = external(shape = [1]);\n    x = tract");
  check_failure(sandbox, {"check", "digits.pt", "m"}, 5,
                "error[signature-mismatch]: the artefact takes 2 inputs, the model 1\n"
                "   the model:    x f32[4,1,8,8]\n"
                "   the artefact: x f32[4,1,8,8], more f32[1]\n"
                "  help: pass each argument that is a constant in the artefact with --input\n");
}

TEST_CASE("checks that are impossible") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  sandbox.folder().write("text", "no archive");
  check_failure(sandbox, {"check"}, 2,
                "error[usage]: the model is missing\n  help: for example: t2nnef check model.pt\n");
  check_failure(sandbox, {"check", "digits.pt"}, 2,
                "error[usage]: the artefact is missing\n"
                "  help: for example: t2nnef check model.pt model.nnef.tgz\n");
  check_failure(sandbox, {"check", "digits.pt", "nope"}, 3,
                "error[model-not-found]: cannot open the artefact 'nope'\n"
                "  why:  No such file or directory\n");
  sandbox.folder().write("m/graph.nnef", "version 1.0;\n");
  check_failure(sandbox, {"check", "m", "digits.pt"}, 3,
                "error[model-format]: 'digits.pt' is a TorchScript model, not an NNEF artefact\n"
                "  help: the model comes first: t2nnef check digits.pt m\n");
  check_failure(sandbox, {"check", "digits.pt", "text", "--seeds", "1"}, 2,
                "error[usage]: --seeds is 1, not a number from 2 to 1000\n");
  check_failure(sandbox, {"check", "digits.pt", "text", "--check=aproximate"}, 2,
                "error[usage]: there is no tolerance 'aproximate'\n"
                "  why:  levels are exact, close, approximate, very, super and ultra\n"
                "  help: did you mean 'approximate'?\n");
}

}  // namespace t2n::test
