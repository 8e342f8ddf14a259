// SPDX-License-Identifier: Apache-2.0
// What a command may take: time, memory, and what a small artefact can ask for.
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "tests/cli/program.h"

namespace t2n::test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kBound(10);

/// An artefact m/ whose graph net(x) -> (y) has this body.
void write_model(const Sandbox& sandbox, const std::string& body, const std::string& head = "") {
  sandbox.folder().write("m/graph.nnef",
                         "version 1.0;\n" + head + "graph net(x) -> (y) {\n" + body + "}\n");
}

/// It ends in time, with this code and headline.
void ends(const Sandbox& sandbox, const Arguments& arguments, int code,
          const std::string& headline) {
  std::string line;
  for (const std::string& argument : arguments) line += argument + " ";
  CAPTURE(line);
  const auto begin = Clock::now();
  const Result result = sandbox.run(arguments, no_engine());
  CHECK(Clock::now() - begin < kBound);
  CHECK_EQ(result.code, code);
  CHECK_EQ(result.err.substr(0, result.err.find('\n')), headline);
}

const Arguments kRun = {"run", "m", "--engine", "reference"};
const std::string kInput = "x = external<scalar>(shape = [1, 4]);\n";
const std::string kFragments = "extension KHR_enable_fragment_definitions;\n";

}  // namespace

TEST_CASE("values of --timeout and --max-memory, which every command has") {
  const Sandbox sandbox;
  for (const std::string command : {"export", "check", "inspect", "run", "diff", "ops"}) {
    CAPTURE(command);
    const Result time = sandbox.run({command, "a", "--timeout", "0"});
    CHECK_EQ(time.code, 2);
    CHECK(contains(time.err, "--timeout is 0, not a number of seconds from 0.001 to 1000000"));
    for (const std::string size : {"lots", "-1G", "1", "1e40G", "nan"}) {
      const Result memory = sandbox.run({command, "a", "--max-memory=" + size});
      CHECK_EQ(memory.code, 2);
      CHECK(contains(memory.err,
                     "--max-memory is '" + size + "', not a memory size of at least 64Mi"));
    }
  }
}

TEST_CASE("reports of a process that ends early") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  // Before the model is read.
  const Result at_once = sandbox.run(
      {"export", "digits.pt", "-t", "tract", "--timeout", "0.001", "--report", "at_once.json"});
  CHECK_EQ(at_once.code, 124);
  CHECK(contains(sandbox.content("at_once.json"), "\"message\": \"stopped after 0.001 s while "));
  // Long enough to begin, and too short for an engine.
  const Arguments command = {"export", "digits.pt", "-t", "tract", "--check", "--timeout", "0.03"};
  Arguments reported = command, annotated = command;
  reported.insert(reported.end(), {"--report", "r.json", "--report", "r.md"});
  annotated.insert(annotated.end(), {"--format", "github"});
  const Result result = sandbox.run(reported);
  CHECK_EQ(result.code, 124);
  CHECK(result.err.starts_with("error[timeout]: stopped after 0.03 s while "));
  const std::string report = sandbox.content("r.json");
  CHECK(contains(report, "\"status\": \"failed\",\n  \"exit_code\": 124,\n"));
  CHECK(contains(report, "\"id\": \"timeout\",\n"));
  CHECK(contains(report, "\"message\": \"stopped after 0.03 s while "));
  CHECK(contains(report, "\"help\": \"raise --timeout\"\n"));
  CHECK(contains(sandbox.content("r.md"), "stopped after 0.03 s while "));
  const Result workflow = sandbox.run(annotated);
  CHECK_EQ(workflow.code, 124);
  CHECK(contains(workflow.out, "::error"));
  CHECK(contains(workflow.out, "stopped after 0.03 s while "));
}

TEST_CASE("--max-memory raises the bound of a single tensor") {
  const Sandbox sandbox;
  const std::string model =
      std::string(std::getenv("T2NNEF_BAD_FILES")) + "/hostile/3_much_at_once.pt";
  const Arguments command = {"inspect", model, "-i", "x=4,f32"};
  const Result refused = sandbox.run(command, no_engine());
  CHECK_EQ(refused.code, 3);
  CHECK(refused.err.starts_with(
      "error[trace-limit]: the model makes a tensor of 1200000000 bytes\n"));
  Arguments larger = command;
  larger.insert(larger.end(), {"--max-memory", "4G"});
  CHECK_EQ(sandbox.run(larger, no_engine()).code, 0);
}

TEST_CASE("deflated records without a reference take no memory") {
  const Sandbox sandbox;
  const std::string model =
      std::string(std::getenv("T2NNEF_BAD_FILES")) + "/hostile/0_unused_storage.pt";
  CHECK_EQ(sandbox.run({"inspect", model, "--max-memory", "400M"}, no_engine()).code, 0);
}

TEST_CASE("a command that takes too long is stopped, and leaves nothing") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  const auto before = sandbox.listing();
  const Result result =
      sandbox.run({"export", "digits.pt", "-t", "tract", "--timeout", "0.001"}, no_engine());
  CHECK_EQ(result.code, 124);
  CHECK(result.err.starts_with("error[timeout]: stopped after 0.001 s while "));
  CHECK(contains(result.err, "  why:  --timeout limits the whole command\n"));
  CHECK(sandbox.listing() == before);
  CHECK_EQ(sandbox.run({"export", "digits.pt", "-t", "tract", "--timeout", "60"}, no_engine()).code,
           0);
}

TEST_CASE("a command that takes too much memory is stopped, and leaves nothing") {
  const Sandbox sandbox;
  write_model(sandbox, "x = external<scalar>(shape = [1]);\ny = tile(x, repeats = [100000000]);\n");
  const auto before = sandbox.listing();
  const Result result = sandbox.run(
      {"run", "m", "--engine", "reference", "--max-memory", "256M", "-o", "out.npz"}, no_engine());
  CHECK_EQ(result.code, 3);
  CHECK(result.err.starts_with("error[memory-limit]: "));
  CHECK(contains(result.err, "256.0 MB"));
  CHECK(sandbox.listing() == before);
}

TEST_CASE("arrays, texts and recursion that grow without bound") {
  const Sandbox sandbox;
  std::string doubled = kInput + "a0 = [1.0];\n";
  for (int i = 1; i <= 60; ++i) doubled += cat("a", i, " = a", i - 1, " + a", i - 1, ";\n");
  write_model(sandbox, doubled + "y = neg(x);\n");
  ends(sandbox, kRun, 3, "error[nnef-limit]: an array or a text of more than 1000000 items");

  std::string nested = kInput + "a0 = [1.0];\n";
  for (int i = 1; i <= 60; ++i) nested += cat("a", i, " = [a", i - 1, ", a", i - 1, "];\n");
  write_model(sandbox, nested + "y = neg(x);\n");
  ends(sandbox, kRun, 3, "error[nnef-limit]: an array or a text of more than 1000000 items");

  std::string deep = kInput + "a0 = [1.0];\n";
  for (int i = 1; i <= 100000; ++i) deep += cat("a", i, " = [a", i - 1, "];\n");
  write_model(sandbox, deep + "y = neg(x);\n");
  ends(sandbox, kRun, 3, "error[nnef-limit]: arrays are nested more than 64 levels deep");

  std::string text = kInput + "s0 = 'a';\n";
  for (int i = 1; i <= 60; ++i) text += cat("s", i, " = s", i - 1, " + s", i - 1, ";\n");
  write_model(sandbox, text + "y = neg(x);\n");
  ends(sandbox, kRun, 3, "error[nnef-limit]: an array or a text of more than 1000000 items");

  std::string calls = "fragment f0(x: tensor<scalar>) -> (y: tensor<scalar>) { y = neg(x); }\n";
  for (int i = 1; i <= 40; ++i)
    calls += cat("fragment f", i, "(x: tensor<scalar>) -> (y: tensor<scalar>) { a = f", i - 1,
                 "(x); y = f", i - 1, "(a); }\n");
  write_model(sandbox, kInput + "y = f40(x);\n", kFragments + calls);
  ends(sandbox, kRun, 3,
       "error[nnef-limit]: the graph is more than 1000000 statements once its fragments are "
       "expanded");
  ends(sandbox, {"diff", "m", "m"}, 3,
       "error[nnef-limit]: the graph is more than 1000000 statements once its fragments are "
       "expanded");

  const std::string sum = [] {
    std::string out = "x";
    for (int i = 0; i < 900; ++i) out += " + x";
    return out;
  }();
  std::string tower =
      cat("fragment f0(x: tensor<scalar>) -> (y: tensor<scalar>) { y = ", sum, "; }\n");
  for (int i = 1; i <= 200; ++i)
    tower += cat("fragment f", i, "(x: tensor<scalar>) -> (y: tensor<scalar>) { y = f", i - 1,
                 "(x) + ", sum, "; }\n");
  write_model(sandbox, kInput + "y = f200(x);\n", kFragments + tower);
  ends(sandbox, kRun, 3, "error[nnef-limit]: expressions are nested more than 1200 levels deep");
}

TEST_CASE("tensors that grow without bound") {
  const Sandbox sandbox;
  write_model(sandbox, "x = external<scalar>(shape = [2000000000]);\ny = neg(x);\n");
  ends(sandbox, kRun, 3, "error[nnef-limit]: the artefact declares the input 'x f32[2000000000]'");
  write_model(sandbox, "x = external<scalar>(shape = [4294967296, 4294967296, 9]);\ny = neg(x);\n");
  ends(sandbox, kRun, 3,
       "error[input-shape]: cannot generate random values of f32[4294967296,4294967296,9]");
  const std::string limit = "error[nnef-limit]: the tensors would take more than 536.9 MB";
  for (const std::string body : {"y = tile(x, repeats = [1000000000, 1]);\n",
                                 "y = pad(x, padding = [(0, 0), (0, 4000000000)]);\n",
                                 "y = tile(tile(tile(x, repeats = [10000, 1]), repeats = [1, "
                                 "10000]), repeats = [10, 10]);\n"}) {
    write_model(sandbox, kInput + body);
    ends(sandbox, kRun, 3, limit);
  }
}

TEST_CASE("lists of the wrong length, sizes that overflow") {
  const Sandbox sandbox;
  const std::string head = "extension tract_registry tract_core;\n";
  const std::string most = "9223372036854775807";
  const std::string least = "-9223372036854775808";
  // None of them aborts, hangs or is called a bug; which words are said is the kernel's.
  for (const std::string& body :
       {cat("y = deconv(x, x, padding = [(-2147483648, 2), (0, 0)], stride = [3], dilation = [], "
            "output_shape = [-2147483648, 0, 2, ",
            least, ", 3], groups = 1);\n"),
        cat("y = conv(x, x, padding = [(", most, ", ", most, ")], stride = [", most, "]);\n"),
        cat("y = box(x, size = [", most, ", ", most, "]);\n"),
        cat("y = max_pool(x, size = [1, 2], dilation = [", most, ", ", most, "]);\n"),
        cat("y = slice(x, axes = [0, 1, 2], begin = [0], end = [", least, "]);\n"),
        cat("y = pad(x, padding = [(", least, ", ", most, ")]);\n"),
        cat("y = reshape(x, shape = [", most, ", ", most, "]);\n"),
        cat("y = tile(x, repeats = [", most, "]);\n"),
        cat("y = tile(x, repeats = [-1, 2]);\n"),
        cat("y = transpose(x, axes = [", least, "]);\n"),
        cat("y = squeeze(x, axes = [7, ", most, "]);\n"),
        cat("y = unsqueeze(x, axes = [", most, "]);\n"),
        cat("y = split(x, axis = 9, ratios = []);\n"),
        cat("y = concat([], axis = 0);\n"),
        cat("y = stack([x], axis = ", most, ");\n"),
        cat("y = multilinear_upsample(x, factor = [", most, "]);\n"),
        cat("y = nearest_downsample(x, factor = [0, 0, 0]);\n"),
        cat("a = -(", least, ");\ny = neg(x);\n"),
        cat("a = ", least, " / -1;\ny = neg(x);\n"),
        cat("a = ['a', 'b'][", most, "];\ny = neg(x);\n"),
        cat("y = local_response_normalization(x, size = [1, ", most, "]);\n"),
        cat("y = tract_core_broadcast(x, shape = [5, 5, 4294967296, 3, 2]);\n"),
        cat("y = sum_reduce(tract_core_broadcast(x, shape = [4294967296, 4294967296, 4]), axes = "
            "[0]);\n")}) {
    CAPTURE(body);
    sandbox.folder().write("m/graph.nnef", "version 1.0;\n" + head + "graph net(x) -> (y) {\n" +
                                               kInput + body + "}\n");
    const auto begin = Clock::now();
    const Result result = sandbox.run(kRun, no_engine());
    CHECK(Clock::now() - begin < kBound);
    CAPTURE(result.err);
    CHECK((result.code == 0 || result.code == 3 || result.code == 6));
  }
}

TEST_CASE("a graph whose results nobody computes") {
  const Sandbox sandbox;
  write_model(sandbox, kInput + "z = neg(x);\n");
  fs::copy(sandbox.path("m"), sandbox.path("n"));
  for (const Arguments& arguments :
       {kRun, Arguments{"diff", "m", "n"}, Arguments{"diff", "n", "m"}})
    ends(sandbox, arguments, 3, "error[nnef-invalid]: the result 'y' is never assigned");
}

TEST_CASE("an engine that hangs, and a file that is no engine, do not hide others") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  sandbox.folder().write("libtract-bad.so", "no library");
  fs::create_directory(sandbox.path("empty"));
  const Variables bad = {
      {"T2NNEF_TRACT_LIB", cat(sandbox.path("libtract-bad.so"), ":", sandbox.path("empty"))},
      {"PATH", ""},
      {"VIRTUAL_ENV", std::nullopt}};
  const Result none =
      sandbox.run({"export", "digits.pt", "-t", "tract", "--check", "--engine", "tract"}, bad);
  CHECK_EQ(none.code, 7);
  CHECK(none.err.starts_with("error[engine-not-found]: no tract engine found"));
  CHECK(contains(none.err, "libtract-bad.so': cannot load the engine: "));
  if (const auto newest = engine(23)) {
    Variables good = bad;
    good[0].second = cat(*bad[0].second, ":", newest->library);
    const Result found =
        sandbox.run({"export", "digits.pt", "-t", "tract", "--check", "--engine", "tract"}, good);
    CHECK_EQ(found.err.find("error"), std::string::npos);
    CHECK_EQ(found.code, 0);
  }
}

TEST_CASE("Python is neither taken from the current folder nor steered by it") {
  Sandbox sandbox;
  sandbox.copy_fixture("digits_cnn/model.pt", "digits.pt");
  const std::string trap = cat("#!/bin/sh\ntouch ", sandbox.path("started"), "\n");
  for (const std::string name : {"python", "python3"}) {
    fs::permissions(sandbox.folder().write(name, trap), fs::perms::owner_all);
  }
  for (const std::string path : {"", ":", ".", ":/nowhere", "/nowhere:"}) {
    CAPTURE(path);
    const Variables variables = {
        {"T2NNEF_TRACT_LIB", ""}, {"PATH", path}, {"VIRTUAL_ENV", std::nullopt}};
    sandbox.run({"export", "digits.pt", "-t", "tract", "--check"}, variables);
    CHECK_FALSE(fs::exists(sandbox.path("started")));
  }
}

TEST_CASE("an artefact cannot write to the terminal") {
  const Sandbox sandbox;
  sandbox.folder().write(
      "m/graph.nnef",
      "version 1.0;\nextension \x1b]0;gone\x07;\ngraph i\"n\x1b[2J\"(x) -> (y) {\n" + kInput +
          "y = i\"\xc2\x9b"
          "31m\"(x);\n}\n");
  for (const Arguments& arguments :
       {Arguments{"inspect", "m"}, Arguments{"inspect", "m", "--graph"},
        Arguments{"inspect", "m", "--json"}, kRun, Arguments{"diff", "m", "m"}}) {
    const Result result = sandbox.run(arguments, no_engine());
    const std::string said = result.out + result.err;
    for (const std::string part : {"\x1b", "\x07", "\xc2\x9b"}) CHECK_FALSE(contains(said, part));
  }
}

}  // namespace t2n::test
