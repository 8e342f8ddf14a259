// Arguments against the types of their parameters, and the item types that results have.
#include <algorithm>
#include <optional>

#include "src/diag/error.h"
#include "src/spec/types.h"

namespace t2n::spec {
namespace {

using nnef::Kind;
using nnef::Value;

[[noreturn]] void refuse(std::string message) { throw Error("nnef-invalid", std::move(message)); }

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

/// Walks the arguments of one call and learns what its `?` stands for.
class Checker {
 public:
  Checker(const Signature& signature, const Value& invocation, const ItemOf& item_of,
          Dialect dialect)
      : signature_(signature), invocation_(invocation), item_of_(item_of), dialect_(dialect) {
    settle_generic();
  }

  void argument(size_t index, const Value& value) {
    parameter_ = index;
    check(signature_.parameters[index], value);
  }

  Item generic() {
    if (!signature_.is_generic || generic_ != Item::unknown || !strict() || has_unknown_)
      return generic_;
    refuse(cat(called(), ": its type follows from no argument, write ", invocation_.text,
               "<scalar>(…) or another type"));
  }

 private:
  bool strict() const { return dialect_ == Dialect::khronos; }
  std::string called() const { return quoted(invocation_.text); }

  void settle_generic() {
    const std::string& written = invocation_.type;
    if (written.empty()) {
      generic_ = signature_.generic_default;
    } else if (!signature_.is_generic) {
      if (strict()) refuse(cat(called(), " is not generic, and <", written, "> is given"));
    } else {
      generic_ = parse_type(written).item;
      if (generic_ == Item::generic || (strict() && generic_ == Item::string))
        refuse(cat(called(), ": <", written, "> is no type of tensors"));
    }
    is_settled_ = generic_ != Item::unknown;
  }

  [[noreturn]] void mismatch(const Type& type, const Value& value) {
    const nnef::Parameter& parameter = signature_.declaration->parameters[parameter_];
    refuse(cat(called(), ": the argument ", quoted(parameter.name), " is to be ", type_text(type),
               ", not ", described(value)));
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
    const Item given = literal_item(value);
    if (given == Item::unknown) {
      const bool is_list = value.kind == Kind::array || value.kind == Kind::tuple;
      if (strict() || is_list) mismatch(type, value);
      return;
    }
    if (type.item == Item::generic) return unify(given, value);
    const bool converts = !strict() && given == Item::integer && type.item != Item::string;
    if (given != type.item && !converts) mismatch(type, value);
  }

  void tensor(const Type& type, const Value& value) {
    if (value.kind == Kind::tuple || (strict() && value.kind == Kind::array)) mismatch(type, value);
    const Item literal = literal_item(value);
    if (strict() && literal == Item::string) mismatch(type, value);
    const Item given =
        literal != Item::unknown || value.kind == Kind::array ? literal : item_of_(value);
    if (type.item == Item::generic) return unify(given, value);
    if (strict() && type.item != Item::unknown && given != Item::unknown && given != type.item)
      wrong_item(type, given, value);
  }

  [[noreturn]] void wrong_item(const Type& type, Item given, const Value& value) {
    if (literal_item(value) != Item::unknown) mismatch(type, value);
    const nnef::Parameter& parameter = signature_.declaration->parameters[parameter_];
    refuse(cat(called(), ": the argument ", quoted(parameter.name), " is to be ", type_text(type),
               ", and ", quoted(value.text), " is tensor<", item_name(given), ">"));
  }

  /// tract's rule for literals and stored values is left to who knows their types: they give way.
  void unify(Item given, const Value& value) {
    has_unknown_ = has_unknown_ || given == Item::unknown;
    if (given == Item::unknown || given == generic_) return;
    if (!strict() && (is_settled_ || literal_item(value) != Item::unknown)) return;
    if (strict() && generic_ != Item::unknown) differs(given, value);
    is_settled_ = is_settled_ || generic_ != Item::unknown;
    generic_ = generic_ == Item::unknown ? given : Item::unknown;
  }

  [[noreturn]] void differs(Item given, const Value& value) {
    refuse(cat(called(), ": the argument ",
               quoted(signature_.declaration->parameters[parameter_].name), " is to be ",
               item_name(generic_), is_settled_ ? "" : " like the others", ", and ",
               literal_item(value) == Item::unknown ? quoted(value.text) : described(value), " is ",
               item_name(given)));
  }

  void array(const Type& type, const Value& value) {
    const bool is_list = value.kind == Kind::array || (!strict() && value.kind == Kind::tuple &&
                                                       type.items[0].form != Type::Form::tuple);
    if (is_list) {
      for (const Value& item : value.items) check(type.items[0], item);
    } else if (strict() || value.kind == Kind::string) {
      mismatch(type, value);
    } else {
      check(type.items[0], value);
    }
  }

  void tuple(const Type& type, const Value& value) {
    if (value.kind != Kind::tuple || value.items.size() != type.items.size()) mismatch(type, value);
    for (size_t i = 0; i < value.items.size(); ++i) check(type.items[i], value.items[i]);
  }

  const Signature& signature_;
  const Value& invocation_;
  const ItemOf& item_of_;
  Dialect dialect_;
  size_t parameter_ = 0;
  Item generic_ = Item::unknown;
  bool is_settled_ = false;   ///< said by the call or the declaration, or given up
  bool has_unknown_ = false;  ///< an argument that would say it is not known itself
};

const Type& item_type(const Type& type) {
  return type.form == Type::Form::array ? item_type(type.items[0]) : type;
}

bool is_real_name(std::string_view name) {
  return name == "f16" || name == "f32" || name == "f64" || name.starts_with("q");
}

/// The item type behind tract's name of a type, in any case: "F32", "i64", "QU8(Z:3 S:0.5)".
Item tract_item(std::string name) {
  for (char& c : name)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (is_real_name(name)) return Item::scalar;
  if (name == "bool") return Item::logical;
  if (name == "string") return Item::string;
  const bool is_whole = name == "tdim" || name.starts_with("i") || name.starts_with("u");
  return is_whole ? Item::integer : Item::unknown;
}

/// Where tract's result has the type that an argument names.
std::optional<Item> named_type(const Signature& signature, const Arguments& arguments) {
  const nnef::Fragment& declaration = *signature.declaration;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& name = declaration.parameters[i].name;
    const bool names_type = (name == "to" && declaration.name == "tract_core_cast") ||
                            (name == "datum_type" && declaration.name != "tract_core_gather") ||
                            (name == "acc" && declaration.name == "tract_core_einsum");
    if (names_type && arguments[i] != nullptr && arguments[i]->kind == Kind::string)
      return tract_item(arguments[i]->text);
  }
  return std::nullopt;
}

bool is_stored_in_tract(const Signature& signature, Dialect dialect) {
  return dialect == Dialect::tract && signature.declaration->name == "variable";
}

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
    case Kind::none: break;
  }
  return Item::unknown;
}

std::vector<Item> check_types(const Signature& signature, const Value& invocation,
                              const Arguments& arguments, const ItemOf& item_of, Dialect dialect) {
  Checker checker(signature, invocation, item_of, dialect);
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i] != nullptr) checker.argument(i, *arguments[i]);
  // The file of a variable decides, whatever its statement says.
  const Item generic = is_stored_in_tract(signature, dialect) ? Item::unknown : checker.generic();
  const std::optional<Item> named = named_type(signature, arguments);
  std::vector<Item> out;
  for (const Type& result : signature.results) {
    const Item declared = item_type(result).item;
    const Item item = declared == Item::generic ? generic : declared;
    out.push_back(item == Item::unknown ? named.value_or(item) : item);
  }
  return out;
}

}  // namespace t2n::spec
