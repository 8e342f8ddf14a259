// SPDX-License-Identifier: Apache-2.0
// Operator tests of models with parameters, on every target.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/ops/expressions.h"

namespace t2n::test {

using Parameters = std::vector<std::pair<std::string, ir::Tensor>>;

/// An expression in the inputs x, y, z and in `self.<name>` for each parameter.
inline Script with_parameters(const std::string& expression, size_t inputs,
                              const Parameters& parameters) {
  Script model = expression_script(expression, inputs);
  for (const auto& [name, value] : parameters) model = model.with(name, value);
  return model;
}

/// Calls `check(expression, target)` for each; an error fails the test with its message.
template <typename Check>
void on_each_target(const std::vector<std::string>& expressions, const Check& check) {
  for (const std::string& expression : expressions)
    for (const target::Target& target : test_targets()) {
      CAPTURE(expression);
      CAPTURE(target::target_name(target));
      try {
        check(expression, target);
      } catch (const Error& error) {
        FAIL_CHECK(std::string(error.what()));
      }
    }
}

/// check_each, with the same parameters for all expressions.
inline void check_with(const Parameters& parameters, const std::vector<std::string>& expressions,
                       const std::vector<ir::Tensor>& inputs, double tolerance = 1e-5) {
  on_each_target(expressions, [&](const std::string& expression, const target::Target& target) {
    const Script model = with_parameters(expression, inputs.size(), parameters);
    CHECK_CLOSE(export_and_run(model, inputs, target), rel(tolerance));
  });
}

}  // namespace t2n::test
