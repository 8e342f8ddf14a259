// SPDX-License-Identifier: Apache-2.0
// --stream on the command line: what is written, checked in pulses, warned of and refused.
#include "tests/cli/program.h"

namespace t2n::test {
namespace {

/// A GRU over characters, `x` i64[4,48].
struct GruSandbox : Sandbox {
  GruSandbox() { copy_fixture("series_gru/model.pt", "model.pt"); }
};

Arguments streamed_export(const Arguments& more) {
  Arguments out = {"export", "model.pt", "-t", "tract", "-o", "out.nnef", "--dynamic", "x:1=S"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

TEST_CASE("a recurrent model is checked in pulses, its state kept") {
  if (!engine(23)) return;
  const GruSandbox sandbox;
  const Result result =
      sandbox.run(streamed_export({"--stream", "S=6", "--check", "--engine", "tract"}));
  INFO(result.err);
  REQUIRE_EQ(result.code, 0);
  CHECK(contains(result.out,
                 "in pulses of 6, 7, 3; entries before the first with pulses of 6: "
                 "output_0 0\n"));
  CHECK_FALSE(contains(result.err, "resets-each-run"));
  const std::string graph = sandbox.content("out.nnef/graph.nnef");
  CHECK(contains(graph, "reset_every_turn = 0"));
  CHECK(contains(graph, "('t2nnef_stream_symbol', 'S')"));
  CHECK(contains(graph, "('t2nnef_pulse_least', '1')"));
  CHECK(contains(graph, "('t2nnef_pulse_multiple', '1')"));
}

TEST_CASE("a file whose state starts anew is found wrong in pulses, with a warning") {
  if (!engine(23)) return;
  const GruSandbox sandbox;
  const Result written = sandbox.run(streamed_export({}));
  REQUIRE_EQ(written.code, 0);
  CHECK(contains(written.err,
                 "warning[resets-each-run]: states are reset in each run of the exported model\n"));
  CHECK(contains(sandbox.content("out.nnef/graph.nnef"), "reset_every_turn = 1"));
  const Arguments check = {"check", "model.pt", "out.nnef", "--dynamic",
                           "x:1=S", "--engine", "tract"};
  CHECK_EQ(sandbox.run(check).code, 0);
  Arguments in_pulses = check;
  in_pulses.insert(in_pulses.end(), {"--stream", "S=12"});
  const Result result = sandbox.run(in_pulses);
  CHECK_EQ(result.code, 5);
  CHECK(contains(result.err, "error[output-mismatch]"));
  CHECK(contains(result.err, "in pulses of "));
  // The loop is right on the entire input, and begins to differ in pulses.
  CHECK(contains(result.err, "   the difference begins in tract_core_scan "));
  CHECK(contains(result.err, "which computes aten::gru.input of gru (GRU)"));
  const Result reduced =
      sandbox.run({"reduce", "model.pt", "--against", "out.nnef", "--dynamic", "x:1=S", "--engine",
                   "tract", "--stream", "S=12", "-o", "small"});
  CAPTURE(reduced.err);
  CAPTURE(reduced.out);
  CHECK_EQ(reduced.code, 0);
  CHECK(contains(reduced.out, " operations to 1 and "));
  CHECK(contains(reduced.out, "  aten::gru.input  gru (GRU)"));
  CHECK(reduced.out.ends_with(
      "try: t2nnef check small.ir small.nnef.tgz -i @small.inputs.npz --stream S=12 --engine "
      "tract\n"));
  const Result again = sandbox.run({"check", "small.ir", "small.nnef.tgz", "-i",
                                    "@small.inputs.npz", "--stream", "S=12", "--engine", "tract"});
  CHECK_EQ(again.code, 5);
  CHECK(contains(again.err, "in pulses of "));
  in_pulses.emplace_back("--json");
  const std::string json = sandbox.run(in_pulses).out;
  CHECK(contains(json, "\"inputs\": \"in pulses of 12, S="));
  CHECK(contains(json, "\"reference\": \"the artefact on the entire input in tract "));
}

TEST_CASE("operators that do not run in pulses are refused with their line; nothing is written") {
  Sandbox sandbox;
  sandbox.copy_fixture("lstm_tagger/model.pt", "model.pt");
  sandbox.copy_fixture("lstm_tagger/input.npz", "in.npz");
  const auto before = sandbox.listing();
  const Result result = sandbox.run({"export", "model.pt", "-t", "tract", "-o", "out.nnef", "-i",
                                     "@in.npz", "--dynamic", "tokens:1=S", "--stream", "S=8"});
  INFO(result.err);
  CHECK_EQ(result.code, 4);
  CHECK(contains(result.err,
                 "error[not-streamable]: aten::lstm.input: loops backward from the end of the "
                 "stream\n  --> "));
  CHECK(sandbox.listing() == before);
}

TEST_CASE("requirements of --stream are stated in errors") {
  const GruSandbox sandbox;
  check_failure(sandbox, {"export", "model.pt", "-t", "tract", "-o", "out.nnef", "--stream", "S"},
                2,
                "error[usage]: --stream S: no axis has this name\n"
                "  why:  a model streams along a dynamic axis\n"
                "  help: declare it: --dynamic x:1=S\n");
  check_failure(sandbox, streamed_export({"--stream", "S=0"}), 2,
                "error[usage]: cannot read --stream 'S=0'\n"
                "  why:  a pulse is an integer, 1 or more\n"
                "  help: write it as in --stream S=8\n");
  check_failure(sandbox,
                {"export", "model.pt", "-t", "khronos", "-o", "out.nnef", "--dynamic", "x:1=S",
                 "--stream", "S"},
                2,
                "error[usage]: --stream is not available for khronos@1.0.5\n"
                "  why:  pulses are supported since tract 0.23.9\n"
                "  help: add --target tract\n");
  check_failure(sandbox,
                {"export", "model.pt", "-t", "tract", "-o", "out.nnef", "--dynamic", "x:1=S+1",
                 "--stream", "S"},
                2,
                "error[usage]: --stream S: 'x:1=S+1' is not a multiple of it\n"
                "  why:  all pulses have the same size\n"
                "  help: declare it as 2*S or the like\n");
}

}  // namespace
}  // namespace t2n::test
