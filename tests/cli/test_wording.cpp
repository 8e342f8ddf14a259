// SPDX-License-Identifier: Apache-2.0
// What a newcomer reads: wrong files and flags by their names, tables that fit, colours.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "src/diag/printable.h"
#include "tests/cli/program.h"

namespace t2n::test {
namespace {

/// A file that begins with these bytes.
void write_bytes(const Sandbox& sandbox, const std::string& name, const std::string& bytes) {
  std::ofstream(sandbox.path(name), std::ios::binary) << bytes << std::string(64, '\0');
}

size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  size_t out = 0;
  for (std::string line; std::getline(lines, line);) out = std::max(out, text_width(line));
  return out;
}

}  // namespace

TEST_CASE("files of other frameworks are called by their names") {
  const Sandbox sandbox;
  const auto named = [&](const std::string& file, const std::string& bytes) {
    write_bytes(sandbox, file, bytes);
    for (const Arguments& arguments :
         {Arguments{"export", file, "-t", "tract"}, {"inspect", file}}) {
      const Result result = sandbox.run(arguments);
      CHECK_EQ(result.code, 3);
      const std::string start = cat("error[model-format]: '", file, "' is ");
      REQUIRE(result.err.starts_with(start));
      CHECK(contains(result.err, "torch.jit.trace("));
      CHECK(contains(result.err, ", not a TorchScript file\n"));
    }
    const std::string text = sandbox.run({"inspect", file}).err;
    const size_t begin = text.find(" is ") + 4;
    return text.substr(begin, text.find(", not a") - begin);
  };
  CHECK_EQ(named("m.gguf", "GGUF\x03"), "a GGUF file of llama.cpp");
  CHECK_EQ(named("m.tflite", std::string("\x1c\0\0\0TFL3", 8)), "a TensorFlow Lite model");
  CHECK_EQ(named("m.safetensors", std::string("\x40\0\0\0\0\0\0\0{\"a\":", 13)),
           "a safetensors file");
  CHECK_EQ(named("m.onnx", "\x08\x07\x12\x07pytorch"), "an ONNX model");
  CHECK_EQ(named("m.h5", "\x89HDF\r\n\x1a\n"), "an HDF5 file, as Keras writes");
}

TEST_CASE("wrong words: what was meant is shown") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "m.pt");
  const auto fails = [&](const Arguments& arguments, const std::string& text) {
    CAPTURE(joined(arguments, " "));
    check_failure(sandbox, arguments, 2, "error[usage]: " + text);
  };
  fails({"exprot", "m.pt", "-t", "tract"},
        "there is no command 'exprot'\n  help: did you mean 'export'?\n");
  fails({"export", "m.pt", "-t", "tract", "-i", "x=4x1x8x8"},
        "cannot read the input 'x=4x1x8x8'\n"
        "  why:  commas separate the sizes\n"
        "  help: write 4,1,8,8\n");
  fails({"export", "m.pt", "-t", "tract", "-i", "x=SHAPE,f32"},
        "cannot read the input 'x=SHAPE,f32'\n"
        "  why:  SHAPE stands for sizes\n"
        "  help: write for example 1,16\n");
  fails({"export", "m.pt", "-t", "tract@0.21"},
        "cannot read the version '0.21'\n"
        "  why:  a version is three numbers\n"
        "  help: write it as in '0.21.19'\n");
  fails({"export", "m.pt", "-t", "TRACT"},
        "unknown target 'TRACT'\n"
        "  help: known targets: tract[@0.21.13 .. 0.23.9], khronos[@1.0.5]; did you mean "
        "'tract'?\n");
  fails({"export", "m.pt", "-t", "tract", "-o", "a.zip"},
        "the output 'a.zip' has the suffix of a file that t2nnef does not write\n"
        "  why:  an artefact is a folder, a .tgz or a .tar\n"
        "  help: end it in .tgz; for a folder of this name, write a.zip/\n");
  fails({"ops", "aten::nope"},
        "the operator 'aten::nope' is not supported\n  help: `t2nnef ops` lists all\n");
  CHECK_FALSE(contains(sandbox.run({"man"}).err, "did you mean"));
  check_failure(sandbox, {"export", ".", "-t", "tract", "-o", "x.tgz"}, 3,
                "error[model-format]: '.' is a folder, not a model\n"
                "  help: give the .pt file that torch.jit.save wrote\n");
  CHECK_EQ(sandbox.run({"export", "m.pt", "-t", "tract", "-o", "a.zip/"}).code, 0);
  CHECK_EQ(sandbox.run({"export", "m.pt", "-t", "tract", "-o", "a.zip"}).code, 0);
  CHECK_EQ(sandbox.run({"-V"}).out, sandbox.run({"--version"}).out);
  CHECK_EQ(sandbox.run({"ops", "gelu"}).out, sandbox.run({"ops", "aten::gelu"}).out);
  CHECK(contains(sandbox.run({"ops", "no_such"}).err,
                 "'no_such' is neither a file nor a supported operator"));
  CHECK_EQ(sandbox.run({"ops", "no_such"}).code, 2);
}

TEST_CASE("a folder is no engine, and no output replaces it") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "m.pt");
  const Result result = sandbox.run(
      {"export", "m.pt", "-t", "tract", "--check", "--engine", sandbox.path("."), "-o", "ok.tgz"});
  CHECK_EQ(result.code, 7);
  CHECK(result.err.starts_with("error[engine-not-found]: "));
}

TEST_CASE("a value that is no tensor: its text is shown") {
  const Result result = Sandbox({"methods.pt"})
                            .run({"export", "methods.pt", "-t", "tract", "--method", "decode_step",
                                  "-i", "h=2,3", "-i", "k=2", "-o", "out.nnef"});
  CHECK_EQ(result.err,
           "error[input-shape]: the sample of the input 'k' does not fit its type 'int'\n"
           "  help: give a value of this type: --input k=int:3\n");
}

TEST_CASE("a state of the caller's does not reset; sizes to run the file keep to its assertions") {
  const Sandbox sandbox({"takes_state.pt"});
  const Result result =
      sandbox.run(export_of("takes_state.pt", {"--dynamic", "x:1=S", "--assert", "S>=7", "-i",
                                               "x=2,9,3", "--check", "--engine", "reference"}));
  CHECK_EQ(result.code, 0);
  CHECK_FALSE(contains(result.err, "resets-each-run"));
  CHECK(contains(sandbox.content("out.nnef/graph.nnef"), "tract_core_scan("));
  const std::string summary = sandbox.run({"inspect", "out.nnef"}).out;
  CHECK(contains(summary, " -i x=2,7,3,f32 -i h=1,2,4,f32 -i c=1,2,4,f32 -o out.npz\n"));
  CHECK_EQ(sandbox.run({"run", "out.nnef", "-i", "x=2,7,3,f32", "--engine", "reference"}).code, 0);
}

TEST_CASE("a model in training mode is told eval() first, a saved tensor what it is") {
  const Sandbox sandbox({"traced_in_training.pt", "saved_tensor.pt"});
  const Result training = sandbox.run(export_of("traced_in_training.pt", {}));
  CHECK_EQ(training.code, 4);
  CHECK(training.err.ends_with(
      "  help: call model.eval() before tracing, and save the model again\n"));
  const Result tensor = sandbox.run(export_of("saved_tensor.pt", {}));
  CHECK_EQ(tensor.code, 3);
  CHECK(tensor.err.starts_with(
      "error[model-format]: 'saved_tensor.pt' contains saved tensors, not a model\n"));
  CHECK(contains(tensor.err, "--input x=@saved_tensor.pt"));
}

TEST_CASE("lines fit 80 columns, or COLUMNS") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "m.pt");
  const Result result =
      sandbox.run({"export", "m.pt", "-t", "tract", "-o", "m.tgz", "--check", "--engine",
                   "reference", "--output-name", "a_rather_long_name_of_the_only_output"});
  REQUIRE_EQ(result.code, 0);
  const std::string table = result.out.substr(result.out.find("  output"));
  CHECK_LE(longest_line(table.substr(0, table.find("reference:"))), 80);
  for (const char* command : {"export", "check", "inspect", "run", "diff", "ops", "opt", "lint",
                              "explain", "env", "help", "completion"}) {
    CAPTURE(command);
    const std::string help = sandbox.run({command, "--help-all"}).out;
    CHECK_LE(longest_line(help), 80);
  }
  CHECK(contains(sandbox.run({"ops"}, {{"COLUMNS", "120"}}).out, "\n  aten::relu "));
  CHECK(contains(sandbox.run({"ops"}, {{"COLUMNS", "80"}}).out, "\n  aten::relu\n      "));
  const std::string passes = sandbox.run({"opt", "--list"}, {{"COLUMNS", "120"}}).out;
  CHECK(contains(passes, "\n      "));  // a text that goes on
}

TEST_CASE("a table of losses says what integers of 4 bits take") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "m.pt");
  std::ofstream(sandbox.path("four.json")) << R"({"": {"weights": {"format": "int", "bits": 4}}})";
  const auto run = [&](const std::string& settings) {
    return sandbox.run({"export", "m.pt", "-t", "tract", "-o", "m.tgz", "--compress", settings})
        .out;
  };
  const std::string note = "  integers of fewer than 8 bits take a byte each\n";
  CHECK(contains(run("four.json"), note));
  CHECK_FALSE(contains(run("int8-weights"), note));
  CHECK(contains(run("int8-weights"), ", the same largest element in "));
}

TEST_CASE("colours: on request, never in files by themselves") {
  const Sandbox sandbox;
  const Arguments bad = {"explain", "nope"};
  const auto with = [&](const char* when, const Variables& variables) {
    Arguments arguments = bad;
    arguments.insert(arguments.end(), {"--color", when});
    return sandbox.run(arguments, variables).err;
  };
  const std::string plain = sandbox.run(bad).err;
  CHECK_FALSE(contains(plain, "\033["));
  CHECK_EQ(with("never", {}), plain);
  CHECK_EQ(with("auto", {}), plain);
  CHECK(with("always", {{"NO_COLOR", "1"}}).starts_with("\033[1;31merror[usage]\033[0m: "));
  std::string stripped = with("always", {});
  for (const char* code : {"\033[1;31m", "\033[1m", "\033[0m"})
    for (size_t at = stripped.find(code); at != std::string::npos; at = stripped.find(code))
      stripped.erase(at, std::string(code).size());
  CHECK_EQ(stripped, plain);
  check_failure(sandbox, {"explain", "usage", "--color", "maybe"}, 2,
                "error[usage]: --color 'maybe' is not known\n"
                "  help: write --color auto, always or never\n");
}

TEST_CASE("colours of verdicts; a name cannot change them") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "m.pt");
  const Result result = sandbox.run({"export", "m.pt", "-t", "tract", "-o", "m.tgz", "--check",
                                     "--engine", "reference", "--color", "always"});
  CHECK(contains(result.out, "\033[32m  ok\033[0m\n"));
  write_bytes(sandbox, "\033[31mx.pt", "GGUF");
  const Result forged = sandbox.run({"export", "\033[31mx.pt", "-t", "tract", "--color", "always"});
  CHECK(contains(forged.err, "'\\x1b[31mx.pt'"));
}

TEST_CASE("tolerances of single outputs") {
  const Sandbox sandbox({"words_plain.pt"});
  const auto run = [&](const Arguments& more) {
    Arguments all = {"--check", "--engine", "reference"};
    all.insert(all.end(), more.begin(), more.end());
    return sandbox.run(export_of("words_plain.pt", all));
  };
  const Result both = run({"--tolerance", "1e-3,1e-2", "--tolerance", "output_*=0.1,0.1",
                           "--tolerance", "output_0=very"});
  CHECK_EQ(both.code, 0);
  CHECK(
      contains(both.out,
               "custom (atol 0.001, rtol 0.01), 'output_*' custom (atol 0.1, rtol 0.1), 'output_0' "
               "very (atol 0.05, rtol 0.01) · "));
  // The last one that matches decides, about this output alone.
  CHECK_EQ(run({"--tolerance", "0,0"}).code, 5);
  CHECK_EQ(run({"--tolerance", "0,0", "--tolerance", "output_*=approximate"}).code, 0);
  const Result one = run({"--tolerance", "output_0=0,0"});
  CHECK_EQ(one.code, 5);
  CHECK(one.err.starts_with("error[output-mismatch]: 'output_0'["));
  CHECK_FALSE(contains(one.err, "'output_1'["));
  const Result unknown = run({"--tolerance", "outptu_0=1,1"});
  CHECK_EQ(unknown.code, 2);
  CHECK(contains(unknown.err,
                 "error[usage]: --tolerance: the artefact has no output 'outptu_0'\n"
                 "  why:  its outputs are: output_0, output_1, output_2\n"
                 "  help: did you mean 'output_0'?\n"));
  CHECK(contains(run({"--tolerance", "1,1", "--tolerance", "2,2"}).err,
                 "error[usage]: --tolerance is given twice for all outputs\n"));
}

TEST_CASE("names with a star") {
  const Sandbox sandbox({"words_plain.pt"});
  REQUIRE_EQ(sandbox
                 .run(export_of("words_plain.pt", {"--output-name", "output_*=result_*",
                                                   "--input-name", "*e*=past_*"}))
                 .code,
             2);
  REQUIRE_EQ(
      sandbox.run(export_of("words_plain.pt", {"--output-name", "output_*=result_*_of"})).code, 0);
  CHECK(contains(sandbox.content("out.nnef/graph.nnef"),
                 "-> (result_0_of, result_1_of, result_2_of)"));
  check_failure(sandbox, export_of("words_plain.pt", {"--output-name", "logit*=x*"}), 2,
                "error[usage]: --output-name logit*=x*: no output matches 'logit*'\n"
                "  why:  the model has: output_0, output_1, output_2\n");
  check_failure(sandbox, export_of("words_plain.pt", {"--output-name", "output_*=x"}), 2,
                "error[usage]: --output-name output_*=x needs one * on each side\n"
                "  help: such as --output-name 'cache_*=past_*'\n");
}

TEST_CASE("usage lines show which arguments are optional") {
  const Sandbox sandbox;
  const auto usage_of = [&](const std::string& command) {
    const std::string help = sandbox.run({command, "--help"}).out;
    const size_t at = help.find("Usage: ");
    return help.substr(at, help.find('\n', at) - at);
  };
  CHECK_EQ(usage_of("bench"), "Usage: t2nnef bench ARTEFACT [OTHER] [OPTIONS]");
  CHECK_EQ(usage_of("explain"), "Usage: t2nnef explain [ID] [OPTIONS]");
  CHECK_EQ(usage_of("help"), "Usage: t2nnef help [COMMAND] [OPTIONS]");
  CHECK_EQ(usage_of("ops"), "Usage: t2nnef ops [MODEL.pt] [OPTIONS]");
  CHECK_EQ(usage_of("check"), "Usage: t2nnef check MODEL.pt ARTEFACT [OPTIONS]");
}

TEST_CASE("ops names words that are neither files nor operators") {
  const Sandbox sandbox;
  check_failure(sandbox, {"ops", "nope"}, 2,
                "error[usage]: 'nope' is neither a file nor a supported operator\n"
                "  help: `t2nnef ops` lists all operators\n");
}

}  // namespace t2n::test
