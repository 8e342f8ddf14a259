// Every fixture, exported and checked in the newest engine and in an older one.
#include "src/diag/error.h"
#include "tests/cli/program.h"

namespace t2n::test {
namespace {

struct Fixture {
  const char* folder;
  const char* model;
  const char* inputs;
};

constexpr Fixture kFixtures[] = {
    {"digits_cnn", "model.pt", "@in.npz"},
    {"digits_qat", "eager.pt", "@in.npz"},
    {"digits_qat", "fx_scripted.pt", "@in.npz"},
    {"digits_qat", "fx_int8.pt", "@in.npz"},
    {"digits_qat", "lsq_scripted.pt", "@in.npz"},
    {"digits_brevitas", "weights4.pt", "@in.npz"},
    {"digits_brevitas", "weights1.pt", "@in.npz"},
    {"digits_brevitas", "asymmetric.pt", "@in.npz"},
    {"series_gru", "model.pt", "@in.npz"},
    {"transformer_encoder", "model.pt", "@in.npz"},
    {"transformer_encoder", "scripted.pt", "@in.npz"},
    {"lstm_tagger", "model.pt", "@in.npz"},
    {"control_flow", "model.pt", "@in.npz"},
    {"shared_nested", "model.pt", "@in.npz"},
    {"shared_nested", "scripted.pt", "@in.npz"},
    {"inplace_views", "model.pt", "@in.npz"},
    {"mixed_dtypes", "model.pt", "@in.npz"},
    {"cached_tables", "model.pt", "@in.npz"},
    {"frozen_cnn", "model.pt", "@in.npz"},
    {"frozen_cnn", "resaved.pt", "@in.npz"},
};

void check_fixture(const Fixture& fixture, const std::string& inputs, const std::string& target) {
  CAPTURE(fixture.folder);
  CAPTURE(fixture.model);
  CAPTURE(target);
  Sandbox sandbox;
  sandbox.copy_fixture(cat(fixture.folder, "/", fixture.model), "model.pt");
  sandbox.copy_fixture(cat(fixture.folder, "/", inputs), "in.npz");
  const Result result =
      sandbox.run({"export", "model.pt", "--target", target, "--check", "--engine", target,
                   "--strict", "--input", fixture.inputs, "-o", "out.tgz"});
  CHECK_EQ(result.err.find("error"), std::string::npos);
  INFO(result.err);
  CHECK_EQ(result.code, 0);
}

TEST_CASE("every fixture computes in tract what it computes in torch") {
  for (const std::string& target : engine_targets())
    for (const Fixture& fixture : kFixtures) check_fixture(fixture, "input.npz", target);
}

TEST_CASE("a trained model gives the same answers on all its test images") {
  if (!engine(23)) return;
  check_fixture({"digits_cnn", "model.pt", "x=@in.npz"}, "test.npz", "tract@0.23.9");
}

}  // namespace
}  // namespace t2n::test
