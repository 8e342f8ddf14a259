// SPDX-License-Identifier: Apache-2.0
// graph.quant: known functions for known tensors, with all their arguments (§5.3, §4.9.5).
#include <map>
#include <unordered_set>

#include "src/diag/error.h"
#include "src/lint/strict_parts.h"
#include "src/nnef_ops/shape_call.h"

namespace t2n::spec {
namespace {

using nnef_ops::broadcasts_to;
using nnef_ops::shape_text;

using nnef::Kind;
using nnef::QuantEntry;
using nnef::Value;

/// The quantising operations without their tensor operand, which is the entry's name.
const std::map<std::string_view, Signature>& functions() {
  static const std::vector<nnef::Fragment> declarations = [] {
    std::vector<nnef::Fragment> out;
    for (const char* name : {"linear_quantize", "min_max_linear_quantize",
                             "zero_point_linear_quantize", "logarithmic_quantize"}) {
      out.push_back(operation(name, Dialect::khronos));
      out.back().parameters.erase(out.back().parameters.begin());
    }
    return out;
  }();
  static const std::map<std::string_view, Signature> table = [] {
    std::map<std::string_view, Signature> out;
    for (const nnef::Fragment& declaration : declarations)
      out.emplace(declaration.name, signature_of(declaration));
    return out;
  }();
  return table;
}

const Signature& function(const std::string& name) {
  const auto found = functions().find(name);
  if (found != functions().end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, signature] : functions()) names.emplace_back(known);
  const std::string near = nearest(name, names);
  refuse_invalid(cat(quoted(name), " does not quantise",
                     near.empty() ? "" : cat("; did you mean ", quoted(near), "?")));
}

/// The shape of nested arrays, whose items must have the parameter's type.
Ints literal_shape(const std::string& parameter, const Type& type, const Value& value) {
  if (value.kind != Kind::array) {
    const bool fits = (type.item == Item::scalar && value.kind == Kind::scalar) ||
                      (type.item == Item::integer && value.kind == Kind::integer) ||
                      (type.item == Item::logical && value.kind == Kind::logical);
    if (!fits) refuse_invalid(cat(quoted(parameter), " must be ", type_text(type)));
    if (const std::string problem = literal_problem(value); !problem.empty())
      refuse_invalid(problem);
    return {};
  }
  if (type.form != Type::Form::tensor)
    refuse_invalid(cat(quoted(parameter), " must be one ", type_text(type), ", not an array"));
  if (value.items.empty()) refuse_invalid(cat(quoted(parameter), " is an empty array"));
  const Ints inner = literal_shape(parameter, type, value.items[0]);
  for (const Value& item : value.items)
    if (literal_shape(parameter, type, item) != inner)
      refuse_invalid(cat(quoted(parameter), " is an array of arrays that differ in size"));
  Ints out = {static_cast<int64_t>(value.items.size())};
  out.insert(out.end(), inner.begin(), inner.end());
  return out;
}

class Entries {
 public:
  Entries(const TensorTable& tensors, std::span<const Stored> stored) : tensors_(tensors) {
    for (const Stored& tensor : stored) stored_.emplace(tensor.label, &tensor);
  }

  void entry(const QuantEntry& entry) {
    if (!names_.insert(entry.name).second) refuse_invalid("the tensor has two entries");
    const auto found = tensors_.find(entry.name);
    if (found == tensors_.end()) refuse_invalid("no statement assigns the tensor");
    const TensorFacts& facts = found->second;
    if (facts.item != Item::scalar && facts.item != Item::unknown)
      refuse_invalid("only tensors of scalars are quantised");
    const BoundCall bound = call(entry.invocation, facts);
    if (facts.operation == "variable") codes(bound, facts);
  }

  /// Codes without an entry have no meaning.
  bool explains(std::string_view name, const TensorFacts& facts) const {
    const auto found = stored_.find(facts.label);
    return found == stored_.end() || !found->second->quantised || names_.contains(name);
  }

 private:
  static BoundCall call(const Value& call, const TensorFacts& facts) {
    const Signature& signature = function(call.text);
    if (!call.type.empty()) refuse_invalid(cat(quoted(call.text), " is not generic"));
    for (const nnef::Argument& argument : call.arguments)
      if (argument.name.empty()) refuse_invalid(cat(quoted(call.text), ": arguments need names"));
    BoundCall out(*signature.declaration, call);
    for (size_t i = 0; i < signature.parameters.size(); ++i)
      parameter(signature.declaration->parameters[i].name, signature.parameters[i],
                *out.arguments()[i], facts);
    return out;
  }

  static void parameter(const std::string& name, const Type& type, const Value& value,
                        const TensorFacts& facts) {
    const Ints shape = literal_shape(name, type, value);
    if (facts.shape && !broadcasts_to(shape, *facts.shape))
      refuse_invalid(cat(quoted(name), " has the shape ", shape_text(shape),
                         ", which does not broadcast to ", shape_text(*facts.shape)));
    if (name == "bits" && (value.integer < 1 || value.integer > 64))
      refuse_invalid(cat("'bits' is ", value.integer, ", and can be 1 to 64"));
  }

  /// Readers dequantise every variable with an entry.
  void codes(const BoundCall& call, const TensorFacts& facts) const {
    const auto found = stored_.find(facts.label);
    if (found == stored_.end()) return;
    const Stored& stored = *found->second;
    if (!stored.quantised)
      refuse_invalid("the stored tensor is not quantised: readers would dequantise its values");
    const int64_t width = stored.bits > 0 ? stored.bits : 8 * ir::dtype_size(stored.dtype);
    const int64_t bits = call.integer("bits");
    if (bits > width)
      refuse_invalid(cat("'bits' is ", bits, ", and the stored codes have ", width));
    if (call.declaration().parameters.back().name != "symmetric") return;
    const bool is_signed = call.flag("signed");
    if (is_signed != (stored.dtype >= ir::DType::i8))
      refuse_invalid(cat("'signed' is ", is_signed ? "true" : "false",
                         ", and the stored codes are ", ir::dtype_name(stored.dtype)));
  }

  const TensorTable& tensors_;
  std::unordered_map<std::string_view, const Stored*> stored_;
  std::unordered_set<std::string_view> names_;
};

}  // namespace

void lint_quantisation(const nnef::Document& document, const TensorTable& tensors,
                       const Names& variables, std::span<const Stored> stored,
                       std::vector<Violation>& violations) {
  Entries entries(tensors, stored);
  for (const QuantEntry& entry : document.quant) {
    try {
      entries.entry(entry);
    } catch (const Error& error) {
      const Diagnostic& found = error.diagnostic();
      violations.push_back({"", cat("graph.quant: ", quoted(entry.name), ": ", found.message,
                                    found.help.empty() ? "" : "; ", found.help)});
    }
  }
  for (const std::string_view name : variables)
    if (!entries.explains(name, tensors.at(name)))
      violations.push_back(
          {std::string(name),
           cat(quoted(name),
               ": the stored tensor is quantised, and graph.quant has no entry for it")});
}

}  // namespace t2n::spec
