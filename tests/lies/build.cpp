// SPDX-License-Identifier: Apache-2.0
// How a document is changed.
#include <algorithm>

#include "tests/lies/lies.h"

namespace t2n::test {
namespace {

void rename(nnef::Value& value, const std::string& from, const std::string& to) {
  if (value.kind == nnef::Kind::identifier && value.text == from) value.text = to;
  for (nnef::Value& item : value.items) rename(item, from, to);
  for (nnef::Argument& argument : value.arguments) rename(argument.value, from, to);
}

bool assigns(const nnef::Value& left, const std::string& name) {
  if (left.kind == nnef::Kind::identifier) return left.text == name;
  return std::any_of(left.items.begin(), left.items.end(),
                     [&](const nnef::Value& item) { return assigns(item, name); });
}

}  // namespace

nnef::Value call(const std::string& operation, nnef::Values operands,
                 std::vector<nnef::Argument> attributes) {
  std::vector<nnef::Argument> arguments;
  for (nnef::Value& operand : operands) arguments.push_back({"", std::move(operand)});
  for (nnef::Argument& attribute : attributes) arguments.push_back(std::move(attribute));
  return nnef::invocation(operation, std::move(arguments));
}

nnef::Document replaced(const nnef::Document& document, const std::string& name,
                        const nnef::Value& value, const std::string& lie_name) {
  nnef::Document out = document;
  std::vector<nnef::Assignment>& body = out.graph.body;
  const auto at = std::find_if(body.begin(), body.end(), [&](const nnef::Assignment& each) {
    return assigns(each.left, name);
  });
  for (auto after = at == body.end() ? at : at + 1; after != body.end(); ++after)
    rename(after->right, name, lie_name);
  for (std::string& result : out.graph.results)
    if (result == name) result = lie_name;
  if (at != body.end()) body.insert(at + 1, {nnef::identifier(lie_name), value, ""});
  return out;
}

nnef::Assignment add_variable(nnef::Document& document, const std::string& name,
                              const ir::Tensor& value) {
  nnef::Blob blob;
  blob.label = name;
  blob.dtype = value.dtype;
  blob.shape = value.shape;
  blob.parts = {ir::contiguous(value)};
  document.blobs.push_back(blob);
  nnef::Values sizes;
  for (const int64_t size : value.shape) sizes.push_back(nnef::integer(size));
  const std::string type = ir::is_float(value.dtype)           ? "scalar"
                           : value.dtype == ir::DType::boolean ? "logical"
                                                               : "integer";
  const nnef::Assignment out{
      nnef::identifier(name),
      nnef::invocation("variable",
                       {{"label", nnef::string(name)}, {"shape", nnef::array(std::move(sizes))}},
                       type),
      ""};
  document.graph.body.insert(document.graph.body.begin(), out);
  return out;
}

}  // namespace t2n::test
