// SPDX-License-Identifier: Apache-2.0
// Names, order, printing and timing of pipelines.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

constexpr std::string_view kOpenText = R"(graph m(%x: f32[S]) -> (%x as "y") {
    attribute sample_sizes: sizes = S=7
    %gone: f32[S] = aten::relu(self=%x)
  })";

TEST_CASE("names are unique, documented, and the default pipeline knows only them") {
  std::vector<std::string_view> names;
  for (const PassInfo& info : passes()) {
    CHECK(std::find(names.begin(), names.end(), info.name) == names.end());
    CHECK_FALSE(info.doc.empty());
    names.push_back(info.name);
  }
  for (const std::string& name : pipeline(Pipeline::standard))
    CHECK(std::find(names.begin(), names.end(), name) != names.end());
}

TEST_CASE("an unknown name is an error wherever it stands, with a guess") {
  ir::Graph graph;
  const auto message = [&](const std::vector<std::string>& names, const PipelineOptions& options) {
    return render_text(ir::diagnostic_of([&] { run_pipeline(graph, names, {}, options); }));
  };
  const std::string expected =
      "error[usage]: there is no pass called 'dead-cod'\n  help: did you mean 'dead-code'?\n";
  CHECK(message({"dead-cod"}, {}) == expected);
  PipelineOptions disabled;
  disabled.disabled = {"dead-cod"};
  CHECK(message({}, disabled) == expected);
  PipelineOptions printed;
  printed.print_after = "dead-cod";
  CHECK(message({}, printed) == expected);
}

TEST_CASE("passes run in order, are timed, and print on demand") {
  ir::Graph graph = ir::parse(kOpenText);
  std::vector<std::string> printed;
  std::vector<std::string> timed;
  PipelineOptions options;
  options.print = [&](const std::string& text) {
    printed.push_back(text.substr(0, text.find('\n')));
  };
  options.time = [&](std::string_view pass, double seconds) {
    timed.emplace_back(pass);
    CHECK(seconds >= 0);
  };
  options.print_after = "all";
  CHECK(run_pipeline(graph, {"dead-code", "bind-sizes", "dead-code"}, {}, options));
  CHECK(printed == std::vector<std::string>{"# after dead-code", "# after bind-sizes",
                                            "# after dead-code (unchanged)"});
  CHECK(timed == std::vector<std::string>{"dead-code", "bind-sizes", "dead-code"});
}

TEST_CASE("only changes print, if so wanted, and what is printed parses") {
  ir::Graph graph = ir::parse(kOpenText);
  std::vector<std::string> printed;
  PipelineOptions options;
  options.print = [&](const std::string& text) { printed.push_back(text); };
  options.print_changed = true;
  run_pipeline(graph, {"fold-constants", "dead-code"}, {}, options);
  REQUIRE(printed.size() == 1);
  CHECK(ir::parse(printed[0]).nodes.empty());
}

TEST_CASE("disabled passes are left out") {
  ir::Graph graph = ir::parse(kOpenText);
  PipelineOptions options;
  options.disabled = {"dead-code"};
  CHECK_FALSE(run_pipeline(graph, {"dead-code"}, {}, options));
  CHECK(graph.nodes.size() == 1);
}

TEST_CASE("a graph that is invalid from the start is refused") {
  ir::Graph graph = ir::parse(kOpenText);
  graph.output_names.clear();
  CHECK(ir::diagnostic_of([&] { run_pipeline(graph, {}, {}); }).id == "ir-invalid");
}

TEST_CASE("the default pipeline on 50,000 operations") {
  ir::Graph graph = ir::relu_chain(50'000);
  CHECK_FALSE(run_pipeline(graph, pipeline(Pipeline::standard), {}));
  CHECK(graph.nodes.size() == 50'000);
}

}  // namespace
}  // namespace t2n::passes
