// SPDX-License-Identifier: Apache-2.0
// The passes of compression in `export` and in `opt`: left out, printed, and missing.
#include <fstream>

#include "tests/cli/program.h"

namespace t2n::test {
namespace {

/// A folder with a trained CNN and its calibration data.
class Passes {
 public:
  Passes() {
    sandbox_.copy_fixture("digits_cnn/model.pt", "model.pt");
    sandbox_.copy_fixture("digits_cnn/calibration.npz", "cal.npz");
  }

  Result exported(const Arguments& more) const {
    return run({"export", "model.pt", "-t", "tract", "-o", "out.nnef.tgz"}, more);
  }
  Result opt(const Arguments& more) const { return run({"opt", "model.pt"}, more); }
  size_t bytes_of(const std::string& name) const { return sandbox_.listing().at(name).size(); }
  bool wrote(const std::string& name) const { return sandbox_.listing().contains(name); }

 private:
  Result run(Arguments arguments, const Arguments& more) const {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return sandbox_.run(arguments);
  }

  Sandbox sandbox_;
};

TEST_CASE("export leaves out passes of compression, too") {
  const Passes at;
  REQUIRE_EQ(at.exported({"--compress", "int8-weights"}).code, 0);
  const size_t small = at.bytes_of("out.nnef.tgz");
  const Result without =
      at.exported({"--compress", "int8-weights", "--disable-pass", "insert-compression"});
  CHECK_EQ(without.code, 0);
  CHECK(contains(without.out, "compressed: 0 of 3 layers"));
  CHECK(contains(without.out, "no pass compressed it"));
  CHECK_GT(at.bytes_of("out.nnef.tgz"), 2 * small);
  const Result unfolded =
      at.exported({"--compress", "int8-weights", "--disable-pass", "fold-batch-norm", "--check"});
  CHECK_EQ(unfolded.code, 0);
  CHECK(contains(unfolded.out, "compressed: weights of 3 layers"));
  const Result observed =
      at.exported({"--compress", "int8-weights", "--disable-pass", "insert-fake-quant"});
  CHECK_EQ(observed.code, 4);
  CHECK(contains(observed.err, "t2n::observe"));
  CHECK(contains(observed.err, "run calculate-qparams and insert-fake-quant"));
}

TEST_CASE("export prints graphs behind passes of compression, once for each run") {
  const Passes at;
  const Result result =
      at.exported({"--compress", "int8-weights", "--print-after", "insert-compression"});
  CHECK_EQ(result.code, 0);
  const std::string all = result.out + result.err;
  const size_t first = all.find("# after insert-compression");
  REQUIRE_NE(first, std::string::npos);
  CHECK(contains(all, "t2n::observe(self=%features.0.0.weight"));
  const Result searched =
      at.exported({"--compress", "int8-weights", "--calibrate", "@cal.npz", "--max-loss", "0.5%",
                   "--print-after", "insert-compression"});
  const std::string of_search = searched.out + searched.err;
  CHECK_EQ(searched.code, 0);
  CHECK_EQ(of_search.find("# after insert-compression"),
           of_search.rfind("# after insert-compression"));
}

TEST_CASE("graphs are printed after every pass that runs, and only those can be named") {
  const Passes at;
  const Result last =
      at.exported({"--compress", "int8-weights", "--print-after", "lint-quantisation"});
  CHECK_EQ(last.code, 0);
  CHECK(contains(last.out + last.err, "# after lint-quantisation"));
  const Result absent = at.opt({"--passes", "dead-code", "--print-after", "equalise"});
  CHECK_EQ(absent.code, 2);
  CHECK(contains(absent.err, "--print-after 'equalise': the pipeline has no such pass"));
}

TEST_CASE("opt with --compress: the default pipeline compresses as export does") {
  const Passes at;
  REQUIRE_EQ(at.exported({"--compress", "int8-weights"}).code, 0);
  const auto size = static_cast<double>(at.bytes_of("out.nnef.tgz"));
  const Result result =
      at.opt({"--compress", "int8-weights", "--passes", "default", "-o", "opt.nnef.tgz"});
  CHECK_EQ(result.code, 0);
  CHECK_EQ(result.err.find("weight-not-compressed"), std::string::npos);
  CHECK(static_cast<double>(at.bytes_of("opt.nnef.tgz")) / size ==
        doctest::Approx(1).epsilon(0.02));
}

TEST_CASE("opt refuses settings that no pass heeds, and names weights that stay as they are") {
  const Passes at;
  for (const Arguments& passes : {Arguments{}, Arguments{"--passes", "dead-code,fold-constants"}}) {
    Arguments all = {"--compress", "int8-weights", "-o", "opt.nnef.tgz"};
    all.insert(all.end(), passes.begin(), passes.end());
    const Result result = at.opt(all);
    CHECK_EQ(result.code, 2);
    CHECK(contains(result.err, "no pass of the pipeline uses its settings"));
    CHECK_FALSE(at.wrote("opt.nnef.tgz"));
  }
  // Blocks of 4 bits are another pass's.
  const Result left =
      at.opt({"--compress", "q4_0", "--passes",
              "insert-observers,calculate-qparams,insert-fake-quant", "-o", "opt.nnef.tgz"});
  CHECK_EQ(left.code, 0);
  CHECK(contains(left.err, "warning[weight-not-compressed]"));
  CHECK(contains(left.err, "classifier.weight"));
}

TEST_CASE("opt fuses quantised layers for targets that compute them with integers") {
  const Passes at;
  const Result result = at.opt(
      {"--compress", "int8", "--calibrate", "@cal.npz", "--passes",
       "bind-sizes,dead-code,fold-constants,fold-batch-norm,insert-observers,calculate-qparams,"
       "insert-fake-quant,quantise-constants,expand-fake-quant,propagate-qparams,fuse-quantised"});
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.out, "quantized::conv2d_relu"));
}

/// Passes that need samples, each after a file of text, against all of them at once.
void check_from_file_to_file(const std::string& settings, const std::string& before,
                             const std::vector<std::string>& parts) {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "model.pt");
  sandbox.copy_fixture("digits_cnn/calibration.npz", "cal.npz");
  std::ofstream(sandbox.path("s.json")) << settings;
  const Arguments samples = {"--calibrate", "@cal.npz"};
  const auto opt = [&](const std::string& model, const std::string& passes,
                       const std::string& output, Arguments more) {
    Arguments all = {"opt", model, "--passes", passes, "-o", output};
    all.insert(all.end(), more.begin(), more.end());
    const Result result = sandbox.run(all);
    CAPTURE(passes);
    CAPTURE(result.err);
    REQUIRE_EQ(result.code, 0);
  };
  const Arguments configured = {"--compress", "s.json", "--calibrate", "@cal.npz"};
  const std::string last = "quantise-constants,fold-constants";
  std::string all = before;
  opt("model.pt", before, "0.ir", configured);
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool has_settings = contains(parts[i], "compensate-rounding");
    opt(std::to_string(i) + ".ir", parts[i], std::to_string(i + 1) + ".ir",
        has_settings                      ? configured
        : parts[i] == "calculate-qparams" ? samples
                                          : Arguments{});
    all += "," + parts[i];
  }
  opt(std::to_string(parts.size()) + ".ir", last, "parts.nnef.tgz", {});
  opt("model.pt", all + "," + last, "one.nnef.tgz", configured);
  CHECK(sandbox.content("parts.nnef.tgz") == sandbox.content("one.nnef.tgz"));
}

TEST_CASE("passes that need samples work from file to file, and give what one pipeline gives") {
  const std::string prepared =
      "bind-sizes,dead-code,fold-constants,fold-batch-norm,insert-compression,fold-constants";
  check_from_file_to_file(R"({"": {"weights": {"bits": 8}, "activations": {"bits": 8}}})", prepared,
                          {"calculate-qparams", "insert-fake-quant"});
  check_from_file_to_file(R"({"": {"weights": {"bits": 4, "rounding": "gptq"}}})", prepared,
                          {"calculate-qparams", "compensate-rounding,insert-fake-quant"});
}

TEST_CASE("orders of passes that lose work are refused with the one that works") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "model.pt");
  sandbox.copy_fixture("digits_cnn/calibration.npz", "cal.npz");
  const auto refused = [&](const std::string& model, const std::string& passes,
                           const std::string& what, const std::string& help, Arguments more = {}) {
    Arguments all = {"opt", model, "--passes", passes, "-o", "out.ir"};
    all.insert(all.end(), more.begin(), more.end());
    const Result result = sandbox.run(all);
    CHECK_EQ(result.code, 2);
    CAPTURE(result.err);
    CHECK(contains(result.err, "error[usage]: " + what));
    CHECK(contains(result.err, "help: " + help));
    CHECK_FALSE(sandbox.listing().contains("out.ir"));
  };
  refused("model.pt", "insert-compression,insert-fake-quant,calculate-qparams",
          "'insert-fake-quant' runs before 'calculate-qparams'",
          "use --passes insert-compression,calculate-qparams,insert-fake-quant",
          {"--compress", "int8-weights"});
  refused("model.pt", "quantise-constants,insert-fake-quant",
          "'quantise-constants' runs before 'insert-fake-quant'",
          "use --passes insert-fake-quant,quantise-constants");
  refused("model.pt", "dead-code", "--calibrate has no effect", "add one of these passes",
          {"--calibrate", "@cal.npz"});
  REQUIRE_EQ(sandbox
                 .run({"opt", "model.pt", "--passes", "fold-constants,insert-compression",
                       "--compress", "int8-weights", "-o", "g.ir"})
                 .code,
             0);
  refused("g.ir", "insert-fake-quant",
          "'insert-fake-quant' would remove observers that have no scales",
          "use --passes calculate-qparams,insert-fake-quant");
}

TEST_CASE("a traced model carries its settings as bytes") {
  const Sandbox sandbox({"traced_settings.pt"});
  const Result result =
      sandbox.run({"export", "traced_settings.pt", "-t", "tract", "-o", "out.nnef", "--check"});
  CAPTURE(result.err);
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.out, "compressed: weights of 1 layer, "));
}

TEST_CASE("biases are corrected in a file of fake-quantised weights") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "model.pt");
  sandbox.copy_fixture("digits_cnn/calibration.npz", "cal.npz");
  std::ofstream(sandbox.path("s.json"))
      << R"({"": {"weights": {"bits": 4}, "bias_correction": true}})";
  const Arguments configured = {"--compress", "s.json", "--calibrate", "@cal.npz"};
  const auto opt = [&](Arguments all) {
    all.insert(all.begin(), "opt");
    all.insert(all.end(), configured.begin(), configured.end());
    const Result result = sandbox.run(all);
    CAPTURE(result.err);
    REQUIRE_EQ(result.code, 0);
  };
  opt({"model.pt", "--passes",
       "bind-sizes,fold-constants,fold-batch-norm,insert-compression,fold-constants,"
       "calculate-qparams,insert-fake-quant",
       "-o", "g.ir"});
  CHECK_FALSE(contains(sandbox.content("g.ir"), "_corrected"));
  opt({"g.ir", "--passes", "correct-bias", "-o", "h.ir"});
  CHECK(contains(sandbox.content("h.ir"), "_corrected"));
}

TEST_CASE("lint counts what the model's own quantisers clip, without settings") {
  const Sandbox sandbox({"saturates.pt", "saturates.npz", "in_training.pt"});
  const Result missing = sandbox.run({"lint", "saturates.pt", "--calibrate", "@none.npz"});
  CHECK(contains(missing.err, "there is no such file"));
  const Result found = sandbox.run({"lint", "saturates.pt", "--calibrate", "@saturates.npz"});
  CHECK_EQ(found.code, 0);
  CHECK(contains(found.out, "saturation:\n"));
  CHECK(contains(found.out, "% of 'x' is clipped on the calibration set"));
  CHECK(contains(found.out, "not checked: idle-setting needs settings"));
  const Result inspected = sandbox.run({"inspect", "in_training.pt"});
  CHECK(contains(inspected.out, "fake quantisers: 2\n"));
}

}  // namespace
}  // namespace t2n::test
