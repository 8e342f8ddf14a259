// SPDX-License-Identifier: Apache-2.0
// Which method is exported, and what becomes of its inputs.
#include "tests/cli/program.h"

namespace t2n::test {

TEST_CASE("missing methods") {
  Sandbox sandbox({"methods.pt"});
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  for (const std::string command : {"export", "inspect", "ops"}) {
    Arguments arguments = {command, "digits.pt", "--method", "predict"};
    if (command == "export") arguments.insert(arguments.end(), {"-t", "tract"});
    check_failure(sandbox, arguments, 3,
                  "error[model-format]: the model has no method 'predict'\n"
                  "  why:  its methods are: forward\n"
                  "  help: choose one, for example: --method forward\n");
    arguments[1] = "methods.pt";
    arguments[3] = "decode_stp";
    check_failure(sandbox, arguments, 3,
                  "error[model-format]: the model has no method 'decode_stp'\n"
                  "  why:  its methods are: decode_step, encode\n"
                  "  help: did you mean --method decode_step?\n");
    arguments.erase(arguments.begin() + 2, arguments.begin() + 4);
    check_failure(sandbox, arguments, 3,
                  "error[model-format]: the model has no method 'forward'\n"
                  "  why:  its methods are: decode_step, encode\n"
                  "  help: choose one, for example: --method decode_step\n");
  }
}

TEST_CASE("methods of a scripted model") {
  const Sandbox sandbox({"methods.pt"});
  const Result encode = sandbox.run(export_of("methods.pt", {"--method", "encode", "-i", "x=2,4"}));
  CHECK_EQ(encode.code, 0);
  CHECK(contains(encode.err, " · x f32[2,4] · 2 operations · "));
  CHECK(contains(sandbox.content("out.nnef/graph.nnef"), "graph HasMethods(x) -> (output_0)\n"));
  CHECK(contains(sandbox.content("out.nnef/graph.nnef"), "'linear.weight'"));
  const Result decode = sandbox.run(
      export_of("methods.pt", {"--method", "decode_step", "-i", "h=2,4", "-i", "k=int:3"}));
  CHECK_EQ(decode.code, 0);
  CHECK(contains(decode.err, " · h f32[2,4] · constant: k · 1 operation · "));
  check_failure(sandbox, export_of("methods.pt", {"--method", "encode"}), 2,
                "error[input-missing]: the input 'x' (Tensor) has no sample\n"
                "  why:  the file does not contain its shape\n"
                "  help: give its shape, such as --input x=1,16,f32, or its values: "
                "--input x=@file.npy\n");
}

TEST_CASE("samples that torch.save wrote") {
  const Sandbox sandbox({"methods.pt", "saved_tensor.pt", "saved_list.pt", "saved_dict.pt"});
  for (const std::string sample :
       {"@saved_tensor.pt", "@saved_list.pt", "@saved_dict.pt", "x=@saved_tensor.pt"}) {
    CAPTURE(sample);
    const Result result = sandbox.run(
        {"export", "methods.pt", "-t", "tract", "-o", "-", "--method", "encode", "-i", sample});
    CHECK_EQ(result.code, 0);
    CHECK(contains(result.err, " · x f32[2,4] · 2 operations · "));
  }
}

TEST_CASE("a saved list of the second argument is that argument") {
  const Sandbox sandbox({"TakesList.pt", "saved_nested.pt"});
  const Result result = sandbox.run({"export", "TakesList.pt", "-t", "tract", "--check", "--engine",
                                     "reference", "-o", "m", "-i", "@saved_nested.pt"});
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.err, " · x f32[2,4], states_0 f32[2,4], states_1 f32[2,4] · "));
}

TEST_CASE("every traced method has its own samples") {
  const Sandbox sandbox({"traced_methods.pt"});
  const Result forward = sandbox.run(export_of("traced_methods.pt", {}));
  CHECK_EQ(forward.code, 0);
  CHECK(contains(forward.err, " · x f32[2,4] (from trace) · "));
  const Result encode = sandbox.run(export_of("traced_methods.pt", {"--method", "encode"}));
  CHECK_EQ(encode.code, 0);
  CHECK(contains(encode.err, " · x f32[5,4], scale f32[3] (from trace) · "));

  const Result inspect = sandbox.run({"inspect", "traced_methods.pt", "--method", "encode"});
  CHECK(contains(inspect.out,
                 "methods: forward, encode\n"
                 "arguments of encode:\n"
                 "  x      Tensor\n"
                 "  scale  Tensor\n"
                 "samples saved in the file:\n"
                 "  x f32[5,4]\n"
                 "  scale f32[3]\n"));
  CHECK(inspect.out.ends_with("--target tract --check --method encode\n"));
  const Result ops = sandbox.run({"ops", "traced_methods.pt", "--method", "encode"});
  CHECK(ops.out.ends_with("3 of 3 operators supported by tract@0.23.9\n"));
}

TEST_CASE("inputs without influence stay, with a warning") {
  const Sandbox sandbox({"unused_inputs.pt"});
  const Arguments inputs = {"-i", "x=2,3",     "-i",       "mask=2,i64",
                            "-i", "lengths=5", "--report", "r.json"};
  const Result result = sandbox.run(export_of("unused_inputs.pt", inputs));
  CHECK_EQ(result.code, 0);
  CHECK(result.err.starts_with(
      "warning[input-unused]: no output depends on the inputs 'mask', 'lengths'\n"
      "  why:  no operation reads their values; only their shapes may matter, which are constant "
      "in the file\n"
      "  help: --prune-unused-inputs removes them from the file\n"));
  CHECK(contains(result.err, " · x f32[2,3], mask i64[2], lengths f32[5] · "));
  CHECK(contains(sandbox.content("out.nnef/graph.nnef"), "(x, mask, lengths) -> "));
  CHECK(contains(sandbox.content("r.json"), "\"unused\": true\n"));
}

TEST_CASE("inputs without influence are removed on request") {
  const Sandbox sandbox({"unused_inputs.pt"});
  const Arguments inputs = {"-i",        "x=2,3",    "-i",     "mask=2,i64",           "-i",
                            "lengths=5", "--report", "r.json", "--prune-unused-inputs"};
  const Result result = sandbox.run(export_of("unused_inputs.pt", inputs));
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.err, " · x f32[2,3] · removed inputs: mask, lengths · 1 operation · "));
  CHECK_FALSE(contains(result.err, "warning"));
  CHECK(contains(sandbox.content("out.nnef/graph.nnef"), "(x) -> (output_0)\n"));
  CHECK_FALSE(contains(sandbox.content("out.nnef/graph.nnef"), "mask"));
  CHECK(contains(sandbox.content("r.json"),
                 "\"pruned_inputs\": [\n    \"mask\",\n    \"lengths\"\n  ]"));
}

TEST_CASE("engines accept inputs that nothing reads, and graphs without inputs that are read") {
  const Sandbox sandbox({"unused_inputs.pt"});
  for (const std::string& target : engine_targets())
    for (const bool prune : {false, true}) {
      CAPTURE(target);
      Arguments arguments = {"export",   "unused_inputs.pt",
                             "-t",       target,
                             "--check",  "--engine",
                             target,     "-i",
                             "x=2,3",    "-i",
                             "mask=2",   "-i",
                             "lengths=5"};
      if (prune) arguments.emplace_back("--prune-unused-inputs");
      CHECK_EQ(sandbox.run(arguments).code, 0);
    }
}

}  // namespace t2n::test
