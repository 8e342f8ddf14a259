// SPDX-License-Identifier: Apache-2.0
// Dispatches calls to their rules; rules that several families share.
#include "src/nnef_ops/strict_call.h"

#include <algorithm>
#include <utility>

#include "src/diag/error.h"
#include "src/spec/operations.h"
#include "src/target/limits.h"

namespace t2n::nnef_ops {
namespace {

/// The same operation on numbers: most standard operations.
Refs keep_operation(const StrictCall& call, Builder& out) {
  Refs operands;
  for (const Ref x : call.operands) operands.push_back(as_number(out, x));
  std::vector<TensorType> types;
  for (const TensorType& type : call.results) types.push_back({DType::f32, type.shape});
  Refs results = out.emit_all(call.op, operands, call.attributes, types, call.form);
  for (size_t i = 0; i < results.size(); ++i)
    results[i] = wrapped(out, results[i], call.results[i].dtype);
  return results;
}

/// A call of the user's fragment, which is flattened later.
Refs call_fragment(const nnef::Fragment& fragment, const StrictCall& call, Builder& out) {
  Refs operands;
  for (size_t i = 0; i < call.operands.size(); ++i) {
    const std::string& type = fragment.parameters.at(i).type;
    const Ref x = call.operands[i];
    operands.push_back(type == "tensor<integer>"   ? as_integer(out, x)
                       : type == "tensor<logical>" ? x
                                                   : as_number(out, x));
  }
  std::vector<TensorType> types;
  for (size_t i = 0; i < call.results.size(); ++i) {
    const bool is_scalar = fragment.results.at(i).type == "tensor<scalar>";
    types.push_back({is_scalar ? DType::f32 : call.results[i].dtype, call.results[i].shape});
  }
  Refs results = out.emit_all(call.op, operands, call.attributes, types, call.form);
  for (size_t i = 0; i < results.size(); ++i)
    if (fragment.results[i].type == "tensor<scalar>")
      results[i] = retyped(out, results[i], call.results[i].dtype);
  return results;
}

/// Operands of one type; integers stay `integer` only if all operands are.
Refs unified(Builder& out, const Refs& operands) {
  const bool is_uniform = std::all_of(operands.begin(), operands.end(), [&](Ref x) {
    return type_of(x) == type_of(operands[0]) && out.dtype(x) == out.dtype(operands[0]);
  });
  if (is_uniform) return operands;
  Refs numbers;
  for (const Ref x : operands) numbers.push_back(as_number(out, x));
  return numbers;
}

}  // namespace

const nnef::Value* StrictCall::find(std::string_view name) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const Attribute& a) { return a.name == name; });
  return found == attributes.end() ? nullptr : &found->value;
}

const nnef::Value& StrictCall::at(std::string_view name) const {
  if (const nnef::Value* const attribute = find(name)) return *attribute;
  const nnef::Fragment* const declaration = spec::find_operation(op, spec::Dialect::tract);
  T2N_ASSERT(declaration != nullptr, op, " has no attribute '", name, "'");
  const auto& value =
      declaration->parameters[spec::parameter_index(*declaration, name)].default_value;
  T2N_ASSERT(value.has_value(), op, " lacks ", name);
  return *value;
}

Refs lower(const StrictCall& call, Builder& out) {
  if (const StrictRule rule = book().at(call.op).strict) return rule(call, out);
  if (const nnef::Fragment* fragment = out.fragment(call.op))
    return call.op.starts_with("t2n_") ? inline_fragment(*fragment, call, out)
                                       : call_fragment(*fragment, call, out);
  if (call.op.starts_with("tract_"))
    refuse(call, out, cat("standard NNEF cannot express ", call.op));
  return keep_operation(call, out);
}

void refuse(const StrictCall& call, Builder& out, std::string_view why, std::string_view help) {
  const std::string_view op = out.operator_name();
  throw Error(target::untranslated("unsupported-argument", std::string(op.empty() ? call.op : op),
                                   out.target_name(), why, help.empty() ? "export for tract" : help,
                                   op));
}

Refs numbers_of(const StrictCall& call, Builder& out, Exactness exactness) {
  Refs numbers;
  for (const Ref x : call.operands) numbers.push_back(as_number(out, x, exactness));
  return numbers;
}

Refs emit_same(const StrictCall& call, Builder& out, std::string_view op,
               const Attributes& attributes) {
  const Refs operands = unified(out, call.operands);
  const bool is_integer = type_of(operands.at(0)) == NumberType::integer;
  std::vector<TensorType> types;
  for (const TensorType& type : call.results)
    types.push_back(
        {is_integer || type.dtype == DType::boolean ? type.dtype : DType::f32, type.shape});
  Refs results = out.emit_all(op, operands, attributes, types, {.is_list = call.form.is_list});
  for (size_t i = 0; i < results.size(); ++i)
    results[i] = retyped(out, results[i], call.results[i].dtype);
  return results;
}

Refs lower_unchanged(const StrictCall& call, Builder& out) {
  return emit_same(call, out, call.op, call.attributes);
}

Refs lower_logic(const StrictCall& call, Builder& out) {
  return {emit(out, call.op, call.operands, call.attributes, call.result(),
               {.is_aligned = call.form.is_aligned})};
}

}  // namespace t2n::nnef_ops
