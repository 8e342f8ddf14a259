// Every pass by itself on every fixture: what promises to keep values does.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "src/diag/error.h"
#include "src/export/input_spec.h"
#include "src/export/opt.h"

namespace t2n::test {
namespace {

struct Fixture {
  const char* model;
  const char* inputs;
};

constexpr Fixture kFixtures[] = {
    {"digits_cnn/model.pt", "digits_cnn/input.npz"},
    {"digits_qat/lsq_scripted.pt", "digits_qat/input.npz"},
    {"digits_qat/fx_int8.pt", "digits_qat/input.npz"},
    {"digits_brevitas/weights4.pt", "digits_brevitas/input.npz"},
    {"series_gru/model.pt", "series_gru/input.npz"},
    {"transformer_encoder/scripted.pt", "transformer_encoder/input.npz"},
    {"lstm_tagger/model.pt", "lstm_tagger/input.npz"},
    {"control_flow/model.pt", "control_flow/input.npz"},
    {"shared_nested/scripted.pt", "shared_nested/input.npz"},
    {"inplace_views/model.pt", "inplace_views/input.npz"},
    {"mixed_dtypes/model.pt", "mixed_dtypes/input.npz"},
    {"cached_tables/model.pt", "cached_tables/input.npz"},
    {"frozen_cnn/model.pt", "frozen_cnn/input.npz"},
    {"quantised/static_lstm_scripted.pt", "quantised/static_lstm.npz"},
    {"quantised/recommender.pt", "quantised/recommender.npz"},
};

OptOptions options_for(const Fixture& fixture) {
  const std::string folder = cat(std::getenv("T2NNEF_SOURCE_DIR"), "/fixtures/");
  OptOptions out;
  out.model.model = folder + fixture.model;
  out.model.target = target::parse_target("tract");
  out.model.samples = parse_inputs({cat("@", folder, fixture.inputs)});
  out.verifies = true;
  return out;
}

TEST_CASE("each pass by itself keeps what every fixture computes") {
  size_t compared = 0;
  for (const Fixture& fixture : kFixtures)
    for (const passes::PassInfo& pass : passes::passes()) {
      if (pass.effect == passes::Effect::changes) continue;
      CAPTURE(std::string(fixture.model));
      CAPTURE(std::string(pass.name));
      OptOptions options = options_for(fixture);
      options.pipeline = {pass};
      options.model.roll_loops = pass.name == "roll-loops";
      const OptResult result = optimise(options);
      REQUIRE_EQ(result.steps.steps.size(), 1);
      INFO(result.steps.steps[0].fault.value_or(""));
      CHECK(result.steps.faulty() == nullptr);
      CHECK_GE(result.steps.sets, 1);
      compared += result.steps.steps[0].outputs.size();
    }
  CHECK_GT(compared, 30);  // a test that compares nothing says nothing
}

}  // namespace
}  // namespace t2n::test
