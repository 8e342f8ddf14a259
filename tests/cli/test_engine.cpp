// Engines that are missing, of the wrong series, slow, killed; and interruptions while one works.
#include <signal.h>
#include <unistd.h>

#include "tests/cli/program.h"

namespace t2n::test {
namespace {

const Arguments kChecked = {"export", "digits.pt", "-t", "tract", "--check"};

Arguments checked(const Arguments& more) {
  Arguments out = kChecked;
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

}  // namespace

TEST_CASE("no engine") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  const std::string rest =
      "  why:  looked at --engine, else at T2NNEF_TRACT_LIB and the active Python's wheel\n"
      "  help: run `pip install tract==0.23.9`, or set T2NNEF_TRACT_LIB to its library or folder\n";
  const std::string headline =
      "error[engine-not-found]: no tract engine found to run an export for tract@0.23.9\n";
  check_failure(sandbox, kChecked, 7, headline + rest, no_engine());
  check_failure(sandbox, checked({"--engine", "nope.so"}), 7,
                headline + "   'nope.so' holds no tract library\n" + rest);
}

TEST_CASE("an engine of another series") {
  const auto newest = engine(23);
  if (!newest) return;
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  const auto before = sandbox.listing();
  const Result result = sandbox.run(
      {"export", "digits.pt", "-t", "tract@0.20.0", "--check", "--engine", newest->library});
  CHECK_EQ(result.code, 7);
  CHECK(
      result.err.starts_with("error[engine-version]: no engine found may stand for "
                             "tract@0.20.0\n   tract 0.23."));
  CHECK(sandbox.listing() == before);
}

TEST_CASE("an engine that does not answer in time") {
  const auto newest = engine(23);
  if (!newest) return;
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  const auto before = sandbox.listing();
  const Result result = sandbox.run(checked({"--timeout", "0.001"}));
  CHECK_EQ(result.code, 124);
  CHECK(result.err.starts_with("error[engine-timeout]: "));
  CHECK(sandbox.listing() == before);
}

TEST_CASE("an engine that somebody kills") {
  if (!engine(23)) return;
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  const auto before = sandbox.listing();
  Running program(kChecked, sandbox.folder().path(), {});
  const auto worker = program.worker();
  REQUIRE(worker.has_value());
  kill(*worker, SIGKILL);
  const Result result = program.wait();
  CHECK_EQ(result.code, 6);
  CHECK(result.err.starts_with("error[engine-crashed]: "));
  CHECK_NE(result.err.find(" crashed (SIGKILL) while "), std::string::npos);
  CHECK(sandbox.listing() == before);
}

TEST_CASE("interrupted while the engine works") {
  if (!engine(23)) return;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    CAPTURE(signal);
    Sandbox sandbox;
    sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
    const auto before = sandbox.listing();
    Running program(kChecked, sandbox.folder().path(), {});
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
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  Running program(kChecked, sandbox.folder().path(), {});
  const auto worker = program.worker();
  REQUIRE(worker.has_value());
  kill(*worker, SIGSTOP);
  REQUIRE_EQ(truncate(sandbox.path("digits.pt").c_str(), 0), 0);
  const auto before = sandbox.listing();
  kill(*worker, SIGCONT);
  const Result result = program.wait();
  CHECK_EQ(result.code, 3);
  CHECK(result.err.starts_with("error[model-corrupt]: "));
  CHECK_EQ(sandbox.listing().size(), 1);
}

}  // namespace t2n::test
