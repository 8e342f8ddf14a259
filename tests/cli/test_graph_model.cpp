// SPDX-License-Identifier: Apache-2.0
// A graph in text form, FILE.ir, in place of a model: what check, export and ops do with it, and
// what it lacks.
#include "tests/cli/program.h"
#include "tests/support/fixtures.h"

namespace t2n::test {
namespace {

void replace_text(const Sandbox& sandbox, const std::string& file, const std::string& from,
                  const std::string& to) {
  std::string text = sandbox.content(file);
  const size_t at = text.find(from);
  REQUIRE_NE(at, std::string::npos);
  sandbox.folder().write(file, text.replace(at, from.size(), to));
}

/// A model as a graph, m.ir, and its export, m.nnef.tgz.
void make_graph(Sandbox& sandbox, const Arguments& more = {}) {
  Arguments graph = {"opt", "m.pt", "-o", "m.ir"};
  graph.insert(graph.end(), more.begin(), more.end());
  REQUIRE_EQ(sandbox.run(graph).code, 0);
  Arguments artefact = {"export", "m.pt", "-t", "tract", "-o", "m.nnef.tgz"};
  artefact.insert(artefact.end(), more.begin(), more.end());
  REQUIRE_EQ(sandbox.run(artefact).code, 0);
}

}  // namespace

TEST_CASE("every fixture agrees with its graph, and its graph exports as it does") {
  if (!engine(23)) return;
  for (const Fixture& fixture : kFixtures) {
    CAPTURE(fixture.model);
    Sandbox sandbox;
    sandbox.copy_fixture(fixture.model, "m.pt");
    sandbox.copy_fixture(fixture.inputs, "in.npz");
    make_graph(sandbox, {"-i", "@in.npz"});
    const Result check =
        sandbox.run({"check", "m.ir", "m.nnef.tgz", "-i", "@in.npz", "--engine", "tract"});
    INFO(check.err);
    CHECK_EQ(check.code, 0);
    CHECK(check.out.ends_with("reference: the graph with LibTorch's kernels\n"));
    const Result exported =
        sandbox.run({"export", "m.ir", "-t", "tract", "-o", "again.nnef.tgz", "-i", "@in.npz"});
    INFO(exported.err);
    CHECK_EQ(exported.code, 0);
    CHECK(sandbox.content("again.nnef.tgz") == sandbox.content("m.nnef.tgz"));
  }
}

TEST_CASE("another graph differs from the artefact") {
  if (!engine(23)) return;
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "m.pt");
  make_graph(sandbox);
  replace_text(sandbox, "m.ir", "aten::relu(", "aten::sigmoid(");
  replace_text(sandbox, "m.ir", " as relu", " as sigmoid");
  const Result result = sandbox.run({"check", "m.ir", "m.nnef.tgz", "--engine", "tract"});
  INFO(result.err);
  CHECK_EQ(result.code, 5);
  CHECK(contains(result.err, "error[output-mismatch]: 'output_0'["));
  CHECK(contains(result.out, " DIFFERS\n"));
}

TEST_CASE("dynamic axes of a graph are varied, with indices in their range") {
  if (!engine(23)) return;
  Sandbox sandbox;
  sandbox.copy_fixture("lstm_tagger/model.pt", "m.pt");
  sandbox.copy_fixture("lstm_tagger/input.npz", "in.npz");
  make_graph(sandbox, {"-i", "@in.npz", "--dynamic", "tokens:0=B"});
  const Result result = sandbox.run({"check", "m.ir", "m.nnef.tgz", "--engine", "tract"});
  INFO(result.err);
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.out, "B="));
  // At one size, an artefact of any size is not fully checked.
  REQUIRE_EQ(sandbox.run({"opt", "m.pt", "-i", "@in.npz", "-o", "fixed.ir"}).code, 0);
  const Result fixed = sandbox.run({"check", "fixed.ir", "m.nnef.tgz", "--engine", "tract"});
  INFO(fixed.err);
  CHECK_EQ(fixed.code, 0);
  CHECK(contains(fixed.err, "dynamic sizes were not varied"));
}

TEST_CASE("what a graph lacks is named") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "m.pt");
  make_graph(sandbox);
  check_failure(sandbox, {"check", "m.ir", "m.nnef.tgz", "--state"}, 2,
                "error[usage]: 'm.ir' is a graph, which is not traced\n"
                "  help: give it without --dynamic, --assert, --specialize, --accept-guard, "
                "--max-iterations, --state, "
                "--method and --preset\n");
  const Result ops = sandbox.run({"ops", "m.ir", "-t", "tract"});
  CHECK_EQ(ops.code, 0);
  CHECK(contains(ops.out, "aten::batch_norm"));
  check_failure(sandbox, {"export", "m.ir", "-t", "tract", "-o", "m.ir"}, 2,
                "error[output-is-input]: the output 'm.ir' would replace the graph\n"
                "  why:  the same command reads or writes this file\n"
                "  help: give another path\n");
  sandbox.folder().write("bare.ir", sandbox.content("m.ir"));
  const Result bare = sandbox.run({"check", "bare.ir", "m.nnef.tgz"});
  CHECK_EQ(bare.code, 3);
  CHECK(contains(bare.err, "error[weights-missing]: the values of "));
  const Result inspected = sandbox.run({"inspect", "m.ir"});
  CHECK_EQ(inspected.code, 0);
  CHECK(inspected.out.starts_with("m.ir: graph, class DigitsCnn\n"));
}

}  // namespace t2n::test
