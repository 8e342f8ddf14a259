// SPDX-License-Identifier: Apache-2.0
// A call written as text, through binding and shape inference.
#include "tests/nnef_ops/shape_case.h"

#include <doctest/doctest.h>

#include <map>

#include "ir/shape.h"
#include "src/diag/error.h"
#include "src/nnef/parser.h"
#include "src/nnef_ops/shape_call.h"
#include "src/spec/operations.h"

namespace t2n::nnef_ops {
namespace {

using ir::Ints;

/// "x=[2,3] i y=[]" by name; the type before a name is not needed here.
std::map<std::string, Ints, std::less<>> operands(std::string_view text) {
  std::map<std::string, Ints, std::less<>> out;
  while (!text.empty()) {
    const size_t equals = text.find('=');
    const size_t blank = text.rfind(' ', equals);
    const size_t begin = blank == std::string_view::npos ? 0 : blank + 1;
    const size_t end = text.find(']', equals);
    const std::string_view list = text.substr(equals + 1, end - equals);
    Ints sizes;
    for (const nnef::Value& item : nnef::parse_value(list).items) sizes.push_back(item.integer);
    out.emplace(text.substr(begin, equals - begin), sizes);
    text = text.substr(end + 1);
  }
  return out;
}

std::string shapes(std::string_view inputs, std::string_view call) {
  const auto known = operands(inputs);
  const nnef::Value value = nnef::parse_value(call);
  const nnef::Fragment& declaration = spec::operation(value.text, spec::Dialect::khronos);
  const auto found = infer_shapes(spec::BoundCall(declaration, value), [&](std::string_view name) {
    const auto at = known.find(name);
    return at == known.end() ? nullptr : &at->second;
  });
  if (!found) return "unknown";
  std::string out;
  for (const Ints& shape : *found)
    out += (out.empty() ? "" : " ") + ir::shape_str(ir::to_shape(shape));
  return out;
}

}  // namespace

std::string shapes_of(std::string_view inputs, std::string_view call) {
  try {
    return shapes(inputs, call);
  } catch (const Error& error) {
    CHECK(error.diagnostic().id == "nnef-invalid");
    return error.diagnostic().message;
  }
}

void check_shapes(std::span<const ShapeCase> cases) {
  for (const ShapeCase& c : cases) {
    CAPTURE(c.inputs);
    CAPTURE(c.call);
    CHECK(shapes_of(c.inputs, c.call) == c.expected);
  }
}

}  // namespace t2n::nnef_ops
