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

/// check_each, with the same parameters for all expressions.
inline void check_with(const Parameters& parameters, const std::vector<std::string>& expressions,
                       const std::vector<ir::Tensor>& inputs, double tolerance = 1e-5) {
  for (const std::string& expression : expressions)
    for (const target::Target& target : test_targets()) {
      CAPTURE(expression);
      CAPTURE(target::target_name(target));
      try {
        const Script model = with_parameters(expression, inputs.size(), parameters);
        CHECK_CLOSE(export_and_run(model, inputs, target), rel(tolerance));
      } catch (const Error& error) {
        FAIL_CHECK(std::string(error.what()));
      }
    }
}

}  // namespace t2n::test
