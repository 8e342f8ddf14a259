// SPDX-License-Identifier: Apache-2.0
// The log of steps, bundles for debugging, dry runs and metadata, all of the real program.
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <regex>
#include <sstream>

#include "src/nnef/npz.h"
#include "tests/cli/program.h"

namespace t2n::test {
namespace {

namespace fs = std::filesystem;

struct DigitsSandbox : Sandbox {
  DigitsSandbox() {
    copy_fixture("digits_cnn/model.pt", "digits.pt");
    copy_fixture("variable_length/attention.pt", "attention.pt");
  }
};

std::vector<std::string> log_lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) out.push_back(line);
  return out;
}

/// The lines of steps, as "1/6 inputs".
std::vector<std::string> steps_in(const std::string& log) {
  static const std::regex kStep(R"(\[(\d+/\d+)\] (\S+( \S+)?) +\d+\.\d s.*)");
  std::vector<std::string> out;
  for (const std::string& line : log_lines(log))
    if (std::smatch found; std::regex_match(line, found, kStep))
      out.push_back(found[1].str() + " " + found[2].str());
  return out;
}

/// What the program prints to a terminal of 80 columns.
std::string on_terminal(const Sandbox& sandbox, const std::string& command) {
  int terminal = -1;
  winsize size{.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  REQUIRE_GE(child, 0);
  if (child == 0) {
    if (chdir(sandbox.folder().path().c_str()) == 0)
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  std::string out;
  char piece[4096];
  for (ssize_t got = 0; (got = read(terminal, piece, sizeof piece)) > 0;)
    out.append(piece, static_cast<size_t>(got));
  close(terminal);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK_EQ(status, 0);
  return out;
}

}  // namespace

TEST_CASE("-v prints each step at its end: its number, time, counts and first result") {
  const DigitsSandbox sandbox;
  const Result result = sandbox.run({"export", "digits.pt", "-t", "tract", "--check", "-v",
                                     "--report", "r.json", "-o", "out.tar"});
  CHECK_EQ(result.code, 0);
  CHECK_EQ(steps_in(result.err),
           std::vector<std::string>{"1/6 inputs", "2/6 names", "3/6 trace", "4/6 translate",
                                    "5/6 write", "6/6 check"});
  for (const std::string part :
       {"1 argument, 1 sample · ", " modules, ", " tensors · ", " operations, ", " constants, ",
        "= aten::", " statements, ", " variables, ", "bytes · out.tar", " input sets, 1 output · ",
        " ok, off by "})
    CHECK_MESSAGE(contains(result.err, part), part, result.err);
  const std::string report = sandbox.content("r.json");
  for (const std::string part : {R"("name": "inputs")", R"("name": "check")", R"("counts": {)",
                                 R"("statement": )", R"("result": "out.tar")"})
    CHECK_MESSAGE(contains(report, part), part);
}

TEST_CASE("a step that fails is the last line before the error") {
  const DigitsSandbox sandbox;
  const Result result =
      sandbox.run(export_of("digits.pt", {"-i", "nope=1,2", "-v", "--report", "r.json"}));
  CHECK_EQ(result.code, 2);
  const std::vector<std::string> lines = log_lines(result.err);
  CHECK_EQ(steps_in(result.err).back(), "3/5 trace");
  CHECK(contains(lines.at(2), "failed"));
  CHECK(lines.at(3).starts_with("error[input-unknown]"));
  CHECK(contains(sandbox.content("r.json"), R"("failed": true)"));
}

TEST_CASE("on a terminal the line of the running step grows, and no line is wider") {
  const DigitsSandbox sandbox;
  const std::string program = getenv("T2NNEF_PROGRAM");
  const std::string text =
      on_terminal(sandbox, program + " export digits.pt -t tract --check -v -o out.tar");
  CHECK(contains(text, "\r\033[K[4/6] translate…"));
  CHECK(contains(text, "\r\033[K[4/6] translate…  fold-constants"));
  CHECK(contains(text, "\r\033[K[6/6] check…"));
  const std::string open = on_terminal(
      sandbox, program + " export attention.pt -t tract --dynamic ids:1=S -v -o open.tar");
  CHECK(contains(open, "\r\033[K[3/5] trace…  at S="));
  for (const std::string& line : log_lines(text))
    if (line.starts_with("[")) CHECK_LE(line.size(), 80 + 8);  // "·", "…" and the line's end
}

TEST_CASE("a bundle has what an export read, computed and wrote") {
  const DigitsSandbox sandbox;
  const Result result = sandbox.run({"export", "digits.pt", "-t", "tract", "--check", "-o",
                                     "out.nnef.tgz", "--debug-bundle", "bundle"});
  REQUIRE_EQ(result.code, 0);
  const auto files = sandbox.listing();
  for (const std::string name :
       {"README.txt", "command.txt", "environment.txt", "log.txt", "report.json", "model.nnef.tgz",
        "graphs/00-trace.ir", "sets/00-samples/inputs.npz", "sets/00-samples/references.npz",
        "sets/00-samples/results.npz"})
    CHECK_MESSAGE(files.contains("bundle/" + name), name);
  CHECK((sandbox.content("bundle/model.nnef.tgz") == sandbox.content("out.nnef.tgz")));
  CHECK(sandbox.content("bundle/command.txt")
            .starts_with("t2nnef export digits.pt -t tract --check -o out.nnef.tgz "
                         "--debug-bundle bundle\n"));
  CHECK(contains(sandbox.content("bundle/environment.txt"), "processor"));
  CHECK(contains(sandbox.content("bundle/report.json"), R"("status": "ok")"));
  size_t graphs = 0;
  size_t results = 0;
  for (const auto& [name, content] : files) {
    graphs += name.starts_with("bundle/graphs/") && name.ends_with(".ir");
    results += name.ends_with("/results.npz");
  }
  CHECK_GE(graphs, 10);
  CHECK_GE(results, 3);
  const auto references = nnef::read_npz(sandbox.path("bundle/sets/00-samples/references.npz"));
  REQUIRE_EQ(references.size(), 1);
  CHECK_EQ(references[0].name, "output_0");
  CHECK_EQ(sandbox.run({"opt", "bundle/graphs/00-trace.ir", "--passes", "dead-code"}).code, 0);
}

TEST_CASE("a bundle remains when the trace or the check fails") {
  const DigitsSandbox sandbox;
  const Result differs =
      sandbox.run({"export", "digits.pt", "-t", "tract", "--check", "--tolerance", "0,0", "-o",
                   "out.tar", "--debug-bundle", "differs"});
  CHECK_EQ(differs.code, 5);
  CHECK(contains(differs.err, "the debug bundle is in "));
  CHECK_FALSE(fs::exists(sandbox.path("out.tar")));
  for (const std::string name : {"model.nnef.tgz", "sets/00-samples/results.npz"})
    CHECK(fs::exists(sandbox.path("differs/" + name)));
  CHECK(contains(sandbox.content("differs/log.txt"), "error[output-mismatch]"));
  CHECK(contains(sandbox.content("differs/report.json"), R"("exit_code": 5)"));
  const Result early =
      sandbox.run(export_of("digits.pt", {"-i", "nope=1,2", "--debug-bundle", "early"}));
  CHECK_EQ(early.code, 2);
  CHECK(contains(sandbox.content("early/log.txt"), "error[input-unknown]"));
  CHECK(contains(sandbox.content("early/report.json"), R"("name": "trace")"));
}

TEST_CASE("a bundle replaces nothing, and no artefact replaces a bundle") {
  const DigitsSandbox sandbox;
  sandbox.folder().write("mine/a.txt", "mine");
  sandbox.folder().write("file", "mine");
  for (const std::string name : {"mine", "file", "digits.pt"}) {
    const Result result = sandbox.run(export_of("digits.pt", {"--debug-bundle", name}));
    CHECK_EQ(result.code, 8);
    CHECK(contains(result.err, "error[output-exists]"));
  }
  CHECK_EQ(sandbox.content("mine/a.txt"), "mine");
  const Result inside = sandbox.run(export_of("digits.pt", {"--debug-bundle", "out.nnef"}));
  CHECK((inside.code == 2 || inside.code == 8));
}

TEST_CASE("a dry run checks everything, and writes no artefact") {
  const DigitsSandbox sandbox;
  const auto before = sandbox.listing();
  const Result result = sandbox.run(
      {"export", "digits.pt", "-t", "tract", "--check", "-o", "out.nnef.tgz", "--dry-run"});
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.out, "verdict"));
  CHECK(std::regex_search(result.out, std::regex("would write out.nnef.tgz  [0-9.]+ kB\n")));
  CHECK(sandbox.listing() == before);
  const Result stream = sandbox.run({"export", "digits.pt", "-t", "tract", "-o", "-", "--dry-run"});
  CHECK_EQ(stream.code, 0);
  CHECK_EQ(stream.out, "");
  CHECK(contains(stream.err, "would write standard output  "));
  sandbox.folder().write("folder/mine.txt", "mine");
  const Result refused =
      sandbox.run({"export", "digits.pt", "-t", "tract", "-o", "folder", "--dry-run"});
  CHECK_EQ(refused.code, 8);
  REQUIRE_EQ(sandbox.run({"export", "digits.pt", "-t", "tract", "-o", "old.tar", "-q"}).code, 0);
  const Result replaces = sandbox.run(
      {"export", "digits.pt", "-t", "tract", "-o", "old.tar", "--dry-run", "--report", "r.json"});
  CHECK(contains(replaces.out, ", in place of the existing one\n"));
  CHECK(contains(sandbox.content("r.json"), R"("dry_run": true)"));
}

TEST_CASE("metadata becomes properties that tract loads, and that a check accepts") {
  const DigitsSandbox sandbox;
  const Result result = sandbox.run(export_of(
      "digits.pt", {"--check", "--metadata", "author=me \"and\" you", "--metadata", "commit="}));
  CHECK_EQ(result.code, 0);
  const std::string text = sandbox.content("out.nnef/graph.nnef");
  CHECK(contains(text, R"(('author', 'me \"and\" you'))"));
  CHECK(contains(text, "('commit', '')"));
  CHECK(contains(sandbox.run({"inspect", "out.nnef"}).out, "author"));
  CHECK_EQ(sandbox.run({"check", "digits.pt", "out.nnef"}).code, 0);
  const auto fails = [&](const std::string& target, const Arguments& more,
                         const std::string& message) {
    Arguments arguments = {"export", "digits.pt", "-t", target, "-o", "no.tar"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    check_failure(sandbox, arguments, 2, "error[usage]: " + message);
  };
  fails("tract", {"--metadata", "author"},
        "--metadata 'author' is not of the form KEY=VALUE\n"
        "  help: write, for example, --metadata author=me\n");
  fails("tract", {"--metadata", "t2nnef_version=1"},
        "--metadata 't2nnef_version=1' has a key that begins with 't2nnef_'\n"
        "  help: keys with this prefix belong to t2nnef and tract; choose another one\n");
  fails("tract", {"--metadata", "a=1", "--metadata", "a=2"},
        "--metadata 'a=2' gives the same key again\n"
        "  help: give each key once\n");
  fails("tract", {"--metadata", "a=1\nb"},
        "--metadata 'a=1\\nb' contains a control character, or is not UTF-8\n"
        "  help: use one line of plain text\n");
  fails("khronos", {"--metadata", "a=1"},
        "--metadata has no place in a file for khronos@1.0.5\n"
        "  why:  strict NNEF has no properties\n"
        "  help: keep it elsewhere, or use --target tract\n");
}

}  // namespace t2n::test
