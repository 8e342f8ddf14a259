// Operator tests of one expression each, in the inputs x, y and z.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "src/diag/error.h"
#include "tests/support/script.h"

namespace t2n::test {

/// A function of `inputs` parameters that returns the expression. Without Python `torch.` stands
/// for aten, and a dtype is its number: 3 i32, 4 i64, 5 f16, 6 f32, 7 f64, 11 bool.
inline Script expression_script(const std::string& expression, size_t inputs) {
  const std::string parameters = std::string(", x, y, z").substr(0, 3 * inputs);
  return script("def forward(self$parameters):\n  return $expression\n", parameters, expression);
}

/// Exports each expression for every target, runs it in the engine and compares with torch.
inline void check_each(const std::vector<std::string>& expressions,
                       const std::vector<ir::Tensor>& inputs, double tolerance = 1e-5) {
  for (const std::string& expression : expressions)
    for (const target::Target& target : test_targets()) {
      CAPTURE(expression);
      CAPTURE(target::target_name(target));
      const Script model = expression_script(expression, inputs.size());
      try {
        CHECK_CLOSE(export_and_run(model, inputs, target), rel(tolerance));
      } catch (const Error& error) {
        FAIL_CHECK(std::string(error.what()));
      }
    }
}

/// The diagnostic of an expression that tract@0.23.9 must refuse.
inline std::string refusal(const std::string& expression, const std::vector<ir::Tensor>& inputs) {
  return export_error(expression_script(expression, inputs.size()), inputs,
                      target::parse_target("tract@0.23.9"));
}

}  // namespace t2n::test
