// SPDX-License-Identifier: Apache-2.0
// Declarations of operations, and the binding of a call's arguments to their parameters.
#include <doctest/doctest.h>

#include <string>

#include "nnef_writer/print.h"
#include "src/diag/error.h"
#include "src/nnef/parser.h"
#include "src/spec/bound_call.h"
#include "src/spec/operations.h"

namespace t2n::spec {
namespace {

std::string bound(const char* call, Dialect dialect = Dialect::khronos) {
  const nnef::Value invocation = nnef::parse_value(call);
  const nnef::Fragment& declaration = operation(invocation.text, dialect);
  const Arguments arguments = BoundCall(declaration, invocation).arguments();
  std::string out;
  for (size_t i = 0; i < arguments.size(); ++i)
    out += cat(i == 0 ? "" : ", ", declaration.parameters[i].name, " = ",
               arguments[i] == nullptr ? "none" : nnef::print(*arguments[i]));
  return out;
}

std::string binding_refusal(const char* call, Dialect dialect = Dialect::khronos) {
  try {
    return bound(call, dialect);
  } catch (const Error& error) {
    CHECK(error.diagnostic().id == "nnef-invalid");
    const Diagnostic& diagnostic = error.diagnostic();
    return diagnostic.message + (diagnostic.help.empty() ? "" : "; " + diagnostic.help);
  }
}

TEST_CASE("the standard has 118 operations, each with parameters and results") {
  CHECK(operation_names(Dialect::khronos).size() == 118);
  for (const Dialect dialect : {Dialect::khronos, Dialect::tract})
    for (const std::string& name : operation_names(dialect)) {
      CAPTURE(name);
      const nnef::Fragment& declaration = operation(name, dialect);
      CHECK(declaration.name == name);
      CHECK(declaration.body.empty());
      CHECK_FALSE(declaration.parameters.empty());
      CHECK_FALSE(declaration.results.empty());
    }
}

TEST_CASE("tract lacks some of the standard, changes some, and adds its own") {
  CHECK(find_operation("rcp", Dialect::khronos) != nullptr);
  CHECK(find_operation("rcp", Dialect::tract) == nullptr);
  CHECK(find_operation("recip", Dialect::tract) != nullptr);
  CHECK(find_operation("recip", Dialect::khronos) == nullptr);
  CHECK(find_operation("tract_core_gather", Dialect::khronos) == nullptr);
  CHECK(find_operation("tract_core_gather", Dialect::tract) != nullptr);
  CHECK(find_operation("exp", Dialect::tract) == find_operation("exp", Dialect::khronos));
  CHECK(operation("elu", Dialect::khronos).parameters.size() == 2);
  CHECK(operation("elu", Dialect::tract).parameters.size() == 1);
}

TEST_CASE("arguments are bound by position and by name, and defaults filled in") {
  CHECK(bound("leaky_relu(x, alpha = 0.1)") == "x = x, alpha = 0.1");
  CHECK(bound("leaky_relu(alpha = 0.1, x = y)") == "x = y, alpha = 0.1");
  CHECK(bound("conv(x, w, stride = [2, 2])") ==
        "input = x, filter = w, bias = 0.0, border = 'constant', padding = [], stride = [2, 2], "
        "dilation = [], groups = 1");
  CHECK(bound("external<integer>(shape = [1])") == "shape = [1]");
}

TEST_CASE("optional arguments of tract are absent by default, and if they are `false`") {
  const std::string sdpa = "tract_transformers_sdpa(q, k, v, ";
  const std::string rest = "datum_type = 'f32', acc_datum_type = 'f32', is_causal = false";
  const std::string absent = "q = q, k = k, v = v, mask = none, scale = none, " + rest;
  CHECK(bound((sdpa + rest + ")").c_str(), Dialect::tract) == absent);
  CHECK(bound((sdpa + "mask = false, " + rest + ")").c_str(), Dialect::tract) == absent);
  CHECK(bound((sdpa + "mask = m, scale = 0.5, " + rest + ")").c_str(), Dialect::tract) ==
        "q = q, k = k, v = v, mask = m, scale = 0.5, " + rest);
}

TEST_CASE("calls that do not fit are refused") {
  CHECK(binding_refusal("rcpp(x)") == "there is no operation 'rcpp'; did you mean 'rcp'?");
  CHECK(binding_refusal("tract_core_erff(x)", Dialect::tract) ==
        "there is no operation 'tract_core_erff'; did you mean 'tract_core_erf'?");
  CHECK(binding_refusal("frobnicate(x)") == "there is no operation 'frobnicate'");
  CHECK(binding_refusal("relu()") == "'relu': the argument 'x' is missing");
  CHECK(binding_refusal("relu(x, y)") == "'relu' takes 1 argument, and 2 are given");
  CHECK(binding_refusal("relu(x, x = y)") == "'relu': the argument 'x' is given twice");
  CHECK(binding_refusal("elu(x, alhpa = 1.0)") ==
        "'elu' has no parameter 'alhpa'; did you mean 'alpha'?");
  CHECK(binding_refusal("elu(alpha = 1.0, x)") == "'elu': a positional argument follows 'alpha'");
}

}  // namespace
}  // namespace t2n::spec
