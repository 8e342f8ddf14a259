// SPDX-License-Identifier: Apache-2.0
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
                       const std::vector<ir::Tensor>& inputs, double tolerance = 1e-5,
                       const std::vector<std::string>& disabled_passes = {}) {
  for (const std::string& expression : expressions)
    for (const target::Target& target : test_targets()) {
      CAPTURE(expression);
      CAPTURE(target::target_name(target));
      Script model = expression_script(expression, inputs.size());
      model.disabled_passes = disabled_passes;
      try {
        CHECK_CLOSE(export_and_run(model, inputs, target), rel(tolerance));
      } catch (const Error& error) {
        FAIL_CHECK(std::string(error.what()));
      }
    }
}

/// check_each for operators without inputs: what is known at export must reach its translation.
inline void check_unfolded(const std::vector<std::string>& expressions,
                           const std::vector<ir::Tensor>& inputs, double tolerance = 1e-5) {
  check_each(expressions, inputs, tolerance, {"fold-constants"});
}

/// The diagnostic of an expression that tract@0.23.9 must refuse.
inline std::string refusal(const std::string& expression, const std::vector<ir::Tensor>& inputs) {
  return export_error(expression_script(expression, inputs.size()), inputs,
                      target::parse_target("tract@0.23.9"));
}

/// Every target must refuse the expression with this text, where TARGET stands for its name.
inline void check_refused(const std::string& expression, const std::vector<ir::Tensor>& inputs,
                          const std::string& text) {
  for (const target::Target& target : test_targets()) {
    CAPTURE(expression);
    const std::string name = target::target_name(target);
    std::string expected = text;
    for (size_t at = expected.find("TARGET"); at != std::string::npos; at = expected.find("TARGET"))
      expected.replace(at, 6, name);
    CHECK_EQ(export_error(expression_script(expression, inputs.size()), inputs, target), expected);
  }
}

}  // namespace t2n::test
