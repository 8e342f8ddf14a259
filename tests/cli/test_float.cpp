// SPDX-License-Identifier: Apache-2.0
// --float f16 on real models, in the real engine.
#include <filesystem>

#include "tests/cli/program.h"

namespace t2n::test {
namespace {

namespace fs = std::filesystem;

struct FloatSandbox : Sandbox {
  FloatSandbox() {
    copy_fixture("digits_cnn/model.pt", "digits.pt");
    copy_fixture("transformer_encoder/model.pt", "encoder.pt");
    copy_fixture("series_gru/model.pt", "gru.pt");
    copy_fixture("char_lm/model.pt", "lm.pt");
  }
};

}  // namespace

TEST_CASE("models compute in f16 in tract, and their inputs and outputs stay in f32") {
  const FloatSandbox sandbox;
  for (const std::string model : {"digits", "encoder", "gru", "lm"}) {
    CAPTURE(model);
    const Result wide =
        sandbox.run({"export", model + ".pt", "-t", "tract", "-q", "-o", model + "_wide"});
    REQUIRE_EQ(wide.code, 0);
    const Result result = sandbox.run({"export", model + ".pt", "-t", "tract", "--check", "--float",
                                       "f16", "-o", model + ".nnef"});
    CAPTURE(result.err);
    CAPTURE(result.out);
    REQUIRE_EQ(result.code, 0);
    CHECK(contains(result.out, "computes in f16: "));
    CHECK(contains(result.out, " ok\n"));
    CHECK_FALSE(contains(result.out, "DIFFERS"));
    const std::string graph = sandbox.content(model + ".nnef/graph.nnef");
    CHECK(contains(graph, "'f16'"));
    CHECK(contains(graph, "('t2nnef_float', 'f16')"));
    CHECK_FALSE(contains(graph, "datum_type = 'f16')"));  // of an external
    const Result again = sandbox.run({"check", model + ".pt", model + ".nnef"});
    CAPTURE(again.err);
    CHECK_EQ(again.code, 0);
  }
}

TEST_CASE("a check finds a wrong operation in a file that computes in f16") {
  const FloatSandbox sandbox;
  REQUIRE_EQ(sandbox.run(export_of("digits.pt", {"--float", "f16", "-q"})).code, 0);
  std::string graph = sandbox.content("out.nnef/graph.nnef");
  const size_t at = graph.find(" relu(");
  REQUIRE_NE(at, std::string::npos);
  sandbox.folder().write("out.nnef/graph.nnef", graph.replace(at, 6, " tanh("));
  const Result result = sandbox.run({"check", "digits.pt", "out.nnef"});
  CHECK_EQ(result.code, 5);
  CHECK(contains(result.err, "error[output-mismatch]"));
}

TEST_CASE("inputs and outputs are f16 on request") {
  const FloatSandbox sandbox;
  for (const std::string model : {"digits", "gru"}) {
    CAPTURE(model);
    const Result result = sandbox.run({"export", model + ".pt", "-t", "tract", "--check", "--float",
                                       "f16-io", "-o", model + ".nnef", "--report", "r.json"});
    CAPTURE(result.err);
    CAPTURE(result.out);
    REQUIRE_EQ(result.code, 0);
    const std::string graph = sandbox.content(model + ".nnef/graph.nnef");
    CHECK_EQ(contains(graph, "datum_type = 'f16')"), model == "digits");
    CHECK(contains(sandbox.content("r.json"), R"("dtype": "f16")"));
    CHECK_FALSE(contains(sandbox.content("r.json"), R"("dtype": "f32",
      "shape")"));
    const Result again = sandbox.run({"check", model + ".pt", model + ".nnef"});
    CAPTURE(again.err);
    CHECK_EQ(again.code, 0);
  }
}

TEST_CASE("weights take half the bytes, and keep their names") {
  const FloatSandbox sandbox;
  REQUIRE_EQ(sandbox.run(export_of("lm.pt", {"--float", "f16", "-q"})).code, 0);
  REQUIRE_EQ(sandbox.run({"export", "lm.pt", "-t", "tract", "-o", "wide.nnef", "-q"}).code, 0);
  const auto bytes = [&](const std::string& folder) {
    uintmax_t sum = 0;
    for (const auto& entry : fs::directory_iterator(sandbox.path(folder)))
      if (entry.path().extension() == ".dat") sum += entry.file_size();
    return static_cast<double>(sum);
  };
  CHECK_LT(bytes("out.nnef"), 0.6 * bytes("wide.nnef"));
  size_t same = 0;
  size_t all = 0;
  for (const auto& entry : fs::directory_iterator(sandbox.path("wide.nnef"))) {
    ++all;
    same += fs::exists(sandbox.path("out.nnef/" + entry.path().filename().string()));
  }
  CHECK_GE(10 * same, 8 * all);
}

TEST_CASE("modules stay in f32 on request; what cannot be is refused") {
  const FloatSandbox sandbox;
  const Result kept = sandbox.run(
      export_of("digits.pt", {"--check", "--float", "f16", "--keep-f32", "features.0*"}));
  REQUIRE_EQ(kept.code, 0);
  CHECK(contains(kept.out, "in f32: "));
  const Result unknown =
      sandbox.run(export_of("digits.pt", {"--float", "f16", "--keep-f32", "nothing"}));
  CHECK_EQ(unknown.code, 2);
  CHECK(contains(unknown.err,
                 "error[usage]: --keep-f32 'nothing' names no module\n"
                 "  help: `t2nnef inspect MODEL.pt --graph` shows all modules\n"));
  const Result all = sandbox.run(export_of("digits.pt", {"--float", "f16", "--keep-f32", "*"}));
  CHECK_EQ(all.code, 2);
  CHECK(contains(all.err, "--float f16 changes nothing"));
  check_failure(sandbox, export_of("digits.pt", {"--float", "bf16"}), 2,
                "error[usage]: --float 'bf16' is not known\n"
                "  help: --float f16 computes in 16 bits; f16-io has inputs and outputs in f16, "
                "too\n");
  check_failure(sandbox, export_of("digits.pt", {"--keep-f32", "x"}), 2,
                "error[usage]: --keep-f32 needs --float\n"
                "  help: add --float f16\n");
  const Result strict =
      sandbox.run({"export", "digits.pt", "-t", "khronos", "--float", "f16", "-o", "no.tgz"});
  CHECK_EQ(strict.code, 4);
  CHECK(contains(strict.err, "--float f16 has no meaning for khronos@1.0.5"));
  const Result both =
      sandbox.run(export_of("digits.pt", {"--float", "f16", "--compress", "int8-weights"}));
  CHECK_EQ(both.code, 2);
}

}  // namespace t2n::test
