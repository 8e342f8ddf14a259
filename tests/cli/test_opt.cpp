// SPDX-License-Identifier: Apache-2.0
// `t2nnef opt`: passes one by one on models and on graphs as text, what is verified, and what is
// written.
#include <filesystem>

#include "src/diag/error.h"
#include "src/export/pass_table.h"
#include "tests/cli/program.h"
#include "tests/support/fixtures.h"

namespace t2n::test {
namespace {

namespace fs = std::filesystem;

void fill(Sandbox& sandbox, const Fixture& fixture) {
  sandbox.copy_fixture(fixture.model, "model.pt");
  sandbox.copy_fixture(fixture.inputs, "in.npz");
}

Arguments opt(const std::string& file, const Arguments& more) {
  Arguments out = {"opt", file};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

std::string all_passes() {
  std::string out;
  for (const passes::PassInfo& pass : passes::passes())
    if (pass.effect != passes::Effect::changes) out += cat(out.empty() ? "" : ",", pass.name);
  return out;
}

}  // namespace

TEST_CASE("every pass is listed with its contract") {
  const Result result = Sandbox().run({"opt", "--list"});
  CHECK_EQ(result.code, 0);
  CHECK_EQ(result.err, "");
  CHECK(result.out.starts_with("  pass  "));
  for (const passes::PassInfo& pass : passes::passes()) {
    CHECK(contains(result.out, cat("\n  ", pass.name, " ")));
    CHECK(contains(result.out, std::string(pass.doc)));
    CHECK((pass.effect == passes::Effect::changes) == !pass.changes.empty());
  }
  const std::string line = result.out.substr(result.out.find("\n  dead-code ") + 1);
  CHECK(contains(line.substr(0, line.find('\n')), " preserves every bit "));
  CHECK(contains(result.out, "  an evaluator\n"));
  CHECK(contains(result.out, "--passes default, what `export` runs:\n  roll-loops,"));
}

TEST_CASE("the default pipeline keeps what every fixture computes, from one end to the other") {
  for (const Fixture& fixture : kFixtures) {
    CAPTURE(fixture.model);
    Sandbox sandbox;
    fill(sandbox, fixture);
    const Result result =
        sandbox.run(opt("model.pt", {"-i", "@in.npz", "--passes", "default", "--bisect"}));
    INFO(result.err);
    INFO(result.out);
    CHECK_EQ(result.code, 0);
    CHECK(
        result.out.starts_with(cat("bisect: ", passes::pipeline(passes::Pipeline::standard).size(),
                                   " passes · approximate (")));
    CHECK_FALSE(contains(result.out, "DIFFERS"));
  }
}

TEST_CASE("without passes, the graph as it was traced") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "model.pt");
  const Result result = sandbox.run({"opt", "model.pt"});
  CHECK_EQ(result.code, 0);
  CHECK(result.out.starts_with("graph DigitsCnn("));
  CHECK(contains(result.out, "aten::batch_norm("));
  sandbox.copy_fixture("digits_qat/fx_int8.pt", "int8.pt");
  const Result quantised = sandbox.run({"opt", "int8.pt"});
  CHECK(contains(quantised.out, "quantized::conv2d"));
  const Result plain = sandbox.run({"opt", "int8.pt", "--passes", "expand-quantised"});
  CHECK_EQ(plain.code, 0);
  CHECK_FALSE(contains(plain.out, "quantized::"));
}

TEST_CASE("a graph as text continues where it stopped, with its weights beside it") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "model.pt");
  const Result first = sandbox.run(opt("model.pt", {"--passes", "dead-code", "-o", "a.ir"}));
  CHECK_EQ(first.code, 0);
  CHECK(contains(first.out, "wrote a.ir  "));
  CHECK(contains(first.out, "wrote a.ir.npz  "));
  CHECK(contains(first.out, ": its weights, loaded together with the graph\n"));

  const Result again = sandbox.run({"opt", "a.ir", "-o", "b.ir"});
  CHECK_EQ(again.code, 0);
  CHECK(sandbox.content("a.ir") == sandbox.content("b.ir"));
  CHECK(sandbox.content("a.ir.npz") == sandbox.content("b.ir.npz"));

  const Result folded =
      sandbox.run({"opt", "a.ir", "--passes", "fold-batch-norm", "--verify", "-o", "c.ir"});
  INFO(folded.err);
  CHECK_EQ(folded.code, 0);
  CHECK(contains(folded.out, "fold-batch-norm  changed  output_0  "));
  CHECK_FALSE(contains(sandbox.content("c.ir"), "batch_norm("));
  CHECK_EQ(sandbox.run({"opt", "c.ir", "-o", "c.nnef.tgz"}).code, 0);
  const Result check = sandbox.run({"check", "model.pt", "c.nnef.tgz", "--engine", "reference"});
  INFO(check.out);
  CHECK_EQ(check.code, 0);
}

TEST_CASE("a tolerance that rounding exceeds is a fault; nothing is written") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "model.pt");
  const Result result =
      sandbox.run({"opt", "model.pt", "--passes", "dead-code,fold-batch-norm,fold-constants",
                   "--verify=close", "-o", "out.ir"});
  CHECK_EQ(result.code, 5);
  CHECK(contains(result.out, "fold-batch-norm  changed  output_0  "));
  CHECK_FALSE(contains(result.out, "\n  fold-constants"));
  CHECK(contains(result.err,
                 "error[pass-changed-values]: 'fold-batch-norm' changed what the graph computes: "
                 "'output_0'["));
  CHECK_EQ(sandbox.listing().size(), 1);
  const Result bisected =
      sandbox.run({"opt", "model.pt", "--passes", "dead-code,fold-batch-norm,fold-constants",
                   "--bisect=close"});
  CHECK_EQ(bisected.code, 5);
  CHECK(contains(bisected.out, "\n  fold-constants"));
  CHECK(
      contains(bisected.err, "'fold-batch-norm' is the first pass after which an output exceeds"));
}

TEST_CASE("export by way of the text form gives the same artefact") {
  Sandbox sandbox;
  sandbox.copy_fixture("transformer_encoder/model.pt", "model.pt");
  CHECK_EQ(sandbox.run({"export", "model.pt", "-t", "tract", "-o", "export.nnef.tar"}).code, 0);
  CHECK_EQ(sandbox.run({"opt", "model.pt", "--passes", "default", "-o", "opt.nnef.tar"}).code, 0);
  CHECK_EQ(sandbox.run({"opt", "model.pt", "-o", "m.ir"}).code, 0);
  CHECK_EQ(sandbox.run({"opt", "m.ir", "--passes", "default", "-o", "text.nnef.tar"}).code, 0);
  CHECK(sandbox.content("opt.nnef.tar") == sandbox.content("export.nnef.tar"));
  CHECK(sandbox.content("text.nnef.tar") == sandbox.content("export.nnef.tar"));
}

TEST_CASE("declared axes, loops and integers keep their notes in the text") {
  Sandbox sandbox;
  sandbox.copy_fixture("lstm_tagger/model.pt", "model.pt");
  sandbox.copy_fixture("lstm_tagger/input.npz", "in.npz");
  const Result dynamic =
      sandbox.run(opt("model.pt", {"-i", "@in.npz", "--dynamic", "tokens:0=B", "--passes",
                                   "default", "--verify", "-o", "dynamic.ir"}));
  INFO(dynamic.err);
  CHECK_EQ(dynamic.code, 0);
  CHECK(contains(sandbox.content("dynamic.ir"), "attribute sample_sizes: sizes = B="));
  CHECK(contains(sandbox.content("dynamic.ir"), "attribute input_ranges: ranges = "));
  const Result again = sandbox.run({"opt", "dynamic.ir", "--passes", "fold-constants", "--verify"});
  CHECK_EQ(again.code, 0);
  CHECK(contains(again.err, "verify: 1 pass · approximate ("));
  check_failure(sandbox, {"opt", "dynamic.ir", "--dynamic", "tokens:0=B"}, 2,
                "error[usage]: 'dynamic.ir' is a graph, which is not traced\n"
                "  help: give it without --dynamic, --assert, --specialize, --accept-guard, "
                "--max-iterations, --state, "
                "--method and --preset\n");
}

TEST_CASE("missing and wrong weights") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "model.pt");
  REQUIRE_EQ(sandbox.run({"opt", "model.pt", "-o", "a.ir"}).code, 0);
  sandbox.folder().write("alone.ir", sandbox.content("a.ir"));
  // Passes leave such constants alone.
  const Result passed = sandbox.run({"opt", "alone.ir", "--passes", all_passes()});
  INFO(passed.err);
  CHECK_EQ(passed.code, 0);
  CHECK(contains(passed.out, " = bytes="));
  for (const Arguments& more : {Arguments{"--passes", "dead-code", "--verify"},
                                {"--bisect"},
                                {"-o", "out.nnef.tgz"},
                                {"-o", "out.ir"}}) {
    const Result result = sandbox.run(opt("alone.ir", more));
    CHECK_EQ(result.code, 3);
    CHECK(contains(result.err, "error[weights-missing]: the values of '"));
    CHECK_FALSE(fs::exists(sandbox.path("out.ir")));
    CHECK_FALSE(fs::exists(sandbox.path("out.nnef.tgz")));
  }
  REQUIRE_EQ(sandbox.run({"opt", "model.pt", "--passes", "fold-batch-norm", "-o", "b.ir"}).code, 0);
  fs::copy_file(sandbox.path("b.ir.npz"), sandbox.path("a.ir.npz"),
                fs::copy_options::overwrite_existing);
  const Result other = sandbox.run({"opt", "a.ir"});
  CHECK_EQ(other.code, 3);
  CHECK(contains(other.err, "error[weights-missing]: 'a.ir.npz' contains other values of '"));
}

TEST_CASE("times, and graphs between passes") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "model.pt");
  const Result result =
      sandbox.run(opt("model.pt", {"--passes", "dead-code,fold-constants", "--time-passes",
                                   "--print-after", "fold-constants", "-o", "a.ir"}));
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.out, "  dead-code       0."));
  CHECK(contains(result.out, "\n  all             "));
  CHECK(result.err.starts_with("# after fold-constants"));
  const Result changed = sandbox.run(
      opt("model.pt", {"--passes", "bind-sizes,fold-batch-norm", "--print-changed", "-q"}));
  CHECK(changed.err.starts_with("# after fold-batch-norm\n"));
}

TEST_CASE("unknown names, and contradictory options") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "model.pt");
  const auto refused = [&](const Arguments& more, const std::string& text) {
    check_failure(sandbox, opt("model.pt", more), 2, "error[usage]: " + text);
  };
  refused({"--passes", "ded-code"},
          "there is no pass called 'ded-code'\n  help: did you mean 'dead-code'?\n");
  refused({"--passes", "qwertyuiop"},
          "there is no pass called 'qwertyuiop'\n  help: `t2nnef opt --list` shows all passes\n");
  refused({"--passes", ""},
          "--passes has an empty value\n"
          "  help: remove the option or give it a value (is a shell variable empty?)\n");
  refused({"--print-after", "ded-code"},
          "there is no pass called 'ded-code'\n  help: did you mean 'dead-code'?\n");
  refused({"--verify", "--bisect"},
          "--verify and --bisect compare with different graphs\n  help: give one of them\n");
  refused({"--tolerance", "1,1"}, "--tolerance needs --verify or --bisect\n  help: add --verify\n");
  refused({"--verify=close", "--tolerance", "1,1"},
          "the level 'close' and --tolerance contradict each other\n");
  check_failure(sandbox, {"opt"}, 2,
                "error[usage]: the model is missing\n"
                "  help: for example: t2nnef opt model.pt\n");
  check_failure(sandbox, opt("model.pt", {"-o", "model.pt"}), 2,
                "error[output-is-model]: the output 'model.pt' is the model itself\n"
                "  help: give another path with -o\n");
}

TEST_CASE("options in a file") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "model.pt");
  sandbox.folder().write("opt.toml",
                         "passes = [\"dead-code\", \"fold-constants\"]\nverify = true\n");
  const Result result = sandbox.run({"opt", "model.pt", "--config", "opt.toml", "-o", "a.ir"});
  INFO(result.err);
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.out, "verify: 2 passes · "));
}

TEST_CASE("texts that are not graphs") {
  Sandbox sandbox;
  const std::string relu =
      "graph m(%x: f32[2]) -> (%y as \"y\") {\n  %y: f32[2] = aten::relu(self=%x)\n}\n";
  sandbox.folder().write("good.ir", relu);
  const Result good =
      sandbox.run({"opt", "good.ir", "--passes", "dead-code", "--verify", "-i", "x=2,f32"});
  CHECK_EQ(good.code, 0);
  CHECK_EQ(good.out,
           "graph m(%x: f32[2]) -> (%y as \"y\") {\n"
           "  %y: f32[2] = aten::relu(self=%x) as relu_0\n}\n");
  const Result misfit = sandbox.run({"opt", "good.ir", "--verify", "-i", "x=3,f32"});
  CHECK_EQ(misfit.code, 3);
  CHECK(misfit.err.starts_with("error[input-shape]: the sample of the input 'x' is f32[3]\n"));
  CHECK_EQ(sandbox.run({"opt", "good.ir", "--verify", "-i", "z=2,f32"}).code, 2);
  check_failure(sandbox, {"opt", "good.ir", "--passes", "dead-code", "-i", "x=2,f32"}, 2,
                "error[usage]: 'good.ir' is a graph, which is not run here\n"
                "  why:  --input is read only if the graph is run\n"
                "  help: give it without --input\n");

  sandbox.folder().write("bad.ir", "graph m(%x: f32[2]) -> (%y as \"y\") {\n}\n");
  const Result bad = sandbox.run({"opt", "bad.ir"});
  CHECK_EQ(bad.code, 3);
  CHECK(bad.err.starts_with("error[ir-syntax]: in 'bad.ir': "));
  sandbox.folder().write("denied.ir",
                         "graph m() -> (%y as \"y\") {\n  %y: u8[2] = "
                         "aten::from_file(filename=\"/etc/passwd\", shared=none, size=2, "
                         "dtype=u8, layout=none, device=none, pin_memory=none)\n}\n");
  const Result denied = sandbox.run({"opt", "denied.ir", "--passes", "fold-constants"});
  CHECK_EQ(denied.code, 3);
  CHECK(denied.err.starts_with("error[denied-operator]: the graph calls 'aten::from_file'\n"));
  CHECK_EQ(sandbox.run({"opt", "none.ir"}).code, 3);
}

}  // namespace t2n::test
