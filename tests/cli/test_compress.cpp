// SPDX-License-Identifier: Apache-2.0
// export --compress: presets and settings by module, calibration, and what is refused.
#include <cmath>
#include <filesystem>
#include <fstream>

#include "nnef_writer/npz.h"
#include "tests/cli/program.h"

namespace t2n::test {
namespace {

/// A folder with a trained CNN, its calibration data as cal.npz, and whatever else is written.
class Compressing {
 public:
  Compressing() {
    sandbox_.copy_fixture("digits_cnn/model.pt", "model.pt");
    sandbox_.copy_fixture("digits_cnn/calibration.npz", "cal.npz");
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(sandbox_.path(name)) << text;
  }

  Result run(const Arguments& more) const { return sandbox_.run(arguments(more)); }
  /// Nothing may be written, and this be said.
  void check_refused(const Arguments& more, int code, const std::string& text) const {
    CAPTURE(text);
    const auto before = sandbox_.listing();
    const Result result = run(more);
    CHECK_EQ(result.code, code);
    CHECK(contains(result.err, text));
    CHECK(sandbox_.listing() == before);
  }

  const Sandbox& sandbox() const { return sandbox_; }

 private:
  static Arguments arguments(const Arguments& more) {
    Arguments out = {"export", "model.pt", "-t", "tract", "-o", "out.nnef"};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }

  Sandbox sandbox_;
};

int64_t bytes_of(const Sandbox& sandbox) {
  int64_t out = 0;
  for (const auto& [name, content] : sandbox.listing())
    if (name.starts_with("out.nnef/") && name.ends_with(".dat"))
      out += static_cast<int64_t>(content.size());
  return out;
}

TEST_CASE("presets export, are right in the engine, and are smaller") {
  const Compressing at;
  REQUIRE_EQ(at.run({}).code, 0);
  const auto whole = static_cast<double>(bytes_of(at.sandbox()));
  for (const auto& [preset, most] : std::vector<std::pair<std::string, double>>{
           {"int8", 0.36}, {"int8-weights", 0.36}, {"f16", 0.6}}) {
    CAPTURE(preset);
    const Result result =
        at.run({"--compress", preset, "--calibrate", "@cal.npz", "--check", "--strict"});
    CHECK_EQ(result.err.find("error"), std::string::npos);
    CHECK_EQ(result.code, 0);
    CHECK(contains(result.out, "compressed: weights of 3 layers"));
    CHECK(contains(result.out, "reference: the compressed graph with LibTorch's kernels"));
    CHECK(static_cast<double>(bytes_of(at.sandbox())) < most * whole);
  }
}

TEST_CASE("pruned weights are right in the engine, with their zeros in the table") {
  const Compressing at;
  at.write("sparse.json",
           R"({"": {"prune": {"pattern": "2:4"}, "weights": {"bits": 8, "rounding": "gptq"}},
               "classifier": {"prune": null}})");
  const Result result = at.run({"--compress", "sparse.json", "--calibrate", "@cal.npz", "--check"});
  CAPTURE(result.out);
  CHECK_EQ(result.err.find("error"), std::string::npos);
  CHECK(contains(result.out, "results dB  zeros"));
  const size_t row = result.out.find("features.2.0");
  REQUIRE_NE(row, std::string::npos);
  CHECK(contains(result.out.substr(row, result.out.find('\n', row) - row), "50"));
  const Result both = at.run({"--compress", "int8-weights"});
  CHECK_FALSE(contains(both.out, "zeros"));
}

TEST_CASE("strict NNEF takes integers as well") {
  const Compressing at;
  const Result result =
      at.sandbox().run({"export", "model.pt", "-t", "khronos", "-o", "out.nnef", "--compress",
                        "int8", "--calibrate", "@cal.npz", "--check", "--strict"});
  CHECK_EQ(result.err.find("error"), std::string::npos);
  CHECK_EQ(result.code, 0);
  CHECK(contains(at.sandbox().content("out.nnef/graph.quant"), "classifier"));
}

TEST_CASE("settings by module: what is ignored keeps its floats") {
  const Compressing at;
  at.write("s.json", R"({"": {"weights": {"bits": 8}}, "features.0": {"weights": {"bits": 4}},
                         "classifier": {"weights": null}})");
  const Result result = at.run({"--compress", "s.json", "--check"});
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.out, "int4"));
  CHECK(contains(result.out, "int8"));
  const std::string graph = at.sandbox().content("out.nnef/graph.nnef");
  CHECK(contains(graph, "classifier_weight = variable<scalar>"));
  CHECK(contains(graph, "features_0_0_weight = variable<integer>"));
  CHECK_EQ(at.run({"--compress", "int8-weights", "--ignore", "features.*"}).code, 0);
  CHECK(contains(at.sandbox().content("out.nnef/graph.nnef"),
                 "features_0_0_weight = variable<scalar>"));
  // A normalisation that is folded into its convolution is a module of the model all the same.
  CHECK_EQ(at.run({"--compress", "int8-weights", "--ignore", "features.0.1"}).code, 0);
  CHECK_EQ(at.run({"--compress", "int8-weights", "--only", "features.2.0"}).code, 0);
  CHECK(contains(at.sandbox().content("out.nnef/graph.nnef"),
                 "features_0_0_weight = variable<scalar>"));
}

TEST_CASE("--ignore and --only of one module contradict each other") {
  const Compressing at;
  at.check_refused({"--compress", "int8-weights", "--ignore", "classifier", "--only", "classifier"},
                   2, "--ignore and --only both name 'classifier'");
}

TEST_CASE("patterns that do not divide the inputs of a layer are reported") {
  const Compressing at;
  at.write("sparse.json", R"({"": {"prune": {"pattern": "2:4"}}})");
  const Result result = at.run({"--compress", "sparse.json"});
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.err,
                 "warning[pattern-remainder]: a pattern does not divide the inputs of 1 "
                 "weight"));
  CHECK(contains(result.err, "features.0.0.weight: of its 1 inputs, 1 of the last 1 stay"));
}

TEST_CASE("labels: correct rows before and after") {
  const Compressing at;
  const Result result =
      at.run({"--compress", "int8", "--calibrate", "@cal.npz", "--labels", "missing.npy"});
  CHECK_EQ(result.code, 3);
  CHECK(contains(result.err, "missing.npy"));
}

TEST_CASE("unknown presets, settings and modules are refused") {
  const Compressing at;
  at.check_refused({"--compress", "int9"}, 2, "did you mean 'int8'?");
  at.check_refused({"--compress", "missing.json"}, 3, "missing.json");
  at.check_refused({"--calibrate", "@cal.npz"}, 2, "need --compress");
  at.check_refused({"--compress", "int8-weights", "--ignore", "feature.0"}, 2,
                   "'feature.0', of --ignore, names no module of the model");
  at.write("s.json", R"({"": {"weights": {"bts": 8}}})");
  at.check_refused({"--compress", "s.json"}, 2, "there is no setting 'weights.bts'");
  at.write("s.json", "{");
  at.check_refused({"--compress", "s.json"}, 2, "invalid JSON at byte");
  check_failure(at.sandbox(),
                {"export", "model.pt", "-t", "tract", "-o", "cal.npz", "--compress", "int8",
                 "--calibrate", "@cal.npz"},
                2,
                "error[output-is-input]: the output 'cal.npz' would replace the calibration set\n"
                "  why:  the same command reads or writes this file\n"
                "  help: give another path\n");
}

TEST_CASE("a calibration set that cannot be used is refused") {
  const Compressing at;
  at.check_refused({"--compress", "int8"}, 3, "need samples to calibrate with");
  at.check_refused({"--compress", "int8", "--calibrate", "@none.npz"}, 3, "there is no such file");
  const auto write_array = [&](const ir::Tensor& tensor, const std::string& name) {
    const std::vector<nnef::NamedTensor> arrays = {{name, tensor}};
    nnef::write_npz(arrays, at.sandbox().path("bad.npz"));
  };
  const ir::Ints shape = {4, 1, 8, 8};
  write_array(ir::tensor_of<double>(ir::DType::f32, {2, 1, 8, 9}, std::vector<double>(144)), "x");
  at.check_refused({"--compress", "int8", "--calibrate", "@bad.npz"}, 3, "has the shape [2,1,8,9]");
  write_array(ir::tensor_of<double>(ir::DType::f32, shape, std::vector<double>(256, NAN)), "x");
  at.check_refused({"--compress", "int8", "--calibrate", "@bad.npz"}, 3, "NaN or infinities");
  write_array(ir::tensor_of<double>(ir::DType::f32, shape, std::vector<double>(256)), "z");
  at.check_refused({"--compress", "int8", "--calibrate", "@bad.npz"}, 3,
                   "has no values for the input 'x'");
  write_array(ir::tensor_of<double>(ir::DType::boolean, shape, std::vector<double>(256)), "x");
  at.check_refused({"--compress", "int8", "--calibrate", "@bad.npz"}, 3, "'x' is bool");
  write_array(ir::tensor_of<double>(ir::DType::f32, {0, 1, 8, 8}, std::vector<double>()), "x");
  at.check_refused({"--compress", "int8", "--calibrate", "@bad.npz"}, 3, "has no elements");
}

/// Of the first output, in dB.
double snr_of(const Result& result) {
  const std::string word = ": SNR ";
  const size_t at = result.out.find(word);
  REQUIRE(at != std::string::npos);
  return std::stod(result.out.substr(at + word.size()));
}

TEST_CASE("integers of few bits, in convolutions and linear layers, lose less with gptq") {
  const Compressing at;
  at.write("nearest.json", R"({"": {"weights": {"bits": 3}}})");
  at.write("gptq.json", R"({"": {"weights": {"bits": 3, "rounding": "gptq"}}})");
  at.check_refused({"--compress", "gptq.json"}, 3, "need samples to calibrate with");
  const Result nearest = at.run({"--compress", "nearest.json", "--calibrate", "@cal.npz"});
  const Result compensated =
      at.run({"--compress", "gptq.json", "--calibrate", "@cal.npz", "--check", "--strict"});
  CHECK_EQ(nearest.code, 0);
  CHECK_EQ(compensated.code, 0);
  CHECK(contains(compensated.out, "int3"));
  CHECK(snr_of(compensated) > snr_of(nearest) + 1);
}

TEST_CASE("a language model in blocks of 4 bits; rounding that makes up for itself loses less") {
  if (!engine(23)) return;
  Sandbox sandbox;
  sandbox.copy_fixture("char_lm/model.pt", "model.pt");
  sandbox.copy_fixture("char_lm/calibration.npz", "cal.npz");
  std::ofstream(sandbox.path("gptq.json"))
      << R"({"": {"weights": {"format": "q4_0", "rounding": "gptq"}}})";
  const auto run = [&](const std::string& compress, const std::string& more) {
    return sandbox.run({"export", "model.pt", "-t", "tract", "-o", "out.nnef.tgz", "--compress",
                        compress, "--calibrate", "@cal.npz", "--dynamic", "ids:0=B", "--dynamic",
                        "ids:1=S", more});
  };
  const Result nearest = run("q4_0", "--prune-unused-inputs");
  CHECK_EQ(nearest.code, 0);
  const Result compensated = run("gptq.json", "--check");
  CHECK_EQ(compensated.err.find("error"), std::string::npos);
  CHECK_EQ(compensated.code, 0);
  CHECK(snr_of(compensated) > snr_of(nearest) + 3);
}

int64_t size_of(const Sandbox& sandbox, const std::string& name) {
  return static_cast<int64_t>(std::filesystem::file_size(sandbox.path(name)));
}

TEST_CASE("a small model with int8 is 3.5 times smaller as a .tgz, and answers as before") {
  const Compressing at;
  const auto written = [&](const Arguments& more) {
    Arguments all = {"export", "model.pt", "-t", "tract", "-o", "m.nnef.tgz"};
    all.insert(all.end(), more.begin(), more.end());
    CHECK_EQ(at.sandbox().run(all).code, 0);
    return size_of(at.sandbox(), "m.nnef.tgz");
  };
  const auto whole = static_cast<double>(written({}));
  const auto small = static_cast<double>(
      written({"--compress", "int8", "--calibrate", "@cal.npz", "--check", "--strict"}));
  CAPTURE(whole / small);
  CHECK(whole / small >= 3.5);
  at.write("channels.json", R"({"": {"weights": {"granularity": "channel"}}})");
  CHECK(static_cast<double>(written({"--compress", "int8-weights"})) <
        static_cast<double>(written({"--compress", "channels.json"})));
}

TEST_CASE("biases are corrected by the means of a set; exceptions are reported") {
  const Compressing at;
  at.write("s.json", R"({"": {"weights": {"bits": 4}, "bias_correction": true}})");
  at.check_refused({"--compress", "s.json"}, 3, "need samples to calibrate with");
  at.write("plain.json", R"({"": {"weights": {"bits": 4}}})");
  const Result plain = at.run({"--compress", "plain.json", "--calibrate", "@cal.npz"});
  const Result corrected =
      at.run({"--compress", "s.json", "--calibrate", "@cal.npz", "--check", "--strict"});
  CHECK_EQ(plain.code, 0);
  CHECK_EQ(corrected.code, 0);
  CHECK(snr_of(corrected) > snr_of(plain));
  at.write("s.json",
           R"({"": {"weights": {"bits": 4}, "bias": {"bits": 8}, "bias_correction": true}})");
  const Result left = at.run({"--compress", "s.json", "--calibrate", "@cal.npz"});
  CHECK_EQ(left.code, 0);
  CHECK(
      contains(left.err, "warning[bias-not-corrected]: the biases of 3 layers are not corrected"));
  CHECK(contains(left.err, "its bias is not a constant"));
  at.write("s.json", R"({"": {"bias_correction": "yes"}})");
  at.check_refused({"--compress", "s.json"}, 2, "'bias_correction' is 'yes', which is not true or");
}

TEST_CASE("recurrent weights accept every preset; weights that stay floats are reported") {
  Sandbox sandbox;
  sandbox.copy_fixture("series_gru/model.pt", "model.pt");
  sandbox.copy_fixture("series_gru/calibration.npz", "cal.npz");
  std::ofstream(sandbox.path("prune.json")) << R"({"": {"prune": {"sparsity": 0.5}}})";
  std::ofstream(sandbox.path("gptq.json"))
      << R"({"": {"weights": {"bits": 8, "rounding": "gptq"}, "bias_correction": true}})";
  const auto run = [&](const std::string& compress) {
    const Result out =
        sandbox.run({"export", "model.pt", "-t", "tract", "-o", "out.nnef", "--compress", compress,
                     "--calibrate", "@cal.npz", "--check", "--report", "out.json"});
    CAPTURE(compress);
    CAPTURE(out.err);
    CHECK_EQ(out.code, 0);
    return out;
  };
  for (const char* preset : {"int8", "int8-weights", "f16", "prune.json"}) {
    const Result out = run(preset);
    CHECK_FALSE(contains(out.out, "unquantised: "));
    CHECK(contains(out.out, "\n  gru "));
    CHECK(contains(out.out, "\nengine time: "));
    CHECK(contains(out.out, " of the float artefact's ("));
    CHECK(contains(sandbox.content("out.json"), "\"float_seconds\": 0.0"));
  }
  const Result blocks = run("q4_0");
  CHECK(contains(blocks.out, "unquantised: "));
  CHECK(contains(blocks.out, "gru.weight_hh_l0, "));
  CHECK(contains(blocks.out, "tract does not support 4-bit blocks"));
  CHECK(contains(sandbox.content("out.json"), "\"name\": \"gru.weight_hh_l0\""));
  const Result gptq = run("gptq.json");
  CHECK(
      contains(gptq.err, "warning[rounding-not-compensated]: the weights of 1 layer are rounded"));
  CHECK(contains(gptq.err, "warning[bias-not-corrected]"));
}

}  // namespace
}  // namespace t2n::test
