// SPDX-License-Identifier: Apache-2.0
// Inputs, variables and constants (§4.1).
#include "src/nnef_ops/book.h"
#include "src/nnef_ops/shape_call.h"

namespace t2n::nnef_ops {
namespace {

Shapes declared_shape(const ShapeCall& call) {
  return {call.positive("shape", call.list_size("shape"))};
}

Shapes constant_shape(const ShapeCall& call) {
  Shapes out = declared_shape(call);
  const size_t count = call.list_size("value");
  const int64_t expected = volume(out[0]);
  call.require(count == 1 || static_cast<int64_t>(count) == expected, "'value' has ", count,
               " values, and a tensor of shape ", shape_text(out[0]), " has ", expected);
  return out;
}

Shapes variable_shape(const ShapeCall& call) {
  Shapes out = declared_shape(call);
  call.require(out[0].size() <= 8, "a stored tensor has at most 8 axes, and this one ",
               out[0].size());
  return out;
}

Shapes update_shape(const ShapeCall& call) {
  const Ints variable = call.shape("variable");
  const Ints value = call.shape("value");
  call.require(variable == value, "the variable has the shape ", shape_text(variable),
               ", and its new value ", shape_text(value));
  return {variable};
}

Shapes tract_declared_shape(const ShapeCall& call) { return {call.ints("shape")}; }

}  // namespace

void add_source(Book& book) {
  book.add("external", {declared_shape, tract_declared_shape});
  book.add("tract_core_external", {nullptr, tract_declared_shape});
  book.add("constant", {constant_shape});
  book.add("variable", {variable_shape, tract_declared_shape});
  book.add("update", {update_shape});
}

}  // namespace t2n::nnef_ops
