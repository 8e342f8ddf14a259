// SPDX-License-Identifier: Apache-2.0
// Types of declarations, read from their text.
#include "src/spec/types.h"

#include <array>
#include <map>
#include <utility>

#include "src/diag/error.h"

namespace t2n::spec {
namespace {

using nnef::Fragment;
using nnef::Parameter;

constexpr std::array<std::pair<std::string_view, Item>, 5> kItems = {{{"scalar", Item::scalar},
                                                                      {"integer", Item::integer},
                                                                      {"logical", Item::logical},
                                                                      {"string", Item::string},
                                                                      {"?", Item::generic}}};

std::string_view item_text(Item item) {
  for (const auto& [text, known] : kItems)
    if (known == item) return text;
  return "";
}

/// Reads type texts in the parser's normal form: blanks only after commas.
struct Reader {
  std::string_view text;
  size_t at = 0;

  bool accept(std::string_view token) {
    if (text.substr(at, token.size()) != token) return false;
    at += token.size();
    return true;
  }
  [[noreturn]] void fail() const {
    throw Error("nnef-invalid", cat("there is no type ", quoted(text)));
  }
};

Item read_item(Reader& reader) {
  for (const auto& [text, item] : kItems)
    if (reader.accept(text)) return item;
  return Item::unknown;
}

Type read_type(Reader& reader);

Type read_tuple(Reader& reader) {
  Type out{.form = Type::Form::tuple, .items = {}};
  do {
    while (reader.accept(" ")) {
    }
    out.items.push_back(read_type(reader));
  } while (reader.accept(","));
  if (!reader.accept(")") || out.items.size() < 2) reader.fail();
  return out;
}

Type read_tensor(Reader& reader) {
  Type out{.form = Type::Form::tensor, .item = read_item(reader), .items = {}};
  if (!reader.accept(">")) reader.fail();
  return out;
}

Type read_single(Reader& reader) {
  if (reader.accept("(")) return read_tuple(reader);
  if (reader.accept("tensor<")) return read_tensor(reader);
  Type out{.item = read_item(reader), .items = {}};
  if (out.item == Item::unknown) reader.fail();
  return out;
}

Type read_type(Reader& reader) {
  Type out = read_single(reader);
  while (reader.accept("[]")) {
    Type array{.form = Type::Form::array, .items = {}};
    array.items.push_back(std::move(out));
    out = std::move(array);
  }
  return out;
}

std::vector<Type> types_of(const std::vector<Parameter>& parameters) {
  std::vector<Type> out;
  for (const Parameter& parameter : parameters) out.push_back(parse_type(parameter.type));
  return out;
}

using Signatures = std::map<std::string_view, Signature>;

Signatures signatures(Dialect dialect) {
  Signatures out;
  for (const std::string& name : operation_names(dialect)) {
    const Fragment& declaration = operation(name, dialect);
    out.emplace(declaration.name, signature_of(declaration));
  }
  return out;
}

const Signatures& signature_table(Dialect dialect) {
  static const Signatures khronos = signatures(Dialect::khronos);
  if (dialect == Dialect::khronos) return khronos;
  static const Signatures tract = signatures(Dialect::tract);
  return tract;
}

std::string tuple_text(const Type& type) {
  std::string out;
  for (const Type& item : type.items) out += (out.empty() ? "" : ", ") + type_text(item);
  return cat("(", out, ")");
}

}  // namespace

Type parse_type(std::string_view text) {
  Reader reader{text};
  Type out = read_type(reader);
  if (reader.at != text.size()) reader.fail();
  return out;
}

std::string type_text(const Type& type) {
  switch (type.form) {
    case Type::Form::attribute: return std::string(item_text(type.item));
    case Type::Form::tensor: return cat("tensor<", item_text(type.item), ">");
    case Type::Form::array: return type_text(type.items[0]) + "[]";
    case Type::Form::tuple: return tuple_text(type);
  }
  return {};
}

bool holds_tensors(const Type& type) {
  return type.form == Type::Form::tensor ||
         (type.form == Type::Form::array && holds_tensors(type.items[0]));
}

Signature signature_of(const Fragment& declaration) {
  Signature out;
  out.declaration = &declaration;
  out.is_generic = !declaration.generic.empty();
  Reader reader{declaration.generic};
  if (reader.accept("? = ")) out.generic_default = read_item(reader);
  out.parameters = types_of(declaration.parameters);
  out.results = types_of(declaration.results);
  return out;
}

const Signature& operation_signature(std::string_view name, Dialect dialect) {
  const auto found = signature_table(dialect).find(name);
  if (found != signature_table(dialect).end()) return found->second;
  operation(name, dialect);  // the error suggests a similar name
  internal_error(__FILE__, __LINE__, cat("no signature of ", name));
}

}  // namespace t2n::spec
