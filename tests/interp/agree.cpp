#include "tests/interp/agree.h"

#include <doctest/doctest.h>

#include "src/diag/error.h"
#include "tests/support/example.h"
#include "tests/support/reference.h"

namespace t2n::test {
namespace {

std::string output_name(size_t index) { return index == 0 ? "out" : cat("out", index + 1); }

std::string differences(const std::vector<ir::Tensor>& expected,
                        const std::vector<ir::Tensor>& actual, double tolerance) {
  return differences(Run{expected, actual, {}, {}, {}}, rel(tolerance));
}

}  // namespace

std::string graph_text(const Statements& statements, size_t results) {
  std::string parameters, externals, names;
  for (size_t i = 0; i < statements.inputs.size(); ++i) {
    const ir::Tensor& input = statements.inputs[i];
    const std::string name(1, "xyzw"[i]);
    parameters += (i == 0 ? "" : ", ") + name;
    std::string shape;
    for (const int64_t size : input.shape) shape += cat(shape.empty() ? "" : ", ", size);
    externals += cat("  ", name, " = tract_core_external(shape = [", shape, "], datum_type = '",
                     ir::dtype_name(input.dtype), "');\n");
  }
  for (size_t i = 0; i < results; ++i) names += (i == 0 ? "" : ", ") + output_name(i);
  std::string text = "version 1.0;\n";
  for (const char* name : {"core", "extra", "transformers", "onnx"})
    text += cat("extension tract_registry tract_", name, ";\n");
  return cat(text, statements.fragments, "\ngraph g(", parameters, ") -> (", names, ")\n{\n",
             externals, "  ", statements.body, "\n}\n");
}

void check_agree(const Statements& statements, const std::vector<ir::Tensor>& expected,
                 double tolerance) {
  const std::string text = graph_text(statements, expected.size());
  CAPTURE(text);
  try {
    CHECK_EQ("tract: " + differences(expected, run_text(text, statements.inputs, newest_target()),
                                     tolerance),
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
    const auto real = run_text(text, statements.inputs, newest_target());
    CHECK_EQ(differences(real, run_reference_text(text, statements.inputs), tolerance),
             std::string());
  } catch (const Error& error) {
    FAIL_CHECK(render_text(error.diagnostic()));
  }
}

void check_reference(const Statements& statements, const std::vector<ir::Tensor>& expected,
                     double tolerance) {
  const std::string text = graph_text(statements, expected.size());
  CAPTURE(text);
  try {
    CHECK_EQ(differences(expected, run_reference_text(text, statements.inputs), tolerance),
             std::string());
  } catch (const Error& error) {
    FAIL_CHECK(render_text(error.diagnostic()));
  }
}

void check_refused(const Statements& statements, const std::string& message) {
  const std::string text = graph_text(statements);
  CAPTURE(text);
  CHECK_THROWS_AS(run_text(text, statements.inputs, newest_target()), Error);
  check_refused_here(statements, message);
}

void check_refused_here(const Statements& statements, const std::string& message) {
  const std::string text = graph_text(statements);
  CAPTURE(text);
  const std::string said = error_of([&] { run_reference_text(text, statements.inputs); });
  CAPTURE(said);
  CHECK(said.find(message) != std::string::npos);
}

}  // namespace t2n::test
