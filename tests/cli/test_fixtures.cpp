// SPDX-License-Identifier: Apache-2.0
// Every fixture, exported and checked in the newest engine and in an older one.
#include "src/diag/error.h"
#include "tests/cli/program.h"

namespace t2n::test {
namespace {

struct CheckedFixture {
  const char* folder;
  const char* model;
  const char* inputs;
  const char* samples = "input.npz";  ///< in the folder
};

constexpr CheckedFixture kCheckedFixtures[] = {
    {"digits_cnn", "model.pt", "@in.npz"},
    {"digits_qat", "eager.pt", "@in.npz"},
    {"digits_qat", "fx_scripted.pt", "@in.npz"},
    {"digits_qat", "fx_int8.pt", "@in.npz"},
    {"digits_qat", "lsq_scripted.pt", "@in.npz"},
    {"digits_brevitas", "weights4.pt", "@in.npz"},
    {"digits_brevitas", "weights1.pt", "@in.npz"},
    {"digits_brevitas", "asymmetric.pt", "@in.npz"},
    {"series_gru", "model.pt", "@in.npz"},
    {"char_lm", "model.pt", "@in.npz"},
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
    {"quantised", "lstm_tagger.pt", "@in.npz", "lstm_tagger.npz"},
    {"quantised", "lstm_tagger_scripted.pt", "@in.npz", "lstm_tagger.npz"},
    {"quantised", "gru_tagger.pt", "@in.npz", "gru_tagger.npz"},
    {"quantised", "gru_tagger_scripted.pt", "@in.npz", "gru_tagger.npz"},
    {"quantised", "half_tagger_scripted.pt", "@in.npz", "half_tagger.npz"},
    {"quantised", "loop_scripted.pt", "@in.npz", "loop.npz"},
    {"quantised", "static_lstm.pt", "@in.npz", "static_lstm.npz"},
    {"quantised", "static_lstm_scripted.pt", "@in.npz", "static_lstm.npz"},
    {"quantised", "recommender.pt", "@in.npz", "recommender.npz"},
    {"quantised", "recommender_scripted.pt", "@in.npz", "recommender.npz"},
    {"quantised", "bert.pt", "@in.npz", "bert.npz"},
    {"quantised", "wav2vec2.pt", "@in.npz", "wav2vec2.npz"},
};

void check_fixture(const CheckedFixture& fixture, const std::string& inputs,
                   const std::string& target, const std::vector<std::string>& axes = {}) {
  CAPTURE(fixture.folder);
  CAPTURE(fixture.model);
  CAPTURE(target);
  Sandbox sandbox;
  sandbox.copy_fixture(cat(fixture.folder, "/", fixture.model), "model.pt");
  sandbox.copy_fixture(cat(fixture.folder, "/", inputs), "in.npz");
  std::vector<std::string> words = {"export",  "model.pt",     "--target", target,
                                    "--check", "--engine",     target,     "--strict",
                                    "--input", fixture.inputs, "-o",       "out.tgz"};
  for (const std::string& axis : axes) words.insert(words.end(), {"--dynamic", axis});
  const Result result = sandbox.run(words);
  CHECK_EQ(result.err.find("error"), std::string::npos);
  INFO(result.err);
  CHECK_EQ(result.code, 0);
}

TEST_CASE("every fixture computes in tract what it computes in torch") {
  for (const std::string& target : engine_targets())
    for (const CheckedFixture& fixture : kCheckedFixtures)
      check_fixture(fixture, fixture.samples, target);
}

TEST_CASE("quantised recurrence over any batch and time") {
  for (const std::string& target : engine_targets()) {
    check_fixture({"quantised", "lstm_tagger.pt", "@in.npz"}, "lstm_tagger.npz", target,
                  {"tokens:0=B", "tokens:1=S"});
    check_fixture({"quantised", "gru_tagger_scripted.pt", "@in.npz"}, "gru_tagger.npz", target,
                  {"tokens:0=B", "tokens:1=S"});
    check_fixture({"quantised", "loop_scripted.pt", "@in.npz"}, "loop.npz", target,
                  {"x:0=B", "x:1=S"});
  }
}

TEST_CASE("a language model reads any number of texts of any length") {
  for (const std::string& target : engine_targets())
    check_fixture({"char_lm", "model.pt", "@in.npz"}, "input.npz", target, {"ids:0=B", "ids:1=S"});
}

TEST_CASE("a quantised recurrence of one length is a scan if it is asked for") {
  if (!engine(23)) return;
  Sandbox sandbox;
  sandbox.copy_fixture("quantised/loop_scripted.pt", "model.pt");
  sandbox.copy_fixture("quantised/loop.npz", "in.npz");
  Arguments words = {"export", "model.pt", "--target", "tract",   "--check", "--engine",
                     "tract",  "--strict", "-i",       "@in.npz", "-o",      "out"};
  const Result unrolled = sandbox.run(words);
  CHECK_EQ(unrolled.code, 0);
  CHECK_FALSE(contains(sandbox.content("out/graph.nnef"), "tract_core_scan("));
  words.emplace_back("--roll-loops");
  const Result rolled = sandbox.run(words);
  INFO(rolled.err);
  CHECK_EQ(rolled.code, 0);
  CHECK(contains(sandbox.content("out/graph.nnef"), "tract_core_scan("));
  CHECK(contains(rolled.err, " quantised\n"));
}

TEST_CASE("a trained model gives the same answers on all its test images") {
  if (!engine(23)) return;
  check_fixture({"digits_cnn", "model.pt", "x=@in.npz"}, "test.npz", "tract@0.23.9");
}

}  // namespace
}  // namespace t2n::test
