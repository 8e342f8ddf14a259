// SPDX-License-Identifier: Apache-2.0
// export --compress: what stays as it was is said, or refused.
#include <fstream>

#include "tests/cli/program.h"

namespace t2n::test {
namespace {

Result exported(const Sandbox& sandbox, const Arguments& more) {
  Arguments all = {"export", "model.pt", "-t", "tract", "-o", "out.nnef"};
  all.insert(all.end(), more.begin(), more.end());
  return sandbox.run(all);
}

TEST_CASE("batch norms that settings name are folded, which is said") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "model.pt");
  std::ofstream(sandbox.path("s.json"))
      << R"({"": {"weights": {"bits": 8}}, "features.0.1": {"weights": {"bits": 4}}})";
  const Result settings = exported(sandbox, {"--compress", "s.json"});
  CHECK_EQ(settings.code, 0);
  CHECK(contains(settings.err,
                 "warning[module-folded]: 'features.0.1', of s.json, is folded into "
                 "'features.0.0': its settings have no effect"));
  CHECK(contains(settings.err, "help: say it of 'features.0.0'"));
  const Result ignored =
      exported(sandbox, {"--compress", "int8-weights", "--ignore", "features.0.1"});
  CHECK(contains(ignored.err, "is folded into 'features.0.0', and compressed with it"));
  const Result both = exported(sandbox, {"--compress", "int8-weights", "--ignore", "features.0.1",
                                         "--ignore", "features.0.0"});
  CHECK(contains(both.err, "is folded into 'features.0.0', which is not compressed"));
  CHECK(contains(both.out, "compressed: 2 of 3 layers, "));
  const Result only = exported(sandbox, {"--compress", "int8-weights", "--only", "features.0.1"});
  CHECK_EQ(only.code, 2);
  CHECK(contains(only.err, "error[usage]: --only 'features.0.1' names no layer with weights"));
  const Result plain = exported(sandbox, {"--compress", "int8-weights", "--ignore", "features.0"});
  CHECK_FALSE(contains(plain.err, "module-folded"));
}

TEST_CASE("what the model has quantised keeps its grids, and nothing is rounded twice") {
  for (const std::string file : {"fx_scripted.pt", "fx_int8.pt"}) {
    CAPTURE(file);
    Sandbox sandbox;
    sandbox.copy_fixture("digits_cnn/calibration.npz", "cal.npz");
    sandbox.copy_fixture("digits_qat/input.npz", "input.npz");
    std::ofstream(sandbox.path("four.json")) << R"({"": {"weights": {"bits": 4}}})";
    std::ofstream(sandbox.path("prune.json")) << R"({"": {"prune": {"sparsity": 0.5}}})";
    sandbox.copy_fixture("digits_qat/" + file, "model.pt");
    const auto run = [&](const std::string& compress) {
      return exported(sandbox, {"--compress", compress, "--calibrate", "@cal.npz", "--input",
                                "@input.npz", "--check"});
    };
    const Result integers = run("int8");
    CHECK_EQ(integers.code, 0);
    CHECK(contains(integers.out, "compressed: 0 of 3 layers, "));
    CHECK(contains(
        integers.out,
        "  with the model's own quantisation parameters: 3 weights, the inputs of 3 layers\n"));
    CHECK(contains(integers.out, ": SNR exact, "));
    CHECK_EQ(run("f16").code, 0);
    for (const auto& [compress, what] :
         std::vector<std::pair<std::string, std::string>>{{"q4_0", "blocks of 4 bits"},
                                                          {"four.json", "integers of 4 bits"},
                                                          {"prune.json", "pruning"}}) {
      const Result refused = run(compress);
      CHECK_EQ(refused.code, 4);
      CHECK(contains(refused.err, " to 8 bits, but settings request " + what));
      CHECK(contains(refused.err, "help: exclude it with --ignore conv1, or compress"));
    }
  }
}

TEST_CASE("activations of recurrent layers stay in floats, which is said") {
  Sandbox sandbox;
  sandbox.copy_fixture("series_gru/model.pt", "model.pt");
  sandbox.copy_fixture("series_gru/calibration.npz", "cal.npz");
  const Result integers =
      exported(sandbox, {"--compress", "int8", "--calibrate", "@cal.npz", "--report", "out.json"});
  CHECK(contains(integers.out, "  activations stay in floats: gru\n"));
  CHECK(contains(sandbox.content("out.json"), "\"activations_in_floats\": [\n      \"gru\""));
  CHECK_FALSE(contains(exported(sandbox, {"--compress", "int8-weights"}).out, "activations stay"));
}

TEST_CASE("blocks of 4 bits that the engine is slow with are named, with what is faster") {
  Sandbox sandbox;
  sandbox.copy_fixture("char_lm/model.pt", "model.pt");
  const Result slow = exported(sandbox, {"--compress", "q4_0"});
  CHECK_EQ(slow.code, 0);
  CHECK(contains(slow.err, "warning[slow-weights]: tract computes "));
  CHECK(contains(slow.err, " with Q4_0 weights several times slower than with floats\n"));
  CHECK(contains(slow.err, " rows"));
  CHECK(contains(slow.err, "help: use --compress int8-weights"));
  const Result fast = exported(sandbox, {"--compress", "int8-weights"});
  CHECK_FALSE(contains(fast.err, "slow-weights"));
}

}  // namespace
}  // namespace t2n::test
