// SPDX-License-Identifier: Apache-2.0
// Types of NNEF 1.0.5 §3.3.1: of parameters, of literals, and of results of calls.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/nnef/ast.h"
#include "src/spec/bound_call.h"
#include "src/spec/operations.h"

namespace t2n::spec {

/// The item type of a tensor or an attribute.
enum class Item {
  unknown,  ///< `tensor<>`, or a type that only the engine knows
  scalar,
  integer,
  logical,
  string,
  generic,  ///< `?`; in declarations only
};

struct Type {
  enum class Form { attribute, tensor, array, tuple };
  Form form = Form::attribute;
  Item item = Item::unknown;  ///< of an attribute or a tensor
  std::vector<Type> items;    ///< one of an array, all of a tuple
};

/// `tensor<scalar>`, `(integer, integer)[]`.   Errors: `nnef-invalid`.
Type parse_type(std::string_view text);
std::string type_text(const Type& type);

/// True for run-time data: a tensor, or an array of tensors.
bool holds_tensors(const Type& type);

/// A declaration with parsed types.
struct Signature {
  const nnef::Fragment* declaration = nullptr;
  bool is_generic = false;
  Item generic_default = Item::unknown;
  std::vector<Type> parameters;
  std::vector<Type> results;
};

/// Errors: `nnef-invalid` for a type that does not exist.
Signature signature_of(const nnef::Fragment& declaration);

/// The signature of an operation, parsed once.   Errors: `nnef-invalid` for an unknown operation.
const Signature& operation_signature(std::string_view name, Dialect dialect);

/// The item type of a number, logical or string; unknown for any other expression.
Item literal_item(const nnef::Value& value);

/// The item type of an expression that is not a literal; unknown if it is not known.
using ItemOf = std::function<Item(const nnef::Value&)>;

/// Checks the arguments of a call against the declared types, and returns the item type of each
/// result, by the rules of strict NNEF.   Errors: `nnef-invalid`.
std::vector<Item> check_types(const Signature& signature, const nnef::Value& invocation,
                              const Arguments& arguments, const ItemOf& item_of);

/// An identifier that a statement assigns.
struct AssignedName {
  std::string_view name;
  Item item = Item::unknown;
};

/// The names that the left side of a statement assigns, matched with the results of its operation.
/// Errors: `nnef-invalid` if they do not match.
std::vector<AssignedName> targets(const nnef::Value& left, const Signature& signature,
                                  const std::vector<Item>& items);

}  // namespace t2n::spec
