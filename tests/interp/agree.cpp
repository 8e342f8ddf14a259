// SPDX-License-Identifier: Apache-2.0
#include "tests/interp/agree.h"

#include <doctest/doctest.h>

#include <fstream>

#include "src/check/runner.h"
#include "src/diag/error.h"
#include "tests/support/example.h"
#include "tests/support/reference.h"
#include "tests/support/temporary.h"

namespace t2n::test {
namespace {

std::string value_differences(const std::vector<ir::Tensor>& expected,
                              const std::vector<ir::Tensor>& actual, double tolerance) {
  return differences(Run{expected, actual, {}, {}, {}}, rel(tolerance));
}

check::Runner& newest_engine() {
  static const std::unique_ptr<check::Runner> runner = [] {
    const target::Version& version = newest_target().version;
    return check::tract_runner(tract::pick({version.major, version.minor, version.patch},
                                           tract::find_engines(tract::search_from_environment(""))),
                               {.timeout = std::chrono::seconds(60)});
  }();
  return *runner;
}

/// A folder with the graph and graph.quant.
class Artefact {
 public:
  Artefact(const std::string& graph, const std::string& quant) {
    std::ofstream(folder_.path() / "graph.nnef") << graph;
    if (!quant.empty()) std::ofstream(folder_.path() / "graph.quant") << quant;
  }
  std::string path() const { return folder_.path().string(); }

 private:
  TemporaryFolder folder_;
};

std::vector<ir::Tensor> run_here(const std::string& text, const Statements& statements) {
  const Artefact artefact(text, statements.quant);
  return run_reference(artefact.path(), {statements.inputs})[0];
}

}  // namespace

std::string output_name(size_t index) { return index == 0 ? "out" : cat("out", index + 1); }

ir::Tensor f32(const ir::Ints& shape, const std::vector<double>& data) {
  return values(shape, data);
}

ir::Tensor vec(const std::vector<double>& data, ir::DType dtype) {
  return values({static_cast<int64_t>(data.size())}, data, dtype);
}

std::string graph_text(const Statements& statements, size_t results) {
  std::string parameters, externals, names;
  for (size_t i = 0; i < statements.inputs.size(); ++i) {
    const ir::Tensor& input = statements.inputs[i];
    const std::string name(1, "xyzw"[i]);
    parameters += (i == 0 ? "" : ", ") + name;
    std::string shape;
    for (const int64_t size : input.shape) shape += cat(shape.empty() ? "" : ", ", size);
    if (statements.is_open && i == 0) shape.replace(0, shape.find(','), "T");
    externals += cat("  ", name, " = tract_core_external(shape = [", shape, "], datum_type = '",
                     ir::dtype_name(input.dtype), "');\n");
  }
  for (size_t i = 0; i < results; ++i) names += (i == 0 ? "" : ", ") + output_name(i);
  std::string text = "version 1.0;\n";
  for (const char* name : {"core", "extra", "transformers", "onnx"})
    text += cat("extension tract_registry tract_", name, ";\n");
  if (statements.is_open) text += "extension tract_symbol T;\n";
  return cat(text, statements.fragments, "\ngraph g(", parameters, ") -> (", names, ")\n{\n",
             externals, "  ", statements.body, "\n}\n");
}

std::vector<ir::Tensor> run_tract(const Statements& statements, size_t results) {
  const Artefact artefact(graph_text(statements, results), statements.quant);
  newest_engine().load(artefact.path());
  return newest_engine().run(statements.inputs);
}

void check_agree(const Statements& statements, const std::vector<ir::Tensor>& expected,
                 double tolerance) {
  const std::string text = graph_text(statements, expected.size());
  CAPTURE(text);
  try {
    CHECK_EQ(
        "tract: " + value_differences(expected, run_tract(statements, expected.size()), tolerance),
        "tract: ");
  } catch (const Error& error) {
    FAIL_CHECK(std::string(error.what()));
  }
  check_reference(statements, expected, tolerance);
}

void check_same(const Statements& statements, size_t results, double tolerance) {
  const std::string text = graph_text(statements, results);
  CAPTURE(text);
  try {
    const auto real = run_tract(statements, results);
    CHECK_EQ(value_differences(real, run_here(text, statements), tolerance), std::string());
  } catch (const Error& error) {
    FAIL_CHECK(render_text(error.diagnostic()));
  }
}

void check_reference(const Statements& statements, const std::vector<ir::Tensor>& expected,
                     double tolerance) {
  const std::string text = graph_text(statements, expected.size());
  CAPTURE(text);
  try {
    CHECK_EQ(value_differences(expected, run_here(text, statements), tolerance), std::string());
  } catch (const Error& error) {
    FAIL_CHECK(render_text(error.diagnostic()));
  }
}

void check_refused(const Statements& statements, const std::string& message) {
  const std::string text = graph_text(statements);
  CAPTURE(text);
  CHECK_THROWS_AS(run_tract(statements), Error);
  check_refused_here(statements, message);
}

void check_refused_here(const Statements& statements, const std::string& message) {
  const std::string text = graph_text(statements);
  CAPTURE(text);
  const std::string said = error_of([&] { run_here(text, statements); });
  CAPTURE(said);
  CHECK(said.find(message) != std::string::npos);
}

void check_tract_call(const std::string& call, const ir::Tensor& x, const ir::Tensor& expected,
                      double tolerance) {
  check_agree({"out = " + call + ";", {x}}, {expected}, tolerance);
}

}  // namespace t2n::test
