// SPDX-License-Identifier: Apache-2.0
// `graph` on models, graphs in text form and artefacts.
#include <algorithm>

#include "tests/cli/program.h"

namespace t2n::test {
namespace {

const std::string kNet =
    "version 1.0;\nextension tract_registry tract_core;\n"
    "graph net(x) -> (y) {\n"
    "x = tract_core_external(shape = [2, 3], datum_type = 'f32');\n"
    "w = variable<scalar>(label = 'fc.weight', shape = [2, 3]);\n"
    "y = mul(x, w);\n}\n";

void write_net(const Sandbox& sandbox) {
  sandbox.folder().write("net/graph.nnef", kNet);
  sandbox.folder().write("net/fc.weight.dat", dat_file({2, 3}, {1, 2, 3, 4, 5, 6}));
}

}  // namespace

TEST_CASE("graph draws an artefact without loading LibTorch, in each format") {
  Sandbox sandbox;
  write_net(sandbox);
  const Result result = sandbox.run({"graph", "net", "-o", "n.json", "-o", "n.html", "-o", "n.dot"},
                                    {{"LD_DEBUG", "files"}});
  CHECK_EQ(result.code, 0);
  CHECK_FALSE(contains(result.err, "libt2nnef_torch"));
  CHECK(contains(sandbox.content("n.json"), R"("format":"t2nnef.graph/1")"));
  CHECK(contains(
      sandbox.content("n.json"),
      R"({"operand":"y","name":"w","type":"f32[2,3]","statistics":{"elements":6,"min":1.0)"));
  CHECK(contains(sandbox.content("n.json"), R"("text":"y = mul(x, w);")"));
  CHECK(contains(sandbox.content("n.html"),
                 R"(<script type="application/json" id="data">{"format")"));
  CHECK(contains(sandbox.content("n.dot"), R"(label="mul")"));
  const Result quiet = sandbox.run({"graph", "net"});
  CHECK_EQ(quiet.code, 0);
  CHECK(contains(quiet.err, "wrote net.html  "));
  CHECK(contains(quiet.err, ": 3 nodes\n"));
}

TEST_CASE("graph shows a model's Python lines and the NNEF lines that an export writes") {
  Sandbox sandbox;
  sandbox.copy_fixture("transformer_encoder/model.pt", "model.pt");
  REQUIRE_EQ(sandbox.run(export_of("model.pt", {})).code, 0);
  REQUIRE_EQ(sandbox.run({"graph", "model.pt", "-o", "m.json", "-q"}).code, 0);
  const std::string json = sandbox.content("m.json");
  CHECK(contains(json, R"("op":"aten::embedding")"));
  CHECK(contains(json, R"("source":[{"file":"make.py","line":24)"));
  // The line in the picture is that of the file.
  const std::string text = sandbox.content("out.nnef/graph.nnef");
  const size_t at = text.find("embed_embedding = ");
  REQUIRE_NE(at, std::string::npos);
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
  CHECK(contains(json, R"({"file":"graph.nnef","line":)" + std::to_string(line) +
                           R"(,"text":"embed_embedding = )"));
  REQUIRE_EQ(sandbox.run({"opt", "model.pt", "-o", "g.ir", "-q"}).code, 0);
  const Result graph =
      sandbox.run({"graph", "g.ir", "-o", "g.json", "-q"}, {{"LD_DEBUG", "files"}});
  CHECK_EQ(graph.code, 0);
  CHECK_FALSE(contains(graph.err, "libt2nnef_torch"));
  CHECK(contains(sandbox.content("g.json"), R"("type":"TransformerEncoderLayer")"));
}

TEST_CASE("graph marks what cannot be exported, and draws the rest") {
  Sandbox sandbox({"unsupported.pt"});
  const Result result = sandbox.run({"graph", "unsupported.pt", "-o", "m.json", "-q"});
  CHECK_EQ(result.err, "");
  REQUIRE_EQ(result.code, 0);
  CHECK(contains(sandbox.content("m.json"), R"("note":"cannot be exported: )"));
  CHECK(contains(sandbox.content("m.json"), R"("problem":"it cannot be exported)"));
}

TEST_CASE("graph colours nodes by a report") {
  Sandbox sandbox;
  write_net(sandbox);
  sandbox.folder().write("c.json", R"({"label": "loss", "values": {"y": 0.25, "other": 1}})");
  const Result result = sandbox.run({"graph", "net", "-o", "n.json", "--colors", "c.json"});
  CHECK_EQ(result.code, 0);
  CHECK(contains(sandbox.content("n.json"), R"("colors":{"label":"loss"})"));
  CHECK(contains(sandbox.content("n.json"), R"("value":0.25)"));
  sandbox.folder().write("c.json", R"({"values": {"other": 1}})");
  check_failure(sandbox, {"graph", "net", "-o", "n.svg", "--colors", "c.json"}, 3,
                "error[input-unreadable]: no name in 'c.json' is one of 'net'\n"
                "  why:  the first is 'other'\n"
                "  help: names are those of tensors and modules; the graph as .json lists them\n");
}

TEST_CASE("graph refuses other suffixes and other inputs, and replaces nothing that it reads") {
  Sandbox sandbox;
  write_net(sandbox);
  check_failure(sandbox, {"graph", "net", "-o", "n.png"}, 2,
                "error[usage]: no picture has the suffix of 'n.png'\n"
                "  help: the suffix determines the format: .html, .svg, .dot or .json\n");
  check_failure(sandbox, {"graph", "net", "-i", "x=2,3"}, 2,
                "error[usage]: 'net' is not traced\n"
                "  help: give it without --input and other options for tracing\n");
  check_failure(sandbox, {"graph"}, 2,
                "error[usage]: the model is missing\n"
                "  help: for example: t2nnef graph model.pt\n");
  sandbox.folder().write("c.json", "{}");
  const Result over = sandbox.run({"graph", "net", "-o", "c.json", "--colors", "c.json"});
  CHECK_EQ(over.code, 2);
  CHECK_EQ(sandbox.content("c.json"), "{}");
  const Result twice = sandbox.run({"graph", "net", "-o", "a.json", "-o", "a.json"});
  CHECK_EQ(twice.code, 2);
}

}  // namespace t2n::test
