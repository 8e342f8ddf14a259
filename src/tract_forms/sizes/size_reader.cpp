// SPDX-License-Identifier: Apache-2.0
#include "src/tract_forms/sizes/size_reader.h"

#include "ir/prove.h"
#include "ir/size_reader.h"
#include "src/diag/error.h"

namespace t2n::tract_forms {
namespace {

using ir::Dim;

std::optional<Dim> quotient(const Dim& a, const Dim& b) {
  if (!b.is_constant() || b.value() <= 0) return {};
  if (ir::prove({a, ir::Relation::ge, 0}) == ir::Verdict::always) return floor_div(a, b);
  return floor_div(max(a, 0), b) - floor_div(max(Dim(0) - a, 0), b);
}

Dim applied_in_assertion(std::string_view op, const Dim& a, const Dim& b) {
  const auto out = size_operation(op, a, b);
  if (!out) throw Error("ir-syntax", "tract has no such operation of sizes");
  return *out;
}

}  // namespace

std::optional<Dim> size_operation(std::string_view op, const Dim& a, const Dim& b) try {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "/") return quotient(a, b);
  if (op == "min") return min(a, b);
  if (op == "max") return max(a, b);
  return {};
} catch (const Error&) {
  return {};
}

std::optional<ir::Comparison> read_assertion(std::string_view text) {
  static const ir::SizeGrammar grammar = {
      .operators = {{"+"}, {"-"}, {"*"}, {"/"}},
      .functions = {"min", "max", "floor"},
      .apply = applied_in_assertion,
      .symbol = [](std::string_view name) { return ir::Symbol(name); },
      .has_signed_operands = true};
  return ir::read_comparison(text, grammar);
}

}  // namespace t2n::tract_forms
