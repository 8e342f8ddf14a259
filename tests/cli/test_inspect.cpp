// SPDX-License-Identifier: Apache-2.0
// inspect and ops on models: what is known without and with sample inputs.
#include "tests/cli/program.h"

namespace t2n::test {

TEST_CASE("a traced model shows all, and the line to copy works") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "my digits.pt");
  const Result result = sandbox.run({"inspect", "my digits.pt"});
  CHECK_EQ(result.code, 0);
  CHECK_EQ(result.err, "");
  CHECK_EQ(result.out,
           "my digits.pt: traced, format 3, class DigitsCnn\n"
           "parameters: 6.2 k (25.0 kB)\n"
           "arguments of forward:\n"
           "  x  Tensor\n"
           "samples saved in the file:\n"
           "  x f32[4,1,8,8]\n"
           "outputs:\n"
           "  output_0 f32[4,10]\n"
           "operators: 10 uses of 7\n"
           "  2x  aten::_convolution\n"
           "  2x  aten::batch_norm\n"
           "  2x  aten::relu\n"
           "  1x  aten::adaptive_avg_pool2d\n"
           "  1x  aten::flatten.using_ints\n"
           "  1x  aten::linear\n"
           "  1x  aten::max_pool2d\n"
           "to export it:\n"
           "  t2nnef export 'my digits.pt' --target tract --check\n");
  CHECK_EQ(sandbox.run({"export", "my digits.pt", "--target", "tract"}).code, 0);
}

TEST_CASE("a scripted model without inputs shows its signature") {
  const Sandbox sandbox({"data_branch.pt"});
  const Result result = sandbox.run({"inspect", "data_branch.pt"});
  CHECK_EQ(result.code, 0);
  CHECK_EQ(result.out,
           "data_branch.pt: scripted, format 3, class BranchesOnData\n"
           "parameters: 0 (0 bytes)\n"
           "arguments of forward:\n"
           "  x  Tensor\n"
           "the file contains no sample inputs: give them with -i to see outputs and operators\n"
           "to export it, with sizes such as 1,16 for each SHAPE:\n"
           "  t2nnef export data_branch.pt --target tract --check -i x=SHAPE,f32\n");
  check_failure(sandbox, {"inspect", "data_branch.pt", "--graph"}, 2,
                "error[input-missing]: the graph is unknown without sample inputs\n"
                "  help: give them, for example: t2nnef inspect data_branch.pt --graph -i "
                "x=SHAPE,f32\n");
  const Result ops = sandbox.run({"ops", "data_branch.pt"});
  CHECK_EQ(ops.code, 0);
  CHECK(contains(ops.out, "aten::gt"));
  CHECK(contains(ops.out, "give samples with -i to see those of a run\n"));
}

TEST_CASE("inputs that were given are in the line to copy") {
  const Sandbox sandbox({"train_mode.pt"});
  const Result result = sandbox.run({"inspect", "train_mode.pt", "-i", "input=3,4,f32"});
  CHECK_EQ(result.code, 0);
  CHECK_NE(result.out.find("outputs:\n  output_0 f32[3,2]\n"), std::string::npos);
  CHECK(
      result.out.ends_with("to export it:\n  t2nnef export train_mode.pt --target tract --check "
                           "-i input=3,4,f32\n"));
}

TEST_CASE("the graph as text") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  const Result result = sandbox.run({"inspect", "digits.pt", "--graph"});
  CHECK_EQ(result.code, 0);
  CHECK(result.out.starts_with("graph DigitsCnn(%x: f32[4,1,8,8]) -> ("));
  CHECK(result.out.ends_with("}\n"));
}

TEST_CASE("a file that LibTorch saves and cannot read back") {
  const Sandbox sandbox({"half_bytes.pt"});
  const Result result = sandbox.run({"inspect", "half_bytes.pt"});
  CHECK_EQ(result.code, 4);
  CHECK(contains(result.out, "  1x  quantized::embedding_4bit"));
  CHECK_EQ(result.err,
           "error[unsupported-dtype]: the model holds a tensor of 4 bits (quint4x2)\n"
           "  why:  LibTorch cannot read such a tensor back\n"
           "  help: quantise the table to 8 bits (quint8), or hold its rows as bytes "
           "(torch.ops.quantized.embedding_bag_4bit_prepack)\n");
}

TEST_CASE("the operators of a model") {
  const Sandbox sandbox({"unsupported.pt"});
  const Result all = sandbox.run({"ops", "unsupported.pt"});
  CHECK_EQ(all.code, 0);
  CHECK(all.out.starts_with("  uses  operator "));
  CHECK(all.out.ends_with("3 of 5 operators supported by tract@0.23.9\n"));
  const Result missing = sandbox.run({"ops", "unsupported.pt", "--missing"});
  CHECK_EQ(missing.code, 4);
  CHECK_EQ(missing.out,
           "  uses  operator               supported  first use\n"
           "  2x    aten::special_airy_ai  no         the model (UsesUnsupportedOperators), "
           "make_bad_files.py:95 < make_bad_files.py:126 < make_bad_files.py:159\n"
           "  1x    aten::igamma           no         gamma (Gamma), make_bad_files.py:86 < "
           "make_bad_files.py:95 < make_bad_files.py:126\n"
           "3 of 5 operators supported by tract@0.23.9\n");
}

TEST_CASE("ops --missing judges the graph that an export translates") {
  const Sandbox sandbox({"FoldsAway.pt", "MissingInLoop.pt", "data_branch.pt"});
  // What is folded or not read is not translated.
  const Result folded = sandbox.run({"ops", "FoldsAway.pt", "--missing", "-i", "x=3"});
  CHECK_EQ(folded.code, 0);
  CHECK_EQ(folded.out, "1 of 1 operator supported by tract@0.23.9\n");
  const Result kept = sandbox.run(
      {"ops", "FoldsAway.pt", "--missing", "-i", "x=3", "--disable-pass", "fold-constants"});
  CHECK_EQ(kept.code, 4);
  CHECK(contains(kept.out, "aten::special_airy_ai  no "));
  // With open axes the loop is one operation, with a graph of its own.
  for (const Arguments& more : {Arguments{}, Arguments{"--dynamic", "x:1=T"}}) {
    Arguments words = {"MissingInLoop.pt", "-i", "x=2,5"};
    words.insert(words.end(), more.begin(), more.end());
    Arguments ops = words, exported = words;
    ops.insert(ops.begin(), "ops");
    ops.emplace_back("--missing");
    exported.insert(exported.begin(), "export");
    exported.insert(exported.end(), {"-t", "tract"});
    const Result missing = sandbox.run(ops);
    CHECK_EQ(missing.code, 4);
    CHECK(contains(missing.out, "aten::special_airy_ai  no "));
    CHECK_EQ(sandbox.run(exported).code, 4);
  }
  const std::string guard = "make_bad_files.py:67";
  CHECK_EQ(sandbox.run({"ops", "data_branch.pt", "-i", "x=3"}).code, 4);
  CHECK_EQ(sandbox.run({"ops", "data_branch.pt", "-i", "x=3", "--accept-guard", guard}).code, 0);
}

TEST_CASE("a strict export says which integers end at 2^24, of inputs without a range") {
  const Sandbox sandbox({"MultipliesIntegers.pt"});
  const auto says = [&](const std::string& n) {
    return sandbox.run({"export", "MultipliesIntegers.pt", "-t", "khronos", "-o", "out.tgz", "-i",
                        "ids=5,i64", "-i", n});
  };
  const Result open = says("n=3,i64");
  CHECK_EQ(open.code, 0);
  CHECK(contains(open.err,
                 "warning[integer-range]: integers are exact only for 'n' within "
                 "-4096..4096: aten::mul.Tensor goes beyond 2^24\n"
                 "  --> the model (MultipliesIntegers), other_models.py:"));
  const Result declared = says("n=3,i64:0..4000");
  CHECK_EQ(declared.code, 0);
  CHECK_FALSE(contains(declared.err, "integer-range"));
  const Result certain = says("n=3,i64:5000..6000");
  CHECK_EQ(certain.code, 4);
  CHECK(
      certain.err.starts_with("error[unsupported-argument]: aten::mul.Tensor: integers beyond "
                              "2^24 have no translation for khronos@1.0.5\n"));
  CHECK_EQ(sandbox
               .run({"ops", "MultipliesIntegers.pt", "-t", "khronos", "--missing", "-i",
                     "ids=5,i64", "-i", "n=3,i64:5000..6000"})
               .code,
           4);
}

}  // namespace t2n::test
