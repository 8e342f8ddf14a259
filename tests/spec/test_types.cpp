// SPDX-License-Identifier: Apache-2.0
// Types of declarations, of calls, and of the tensors of a graph.
#include <doctest/doctest.h>

#include <string>

#include "src/diag/error.h"
#include "src/nnef/parser.h"
#include "src/spec/types.h"

namespace t2n::spec {
namespace {

std::string_view word(Item item) {
  switch (item) {
    case Item::scalar: return "scalar";
    case Item::integer: return "integer";
    case Item::logical: return "logical";
    case Item::string: return "string";
    case Item::unknown: return "unknown";
    case Item::generic: return "?";
  }
  return "";
}

/// The item type of every result; names that begin with i, l, s are tensors of that type.
std::string types(const char* text) {
  const nnef::Value call = nnef::parse_value(text);
  const Signature& signature = operation_signature(call.text, Dialect::khronos);
  const ItemOf item_of = [](const nnef::Value& value) {
    if (value.kind != nnef::Kind::identifier) return Item::unknown;
    switch (value.text[0]) {
      case 'i': return Item::integer;
      case 'l': return Item::logical;
      case 's': return Item::scalar;
      default: return Item::unknown;
    }
  };
  const Arguments arguments = BoundCall(*signature.declaration, call).arguments();
  std::string out;
  for (const Item item : check_types(signature, call, arguments, item_of))
    out += cat(out.empty() ? "" : " ", word(item));
  return out;
}

std::string type_refusal(const char* text) {
  try {
    return types(text);
  } catch (const Error& error) {
    CHECK(error.diagnostic().id == "nnef-invalid");
    return error.diagnostic().message;
  }
}

TEST_CASE("every declared type reads and prints back") {
  for (const Dialect dialect : {Dialect::khronos, Dialect::tract})
    for (const std::string& name : operation_names(dialect)) {
      CAPTURE(name);
      const nnef::Fragment& declaration = operation(name, dialect);
      const Signature& signature = operation_signature(name, dialect);
      for (size_t i = 0; i < declaration.parameters.size(); ++i)
        CHECK(type_text(signature.parameters[i]) == declaration.parameters[i].type);
      for (size_t i = 0; i < declaration.results.size(); ++i)
        CHECK(type_text(signature.results[i]) == declaration.results[i].type);
    }
  for (const char* text : {"", "tensor", "tensor<scalar", "float", "(integer)", "integer[", "x[]"})
    CHECK_THROWS_AS(parse_type(text), Error);
}

TEST_CASE("tensors come before attributes, and results are tensors") {
  for (const std::string& name : operation_names(Dialect::khronos)) {
    CAPTURE(name);
    const Signature& signature = operation_signature(name, Dialect::khronos);
    bool attribute = false;
    bool generic = false;
    for (const Type& type : signature.parameters) {
      CHECK_FALSE((attribute && holds_tensors(type)));
      attribute = attribute || !holds_tensors(type);
      generic = generic || type_text(type).find('?') != std::string::npos;
    }
    for (const Type& type : signature.results) {
      CHECK(holds_tensors(type));
      generic = generic || type_text(type).find('?') != std::string::npos;
    }
    CHECK(generic == signature.is_generic);
  }
}

TEST_CASE("defaults have the types of their parameters") {
  const ItemOf nobody = [](const nnef::Value&) { return Item::unknown; };
  for (const std::string& name : operation_names(Dialect::khronos)) {
    CAPTURE(name);
    const Signature& signature = operation_signature(name, Dialect::khronos);
    Arguments defaults;
    for (const nnef::Parameter& parameter : signature.declaration->parameters)
      defaults.push_back(parameter.default_value && !may_be_absent(parameter)
                             ? &*parameter.default_value
                             : nullptr);
    const std::string type = signature.is_generic ? "scalar" : "";
    CHECK_NOTHROW(check_types(signature, nnef::invocation(name, {}, type), defaults, nobody));
  }
}

TEST_CASE("results have the declared type, or that of the arguments") {
  CHECK(types("relu(s)") == "scalar");
  CHECK(types("add(s, 1.0)") == "scalar");
  CHECK(types("lt(s, t)") == "logical");
  CHECK(types("copy(i)") == "integer");
  CHECK(types("select(l, i, 2)") == "integer");
  CHECK(types("concat([l, l], axis = 0)") == "logical");
  CHECK(types("gather(s, i)") == "scalar");
  CHECK(types("max_pool_with_index(s, size = [1])") == "scalar integer");
  CHECK(types("external(shape = [1])") == "scalar");
  CHECK(types("external<logical>(shape = [1])") == "logical");
  CHECK(types("constant<integer>(shape = [1], value = [1])") == "integer");
  CHECK(types("cast<integer>(s)") == "integer");
  CHECK(types("reshape(s, shape = [])") == "scalar");
  CHECK(types("copy(unknown)") == "unknown");
}

TEST_CASE("the standard converts nothing silently") {
  CHECK(type_refusal("add(s, 1)") ==
        "'add': the argument 'y' must be tensor<scalar>, not the integer 1");
  CHECK(type_refusal("leaky_relu(s, alpha = 1)") ==
        "'leaky_relu': the argument 'alpha' must be scalar, not the integer 1");
  CHECK(type_refusal("softmax(s, axes = 1)") ==
        "'softmax': the argument 'axes' must be integer[], not the integer 1");
  CHECK(type_refusal("softmax(s, axes = [1.0])") ==
        "'softmax': the argument 'axes' must be integer, not a scalar");
  CHECK(type_refusal("conv(s, s, padding = [[0, 1]])") ==
        "'conv': the argument 'padding' must be (integer, integer), not an array");
  CHECK(type_refusal("conv(s, s, padding = [(0, 1, 2)])") ==
        "'conv': the argument 'padding' must be (integer, integer), not a tuple");
  CHECK(type_refusal("conv(s, s, border = constant)") ==
        "'conv': the argument 'border' must be string, not the tensor 'constant'");
  CHECK(type_refusal("conv(s, s, groups = true)") ==
        "'conv': the argument 'groups' must be integer, not the logical true");
  CHECK(type_refusal("relu(i)") ==
        "'relu': the argument 'x' must be tensor<scalar>, and 'i' is tensor<integer>");
  CHECK(type_refusal("not(s)") ==
        "'not': the argument 'x' must be tensor<logical>, and 's' is tensor<scalar>");
  CHECK(type_refusal("relu([s])") ==
        "'relu': the argument 'x' must be tensor<scalar>, not an array");
  CHECK(type_refusal("relu('s')") ==
        "'relu': the argument 'x' must be tensor<scalar>, not the string 's'");
  CHECK(type_refusal("select(l, s, i)") ==
        "'select': the argument 'false_value' must be scalar like the others, and 'i' is integer");
  CHECK(type_refusal("constant(shape = [1], value = [1])") ==
        "'constant': the argument 'value' must be scalar, and the integer 1 is integer");
  CHECK(type_refusal("constant(shape = [2], value = [1.0, 2])") ==
        "'constant': the argument 'value' must be scalar, and the integer 2 is integer");
  CHECK(type_refusal("cast(s)") ==
        "'cast': no argument determines its type, write cast<scalar>(…) or another type");
  CHECK(type_refusal("relu<scalar>(s)") == "'relu' is not generic, and <scalar> is given");
  CHECK(type_refusal("copy<?>(s)") == "'copy': <?> is not a type of tensors");
  CHECK(type_refusal("external<string>(shape = [1])") ==
        "'external': <string> is not a type of tensors");
  CHECK(type_refusal("external<f32>(shape = [1])") == "there is no type 'f32'");
}

TEST_CASE("left sides must take the results") {
  const auto names = [](const char* statement) -> std::string {
    const nnef::Document document =
        nnef::parse_document(cat("version 1.0; graph g(x) -> (y) { ", statement, " }"), "g");
    const nnef::Assignment& assignment = document.graph.body.at(0);
    const Signature& signature = operation_signature(assignment.right.text, Dialect::khronos);
    const std::vector<Item> items(signature.results.size(), Item::scalar);
    try {
      std::string out;
      for (const AssignedName& target : targets(assignment.left, signature, items))
        out += cat(out.empty() ? "" : " ", target.name);
      return out;
    } catch (const Error& error) {
      return error.diagnostic().message;
    }
  };
  CHECK(names("y = split(x, axis = 0, ratios = [1]);") ==
        "'split' results in an array of tensors: write [a, b] = …, with a name for each");
  CHECK(names("(a, b) = split(x, axis = 0, ratios = [1, 1]);") ==
        "'split' results in an array of tensors: write [a, b] = …, with a name for each");
  CHECK(names("y = moments(x, axes = [0]);") ==
        "'moments' results in 2 tensors: write (a, b) = …, with a name for each");
  CHECK(names("(a, b) = relu(x);") == "'relu' results in single tensors: write names");
  CHECK(names("(a, b) = moments(x, axes = [0]);") == "a b");
  CHECK(names("[a, b] = split(x, axis = 0, ratios = [1, 1]);") == "a b");
}

}  // namespace
}  // namespace t2n::spec
