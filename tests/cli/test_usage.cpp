// SPDX-License-Identifier: Apache-2.0
// What is said about the command line itself, without LibTorch.
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/cli/program.h"

namespace t2n::test {
namespace {

std::string usage(const std::string& text) { return "error[usage]: " + text; }

bool starts(const Result& result, const std::string& text) { return result.out.starts_with(text); }

}  // namespace

TEST_CASE("without arguments: a page of usage") {
  const Result result = Sandbox().run({});
  CHECK_EQ(result.code, 2);
  CHECK_EQ(result.out, "");
  CHECK_EQ(result.err,
           R"(Export TorchScript and .pt2 models to NNEF: for tract, or strict (khronos)

Usage: t2nnef COMMAND …

Commands:
  export                    Write a TorchScript or .pt2 model as NNEF
  check                     Compare an NNEF artefact with the model that it was
                            exported from
  inspect                   Show inputs, outputs and content of a model or an
                            NNEF artefact
  run                       Run an NNEF artefact on given inputs
  bench                     Measure one or two NNEF artefacts in tract
  diff                      Show the differences between two NNEF artefacts
  ops                       List supported operators, or those of a model
  opt                       Run passes one by one, verify each, and find the one
                            that breaks
  reduce                    Find the smallest part of a model that fails in the
                            same way
  lint                      Report suspicious quantisation in a file
  tensors                   List or write the tensors of a .pt or .pt2 file
  graph                     Draw a model, a graph or an NNEF artefact as HTML or
                            SVG
  explain                   Explain the id of a message, or an exit code
  env                       Show versions, LibTorch, engines and processor
  help                      Describe a command with all its options
  completion                Print a script that completes commands in a shell

Options:
  -h, --help                Print this help
  -V, --version             Print the versions of t2nnef, LibTorch and the
                            default target
  -v, --verbose             With --version: also print how models are sandboxed

examples:
  t2nnef export model.pt --target tract --check
  t2nnef export model.pt -t tract@0.21.19 -i ids=1,8,i64:0..999 -o model.tar
  t2nnef export model.pt -t khronos -o model.nnef.tgz
`t2nnef COMMAND --help` lists the options of a command
)");
}

TEST_CASE("help and version") {
  const Sandbox sandbox;
  for (const Arguments& arguments : {Arguments{"--help"},
                                     {"-h"},
                                     {"export", "--help"},
                                     {"inspect", "-h"},
                                     {"ops", "--help"},
                                     {"check", "-h"},
                                     {"diff", "-h"},
                                     {"run", "-h"},
                                     {"opt", "-h"}}) {
    const Result result = sandbox.run(arguments);
    CHECK_EQ(result.code, 0);
    CHECK_EQ(result.err, "");
    CHECK_NE(result.out.find("Usage: t2nnef"), std::string::npos);
  }
  CHECK(starts(
      sandbox.run({"--help"}),
      "Export TorchScript and .pt2 models to NNEF: for tract, or strict (khronos)\n"));
  const auto examples = [&](const std::string& command) {
    const std::string out = sandbox.run({command, "--help"}).out;
    return out.substr(std::min(out.find("examples:\n"), out.size()));
  };
  CHECK_EQ(examples("export"),
           "examples:\n"
           "  t2nnef export model.pt --target tract --check\n"
           "  t2nnef export model.pt -t tract@0.21.19 -i ids=1,8,i64:0..999 -o model.tar\n"
           "  t2nnef export model.pt -t khronos -o model.nnef.tgz\n");
  for (const std::string command : {"check", "inspect", "run", "diff", "ops", "opt", "lint"}) {
    const std::string text = examples(command);
    CHECK(text.starts_with(cat("examples:\n  t2nnef ", command, " ")));
    CHECK_FALSE(contains(text, "t2nnef export"));
  }
  const Result version = sandbox.run({"--version"});
  CHECK_EQ(version.code, 0);
  CHECK(starts(version, "t2nnef "));
  CHECK_NE(version.out.find("\nbuilt with LibTorch 2."), std::string::npos);
  CHECK_NE(version.out.find("\ndefault target tract@0."), std::string::npos);
}

TEST_CASE("the help of a command: one screen, and all options on request") {
  const Sandbox sandbox;
  const std::string screen = sandbox.run({"export", "--help"}).out;
  CHECK_LE(std::count(screen.begin(), screen.end(), '\n'), 50);
  CHECK(contains(screen,
                 "Output:\n  -t, --target TARGET       Engine: tract, tract@0.21.19 or khronos\n"));
  CHECK(contains(screen, "`t2nnef export --help-all` describes "));
  CHECK_FALSE(contains(screen, "--max-iterations"));
  const std::string all = sandbox.run({"export", "--help-all"}).out;
  CHECK_EQ(all, sandbox.run({"help", "export"}).out);
  CHECK(contains(
      all,
      "  --max-iterations FILE.py:LINE=N\n"
      "                            Limit of a data-dependent loop\n"
      "                            Repeatable. The artefact fails if the loop would run\n"));
  // The completion lists all options of all commands: each is in a group of the help.
  std::istringstream script(sandbox.run({"completion", "bash"}).out);
  size_t commands = 0;
  for (std::string line; std::getline(script, line);) {
    const size_t at = line.find(") options='");
    if (at == std::string::npos) continue;
    const std::string help = sandbox.run({line.substr(4, at - 4), "--help-all"}).out;
    std::istringstream options(line.substr(at + 11, line.size() - at - 14));
    for (std::string option; options >> option;) {
      INFO(line.substr(4, at - 4), " ", option);
      CHECK(contains(help, option));
    }
    ++commands;
  }
  CHECK_EQ(commands, 16);
  CHECK_EQ(sandbox.run({"help", "exprot"}).err,
           usage("there is no command 'exprot'\n  help: did you mean 'export'?\n"));
}

TEST_CASE("explain: an id, a message's head, an exit code") {
  const Sandbox sandbox;
  const std::string text = sandbox.run({"explain", "input-unused"}).out;
  CHECK(text.starts_with("input-unused · exit 4: the target cannot express the model; "));
  CHECK_EQ(text, sandbox.run({"explain", "error[input-unused]"}).out);
  CHECK(contains(sandbox.run({"explain", "output-mismatch"}).out, "(docs/checking.md)"));
  CHECK(contains(sandbox.run({"explain", "usage"}).out, "exit 2"));
  CHECK(contains(sandbox.run({"explain", "7"}).out,
                 "exit 7: the requested engine was not found\n  engine-not-found\n"));
  CHECK(contains(sandbox.run({"explain"}).out, "input-unused"));
  CHECK_EQ(sandbox.run({"explain", "input-unusd"}).err,
           usage("there is no diagnostic and no exit code 'input-unusd'\n"
                 "  help: did you mean 'input-unused'?\n"));
}

TEST_CASE("bash completes commands, options and known values") {
  const Sandbox sandbox;
  std::ofstream(sandbox.path("t2nnef.bash")) << sandbox.run({"completion", "bash"}).out;
  const auto completed = [&](const std::string& words, int index) {
    const std::string command =
        cat("bash -c \"source '", sandbox.path("t2nnef.bash"), "'; COMP_WORDS=(", words,
            "); COMP_CWORD=", index, "; _t2nnef; echo \\${COMPREPLY[@]}\" >'", sandbox.path("out"),
            "'");
    CHECK_EQ(std::system(command.c_str()), 0);
    return sandbox.content("out");
  };
  CHECK_EQ(completed("t2nnef ex", 1), "export explain\n");
  CHECK_EQ(completed("t2nnef export --ta", 2), "--target\n");
  CHECK_EQ(completed("t2nnef export --target kh", 3), "khronos\n");
  CHECK_EQ(
      sandbox.run({"completion", "tcsh"}).err,
      usage("there is no completion for the shell 'tcsh'\n  help: shells are: bash, zsh, fish\n"));
}

TEST_CASE("the man page has all commands, options and exit codes") {
  const std::string page = Sandbox().run({"help", "--man"}).out;
  CHECK(page.starts_with(".TH T2NNEF 1 "));
  for (const char* part :
       {".SS export\n", ".SS completion\n", "\n.B \\-\\-max\\-iterations FILE.py:LINE=N\n",
        ".SH EXIT STATUS\n", "\n.B 124\n"})
    CHECK(contains(page, part));
}

TEST_CASE("env: versions and engines as text and as JSON") {
  const Sandbox sandbox;
  const Result text = sandbox.run({"env"});
  CHECK_EQ(text.code, 0);
  CHECK(contains(text.out, "the reference interpreter"));
  CHECK(contains(sandbox.run({"env", "--json"}).out, "\"environment\": {\n    \"version\": "));
}

TEST_CASE("misspelt and missing words") {
  const Sandbox sandbox;
  check_failure(sandbox, {"exprot", "m.pt"}, 2,
                usage("there is no command 'exprot'\n  help: did you mean 'export'?\n"));
  check_failure(sandbox, {"convert"}, 2,
                usage("there is no command 'convert'\n"
                      "  help: commands are: export, check, inspect, run, bench, diff, ops, opt, "
                      "reduce, lint, tensors, graph, explain, env, help, completion\n"));
  check_failure(sandbox, {"my model.pt"}, 2,
                usage("the command is missing before 'my model.pt'\n"
                      "  help: to export it: t2nnef export 'my model.pt' --target tract\n"));
  check_failure(sandbox, {"--verison"}, 2,
                usage("t2nnef has no option '--verison'\n  help: did you mean '--version'?\n"));
  check_failure(sandbox, {"export", "m.pt", "--traget", "tract"}, 2,
                usage("t2nnef export has no option '--traget'\n"
                      "  help: did you mean '--target'?\n"));
  check_failure(sandbox, {"export", "m.pt", "-t", "tract", "--chekc=close"}, 2,
                usage("t2nnef export has no option '--chekc'\n  help: did you mean '--check'?\n"));
  check_failure(sandbox, {"export", "m.pt", "-t", "tract", "--frobnicate"}, 2,
                usage("t2nnef export has no option '--frobnicate'\n"
                      "  help: `t2nnef export --help` lists them\n"));
  check_failure(sandbox, {"export", "m.pt", "n.pt", "-t", "tract"}, 2,
                usage("'n.pt' is an unexpected argument\n"
                      "  help: `t2nnef export --help` shows what it takes\n"));
  check_failure(sandbox, {"export"}, 2,
                usage("the model is missing\n"
                      "  help: for example: t2nnef export model.pt --target tract\n"));
  check_failure(sandbox, {"export", "m.pt", "-o"}, 2,
                usage("--output needs a value: PATH\n"
                      "  help: `t2nnef export --help` shows what each option takes\n"));
}

TEST_CASE("targets") {
  const Sandbox sandbox;
  const Result missing = sandbox.run({"export", "m.pt"});
  CHECK_EQ(missing.code, 2);
  CHECK_EQ(missing.err,
           "error[usage]: --target is missing\n"
           "  help: add --target tract, which means tract@0.23.9, an older version of it, or "
           "--target khronos for strict NNEF\n");
  const Result unknown = sandbox.run({"export", "m.pt", "-t", "trac"});
  CHECK_EQ(unknown.code, 2);
  CHECK(unknown.err.starts_with("error[usage]: unknown target 'trac'\n  help: known targets: "));
  CHECK(unknown.err.ends_with("; did you mean 'tract'?\n"));
  CHECK_EQ(sandbox.run({"ops", "-t", "tensorrt"}).code, 2);
  CHECK_EQ(sandbox.run({"export", "m.pt", "-t", "tract@0.1.0"}).code, 2);
}

TEST_CASE("values of options") {
  const Sandbox sandbox;
  const auto refused = [&](const Arguments& more, const std::string& text) {
    Arguments arguments = {"export", "m.pt", "-t", "tract"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    check_failure(sandbox, arguments, 2, "error[usage]: " + text);
  };
  refused({"-z", "10"}, "--compression is 10, not a level from 0 to 9\n");
  refused({"-z", "-1"}, "--compression is -1, not a level from 0 to 9\n");
  refused({"-z", "best"},
          "--compression 'best' is not a valid number\n"
          "  help: `t2nnef export --help` shows what each option takes\n");
  refused({"--state=maybe"},
          "--state 'maybe' is neither true nor false\n"
          "  help: `t2nnef export --help` shows what each option takes\n");
  refused({"--timeout", "1", "--timeout", "2"},
          "--timeout is given 2 times\n"
          "  help: `t2nnef export --help` shows what each option takes\n");
  refused({"--accept-guard", "model.py:8", "--accept-guard", "foo"},
          "--accept-guard 'foo' is not FILE.py:LINE\n"
          "  help: take FILE.py:LINE from the message that refused the branch: --accept-guard "
          "model.py:8\n");
  refused({"--accept-guard", "model.py:8:"},
          "--accept-guard 'model.py:8:' is not FILE.py:LINE\n"
          "  help: take FILE.py:LINE from the message that refused the branch: --accept-guard "
          "model.py:8\n");
  refused({"--check", "--timeout", "0"},
          "--timeout is 0, not a number of seconds from 0.001 to 1000000\n");
  refused({"--check", "--timeout", "nan"},
          "--timeout is nan, not a number of seconds from 0.001 to 1000000\n");
  refused({"--check=aproximate"},
          "there is no tolerance 'aproximate'\n"
          "  why:  levels are exact, close, approximate, very, super and ultra\n"
          "  help: did you mean 'approximate'?\n");
  refused({"--check", "--tolerance", "1e-3"},
          "there is no tolerance '1e-3'\n"
          "  why:  levels are exact, close, approximate, very, super and ultra\n"
          "  help: use a level, or numbers: ATOL,RTOL or ATOL,RTOL,OUTLIER_RATIO\n");
  refused({"--check=very", "--tolerance", "1e-3,1e-3"},
          "--check=very and --tolerance contradict each other\n");
  refused({"--strict"},
          "--tolerance, --seeds, --engine, --strict and --localize need --check\n  help: add "
          "--check\n");
  const Result pass = sandbox.run({"export", "m.pt", "-t", "tract", "--disable-pass", "ded-code"});
  CHECK_EQ(pass.code, 2);
  CHECK(pass.err.starts_with("error[usage]: there is no pass called 'ded-code'\n"));
}

TEST_CASE("the table of operators, and one operator") {
  const Sandbox sandbox;
  const Result all = sandbox.run({"ops"});
  CHECK_EQ(all.code, 0);
  CHECK_EQ(all.err, "");
  CHECK_NE(all.out.find("\n  aten::relu "), std::string::npos);
  CHECK_NE(all.out.find(" operators for tract@0."), std::string::npos);
  CHECK_GT(all.out.size(), sandbox.run({"ops", "-t", "tract@0.21.13"}).out.size() / 2);

  const Result one = sandbox.run({"ops", "aten::gelu"});
  CHECK_EQ(one.code, 0);
  CHECK(one.out.starts_with(
      "aten::gelu\n"
      "  schema: aten::gelu(Tensor self, *, str approximate=\"none\") -> Tensor\n"
      "  meaning: "));
  CHECK_NE(one.out.find("<- tract@0."), std::string::npos);
  CHECK(
      one.out.ends_with("  shapes: all tensors broadcast\n"
                        "  computes in: no common dtype: operands keep theirs\n"
                        "  integers: no bounds: results may be any integers\n"
                        "  elements: computed; complex ones by a rule, or refused\n"
                        "  signs of zeros: propagated\n"
                        "  traits: none\n"));
  CHECK(contains(sandbox.run({"ops", "aten::index_select"}).out,
                 "  shapes: by a rule\n"
                 "  computes in: no common dtype: operands keep theirs\n"
                 "  integers: within the operands' bounds\n"
                 "  elements: moved; complex ones as pairs\n"
                 "  signs of zeros: propagated\n"
                 "  traits: moves elements, indexes\n"));
  CHECK_NE(sandbox.run({"ops", "aten::add"}).out.find("aten::add.Tensor\n"), std::string::npos);
  CHECK_FALSE(contains(sandbox.run({"ops", "-t", "khronos"}).out, "tract_"));
  CHECK_FALSE(contains(sandbox.run({"ops", "-t", "khronos"}).out, "t2n_"));
  CHECK(contains(sandbox.run({"ops", "aten::bitwise_and", "-t", "khronos"}).out,
                 "    standard operations  "));
  check_failure(sandbox, {"ops", "aten::sofmax"}, 2,
                "error[usage]: the operator 'aten::sofmax' is not supported\n"
                "  help: did you mean 'aten::softmax'?\n");
  check_failure(sandbox, {"ops", "--missing"}, 2,
                "error[usage]: --missing needs a model\n"
                "  help: for example: t2nnef ops model.pt --missing\n");
}

TEST_CASE("operators without a translation: what takes their place, or why they are refused") {
  const Sandbox sandbox;
  const auto said = [&](const char* op) {
    const Result result = sandbox.run({"ops", op});
    CHECK_EQ(result.code, 0);
    CHECK(result.out.starts_with(op));
    return result.out;
  };
  const auto holds = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  for (const char* op : {"quantized::linear", "quantized::embedding_bag_2bit_rowwise_offsets",
                         "aten::_weight_int4pack_mm_for_cpu", "aten::quantize_per_tensor"})
    CHECK(holds(said(op), "by the pass expand-quantised"));
  CHECK(holds(said("quantized::linear_prepack"), "evaluated while the model is traced"));
  CHECK(holds(said("quantized::mul_out"), "refused: it is not on the list of operators"));
  CHECK(holds(said("aten::save"), "refused: operators that reach files"));
  CHECK_EQ(sandbox.run({"ops", "quantized::linearr"}).code, 2);
}

TEST_CASE("docs/operators.md is what `t2nnef ops --markdown` prints") {
  const Result made = Sandbox().run({"ops", "--markdown"});
  REQUIRE_EQ(made.code, 0);
  std::ifstream file(std::string(std::getenv("T2NNEF_SOURCE_DIR")) + "/docs/operators.md");
  const std::string kept{std::istreambuf_iterator<char>(file), {}};
  INFO("stale: run `make docs`");
  CHECK((kept == made.out));
}

TEST_CASE("only commands that need LibTorch load it") {
  const Sandbox sandbox({"text.pt"});
  const auto loads_torch = [&](const Arguments& arguments) {
    const Result result = sandbox.run(arguments, {{"LD_DEBUG", "files"}});
    CHECK_NE(result.err.find("libt2nnef.so"), std::string::npos);
    return result.err.find("torch") != std::string::npos;
  };
  CHECK_FALSE(loads_torch({"--help"}));
  CHECK_FALSE(loads_torch({"ops"}));
  CHECK_FALSE(loads_torch({"export", "text.pt"}));
  CHECK(loads_torch({"inspect", "text.pt"}));
}

TEST_CASE("a full standard output is a failure, a closed one is not") {
  const Sandbox sandbox;
  const std::string program = std::getenv("T2NNEF_PROGRAM");
  const std::string error = sandbox.path("err");
  const auto shell = [&](const std::string& command) {
    const int status = std::system(command.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  CHECK_EQ(shell(cat("'", program, "' ops >/dev/full 2>'", error, "'")), 8);
  CHECK_EQ(sandbox.content("err"), "error[cannot-write]: cannot write to standard output\n");
  CHECK_EQ(shell(cat("{ '", program, "' ops; echo $? >'", error, "'; } | head -n 1 >/dev/null")),
           0);
  CHECK_EQ(sandbox.content("err"), "0\n");
}

}  // namespace t2n::test
