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

}  // namespace
}  // namespace t2n::test
