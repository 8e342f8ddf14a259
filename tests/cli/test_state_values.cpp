// SPDX-License-Identifier: Apache-2.0
// First values of states: where an artefact has them, who reads them, and runs that feed states
// back.
#include <filesystem>

#include "nnef_writer/npz.h"
#include "src/nnef/npz.h"
#include "tests/cli/program.h"

namespace t2n::test {
namespace {

namespace fs = std::filesystem;

ir::Tensor all_of(const ir::Ints& shape, float value) {
  return f32(shape, std::vector<float>(static_cast<size_t>(ir::element_count(shape)), value));
}

void write_array(const Sandbox& sandbox, const std::string& file, const std::string& name,
                 const ir::Tensor& value) {
  nnef::write_npz(std::vector<nnef::NamedTensor>{{name, value}}, sandbox.path(file));
}

std::map<std::string, ir::Tensor> state_arrays(const Sandbox& sandbox, const std::string& file) {
  std::map<std::string, ir::Tensor> out;
  for (nnef::NamedTensor& array : nnef::read_npz(fs::path(sandbox.path(file))))
    out.emplace(array.name, std::move(array.value));
  return out;
}

/// tract's engine if there is one, and the reference interpreter.
std::vector<std::string> both_engines() {
  return engine(23) ? std::vector<std::string>{"tract", "reference"}
                    : std::vector<std::string>{"reference"};
}

/// Counter: count starts at 0, kept at ones; y = x * (count + 1) + kept.
void check_counter_steps(const Sandbox& sandbox, const std::string& artefact) {
  write_array(sandbox, "x.npz", "x", all_of({2, 3}, 2));
  for (const std::string& engine : both_engines()) {
    CAPTURE(artefact);
    CAPTURE(engine);
    const Arguments run = {"run", artefact, "-i", "x.npz", "-o", "y.npz", "--engine", engine};
    const Result once = sandbox.run(run);
    CHECK_EQ(once.err, "");
    CHECK(ir::same_values(state_arrays(sandbox, "y.npz").at("output_0"), all_of({2, 3}, 3)));
    Arguments steps = run;
    steps.insert(steps.end(), {"--steps", "3"});
    const Result result = sandbox.run(steps);
    CHECK_EQ(result.err, "");
    CHECK(contains(result.out, ", 3 steps, state: count_next -> count, kept_next -> kept\n"));
    const auto outputs = state_arrays(sandbox, "y.npz");
    const ir::Tensor y = outputs.at("output_0");
    CHECK_EQ(y.shape, ir::Ints{3, 2, 3});
    CHECK_EQ(ir::element_f64(y, 0), 3);
    CHECK_EQ(ir::element_f64(y, 6), 7);
    CHECK_EQ(ir::element_f64(y, 17), 13);
    CHECK(ir::same_values(outputs.at("count_next"), all_of({1}, 3)));
    CHECK(ir::same_values(outputs.at("kept_next"), all_of({2, 3}, 13)));
  }
}

/// Sums x into h, and declares no states.
void write_sum(const Sandbox& sandbox) {
  sandbox.folder().write("m/graph.nnef",
                         "version 1.0;\nextension tract_registry tract_core;\n"
                         "graph net(x, h) -> (y, s) {\n"
                         "x = tract_core_external(shape = [2], datum_type = 'f32');\n"
                         "h = tract_core_external(shape = [2], datum_type = 'f32');\n"
                         "s = add(x, h);\ny = mul(s, 2.0);\n}\n");
}

}  // namespace

TEST_CASE("first values stand in the artefact as properties and as arrays") {
  const Sandbox sandbox({"Counter.pt"});
  CHECK_EQ(sandbox.run(export_of("Counter.pt", {"-i", "x=2,3", "--state"})).code, 0);
  const std::string graph = sandbox.content("out.nnef/graph.nnef");
  CHECK(contains(graph, "('t2nnef_state.count', 'count_next'), ('t2nnef_initial.count', [0.0]),"));
  CHECK(contains(graph, "('t2nnef_initial.kept', [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]])"));
  const auto states = state_arrays(sandbox, "out.nnef/states.npz");
  CHECK_EQ(states.size(), 2);
  CHECK(ir::same_values(states.at("count"), all_of({1}, 0)));
  CHECK(ir::same_values(states.at("kept"), all_of({2, 3}, 1)));
  // The folder is still an artefact, which may be replaced.
  CHECK_EQ(sandbox.run(export_of("Counter.pt", {"-i", "x=2,3", "--state"})).code, 0);
  CHECK_EQ(sandbox.run(export_of("Counter.pt", {"-i", "x=2,3", "--state", "--check"})).code, 0);
}

TEST_CASE("an artefact without states is what it was") {
  const Sandbox sandbox({"MadeOnDemand.pt"});
  CHECK_EQ(sandbox.run(export_of("MadeOnDemand.pt", {"-i", "x=2,3", "--state"})).code, 0);
  CHECK_FALSE(fs::exists(sandbox.path("out.nnef/states.npz")));
  CHECK_FALSE(contains(sandbox.content("out.nnef/graph.nnef"), "t2nnef_state"));
}

TEST_CASE("the same export gives the same bytes, and tract reads them") {
  const Sandbox sandbox({"Counter.pt"});
  const auto export_to = [&](const std::string& path) {
    return sandbox.run(
        {"export", "Counter.pt", "-t", "tract", "-i", "x=2,3", "--state", "-o", path});
  };
  for (const std::string path : {"a.nnef.tgz", "b.nnef.tgz", "c.nnef.tar"})
    CHECK_EQ(export_to(path).code, 0);
  CHECK(sandbox.content("a.nnef.tgz") == sandbox.content("b.nnef.tgz"));
  check_counter_steps(sandbox, "a.nnef.tgz");
  check_counter_steps(sandbox, "c.nnef.tar");
}

TEST_CASE("a value of the user, and one that is no literal") {
  const Sandbox sandbox({"Accumulator.pt"});
  write_array(sandbox, "h.npz", "h", all_of({2, 3}, 0.25F));
  CHECK_EQ(
      sandbox.run(export_of("Accumulator.pt", {"--state", "-i", "x=2,3", "-i", "h=@h.npz"})).code,
      0);
  CHECK(
      ir::same_values(state_arrays(sandbox, "out.nnef/states.npz").at("h"), all_of({2, 3}, 0.25F)));
  // A shape is no value: the model's own is used if it fits, here it does not.
  const Result large =
      sandbox.run(export_of("Accumulator.pt", {"--state", "-i", "x=40,2,3", "-i", "h=40,2,3"}));
  CHECK_EQ(large.code, 0);
  CHECK_FALSE(contains(sandbox.content("out.nnef/graph.nnef"), "t2nnef_initial"));
  CHECK_EQ(state_arrays(sandbox, "out.nnef/states.npz").at("h").shape, ir::Ints{40, 2, 3});
}

TEST_CASE("a shape for a growing state keeps the model's own value") {
  const Sandbox sandbox({"GrowingCache.pt"});
  const auto first = [&](const std::string& past) {
    const Result result =
        sandbox.run(export_of("GrowingCache.pt", {"--state", "-i", "x=1,2,3", "-i", past,
                                                  "--dynamic", "past:1=P", "--dynamic", "x:1=S"}));
    CHECK_EQ(result.code, 0);
    return state_arrays(sandbox, "out.nnef/states.npz").at("past");
  };
  CHECK(ir::same_values(first("past=1,6,3"), all_of({1, 4, 3}, 1)));
  CHECK_EQ(first("past=1,0,3").shape, ir::Ints{1, 0, 3});
  for (const std::string& engine : both_engines()) {
    CAPTURE(engine);
    const Result result = sandbox.run(
        {"run", "out.nnef", "-i", "x=1,2,3", "--steps", "4", "-o", "y.npz", "--engine", engine});
    CHECK_EQ(result.err, "");
    CHECK_EQ(state_arrays(sandbox, "y.npz").at("past_next").shape, ir::Ints{1, 8, 3});
    CHECK_EQ(state_arrays(sandbox, "y.npz").at("output_0").shape, ir::Ints{4, 1, 2, 3});
  }
}

TEST_CASE("inspect shows pairs and first values") {
  const Sandbox sandbox({"StreamingConv.pt"});
  CHECK_EQ(sandbox.run(export_of("StreamingConv.pt", {"-i", "x=1,3,8", "--state"})).code, 0);
  const Result result = sandbox.run({"inspect", "out.nnef"});
  CHECK_EQ(result.code, 0);
  CHECK(contains(result.out,
                 "states:\n"
                 "  buf_next -> buf  first f32[1,3,4] = 0\n"
                 "  pos_next -> pos  first i64[1] = 0\n"));
  CHECK(contains(result.out, "  t2nnef run out.nnef -i x=1,3,8,f32 -o out.npz\n"));
  CHECK_FALSE(contains(result.out, "t2nnef_state"));
  const Result json = sandbox.run({"inspect", "out.nnef", "--json"});
  CHECK(contains(json.out,
                 "      \"input\": \"pos\",\n"
                 "      \"output\": \"pos_next\",\n"
                 "      \"initial\": {\n"
                 "        \"dtype\": \"i64\",\n"));
}

TEST_CASE("strict NNEF has the values in its file, and the pairs in its order") {
  const Sandbox sandbox({"Counter.pt"});
  CHECK_EQ(sandbox
               .run({"export", "Counter.pt", "-t", "khronos", "-i", "x=2,3", "--state", "-o",
                     "out.nnef", "--check"})
               .code,
           0);
  write_array(sandbox, "x.npz", "x", all_of({2, 3}, 2));
  const Result result = sandbox.run(
      {"run", "out.nnef", "-i", "x.npz", "--steps", "3", "-o", "y.npz", "--engine", "reference"});
  CHECK_EQ(result.err, "");
  CHECK(ir::same_values(state_arrays(sandbox, "y.npz").at("kept_next"), all_of({2, 3}, 13)));
}

TEST_CASE("states have the names of the artefact") {
  const Sandbox sandbox({"Counter.pt"});
  CHECK_EQ(sandbox
               .run(export_of("Counter.pt", {"-i", "x=2,3", "--state", "--input-name",
                                             "count=steps", "--output-name", "kept_next=y"}))
               .code,
           0);
  CHECK(contains(sandbox.run({"inspect", "out.nnef"}).out,
                 "states:\n"
                 "  count_next -> steps  first f32[1] = 0\n"
                 "  y -> kept            first f32[2,3] = 1\n"));
}

TEST_CASE("states that the artefact does not name") {
  const Sandbox sandbox;
  write_sum(sandbox);
  write_array(sandbox, "x.npz", "x", f32({3, 2}, {1, 2, 3, 4, 5, 6}));
  write_array(sandbox, "h.npz", "h", all_of({2}, 10));
  for (const std::string& engine : both_engines()) {
    CAPTURE(engine);
    const Result result = sandbox.run({"run", "m", "-i", "x.npz", "-i", "h=@h.npz", "--steps", "3",
                                       "--feed", "output_1=h", "-o", "y.npz", "--engine", engine});
    CHECK_EQ(result.err, "");
    CHECK(ir::same_values(state_arrays(sandbox, "y.npz").at("s"), f32({2}, {19, 22})));
    CHECK(ir::same_values(state_arrays(sandbox, "y.npz").at("y"),
                          f32({3, 2}, {22, 24, 28, 32, 38, 44})));
  }
  check_failure(sandbox, {"run", "m", "--steps", "2", "--engine", "reference"}, 2,
                "error[usage]: the artefact names no states to feed back from step to step\n"
                "  help: name them: --feed OUTPUT=INPUT, or export with --state\n");
  check_failure(sandbox, {"run", "m", "--steps", "2", "--feed", "z=h", "--engine", "reference"}, 2,
                "error[usage]: the artefact has no output 'z'\n"
                "  why:  its outputs are y, s\n");
  // Without steps, an array with one axis more does not fit.
  CHECK_EQ(sandbox.run({"run", "m", "-i", "x.npz", "--engine", "reference"}).code, 3);
}

TEST_CASE("values that do not fit the artefact") {
  const Sandbox sandbox({"Counter.pt"});
  CHECK_EQ(sandbox.run(export_of("Counter.pt", {"-i", "x=2,3", "--state"})).code, 0);
  const std::vector<nnef::NamedTensor> wrong = {{"count", all_of({2}, 0)},
                                                {"kept", all_of({2, 3}, 1)}};
  nnef::write_npz(wrong, sandbox.path("out.nnef/states.npz"));
  const Result misfit = sandbox.run({"run", "out.nnef", "--engine", "reference"});
  CHECK_EQ(misfit.code, 3);
  CHECK(misfit.err.starts_with("error[input-shape]: the sample of the input 'count' is f32[2]\n"));
  sandbox.folder().write("out.nnef/states.npz", "no archive");
  CHECK_EQ(sandbox.run({"run", "out.nnef", "--engine", "reference"}).code, 3);
  CHECK_EQ(sandbox.run({"inspect", "out.nnef"}).code, 3);
  fs::remove(sandbox.path("out.nnef/states.npz"));
  CHECK(contains(sandbox.run({"inspect", "out.nnef"}).out,
                 "count_next -> count  first value unknown\n"));
}

TEST_CASE("diff and check name another first value") {
  const Sandbox sandbox({"Accumulator.pt"});
  write_array(sandbox, "h.npz", "h", all_of({2, 3}, 0.25F));
  CHECK_EQ(sandbox.run(export_of("Accumulator.pt", {"--state", "-i", "x=2,3"})).code, 0);
  CHECK_EQ(sandbox
               .run({"export", "Accumulator.pt", "-t", "tract", "--state", "-i", "x=2,3", "-i",
                     "h=@h.npz", "-o", "other.nnef"})
               .code,
           0);
  const Result diff = sandbox.run({"diff", "out.nnef", "other.nnef"});
  CHECK_EQ(diff.code, 9);
  CHECK(contains(diff.out, "'h': first value f32[2,3] = 0 -> f32[2,3] = 0.25\n"));
  CHECK(contains(diff.out, "1 difference; "));
  const auto checked = [&](const std::string& artefact, Arguments more = {}) {
    more.insert(more.begin(), {"check", "Accumulator.pt", artefact, "--state", "-i", "x=2,3"});
    return sandbox.run(more);
  };
  CHECK_EQ(checked("out.nnef").code, 0);
  CHECK_EQ(checked("other.nnef", {"-i", "h=@h.npz"}).code, 0);
  const Result other = checked("other.nnef");
  CHECK_EQ(other.code, 5);
  CHECK(contains(other.err,
                 "error[contents-differ]: the first value of the state 'h' is f32[2,3] = "
                 "0.25; the model's is f32[2,3] = 0\n"));
}

TEST_CASE("check compares what a file says of its states with the model's") {
  const Sandbox sandbox({"Accumulator.pt"});
  const auto changed = [&](const std::string& from, const std::string& to) {
    CHECK_EQ(sandbox.run(export_of("Accumulator.pt", {"--state", "-i", "x=2,3"})).code, 0);
    std::string text = sandbox.content("out.nnef/graph.nnef");
    if (!from.empty()) {
      const size_t at = text.find(from);
      REQUIRE(at != std::string::npos);
      text.replace(at, from.size(), to);
    }
    sandbox.folder().write("out.nnef/graph.nnef", text);
  };
  const auto refusal = [&] {
    const Result result =
        sandbox.run({"check", "Accumulator.pt", "out.nnef", "--state", "-i", "x=2,3"});
    CHECK_EQ(result.code, 5);
    return result.err.substr(0, result.err.find('\n'));
  };
  changed("('t2nnef_initial.h', [[0.0", "('t2nnef_initial.h', [[1.0");
  CHECK_EQ(refusal(), "error[contents-differ]: the properties of states differ from states.npz");
  changed("('t2nnef_state.h', 'h_next'), ", "");
  CHECK_NE(refusal().find("error[contents-differ]: "), std::string::npos);
  changed("", "");
  fs::remove(sandbox.path("out.nnef/states.npz"));
  CHECK_EQ(refusal(), "error[contents-differ]: the file has no first value of the state 'h'");
}

}  // namespace t2n::test
