// SPDX-License-Identifier: Apache-2.0
// Names of the user's own: --input-name and --output-name, and the preset that gives names.
#include "nnef_writer/npz.h"
#include "tests/cli/program.h"

namespace t2n::test {
namespace {

std::string graph_of(const std::string& model, const Arguments& more) {
  const Sandbox sandbox({model});
  const Result result = sandbox.run(export_of(model, more));
  CHECK_EQ(result.err.find("error"), std::string::npos);
  REQUIRE_EQ(result.code, 0);
  return sandbox.content("out.nnef/graph.nnef");
}

void check_refused(const Arguments& names, const std::string& text) {
  check_failure(Sandbox({"words_plain.pt"}), export_of("words_plain.pt", names), 2, text);
}

}  // namespace

TEST_CASE("names are given in order, or one by one") {
  const std::string graph = graph_of(
      "words_plain.pt", {"--input-name", "tokens", "--input-name", "input_2=past", "--output-name",
                         "output_0=logits", "--output-name", "output_2=next", "--check"});
  CHECK(contains(graph, "(tokens, key, past) -> (logits, output_1, next)"));
  CHECK(contains(graph, "next = concat([past, "));
}

TEST_CASE("a user's name wins over one of the graph") {
  const std::string before = graph_of("words_plain.pt", {});
  REQUIRE(contains(before, "\n    softmax = "));
  const std::string graph = graph_of(
      "words_plain.pt", {"--output-name", "softmax", "--input-name", "words_embedding", "--check"});
  CHECK(contains(graph, "(words_embedding, key, value) -> (softmax, output_1, output_2)"));
  CHECK(contains(graph, "\n    softmax_1 = softmax("));
}

TEST_CASE("a named output ends in a copy where tract would call it otherwise") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "m.pt");
  const auto graph = [&](const Arguments& more) {
    Arguments arguments = {"export", "m.pt", "-o", "out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    REQUIRE_EQ(sandbox.run(arguments).code, 0);
    return sandbox.content("out/graph.nnef");
  };
  const std::string copy = "\n    scores = sum_reduce(scores_value, axes = []);\n}\n";
  CHECK_FALSE(contains(graph({"-t", "khronos", "--output-name", "scores"}), "sum_reduce"));
  CHECK_FALSE(contains(graph({"-t", "tract"}), "sum_reduce"));
  CHECK(contains(graph({"-t", "tract@0.21.19", "--output-name", "scores", "--check"}), copy));
  const std::string text = graph({"-t", "tract", "--output-name", "scores", "--check"});
  CHECK(contains(text, "\n    scores_value = linear(flatten, "));
  CHECK(contains(text, copy));
  // It is no difference from an export of the model.
  const Result check = sandbox.run({"check", "m.pt", "out", "--engine", "reference"});
  CHECK_EQ(check.code, 0);
  CHECK_EQ(check.err, "");
  sandbox.folder().write("out/graph.nnef",
                         text.substr(0, text.rfind("    scores = ")) +
                             "    scores = sum_reduce(scores_value, axes = [0]);\n}\n");
  CHECK_EQ(sandbox.run({"check", "m.pt", "out", "--engine", "reference"}).code, 5);
}

TEST_CASE("impossible names are refused") {
  check_refused(
      {"--input-name", "a", "--input-name", "b", "--input-name", "c", "--input-name", "d"},
      "error[usage]: --input-name d is superfluous\n"
      "  why:  the model has 3 inputs\n");
  check_refused({"--output-name", "logit=x"},
                "error[usage]: --output-name logit=x: the model has no output 'logit'\n"
                "  why:  it has: output_0, output_1, output_2\n");
  check_refused({"--input-name", "ids=1st"},
                "error[usage]: --input-name '1st' is not a valid NNEF name\n"
                "  why:  a name is letters, digits and _, does not begin with a digit, and is not "
                "an NNEF keyword\n"
                "  help: such as _1st\n");
  check_refused({"--input-name", "tokens", "--input-name", "ids=words"},
                "error[usage]: --input-name names 'ids' twice\n");
  check_refused({"--input-name", "key=value"},
                "error[usage]: two inputs would be called 'value'\n");
  check_refused({"--output-name", "ids"},
                "error[usage]: an output would be called 'ids', as an input is\n");
  check_refused({"--dynamic", "ids:1=S", "--output-name", "S"},
                "error[usage]: 'S' is the name of a size\n"
                "  help: choose another name for the input or output\n");
}

TEST_CASE("a language model in its client's form") {
  for (const std::string& target : engine_targets()) {
    const Sandbox sandbox({"words_plain.pt"});
    const Result result =
        sandbox.run({"export", "words_plain.pt", "-t", target, "-o", "out.nnef", "--preset",
                     "causal-llm", "--assert", "P + S <= 64", "--check", "--engine", target});
    CHECK_EQ(result.code, 0);
    CHECK(contains(result.err + result.out, "P=0"));
    const std::string graph = sandbox.content("out.nnef/graph.nnef");
    CHECK(contains(graph,
                   "(input_ids, in_cache_key_0, in_cache_value_0) -> "
                   "(outputs, out_cache_key_0, out_cache_value_0)"));
    CHECK(contains(graph, "input_ids = tract_core_external(shape = [1, S], datum_type = 'i64')"));
    CHECK(contains(graph, "in_cache_key_0 = tract_core_external(shape = [1, P, 8], "));
    CHECK(contains(graph, "extension tract_assert P >= 0;"));
  }
}

TEST_CASE("the preset reads a calibration set that lies elsewhere") {
  const Sandbox sandbox({"words_plain.pt"});
  const Sandbox elsewhere;
  nnef::write_npz(
      std::vector<nnef::NamedTensor>{
          {"ids", ir::tensor_of<int64_t>(ir::DType::i64, {1, 3}, {1, 2, 3})},
          {"key", ir::tensor_of<double>(ir::DType::f32, {1, 4, 8}, std::vector<double>(32, 0.5))},
          {"value", ir::tensor_of<double>(ir::DType::f32, {1, 4, 8}, std::vector<double>(32, 1))}},
      elsewhere.path("set.npz"));
  const Result result =
      sandbox.run(export_of("words_plain.pt", {"--preset", "causal-llm", "--compress", "int8",
                                               "--calibrate", "@" + elsewhere.path("set.npz")}));
  CHECK_EQ(result.err.find("error"), std::string::npos);
  CHECK_EQ(result.code, 0);
}

TEST_CASE("models that the client would not accept are refused") {
  const auto refuses = [](const std::string& model, const std::string& what) {
    const Sandbox sandbox({model});
    const auto before = sandbox.listing();
    const Result result = sandbox.run(export_of(model, {"--preset", "causal-llm"}));
    CHECK_EQ(result.code, 4);
    CHECK(contains(
        result.err,
        cat("error[preset-unmet]: tract's causal_llm client cannot run this model: ", what)));
    CHECK(sandbox.listing() == before);
  };
  refuses("words_reads_cache.pt", "the exported model requires P >= 1");  // a mean of nothing
  refuses("words_behind.pt", "the cache 'in_cache_key_0' is not read by exactly one concatenation");
  refuses("words_fixed.pt",
          "the input 'key', f32[1,4,8], and the output 'output_1', f32[1,4,8], do not differ by "
          "the number of tokens along exactly one axis");
  refuses("words_one_back.pt", "it has 2 caches and gives back 1");
  refuses("words_i32.pt", "its first input, 'ids', is i32[1,3]");
}

TEST_CASE("the preset refuses what holds neither for one token nor for empty caches") {
  for (const auto& [model, holds] :
       {std::pair("words_branch_tokens.pt", "S > 1"), {"words_branch_cache.pt", "P >= 1"}}) {
    CAPTURE(model);
    const Sandbox sandbox({model});
    const auto before = sandbox.listing();
    Arguments command = export_of(model, {"--preset", "causal-llm", "-i", "ids=1,3,i64:0..10", "-i",
                                          "key=1,4,8", "-i", "value=1,4,8"});
    const Result result = sandbox.run(command);
    CHECK_EQ(result.code, 4);
    CHECK(contains(result.err, cat("error[preset-unmet]: tract's causal_llm client cannot run this "
                                   "model: the exported model requires ",
                                   holds)));
    CHECK(sandbox.listing() == before);
    command.insert(command.end(), {"--assert", holds});
    CHECK_EQ(sandbox.run(command).code, 0);  // the user says so
  }
  const Sandbox sandbox({"words_plain.pt"});
  const Result checked = sandbox.run({"export", "words_plain.pt", "-t", "tract", "--preset",
                                      "causal-llm", "--check", "-o", "out.nnef"});
  CHECK_EQ(checked.code, 0);
  CHECK(contains(checked.out, "also at P=0, S=1; P=9, S=1; "));
}

TEST_CASE("the preset requires tract and its own axes; unknown presets are refused") {
  check_refused({"--preset", "llm"},
                "error[usage]: --preset 'llm' is not known\n"
                "  help: the only preset is causal-llm\n");
  check_refused({"--preset", "causal-llm", "--dynamic", "ids:1=T"},
                "error[usage]: --preset causal-llm declares the axes itself: tokens S, caches P\n"
                "  help: omit --dynamic; --assert can constrain S and P further\n");
  check_refused({"--preset", "causal-llm", "--assert", "Tokens>=1"},
                "error[usage]: --assert 'Tokens >= 1': no dynamic axis declares 'Tokens'\n"
                "  why:  the axes declare: P, S\n");
  check_failure(Sandbox({"words_plain.pt"}),
                {"export", "words_plain.pt", "-t", "khronos", "--preset", "causal-llm"}, 2,
                "error[usage]: --preset causal-llm requires a tract target\n"
                "  help: add --target tract\n");
}

}  // namespace t2n::test
