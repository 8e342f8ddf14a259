// SPDX-License-Identifier: Apache-2.0
#include "src/draft/draft.h"

#include <bit>
#include <utility>

#include "src/diag/error.h"
#include "src/draft/axes.h"

namespace t2n::draft {
namespace {

/// "tract_core_round_even" -> "round_even"
std::string_view short_name(std::string_view op) {
  constexpr std::string_view kPrefixes[] = {
      "tract_core_", "tract_transformers_", "tract_onnx_", "tract_extra_", "tract_", "t2n_"};
  for (const std::string_view prefix : kPrefixes)
    if (op.starts_with(prefix)) return op.substr(prefix.size());
  return op;
}

/// Axes must count from the front: tract crashes on negative ones, or computes something else.
void check_axes(std::string_view op, const nnef::Argument& argument) {
  if (argument.name != "axis" && argument.name != "axes") return;
  const auto check = [&](const nnef::Value& value) {
    T2N_ASSERT(value.kind != nnef::Kind::integer || value.integer >= 0, op, ": negative axis ",
               value.integer);
  };
  check(argument.value);
  for (const nnef::Value& item : argument.value.items) check(item);
}

void add_key(std::string& key, const nnef::Value& value) {
  key += cat(static_cast<int>(value.kind), value.logical, value.is_f64, value.type, "|", value.text,
             "|", value.integer, "|", std::bit_cast<uint64_t>(value.number), "|", value.dim.str(),
             "(");
  for (const nnef::Value& item : value.items) add_key(key, item);
  for (const nnef::Argument& argument : value.arguments) {
    key += argument.name + "=";
    add_key(key, argument.value);
  }
  key += ")";
}

/// The key includes the result's type, as literals have no dtype of their own.
std::string call_key(std::string_view op, const std::vector<nnef::Argument>& arguments,
                     const std::vector<TensorType>& types, const std::string& generic) {
  std::string key = cat(op, "<", generic);
  for (const TensorType& type : types) key += ";" + type_str(type.dtype, type.shape);
  for (const nnef::Argument& argument : arguments) {
    key += "," + argument.name + "=";
    add_key(key, argument.value);
  }
  return key;
}

}  // namespace

Draft::Draft(Notation notation_in)
    : notation(std::move(notation_in)), labels_(nnef::UniqueNames::Case::ignored) {}

TensorEntry& Draft::at(Ref ref) {
  T2N_ASSERT(ref.id >= 0 && static_cast<size_t>(ref.id) < entries.size(),
             "a tensor that the document does not have");
  return entries[ref.id];
}

const TensorEntry& Draft::at(Ref ref) const { return const_cast<Draft*>(this)->at(ref); }

Ref Draft::add(TensorEntry entry) {
  entries.push_back(std::move(entry));
  return Ref{static_cast<int>(entries.size()) - 1};
}

Ref Draft::add_identifier(std::string_view name_hint, DType dtype, const Shape& shape) {
  std::string name(name_hint);
  if (location >= 0) name = cat(notes.locations[location].name, "_", name_hint);
  return add({.dtype = dtype, .shape = shape, .name = std::move(name)});
}

/// Refuses them here, where the operator is known.
void Draft::check_sizes(const nnef::Value& value) const {
  nnef::walk(value, [this](const nnef::Value& each) {
    if (each.kind == nnef::Kind::dimension && notation.check_size) notation.check_size(each.dim);
  });
}

void Draft::append(const std::vector<Ref>& results, std::string_view op,
                   std::vector<nnef::Argument> arguments, std::string type) {
  for (const nnef::Argument& argument : arguments) {
    check_axes(op, argument);
    check_sizes(argument.value);
  }
  bool varies = false;
  for (const nnef::Argument& argument : arguments)
    for_each_id(argument.value, [&](int id) { varies = varies || at(Ref{id}).varies; });
  nnef::Values names;
  for (const Ref ref : results) {
    at(ref).varies = varies;
    at(ref).location = location;
    names.push_back(reference(ref));
  }
  nnef::Value left = names.size() == 1 ? std::move(names[0]) : nnef::tuple(std::move(names));
  document.graph.body.push_back(
      {.left = std::move(left),
       .right = nnef::invocation(std::string(op), std::move(arguments), std::move(type)),
       .comment = {}});
}

std::vector<Ref> Draft::append_call(std::string_view op, std::vector<nnef::Argument> arguments,
                                    const std::vector<TensorType>& types, const std::string& type) {
  std::vector<Ref>& known = calls_[call_key(op, arguments, types, type)];
  if (!known.empty()) return known;
  std::vector<Ref> results;
  for (const TensorType& each : types)
    results.push_back(add_identifier(short_name(op), each.dtype, each.shape));
  append(results, op, std::move(arguments), type);
  return known = results;
}

nnef::Value Draft::reference(Ref ref) const {
  T2N_ASSERT(!is_constant(ref), "a constant has no name");
  return nnef::reference(ref.id);
}

nnef::Value Draft::operand(Ref ref) {
  if (at(ref).shape.empty())
    if (auto number = literal(ref)) return *std::move(number);
  return reference(identifier(ref));
}

std::vector<nnef::Argument> Draft::aligned_operands(
    const std::vector<Ref>& operands, const Shape& shape,
    const std::function<Shape(const Shape&, const Shape&)>& joined_shape,
    const std::function<Ref(size_t operand, const Ints& axes)>& unsqueezed) {
  std::vector<std::optional<nnef::Value>> literals;
  Shape tensor_shape;  // the broadcast shape of operands that are not literals
  for (const Ref ref : operands) {
    literals.push_back(literal(ref));
    if (!literals.back()) tensor_shape = joined_shape(tensor_shape, at(ref).shape);
  }
  const bool keeps_shape = tensor_shape == shape;
  std::vector<nnef::Argument> arguments;
  for (size_t i = 0; i < operands.size(); ++i) {
    const size_t rank = at(operands[i]).shape.size();
    const size_t missing = shape.size() - rank;
    if (literals[i] && (keeps_shape || rank == 0)) {
      arguments.push_back({"", *literals[i]});
    } else if (missing == 0 || rank == 0) {
      arguments.push_back({"", operand(operands[i])});
    } else {
      arguments.push_back({"", operand(unsqueezed(i, all_axes(missing)))});
    }
  }
  return arguments;
}

}  // namespace t2n::draft
