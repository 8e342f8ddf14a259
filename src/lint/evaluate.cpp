// SPDX-License-Identifier: Apache-2.0
// Evaluates the arguments of calls, for shape inference.
#include "src/lint/evaluate.h"

#include <vector>

namespace t2n::spec {
namespace {

using nnef::Kind;
using nnef::Value;

bool is_list(const Value& value) { return value.kind == Kind::array || value.kind == Kind::tuple; }

const Known* find(const EvaluationContext& context, const Value& name) {
  const auto found = context.frame.find(name.text);
  return name.kind == Kind::identifier && found != context.frame.end() ? &found->second : nullptr;
}

const Value* keep(const EvaluationContext& context, Value value) {
  context.store.push_back(std::move(value));
  return &context.store.back();
}

/// tract only accepts positive literals as sizes.
const Value* size(const Value& value, const EvaluationContext& context) {
  const auto number = context.sizes.read(value);
  return number && *number > 0 ? keep(context, nnef::integer(*number)) : nullptr;
}

const Value* integer(const Value& value, const EvaluationContext& context) {
  if (value.kind == Kind::integer) return &value;
  const Known* const known = find(context, value);
  if (known == nullptr) return size(value, context);
  const bool is_number = known->literal && known->literal->kind == Kind::integer;
  return is_number ? known->literal.get() : nullptr;
}

const Value* attribute(const Type& type, const Value& value, const EvaluationContext& context) {
  if (type.item == Item::integer) return integer(value, context);
  const Known* const known = find(context, value);
  const Value* const literal = known == nullptr ? &value : known->literal.get();
  if (literal == nullptr || literal_item(*literal) == Item::unknown) return nullptr;
  if (type.item == Item::logical && literal->kind == Kind::integer)
    return keep(context, nnef::logical(literal->integer != 0));
  return literal;
}

/// The list itself if none of its items changes.
const Value* list(const std::vector<const Type*>& types, const Value& value,
                  const EvaluationContext& context) {
  bool is_same = true;
  std::vector<const Value*> items;
  for (size_t i = 0; i < value.items.size(); ++i) {
    items.push_back(evaluate(*types[i % types.size()], value.items[i], context));
    if (items.back() == nullptr) return nullptr;
    is_same = is_same && items.back() == &value.items[i];
  }
  if (is_same) return &value;
  Value out = value.kind == Kind::tuple ? nnef::tuple({}) : nnef::array({});
  for (const Value* item : items) out.items.push_back(*item);
  return keep(context, std::move(out));
}

const Value* tuple(const Type& type, const Value& value, const EvaluationContext& context) {
  if (!is_list(value) || value.items.size() != type.items.size()) return nullptr;
  std::vector<const Type*> types;
  for (const Type& item : type.items) types.push_back(&item);
  return list(types, value, context);
}

/// tract accepts a single value as a list of one.
const Value* array(const Type& type, const Value& value, const EvaluationContext& context) {
  if (is_list(value)) return list({&type.items[0]}, value, context);
  const Known* const known = find(context, value);
  if (known != nullptr && known->literal && is_list(*known->literal)) return known->literal.get();
  const Value* const item = evaluate(type.items[0], value, context);
  return item == nullptr ? nullptr : keep(context, nnef::array({*item}));
}

const Value* tensor(const Type& type, const Value& value, const EvaluationContext& context) {
  if (literal_item(value) != Item::unknown) return &value;
  if (const Known* const known = find(context, value)) {
    if (known->literal) return known->literal.get();
    return known->shape ? &value : nullptr;
  }
  if (value.kind == Kind::array) return list({&type}, value, context);
  if (value.kind == Kind::identifier || value.kind == Kind::dimension) return size(value, context);
  return context.name_call(value);
}

}  // namespace

std::optional<int64_t> SizeReader::read(const Value& expression) {
  const auto [entry, is_new] = known_.try_emplace(&expression);
  if (!is_new) return entry->second;
  const auto dim = read_dimension(expression);
  const ir::Dim number = dim ? at_sizes(*dim, values_) : ir::Dim(0);
  if (dim && number.is_constant()) entry->second = number.value();
  return entry->second;
}

const Value* evaluate(const Type& type, const Value& value, const EvaluationContext& context) {
  switch (type.form) {
    case Type::Form::attribute: return attribute(type, value, context);
    case Type::Form::tensor: return tensor(type, value, context);
    case Type::Form::array: return array(type, value, context);
    case Type::Form::tuple: return tuple(type, value, context);
  }
  return nullptr;
}

}  // namespace t2n::spec
