// SPDX-License-Identifier: Apache-2.0
#include "tests/interp/standard.h"

#include <doctest/doctest.h>

#include "src/check/runner.h"
#include "src/diag/error.h"
#include "src/model/torch_module.h"
#include "src/nnef/parser.h"
#include "tests/support/example.h"
#include "tests/support/reference.h"

namespace t2n::test {
namespace {

std::string type_name(ir::DType dtype) {
  if (dtype == ir::DType::boolean) return "logical";
  return ir::is_float(dtype) ? "scalar" : "integer";
}

}  // namespace

std::string standard_text(const Statements& statements, size_t results) {
  std::string parameters, externals, names;
  for (size_t i = 0; i < statements.inputs.size(); ++i) {
    const std::string name(1, "xyzw"[i]);
    parameters += (i == 0 ? "" : ", ") + name;
    std::string shape;
    for (const int64_t size : statements.inputs[i].shape)
      shape += cat(shape.empty() ? "" : ", ", size);
    externals += cat("  ", name, " = external<", type_name(statements.inputs[i].dtype),
                     ">(shape = [", shape, "]);\n");
  }
  for (size_t i = 0; i < results; ++i) names += (i == 0 ? "" : ", ") + output_name(i);
  return cat(
      "version 1.0;\nextension KHR_enable_fragment_definitions;\n"
      "extension KHR_enable_operator_expressions;\n",
      statements.fragments, "\ngraph g(", parameters, ") -> (", names, ")\n{\n", externals, "  ",
      statements.body, "\n}\n");
}

void check_standard(const Statements& statements, const std::vector<ir::Tensor>& expected,
                    double tolerance) {
  const std::string text = standard_text(statements, expected.size());
  CAPTURE(text);
  try {
    const auto actual = run_reference_text(text, statements.inputs, spec::Dialect::khronos);
    CHECK_EQ(differences(Run{expected, actual, {}, {}, {}}, rel(tolerance)), std::string());
  } catch (const Error& error) {
    FAIL_CHECK(render_text(error.diagnostic()));
  }
}

void check_call(const std::string& call, const ir::Tensor& x, const ir::Tensor& expected,
                double tolerance) {
  check_standard({"out = " + call + ";", {x}}, {expected}, tolerance);
}

void check_everywhere(const std::string& call, const ir::Tensor& x, const ir::Tensor& expected,
                      double tolerance) {
  check_call(call, x, expected, tolerance);
  check_agree({"out = " + call + ";", {x}}, {expected}, tolerance);
}

void check_standard_refused(const Statements& statements, const std::string& message) {
  const std::string text = standard_text(statements);
  CAPTURE(text);
  const std::string said =
      error_of([&] { run_reference_text(text, statements.inputs, spec::Dialect::khronos); });
  CAPTURE(said);
  CHECK(said.find(message) != std::string::npos);
}

std::vector<ir::Tensor> run_standard(const std::string& graph,
                                     const std::vector<ir::Tensor>& inputs,
                                     const std::vector<std::pair<std::string, ir::Tensor>>& tensors,
                                     const std::string& quant) {
  nnef::Artefact artefact;
  artefact.document = nnef::parse_document(graph, "graph.nnef");
  artefact.document.quant = nnef::parse_quant(quant, "graph.quant");
  for (const auto& [label, values] : tensors) {
    nnef::StoredTensor stored;
    stored.label = label;
    stored.values = values;
    artefact.tensors.push_back(stored);
  }
  const interp::InterpModule& module = interp_module();
  return module.run(*module.load(artefact, spec::Dialect::khronos), inputs);
}

}  // namespace t2n::test
