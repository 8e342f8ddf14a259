// SPDX-License-Identifier: Apache-2.0
// Reads `external<…>(shape = …)` and tract_core_external, the two declarations of an input.
#include "src/spec/input_facts.h"

#include <map>

#include "nnef_writer/print.h"
#include "src/diag/error.h"
#include "src/spec/bound_call.h"
#include "src/spec/dimension.h"
#include "src/spec/operations.h"

namespace t2n::spec {
namespace {

using nnef::Kind;
using nnef::Value;

constexpr std::string_view kTractExternal = "tract_core_external";

InputSize size_of(const Value& value) {
  InputSize out{nnef::print(value), std::nullopt, read_dimension(value)};
  if (out.dim && out.dim->is_constant()) out.value = out.dim->value();
  return out;
}

/// By name; the first declaration if there are several.
std::map<std::string, const Value*> declared_inputs(const nnef::Document& document) {
  std::map<std::string, const Value*> out;
  for (const nnef::Assignment& assignment : document.graph.body)
    if (assignment.left.kind == Kind::identifier && is_external(assignment.right))
      out.emplace(assignment.left.text, &assignment.right);
  return out;
}

InputFact fact_of(const std::string& name, const Value& call) {
  const Dialect dialect = call.text == kTractExternal ? Dialect::tract : Dialect::khronos;
  const nnef::Fragment& declaration = operation(call.text, dialect);
  InputFact out{.name = name, .dtype = external_dtype(call), .sizes = {}};
  if (const Value* const shape = BoundCall(declaration, call).find("shape"))
    for (const Value& size : shape->items) out.sizes.push_back(size_of(size));
  for (const InputSize& size : out.sizes)
    if (size.value.value_or(0) < 0)
      throw Error("nnef-invalid",
                  cat("the input ", quoted(fact_str(out)), " has the size ", size.text), {},
                  "write sizes that are positive");
  return out;
}

}  // namespace

bool is_external(const Value& expression) {
  return expression.kind == Kind::invocation &&
         (expression.text == "external" || expression.text == kTractExternal);
}

std::optional<ir::DType> external_dtype(const Value& expression) {
  if (expression.text == "external") {
    if (expression.type == "integer") return ir::DType::i64;
    if (expression.type == "logical") return ir::DType::boolean;
    if (expression.type == "string") return std::nullopt;
    return ir::DType::f32;
  }
  const nnef::Fragment& declaration = operation(kTractExternal, Dialect::tract);
  const Value* const name = BoundCall(declaration, expression).find("datum_type");
  return name == nullptr || name->kind != Kind::string ? std::nullopt : tract_dtype(name->text);
}

std::optional<ir::DType> tract_dtype(std::string_view name) {
  std::string text(name);
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text == "tdim" ? ir::DType::i64 : ir::parse_dtype(text);
}

std::vector<InputFact> input_facts(const nnef::Document& document) {
  const auto declared = declared_inputs(document);
  std::vector<InputFact> out;
  for (const std::string& name : document.graph.parameters) {
    const auto found = declared.find(name);
    if (found == declared.end())
      throw Error("nnef-invalid", cat("the graph does not declare its input ", quoted(name)), {},
                  cat("write for example ", name, " = external(shape = [1, 3]);"));
    out.push_back(fact_of(name, *found->second));
  }
  return out;
}

std::string sizes_str(const InputFact& fact) {
  std::string out;
  for (const InputSize& size : fact.sizes) out += cat(out.empty() ? "" : ",", size.text);
  return cat("[", out, "]");
}

std::string dtype_str(const InputFact& fact) {
  return fact.dtype ? std::string(ir::dtype_name(*fact.dtype)) : "?";
}

std::string sample_spec(const InputFact& fact, const ir::Sizes& sizes) {
  std::string out = fact.name + "=";
  for (const InputSize& size : fact.sizes) {
    const ir::Dim dim = size.dim ? size.dim->substitute(sizes) : ir::Dim(1);
    out += cat(size.value.value_or(dim.is_constant() ? dim.value() : 1), ",");
  }
  return out + dtype_str(fact);
}

std::string fact_str(const InputFact& fact) {
  return cat(fact.name, " ", dtype_str(fact), sizes_str(fact));
}

}  // namespace t2n::spec
