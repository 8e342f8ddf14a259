// SPDX-License-Identifier: Apache-2.0
// reduce: models of about 500 operations with one planted fault come down to a few operations, and
// the files that are written fail in the same way.
#include <algorithm>
#include <cstdlib>

#include "tests/cli/program.h"

namespace t2n::test {
namespace {

constexpr size_t kMostOperations = 8;

/// "reduced 483 operations to 2 and …"
size_t operations_after(const Result& result) {
  const std::string before = " operations to ";
  const size_t at = result.out.find(before);
  REQUIRE_NE(at, std::string::npos);
  return std::strtoull(result.out.c_str() + at + before.size(), nullptr, 10);
}

size_t operations_before(const Result& result) {
  REQUIRE(contains(result.out, "reduced "));
  return std::strtoull(result.out.c_str() + result.out.find("reduced ") + 8, nullptr, 10);
}

void replace_nth(const Sandbox& sandbox, const std::string& file, const std::string& from,
                 const std::string& to, int n) {
  std::string text = sandbox.content(file);
  size_t at = text.find(from);
  for (int i = 0; i < n && at != std::string::npos; ++i) at = text.find(from, at + 1);
  REQUIRE_NE(at, std::string::npos);
  sandbox.folder().write(file, text.replace(at, from.size(), to));
}

/// Reduces, expects a few operations, and runs what the last line of the output suggests.
Result reduce_and_try(const Sandbox& sandbox, Arguments arguments, int code,
                      const std::string& id) {
  arguments.insert(arguments.begin(), "reduce");
  arguments.insert(arguments.end(), {"-o", "small"});
  const Result result = sandbox.run(arguments);
  INFO(result.err);
  INFO(result.out);
  REQUIRE_EQ(result.code, 0);
  CHECK_GE(operations_before(result), 400);
  CHECK_LE(operations_after(result), kMostOperations);
  CHECK(contains(result.out, cat("\nfails with ", id, ": ")));
  const bool has_artefact = contains(result.out, ": the artefact\n");
  CHECK(contains(result.out, has_artefact ? "\ntry: t2nnef check small.ir small.nnef.tgz -i "
                                            "@small.inputs.npz"
                                          : "\ntry: t2nnef export small.ir -t tract"));
  const Result again = has_artefact
                           ? sandbox.run({"check", "small.ir", "small.nnef.tgz", "-i",
                                          "@small.inputs.npz", "--engine", "tract"})
                           : sandbox.run({"export", "small.ir", "-t", "tract", "-o", "x.nnef.tgz"});
  INFO(again.err);
  CHECK_EQ(again.code, code);
  CHECK(contains(again.err, cat("error[", id, "]")));
  return result;
}

}  // namespace

TEST_CASE("an operator that no target has") {
  Sandbox sandbox({"deep_eigenvalues.pt"});
  const Result result =
      reduce_and_try(sandbox, {"deep_eigenvalues.pt", "-t", "tract"}, 4, "unsupported-op");
  CHECK_EQ(operations_after(result), 1);
  CHECK(contains(result.out, "eigvalsh"));
  CHECK(contains(result.out, "layers.26"));
  CHECK_FALSE(contains(result.out, "the artefact"));
  CHECK(contains(sandbox.content("small.ir"), "eigvalsh"));
}

TEST_CASE("a weight of an artefact") {
  if (!engine(23)) return;
  Sandbox sandbox({"deep.pt"});
  REQUIRE_EQ(sandbox.run({"export", "deep.pt", "-t", "tract", "-o", "bad"}).code, 0);
  const std::string file = "bad/layers.17.up.weight.dat";
  std::string bytes = sandbox.content(file);
  std::fill(bytes.begin() + 128, bytes.begin() + 160, '\x3f');
  sandbox.folder().write(file, bytes);
  const Result result =
      reduce_and_try(sandbox, {"deep.pt", "--against", "bad"}, 5, "output-mismatch");
  CHECK(contains(result.out, "layers.17.up"));
}

TEST_CASE("a statement of an artefact") {
  if (!engine(23)) return;
  Sandbox sandbox({"deep.pt"});
  REQUIRE_EQ(sandbox.run({"export", "deep.pt", "-t", "tract", "-o", "bad"}).code, 0);
  replace_nth(sandbox, "bad/graph.nnef", " = sigmoid(", " = tanh(", 21);
  const Result result =
      reduce_and_try(sandbox, {"deep.pt", "--against", "bad"}, 5, "output-mismatch");
  CHECK(contains(result.out, "aten::sigmoid  layers.21"));
  CHECK(contains(result.err, " operations  ("));
  // The file's weights stay, its inputs shrink.
  CHECK(contains(result.err, "192 -> 1 elements of inputs and weights"));
  CHECK(contains(sandbox.content("small.ir"), ": f32[1,1,1]) -> ("));
}

TEST_CASE("a part has the tolerance of the output that differs, not those of others") {
  if (!engine(23)) return;
  Sandbox sandbox({"deep.pt"});
  REQUIRE_EQ(sandbox.run({"export", "deep.pt", "-t", "tract", "-o", "bad"}).code, 0);
  replace_nth(sandbox, "bad/graph.nnef", " = sigmoid(", " = tanh(", 21);
  const Arguments arguments = {
      "deep.pt", "--against", "bad", "--tolerance", "output_0=1e-5,1e-5", "--tolerance", "1,1"};
  const Result result = reduce_and_try(sandbox, arguments, 5, "output-mismatch");
  CHECK(contains(result.out, "aten::sigmoid  layers.21"));
  CHECK(contains(result.out, " --tolerance 1e-5,1e-5\n"));
}

TEST_CASE("a part that does not run in pulses is exported with --stream") {
  Sandbox sandbox;
  sandbox.copy_fixture("lstm_tagger/model.pt", "m.pt");
  sandbox.copy_fixture("lstm_tagger/input.npz", "in.npz");
  const Result result = sandbox.run({"reduce", "m.pt", "-t", "tract", "-i", "@in.npz", "--dynamic",
                                     "tokens:1=S", "--stream", "S=8", "-o", "small"});
  INFO(result.err);
  INFO(result.out);
  REQUIRE_EQ(result.code, 0);
  CHECK(contains(result.out, "\nfails with not-streamable: "));
  CHECK(result.out.ends_with("\ntry: t2nnef export small.ir -t tract --stream S=8\n"));
  const Result again = sandbox.run({"export", "small.ir", "-t", "tract", "--stream", "S=8"});
  INFO(again.err);
  CHECK_EQ(again.code, 4);
  CHECK(contains(again.err, "error[not-streamable]"));
  check_failure(sandbox, {"export", "small.ir", "-t", "tract", "--stream", "T"}, 2,
                "error[usage]: --stream T: no axis has this name\n"
                "  why:  a model streams along a dynamic axis\n"
                "  help: declare it: --dynamic x:1=T\n");
}

TEST_CASE("an artefact of a graph whose text was changed, and the graph as the model") {
  if (!engine(23)) return;
  Sandbox sandbox({"deep.pt"});
  REQUIRE_EQ(sandbox.run({"opt", "deep.pt", "-o", "m.ir"}).code, 0);
  sandbox.folder().write("bad.ir", sandbox.content("m.ir"));
  sandbox.folder().write("bad.ir.npz", sandbox.content("m.ir.npz"));
  replace_nth(sandbox, "bad.ir", "dim=-1, dtype=none) as softmax", "dim=-2, dtype=none) as softmax",
              9);
  REQUIRE_EQ(sandbox.run({"opt", "bad.ir", "--passes", "default", "-o", "bad.nnef.tgz"}).code, 0);
  const Result result =
      reduce_and_try(sandbox, {"m.ir", "--against", "bad.nnef.tgz"}, 5, "output-mismatch");
  CHECK(contains(result.out, "softmax.int  layers.9"));
}

TEST_CASE("a difference of the model's own export in the engine") {
  if (!engine(23)) return;
  Sandbox sandbox({"deep.pt"});
  const Result result = sandbox.run({"reduce", "deep.pt", "-t", "tract", "--check=exact",
                                     "--engine", "tract", "--seeds", "3", "-o", "small"});
  INFO(result.err);
  INFO(result.out);
  CHECK_EQ(result.code, 0);
  CHECK_LE(operations_after(result), kMostOperations);
  CHECK(result.out.ends_with(
      "try: t2nnef check small.ir small.nnef.tgz -i @small.inputs.npz --check=exact --engine "
      "tract --seeds 3\n"));
  const Result again = sandbox.run({"check", "small.ir", "small.nnef.tgz", "-i",
                                    "@small.inputs.npz", "--check=exact", "--engine", "tract"});
  CHECK_EQ(again.code, 5);
}

TEST_CASE("a layer whose kernel trusts the sizes of its weights keeps them") {
  if (!engine(23)) return;
  Sandbox sandbox;
  sandbox.copy_fixture("series_gru/model.pt", "m.pt");
  sandbox.copy_fixture("series_gru/input.npz", "in.npz");
  const Result result = sandbox.run({"reduce", "m.pt", "-i", "@in.npz", "-t", "tract",
                                     "--check=exact", "--engine", "tract", "-o", "small"});
  INFO(result.err);
  CHECK_EQ(result.code, 0);
  CHECK_LE(operations_after(result), 2);
}

TEST_CASE("a file of another exporter, whose names are its own") {
  if (!engine(23)) return;
  Sandbox sandbox({"deep.pt"});
  REQUIRE_EQ(sandbox.run({"export", "deep.pt", "-t", "tract", "-o", "bad"}).code, 0);
  replace_nth(sandbox, "bad/graph.nnef", " = sigmoid(", " = tanh(", 21);
  std::string text = sandbox.content("bad/graph.nnef");
  const std::vector<std::pair<std::string, std::string>> renamed = {{" layers_", " tensor_"},
                                                                    {"(layers_", "(tensor_"},
                                                                    {"[layers_", "[tensor_"},
                                                                    {"t2nnef_version", "exporter"}};
  for (const auto& [from, to] : renamed)
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1))
      text.replace(at, from.size(), to);
  sandbox.folder().write("bad/graph.nnef", text);
  const Result result =
      reduce_and_try(sandbox, {"deep.pt", "--against", "bad"}, 5, "output-mismatch");
  CHECK(contains(result.out, "aten::sigmoid  layers.21"));
}

TEST_CASE("dynamic axes: a part of the file, and an operator without a shape rule") {
  if (!engine(23)) return;
  Sandbox sandbox({"deep.pt", "deep_eigenvalues.pt"});
  const Arguments axes = {"-i", "x=2,6,16", "--dynamic", "x:0=B", "--dynamic", "x:1=S"};
  Arguments arguments = {"export", "deep.pt", "-t", "tract", "-o", "bad"};
  arguments.insert(arguments.end(), axes.begin(), axes.end());
  REQUIRE_EQ(sandbox.run(arguments).code, 0);
  replace_nth(sandbox, "bad/graph.nnef", " = sigmoid(", " = tanh(", 21);
  arguments = {"deep.pt", "--against", "bad"};
  arguments.insert(arguments.end(), axes.begin(), axes.end());
  reduce_and_try(sandbox, arguments, 5, "output-mismatch");
  arguments = {"deep_eigenvalues.pt", "-t", "tract"};
  arguments.insert(arguments.end(), axes.begin(), axes.end());
  reduce_and_try(sandbox, arguments, 4, "unsupported-op");
}

TEST_CASE("a model that fails in its trace is reduced by modules") {
  Sandbox sandbox({"deep_branches.pt"});
  const Result whole = sandbox.run({"export", "deep_branches.pt", "-t", "tract", "-i", "x=2,6,16"});
  CHECK_EQ(whole.code, 4);
  REQUIRE(contains(whole.err, "error[data-dependent-branch]"));
  const Result result =
      sandbox.run({"reduce", "deep_branches.pt", "-t", "tract", "-i", "x=2,6,16", "-o", "small"});
  INFO(result.err);
  INFO(result.out);
  REQUIRE_EQ(result.code, 0);
  CHECK(result.out.starts_with("fails while it is traced: reduced "));
  CHECK(contains(result.out, ", 'layers.26', with "));
  CHECK(contains(result.out, "\ntry: t2nnef export small.pt -t tract"));
  const Result again =
      sandbox.run({"export", "small.pt", "-t", "tract", "-i", "@small.inputs.npz"});
  CHECK_EQ(again.code, 4);
  CHECK(contains(again.err, "error[data-dependent-branch]"));
}

TEST_CASE("what does not fail, and what may not be replaced") {
  Sandbox sandbox({"deep.pt"});
  check_failure(sandbox, {"reduce", "deep.pt", "-t", "tract"}, 2,
                "error[not-reducible]: the model does not fail\n"
                "  help: give the options of the command that fails; with --check, outputs are "
                "compared, too\n");
  check_failure(sandbox, {"reduce", "deep.pt"}, 2,
                "error[usage]: --target is missing\n"
                "  help: add --target tract, or the target of the export that fails\n");
  check_failure(sandbox, {"reduce", "deep.pt", "-t", "tract", "-o", "deep"}, 2,
                "error[output-is-model]: the output 'deep.pt' is the model itself\n"
                "  help: give another path with -o\n");
  for (const Arguments& option : {Arguments{"--seeds", "5"}, Arguments{"--localize", "always"}}) {
    Arguments arguments = {"reduce", "deep.pt", "-t", "tract"};
    arguments.insert(arguments.end(), option.begin(), option.end());
    check_failure(sandbox, arguments, 2,
                  "error[usage]: --tolerance, --seeds, --engine, --strict and --localize need "
                  "--check\n  help: add --check\n");
  }
  check_failure(sandbox, {"reduce", "deep.pt", "-t", "tract", "--within", "0"}, 2,
                "error[usage]: --within is 0, not a time in seconds\n");
}

TEST_CASE("the time ends the search, and the text of --keep selects the failure") {
  Sandbox sandbox({"deep_eigenvalues.pt"});
  const Result ended = sandbox.run(
      {"reduce", "deep_eigenvalues.pt", "-t", "tract", "--within", "0.001", "-o", "part"});
  INFO(ended.err);
  CHECK_EQ(ended.code, 0);
  CHECK(contains(ended.out, "; stopped by --within, a smaller part may exist\n"));
  CHECK_EQ(sandbox.run({"export", "part.ir", "-t", "tract", "-o", "x.nnef.tgz"}).code, 4);
  const Result other = sandbox.run(
      {"reduce", "deep_eigenvalues.pt", "-t", "tract", "--keep", "aten::gelu", "-o", "none"});
  CHECK_EQ(other.code, 2);
  CHECK(contains(other.err, "why:  --keep requires the text 'aten::gelu'\n"));
}

}  // namespace t2n::test
