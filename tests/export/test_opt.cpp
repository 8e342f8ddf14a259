// SPDX-License-Identifier: Apache-2.0
// Every pass by itself on every fixture: what promises to keep values does.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "src/diag/error.h"
#include "src/export/compressed_model.h"
#include "src/export/opt.h"
#include "src/export/pass_table.h"
#include "src/samples/input_spec.h"
#include "tests/support/fixtures.h"

namespace t2n::test {
namespace {

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
      options.model.reroll_loops = pass.name == "roll-loops";
      const OptResult result = optimise(options);
      REQUIRE_EQ(result.steps.steps.size(), 1);
      INFO(result.steps.steps[0].fault.value_or(""));
      CHECK(result.steps.faulty() == nullptr);
      CHECK_GE(result.steps.sets, 1);
      compared += result.steps.steps[0].outputs.size();
    }
  CHECK_GT(compared, 30);  // a test that compares nothing says nothing
}

TEST_CASE("passes that change values leave a graph of every fixture that runs") {
  size_t compared = 0;
  for (const Fixture& fixture : kFixtures)
    for (const char* preset : {"int8-weights", "q4_0", "f16"}) {
      CAPTURE(std::string(fixture.model));
      CAPTURE(std::string(preset));
      OptOptions options = options_for(fixture);
      options.compress = CompressOptions{compress::preset(preset), {}, {}, {}};
      options.pipeline = passes::find_passes(passes::compression_passes());
      const OptResult result = optimise(options);
      CHECK(result.steps.faulty() == nullptr);
      for (const PassStep& step : result.steps.steps) {
        CAPTURE(std::string(step.pass.name));
        CHECK_EQ(step.unknown, "");
        if (step.pass.effect != passes::Effect::changes) continue;
        compared += step.outputs.size();
      }
    }
  CHECK_GT(compared, 10);
}

}  // namespace
}  // namespace t2n::test
