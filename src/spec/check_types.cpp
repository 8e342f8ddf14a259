// SPDX-License-Identifier: Apache-2.0
// Checks arguments against the types of their parameters, and determines the item types of results.
// The standard has no implicit conversions.

#include "src/diag/error.h"
#include "src/spec/types.h"

namespace t2n::spec {
namespace {

using nnef::Kind;
using nnef::Value;

std::string_view item_name(Item item) {
  switch (item) {
    case Item::scalar: return "scalar";
    case Item::integer: return "integer";
    case Item::logical: return "logical";
    case Item::string: return "string";
    case Item::unknown:
    case Item::generic: break;
  }
  return "unknown";
}

std::string described(const Value& value) {
  if (value.kind == Kind::array) return "an array";
  if (value.kind == Kind::tuple) return "a tuple";
  if (value.kind == Kind::identifier) return cat("the tensor ", quoted(value.text));
  if (value.kind == Kind::integer) return cat("the integer ", value.integer);
  if (value.kind == Kind::scalar) return "a scalar";
  if (value.kind == Kind::logical) return cat("the logical ", value.logical ? "true" : "false");
  return value.kind == Kind::string ? cat("the string ", quoted(value.text)) : "an expression";
}

/// Visits the arguments of one call and determines its `?`.
class Checker {
 public:
  Checker(const Signature& signature, const Value& invocation, const ItemOf& item_of)
      : signature_(signature), invocation_(invocation), item_of_(item_of) {
    resolve_generic();
  }

  void argument(size_t index, const Value& value) {
    parameter_ = index;
    check(signature_.parameters[index], value);
  }

  Item generic() {
    if (!signature_.is_generic || generic_ != Item::unknown || has_unknown_) return generic_;
    refuse_invalid(cat(called(), ": no argument determines its type, write ", invocation_.text,
                       "<scalar>(…) or another type"));
  }

 private:
  std::string called() const { return quoted(invocation_.text); }

  void resolve_generic() {
    const std::string& written = invocation_.type;
    if (written.empty()) {
      generic_ = signature_.generic_default;
    } else if (!signature_.is_generic) {
      refuse_invalid(cat(called(), " is not generic, and <", written, "> is given"));
    } else {
      generic_ = parse_type(written).item;
      if (generic_ == Item::generic || generic_ == Item::string)
        refuse_invalid(cat(called(), ": <", written, "> is not a type of tensors"));
    }
    is_determined_ = generic_ != Item::unknown;
  }

  [[noreturn]] void mismatch(const Type& type, const Value& value) {
    const nnef::Parameter& parameter = signature_.declaration->parameters[parameter_];
    refuse_invalid(cat(called(), ": the argument ", quoted(parameter.name), " must be ",
                       type_text(type), ", not ", described(value)));
  }

  void check(const Type& type, const Value& value) {
    switch (type.form) {
      case Type::Form::attribute: return attribute(type, value);
      case Type::Form::tensor: return tensor(type, value);
      case Type::Form::array: return array(type, value);
      case Type::Form::tuple: return tuple(type, value);
    }
  }

  void attribute(const Type& type, const Value& value) {
    const Item actual = literal_item(value);
    if (actual == Item::unknown) mismatch(type, value);
    if (type.item == Item::generic) return unify(actual, value);
    if (actual != type.item) mismatch(type, value);
  }

  void tensor(const Type& type, const Value& value) {
    const Item literal = literal_item(value);
    if (value.kind == Kind::tuple || value.kind == Kind::array || literal == Item::string)
      mismatch(type, value);
    const Item actual = literal != Item::unknown ? literal : item_of_(value);
    if (type.item == Item::generic) return unify(actual, value);
    if (type.item != Item::unknown && actual != Item::unknown && actual != type.item)
      wrong_item(type, actual, value);
  }

  [[noreturn]] void wrong_item(const Type& type, Item actual, const Value& value) {
    if (literal_item(value) != Item::unknown) mismatch(type, value);
    const nnef::Parameter& parameter = signature_.declaration->parameters[parameter_];
    refuse_invalid(cat(called(), ": the argument ", quoted(parameter.name), " must be ",
                       type_text(type), ", and ", quoted(value.text), " is tensor<",
                       item_name(actual), ">"));
  }

  void unify(Item actual, const Value& value) {
    has_unknown_ = has_unknown_ || actual == Item::unknown;
    if (actual == Item::unknown || actual == generic_) return;
    if (generic_ != Item::unknown) differs(actual, value);
    generic_ = actual;
  }

  [[noreturn]] void differs(Item actual, const Value& value) {
    refuse_invalid(cat(called(), ": the argument ",
                       quoted(signature_.declaration->parameters[parameter_].name), " must be ",
                       item_name(generic_), is_determined_ ? "" : " like the others", ", and ",
                       literal_item(value) == Item::unknown ? quoted(value.text) : described(value),
                       " is ", item_name(actual)));
  }

  void array(const Type& type, const Value& value) {
    if (value.kind != Kind::array) mismatch(type, value);
    for (const Value& item : value.items) check(type.items[0], item);
  }

  void tuple(const Type& type, const Value& value) {
    if (value.kind != Kind::tuple || value.items.size() != type.items.size()) mismatch(type, value);
    for (size_t i = 0; i < value.items.size(); ++i) check(type.items[i], value.items[i]);
  }

  const Signature& signature_;
  const Value& invocation_;
  const ItemOf& item_of_;
  size_t parameter_ = 0;
  Item generic_ = Item::unknown;
  bool is_determined_ = false;  ///< determined by the call or the declaration
  bool has_unknown_ = false;    ///< an argument that would determine it is itself unknown
};

const Type& item_type(const Type& type) {
  return type.form == Type::Form::array ? item_type(type.items[0]) : type;
}

/// Collects the names on the left side of a statement.
struct LeftSide {
  const Signature& signature;
  std::vector<AssignedName> out = {};

  [[noreturn]] void refuse_form(std::string_view expected) const {
    refuse_invalid(cat(quoted(signature.declaration->name), " results in ", expected));
  }

  void add(const Value& left, const Type& type, Item item) {
    if (type.form == Type::Form::array) return add_array(left, type.items[0], item);
    if (left.kind != Kind::identifier) refuse_form("single tensors: write names");
    out.push_back({left.text, item});
  }

  void add_array(const Value& left, const Type& type, Item item) {
    if (left.kind != Kind::array)
      refuse_form("an array of tensors: write [a, b] = …, with a name for each");
    for (const Value& name : left.items) add(name, type, item);
  }
};

}  // namespace

Item literal_item(const Value& value) {
  switch (value.kind) {
    case Kind::integer: return Item::integer;
    case Kind::scalar: return Item::scalar;
    case Kind::logical: return Item::logical;
    case Kind::string: return Item::string;
    case Kind::identifier:
    case Kind::array:
    case Kind::tuple:
    case Kind::invocation:
    case Kind::binary:
    case Kind::unary:
    case Kind::if_else:
    case Kind::subscript:
    case Kind::comprehension:
    case Kind::dimension:
    case Kind::reference:
    case Kind::none: break;
  }
  return Item::unknown;
}

std::vector<Item> check_types(const Signature& signature, const Value& invocation,
                              const Arguments& arguments, const ItemOf& item_of) {
  Checker checker(signature, invocation, item_of);
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i] != nullptr) checker.argument(i, *arguments[i]);
  const Item generic = checker.generic();
  std::vector<Item> out;
  for (const Type& result : signature.results) {
    const Item declared = item_type(result).item;
    out.push_back(declared == Item::generic ? generic : declared);
  }
  return out;
}

std::vector<AssignedName> targets(const Value& left, const Signature& signature,
                                  const std::vector<Item>& items) {
  LeftSide names{signature};
  const size_t count = signature.results.size();
  if (count == 1) {
    names.add(left, signature.results[0], items[0]);
    return std::move(names.out);
  }
  const bool is_list = left.kind == Kind::tuple || left.kind == Kind::array;
  if (!is_list || left.items.size() != count)
    names.refuse_form(cat(count, " tensors: write (a, b) = …, with a name for each"));
  for (size_t i = 0; i < count; ++i) names.add(left.items[i], signature.results[i], items[i]);
  return std::move(names.out);
}

}  // namespace t2n::spec
