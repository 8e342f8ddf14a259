// SPDX-License-Identifier: Apache-2.0
#include "src/nnef/value.h"

#include <utility>

namespace t2n::nnef {
namespace {

Value with_text(Kind kind, std::string text) {
  Value out;
  out.kind = kind;
  out.text = std::move(text);
  return out;
}

Value with_integer(Kind kind, int64_t value) {
  Value out;
  out.kind = kind;
  out.integer = value;
  return out;
}

Value with_items(Kind kind, Values items) {
  Value out;
  out.kind = kind;
  out.items = std::move(items);
  return out;
}

}  // namespace

Value identifier(std::string name) { return with_text(Kind::identifier, std::move(name)); }

Value reference(int64_t id) { return with_integer(Kind::reference, id); }
Value integer(int64_t value) { return with_integer(Kind::integer, value); }

Value scalar(double value) {
  Value out;
  out.kind = Kind::scalar;
  out.number = value;
  return out;
}

Value logical(bool value) {
  Value out;
  out.kind = Kind::logical;
  out.logical = value;
  return out;
}

Value string(std::string text) { return with_text(Kind::string, std::move(text)); }
Value array(Values items) { return with_items(Kind::array, std::move(items)); }
Value tuple(Values items) { return with_items(Kind::tuple, std::move(items)); }

Value dimension(ir::Dim dim) {
  if (dim.is_constant()) return integer(dim.value());
  Value out;
  out.kind = Kind::dimension;
  out.dim = std::move(dim);
  return out;
}

Value invocation(std::string operation, std::vector<Argument> arguments, std::string type) {
  Value out = with_text(Kind::invocation, std::move(operation));
  out.arguments = std::move(arguments);
  out.type = std::move(type);
  return out;
}

}  // namespace t2n::nnef
