// SPDX-License-Identifier: Apache-2.0
// What a check says of files that are wrong in one place, and of models that show too little.
#include <cstring>

#include "src/diag/error.h"
#include "tests/cli/program.h"

namespace t2n::test {
namespace {

/// The model's export as the folder `m`, so that its text can be changed.
void export_to(Sandbox& sandbox, const std::string& model, const Arguments& more = {}) {
  Arguments arguments = {"export", model, "-t", "tract", "-o", "m"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  REQUIRE_EQ(sandbox.run(arguments).code, 0);
}

void replace_once(const Sandbox& sandbox, const std::string& from, const std::string& to) {
  std::string text = sandbox.content("m/graph.nnef");
  const size_t at = text.find(from);
  REQUIRE_NE(at, std::string::npos);
  sandbox.folder().write("m/graph.nnef", text.replace(at, from.size(), to));
}

}  // namespace

TEST_CASE("an output that does not follow its inputs is inconclusive, strictly an error") {
  if (!engine(23)) return;
  Sandbox sandbox({"Blind.pt"});
  const Arguments check = {"export",  "Blind.pt", "-t",    "tract", "-i", "x=4,f32",
                           "--check", "--engine", "tract", "-o",    "m"};
  const Result result = sandbox.run(check);
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.out, " inconclusive\n"));
  const std::string text =
      "[inconclusive-check]: the check is not conclusive for 'output_0'\n"
      "   no output changed with the input 'x'; random values were used for 'x'\n"
      "  why:  different inputs give nearly the same output, so a wrong file would pass as well\n"
      "  help: pass real inputs with --input x=@file.npy, or use a stricter level: --check=close\n";
  CHECK(contains(result.err, "warning" + text));
  Sandbox strict({"Blind.pt"});
  Arguments arguments = check;
  arguments.emplace_back("--strict");
  const Result refused = strict.run(arguments);
  CHECK_EQ(refused.code, 5);
  CHECK(contains(refused.err, "error" + text));
  CHECK_FALSE(strict.listing().contains("m/graph.nnef"));
  const Result checked =
      sandbox.run({"check", "Blind.pt", "m", "-i", "x=4,f32", "--engine", "tract", "--strict"});
  CHECK_EQ(checked.code, 5);
  CHECK(contains(checked.err, "error" + text));
}

TEST_CASE("an output that follows from no value is right where it is equal") {
  if (!engine(23)) return;
  Sandbox sandbox({"FixedOutputs.pt"});
  const Arguments inputs = {"-i", "x=2,3,f32", "--check", "--strict", "--engine", "tract"};
  export_to(sandbox, "FixedOutputs.pt", inputs);
  Sandbox open({"FixedOutputs.pt"});
  Arguments more = inputs;
  more.insert(more.end(), {"--dynamic", "x:1=T"});
  export_to(open, "FixedOutputs.pt", more);
  replace_once(open, "cast(T, to", "cast(T + 1, to");
  CHECK_EQ(open.run({"check", "FixedOutputs.pt", "m", "--engine", "tract", "-i", "x=2,3,f32"}).code,
           5);
}

TEST_CASE("an input that no output follows is named") {
  if (!engine(23)) return;
  Sandbox sandbox({"Deaf.pt"});
  const Arguments inputs = {"-i", "x=4,f32", "-i", "bias=4,f32"};
  export_to(sandbox, "Deaf.pt", inputs);
  Arguments arguments = {"check", "Deaf.pt", "m", "--engine", "tract"};
  arguments.insert(arguments.end(), inputs.begin(), inputs.end());
  const Result result = sandbox.run(arguments);
  CHECK_EQ(result.code, 0);
  CHECK(contains(
      result.err,
      "warning[inconclusive-check]: no output changed with the input 'bias'; random values were "
      "used for 'x', 'bias'\n"
      "  why:  a wrong file that ignores it, or uses a constant instead, would pass as well\n"
      "  help: pass typical values with --input x=@x.npy, a range as in x=2,3,f32:0.1..1, or "
      "another seed with --seed N\n"));
}

TEST_CASE("a removed input is none of the file's, but one of the model's") {
  const Sandbox sandbox({"UnusedBesideLimit.pt"});
  const Result result =
      sandbox.run({"export", "UnusedBesideLimit.pt", "-t", "tract", "-i", "x=5", "-i", "y=7", "-i",
                   "z=5", "--prune-unused-inputs", "--check", "--engine", "reference", "-o", "m"});
  CHECK_EQ(result.code, 0);
  CHECK(contains(sandbox.content("m/graph.nnef"), "(x, z) -> (output_0)\n"));
}

TEST_CASE("each of several outputs is compared") {
  if (!engine(23)) return;
  const Arguments inputs = {"-i", "x=2,8,f32"};
  const auto verdict_after = [&](const std::string& from, const std::string& to) {
    Sandbox sandbox({"Alike.pt"});
    export_to(sandbox, "Alike.pt", inputs);
    if (!from.empty()) replace_once(sandbox, from, to);
    return sandbox.run({"check", "Alike.pt", "m", "-i", "x=2,8,f32", "--engine", "tract"});
  };
  CHECK_EQ(verdict_after("", "").code, 0);
  const Result second = verdict_after("= cos(x)", "= cos(neg(sin(x)))");
  CHECK_EQ(second.code, 5);
  CHECK(contains(second.err, "error[output-mismatch]: 'output_1'["));
  const Result third = verdict_after("= gt(x, 0.0)", "= ge(x, 0.0)");
  CHECK_EQ(third.code, 5);
  CHECK(contains(third.err, "error[output-mismatch]: 'output_2'["));
  const Result fourth = verdict_after("argmax_reduce(x,", "argmax_reduce(neg(x),");
  CHECK_EQ(fourth.code, 5);
  CHECK(contains(fourth.err, "error[output-mismatch]: 'output_3'["));
}

TEST_CASE("outputs in another order are found by name, others by place") {
  if (!engine(23)) return;
  const Arguments inputs = {"-i", "x=2,8,f32"};
  Sandbox sandbox({"Alike.pt"});
  export_to(sandbox, "Alike.pt", inputs);
  replace_once(sandbox, "(output_0, output_1,", "(output_1, output_0,");
  CHECK_EQ(sandbox.run({"check", "Alike.pt", "m", "-i", "x=2,8,f32", "--engine", "tract"}).code, 0);
  // Names that the model has not: the first is compared with the first.
  std::string text = sandbox.content("m/graph.nnef");
  for (const char* digit : {"0", "1"})
    for (size_t at; (at = text.find(cat("output_", digit))) != std::string::npos;)
      text.replace(at, 8, cat("result_", digit));
  sandbox.folder().write("m/graph.nnef", text);
  CHECK_EQ(sandbox.run({"check", "Alike.pt", "m", "-i", "x=2,8,f32", "--engine", "tract"}).code, 5);
}

TEST_CASE("masks of ones and single numbers are varied") {
  if (!engine(23)) return;
  Sandbox sandbox({"Pattern.pt", "pattern.npz"});
  const Arguments given = {"-i", "x=2,6,f32", "-i", "@pattern.npz"};
  export_to(sandbox, "Pattern.pt", given);
  Arguments check = {"check", "Pattern.pt", "m", "--engine", "tract"};
  check.insert(check.end(), given.begin(), given.end());
  const Result right = sandbox.run(check);
  CHECK_EQ(right.code, 0);
  CHECK_EQ(right.err, "");
  replace_once(sandbox, "= select(eq, -1.0, add)", "= select(eq, add, add)");
  CHECK_EQ(sandbox.run(check).code, 5);
  replace_once(sandbox, "= select(eq, add, add)", "= select(eq, -1.0, add)");
  CHECK_EQ(sandbox.run(check).code, 0);
  replace_once(sandbox, "(steps_weight, step,",
               "(steps_weight, add(sub(step, step), "
               "tract_core_cast(421, to = 'i64')),");
  CHECK_EQ(sandbox.run(check).code, 5);
}

TEST_CASE("open sizes are varied whether or not they are declared") {
  if (!engine(23)) return;
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  export_to(sandbox, "digits.pt", {"--dynamic", "x:0=B"});
  const Result right = sandbox.run({"check", "digits.pt", "m", "--engine", "tract"});
  CHECK_EQ(right.code, 0);
  CHECK(contains(right.out, " input sets · also at B=7; B=9; B=129; B=1\n"));
}

TEST_CASE("a model saved in training mode is what torch runs, but for its own modules") {
  if (!engine(23)) return;
  const Sandbox sandbox({"TrainedMode.pt"});
  const Result result = sandbox.run({"export", "TrainedMode.pt", "-t", "tract", "-i", "x=5,3,f32",
                                     "--check", "--strict", "--engine", "tract", "-o", "m"});
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.err, "warning[model-training]: the model was saved in training mode\n"));
  CHECK(contains(sandbox.content("m/graph.nnef"), "3.0"));
}

TEST_CASE("gradients are off, and parameters want them, as in torch's inference") {
  if (!engine(23)) return;
  const Sandbox sandbox({"AsksForGradients.pt"});
  const Result result =
      sandbox.run({"export", "AsksForGradients.pt", "-t", "tract", "-i", "x=5,3,f32", "--check",
                   "--strict", "--engine", "tract", "-o", "m"});
  CHECK_EQ(result.code, 0);
  const std::string text = sandbox.content("m/graph.nnef");
  CHECK(contains(text, "0.5"));
  CHECK_FALSE(contains(text, "100"));
}

TEST_CASE("NaN and infinities are counted and named") {
  if (!engine(23)) return;
  const Sandbox sandbox({"Overflows.pt", "negative.npz"});
  const Result result = sandbox.run({"export", "Overflows.pt", "-t", "tract", "-i", "@negative.npz",
                                     "--check", "--engine", "tract", "-o", "m"});
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.out, "  output_0: 1 element of 4 NaN or infinite in torch\n"));
}

TEST_CASE("an accepted guard is checked where torch goes the other way, too") {
  if (!engine(23)) return;
  const Sandbox sandbox({"data_branch.pt"});
  const Result result =
      sandbox.run({"export", "data_branch.pt", "-t", "tract", "-i", "x=3", "--accept-guard",
                   "make_bad_files.py:67", "--check", "--engine", "tract", "-o", "m"});
  CHECK_EQ(result.code, 5);
  CHECK(contains(result.err, "error[output-mismatch]: "));
}

TEST_CASE("an accepted guard passes the check where torch goes the same way") {
  if (!engine(23)) return;
  const Sandbox sandbox({"NanBranch.pt"});
  const Arguments checked = {"export",  "NanBranch.pt", "-t",    "tract", "-i", "x=3",
                             "--check", "--engine",     "tract", "-o",    "m"};
  const Result refused = sandbox.run(checked);
  CHECK_EQ(refused.code, 4);
  const size_t at = refused.err.find("--accept-guard ");
  REQUIRE_NE(at, std::string::npos);
  std::string guard = refused.err.substr(at + 15);
  guard.resize(guard.find('\n'));
  const auto accepting = [&](Arguments arguments) {
    arguments.insert(arguments.end(), {"--accept-guard", guard});
    return sandbox.run(arguments);
  };
  const Result result = accepting(checked);
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.err, "warning[data-dependent-branch]: the branch at " + guard));
  const Arguments check = {"check", "NanBranch.pt", "m", "-i", "x=3", "--engine", "tract"};
  CHECK_EQ(sandbox.run(check).code, 4);
  CHECK_EQ(accepting(check).code, 0);
  replace_once(sandbox, "= sin(x)", "= cos(x)");
  CHECK_EQ(accepting(check).code, 5);
}

TEST_CASE("torch's own inexactness in 16 bits excuses no other weights") {
  if (!engine(23)) return;
  Sandbox sandbox({"UpsamplesInHalf.pt", "upsamples_otherwise.pt"});
  const Arguments check = {"--check", "--engine", "tract", "-i", "x=1,512,8,8,f16"};
  Arguments arguments = {"export", "UpsamplesInHalf.pt", "-t", "tract", "-o", "m"};
  arguments.insert(arguments.end(), check.begin(), check.end());
  const Result right = sandbox.run(arguments);
  INFO(right.err);
  CHECK_EQ(right.code, 0);
  const Result wrong = sandbox.run(
      {"check", "upsamples_otherwise.pt", "m", "--engine", "tract", "-i", "x=1,512,8,8,f16"});
  CHECK_EQ(wrong.code, 5);
}

TEST_CASE(
    "a file of this version holds the model's own weights and numbers, whatever outputs show") {
  if (!engine(23)) return;
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "model.pt");
  export_to(sandbox, "model.pt");
  const Arguments check = {"check", "model.pt", "m", "--engine", "tract", "--check=ultra"};
  const Result right = sandbox.run(check);
  INFO(right.err);
  CHECK_EQ(right.code, 0);

  // One element of a bias, by a thousandth: less than the level allows.
  const std::string text = sandbox.content("m/graph.nnef");
  const size_t at = text.find(".bias'");
  REQUIRE_NE(at, std::string::npos);
  const size_t begin = text.rfind('\'', at) + 1;
  const std::string file = "m/" + text.substr(begin, at + 5 - begin) + ".dat";
  const std::string before = sandbox.content(file);
  std::string other = before;
  float value = 0;
  std::memcpy(&value, other.data() + 128, sizeof value);
  value *= 1.001F;
  std::memcpy(other.data() + 128, &value, sizeof value);
  sandbox.folder().write(file, other);
  const Result wrong = sandbox.run(check);
  CHECK_EQ(wrong.code, 5);
  CHECK(contains(wrong.err, "error[contents-differ]: '"));
  CHECK(contains(wrong.err, ".bias' differs from the model by up to "));

  // A file that does not say that it is of this version is judged by its outputs.
  replace_once(sandbox, "t2nnef_version", "other_version");
  CHECK_EQ(sandbox.run(check).code, 0);
  replace_once(sandbox, "other_version", "t2nnef_version");
  sandbox.folder().write(file, before);
  CHECK_EQ(sandbox.run(check).code, 0);

  replace_once(sandbox, "1e-5)", "1.001e-5)");
  const Result number = sandbox.run(check);
  CHECK_EQ(number.code, 5);
  CHECK(contains(number.err,
                 "error[contents-differ]: batch_normalization 'features_0_1_batch_norm' "
                 "has the number 1.001e-5, an export of the model has 1e-5\n"));
}

TEST_CASE("weights that were compressed are judged by outputs alone") {
  if (!engine(23)) return;
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "model.pt");
  sandbox.folder().write("sparse.json", R"({"": {"prune": {"sparsity": 0.5}}})");
  export_to(sandbox, "model.pt", {"--compress", "sparse.json"});
  CHECK(contains(sandbox.content("m/graph.nnef"), "('t2nnef_compressed', 'yes')"));
  const Result result =
      sandbox.run({"check", "model.pt", "m", "--engine", "tract", "--check=ultra"});
  INFO(result.err);
  CHECK_FALSE(contains(result.err, "contents-differ"));
}

TEST_CASE("equals may come in another order than in torch, other rows may not") {
  if (!engine(23)) return;
  for (const std::string model : {"TopRows.pt", "TopBesideMode.pt", "Nearest.pt"}) {
    CAPTURE(model);
    Sandbox sandbox({model});
    const Arguments input = {"-i", "x=64,3,f32"};
    Arguments checked = {"export", model, "-t", "tract", "--check", "-o", "m"};
    checked.insert(checked.end(), input.begin(), input.end());
    const Result right = sandbox.run(checked);
    INFO(right.err);
    CHECK_EQ(right.code, 0);
    CHECK(contains(
        right.out,
        " equal elements are ordered or ties rounded differently, which torch leaves undefined\n"));
    // Rows that are no equals.
    std::string text = sandbox.content("m/graph.nnef");
    const size_t at = text.find("tract_core_topk");
    REQUIRE_NE(at, std::string::npos);
    const bool is_largest = text.find("largest = true", at) != std::string::npos;
    replace_once(sandbox, is_largest ? "largest = true" : "largest = false",
                 is_largest ? "largest = false" : "largest = true");
    Arguments check = {"check", model, "m"};
    check.insert(check.end(), input.begin(), input.end());
    const Result wrong = sandbox.run(check);
    CHECK_EQ(wrong.code, 5);
    CHECK(contains(wrong.err, "error[output-mismatch]: "));
  }
}

TEST_CASE("a file's first other statement is named, whether or not outputs differ") {
  if (!engine(23)) return;
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "model.pt");
  export_to(sandbox, "model.pt");
  const std::string right = sandbox.content("m/graph.nnef");
  const Arguments check = {"check", "model.pt", "m", "--engine", "tract"};
  replace_once(sandbox, " = relu(", " = sigmoid(");
  const Result differs = sandbox.run(check);
  CHECK_EQ(differs.code, 5);
  CHECK(contains(differs.err, "error[contents-differ]: the file has the statement '"));
  CHECK(contains(differs.err, " where an export of the model has '"));
  CHECK(contains(differs.err,
                 "  why:  from this statement on, this version of t2nnef exports the model "
                 "differently\n"));
  CHECK(contains(differs.err, "error[output-mismatch]: "));

  // A limit that no value reaches.
  sandbox.folder().write("m/graph.nnef", right);
  const size_t begin = right.find(" = relu(") + 3;
  const std::string call = right.substr(begin, right.find(';', begin) - begin);
  replace_once(sandbox, call, "min(" + call + ", 1e30)");
  const Result same = sandbox.run(check);
  CHECK_EQ(same.code, 5);
  CHECK(contains(same.err, "error[contents-differ]: the file has the statement '"));
  CHECK_FALSE(contains(same.err, "output-mismatch"));
}

}  // namespace t2n::test
