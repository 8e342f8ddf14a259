// SPDX-License-Identifier: Apache-2.0
// Engines that are missing, of the wrong series, slow, killed; and interruptions while one works.
#include <signal.h>
#include <unistd.h>

#include "tests/cli/program.h"

namespace t2n::test {
namespace {

struct WithDigits : Sandbox {
  WithDigits() { copy_fixture("digits_cnn/model.pt", "digits.pt"); }
};

const Arguments kChecked = {"export", "digits.pt", "-t", "tract", "--check"};
/// So many sets that the worker is still there when somebody looks for it.
const Arguments kLong = {"export", "digits.pt", "-t", "tract", "--check", "--seeds", "300"};

Arguments checked(const Arguments& more) {
  Arguments out = kChecked;
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

}  // namespace

TEST_CASE("no engine") {
  const WithDigits sandbox;
  const std::string rest =
      "  why:  looked at --engine, else at T2NNEF_TRACT_LIB and the active Python's wheel\n"
      "  help: run `pip install tract==0.23.9`, or set T2NNEF_TRACT_LIB to its library or folder\n";
  const std::string headline =
      "error[engine-not-found]: no tract engine found to run an export for tract@0.23.9\n";
  check_failure(sandbox, checked({"--engine", "tract"}), 7, headline + rest, no_engine());
  check_failure(sandbox, checked({"--strict"}), 7, headline + rest, no_engine());
  check_failure(sandbox, checked({"--engine", "nope.so"}), 7,
                "error[engine-not-found]: there is no tract library 'nope.so'\n"
                "  why:  No such file or directory\n"
                "  help: pass the path of tract's library, or of its folder, with --engine\n");
}

TEST_CASE("without an engine the reference interpreter checks, and says so") {
  const WithDigits sandbox;
  const Result result = sandbox.run(checked({"--report", "r.json"}), no_engine());
  CHECK_EQ(result.code, 0);
  CHECK(contains(sandbox.content("r.json"), "\"id\": \"engine-reference\""));
  CHECK(contains(sandbox.content("r.json"), "\"engine\": \"the reference interpreter\""));
  CHECK(result.err.starts_with(
      "warning[engine-reference]: no tract engine found to run an export for tract@0.23.9; the "
      "reference interpreter is used instead\n"
      "  why:  the interpreter follows the specification and tract's documentation; tract itself "
      "may differ\n"
      "  help: run `pip install tract==0.23.9`, or set T2NNEF_TRACT_LIB to its library or "
      "folder\n"));
  CHECK(result.out.starts_with("check: the reference interpreter vs LibTorch "));
  CHECK(contains(result.out, "\n  output_0  4,10   "));
  CHECK(contains(result.out, " ok\nreference: "));
  CHECK(contains(result.out, "\nwrote digits.nnef.tgz  "));

  const Result asked = sandbox.run(checked({"--engine", "reference"}), no_engine());
  CHECK_EQ(asked.code, 0);
  CHECK_FALSE(contains(asked.err, "warning"));
  CHECK(asked.out.starts_with("check: the reference interpreter vs LibTorch "));
}

TEST_CASE("the reference interpreter finds what differs, too") {
  const WithDigits sandbox;
  REQUIRE_EQ(sandbox.run({"export", "digits.pt", "-t", "tract", "-o", "m"}).code, 0);
  std::string text = sandbox.content("m/graph.nnef");
  text.replace(text.find("relu("), 5, "tanh(");
  sandbox.folder().write("m/graph.nnef", text);
  const Result result = sandbox.run({"check", "digits.pt", "m", "--engine", "reference"});
  CHECK_EQ(result.code, 5);
  CHECK(contains(result.out, " DIFFERS\n"));
  CHECK(contains(result.err,
                 "  why:  the reference interpreter computes other values than the model\n"));
  CHECK(
      contains(result.err, "  help: `t2nnef reduce digits.pt --against m` with the same options"));
}

TEST_CASE("strict NNEF is checked by the reference interpreter without further words") {
  const WithDigits sandbox;
  const Result result = sandbox.run({"export", "digits.pt", "-t", "khronos", "--check", "-o", "m"});
  CHECK_EQ(result.code, 0);
  CHECK(result.out.starts_with("check: the reference interpreter vs LibTorch "));
  CHECK_FALSE(contains(result.err, "warning"));
  CHECK(sandbox.run({"check", "digits.pt", "m"}).out.starts_with("check: the reference "));
  CHECK(sandbox.run({"run", "m"}).out.starts_with("run: the reference interpreter\n"));
  CHECK_EQ(sandbox.run({"export", "digits.pt", "-t", "tract", "-o", "t"}).code, 0);
  CHECK_EQ(sandbox.run({"diff", "m", "t"}).code, 9);
}

TEST_CASE("versions that the target does not allow") {
  const WithDigits sandbox;
  check_failure(
      sandbox, checked({"--engine", "tract@0.21.19"}), 7,
      "error[engine-version]: tract@0.21.19 cannot run artefacts for tract@0.23.9\n"
      "  why:  an engine serves targets of its own series (0.x) that are not newer than it\n"
      "  help: export for this engine with --target tract@0.21.19\n");
  check_failure(
      sandbox, checked({"--engine", "tract@0.10.0"}), 7,
      "error[engine-version]: tract@0.10.0 cannot run artefacts for tract@0.23.9\n"
      "  why:  an engine serves targets of its own series (0.x) that are not newer than it\n"
      "  help: use an engine for this target: --engine tract@0.23.9\n");
  check_failure(sandbox, checked({"--engine", "refrence"}), 2,
                "error[usage]: there is no engine 'refrence'\n"
                "  why:  engines are auto, reference, tract, tract@VERSION, and the path of "
                "tract's library\n"
                "  help: did you mean 'reference'?\n");
}

TEST_CASE("an engine of another series") {
  const auto newest = engine(23);
  if (!newest) return;
  const WithDigits sandbox;
  const auto before = sandbox.listing();
  const Result result = sandbox.run(
      {"export", "digits.pt", "-t", "tract@0.22.4", "--check", "--engine", newest->library});
  CHECK_EQ(result.code, 7);
  CHECK(result.err.starts_with(
      "error[engine-version]: no engine found can serve tract@0.22.4\n   tract 0.23."));
  CHECK(sandbox.listing() == before);
}

TEST_CASE("a check that does not end in time") {
  if (!engine(23)) return;
  const WithDigits sandbox;
  const auto before = sandbox.listing();
  const Result result = sandbox.run(checked({"--timeout", "0.001"}));
  CHECK_EQ(result.code, 124);
  CHECK(result.err.starts_with("error[timeout]: stopped after 0.001 s while "));
  CHECK(sandbox.listing() == before);
}

TEST_CASE("an engine that somebody kills") {
  if (!engine(23)) return;
  const WithDigits sandbox;
  const auto before = sandbox.listing();
  Running program(kLong, sandbox.folder().path(), {});
  const auto worker = program.worker();
  REQUIRE(worker.has_value());
  kill(*worker, SIGKILL);
  const Result result = program.wait();
  CHECK_EQ(result.code, 6);
  CHECK(result.err.starts_with("error[engine-crashed]: "));
  CHECK_NE(result.err.find(" crashed (SIGKILL) while "), std::string::npos);
  CHECK(sandbox.listing() == before);
}

TEST_CASE("reports of a process that a signal ends, or that crashes") {
  if (!engine(23)) return;
  struct End {
    int signal;
    const char* code;
    const char* message;
  };
  for (const End& end : {End{SIGTERM, "\"exit_code\": 130,\n", "stopped by a signal"},
                         End{SIGSEGV, "\"exit_code\": 1,\n", "crashed (SIGSEGV)"}}) {
    CAPTURE(end.signal);
    const WithDigits sandbox;
    Arguments arguments = kLong;
    arguments.insert(arguments.end(), {"--report", "r.json"});
    Running program(arguments, sandbox.folder().path(), {});
    REQUIRE(program.worker().has_value());
    kill(program.pid(), end.signal);
    const Result result = program.wait();
    CHECK(contains(result.err, end.message));
    const std::string report = sandbox.content("r.json");
    CHECK(contains(report, "\"status\": \"failed\""));
    CHECK(contains(report, end.code));
    CHECK(contains(report, end.message));
  }
}

TEST_CASE("interrupted while the engine works") {
  if (!engine(23)) return;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    CAPTURE(signal);
    const WithDigits sandbox;
    const auto before = sandbox.listing();
    Running program(kLong, sandbox.folder().path(), {});
    const auto worker = program.worker();
    REQUIRE(worker.has_value());
    kill(*worker, SIGSTOP);  // the program waits; the artefact waits beside its destination
    kill(program.pid(), signal);
    const Result result = program.wait();
    CHECK_EQ(result.code, 130);
    CHECK_EQ(result.err, "error[interrupted]: stopped by a signal\n");
    CHECK(sandbox.listing() == before);
  }
}

TEST_CASE("a model that shrinks while it is in use") {
  if (!engine(23)) return;
  const WithDigits sandbox;
  Running program(kLong, sandbox.folder().path(), {});
  const auto worker = program.worker();
  REQUIRE(worker.has_value());
  kill(*worker, SIGSTOP);
  REQUIRE_EQ(truncate(sandbox.path("digits.pt").c_str(), 0), 0);
  const auto before = sandbox.listing();
  kill(*worker, SIGCONT);
  const Result result = program.wait();
  CHECK_EQ(result.code, 3);
  CHECK(result.err.starts_with("error[model-"));
  CHECK_EQ(sandbox.listing().size(), 1);
}

}  // namespace t2n::test
