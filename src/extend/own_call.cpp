// SPDX-License-Identifier: Apache-2.0
#include "src/extend/own_call.h"

#include <utility>

#include "src/diag/error.h"
#include "src/extend/flatten.h"
#include "src/lint/shape_run.h"
#include "src/lint/strict.h"

namespace t2n::extend {
namespace {

nnef::Value sizes_of(const ir::Ints& shape) {
  nnef::Values out;
  for (const int64_t size : shape) out.push_back(nnef::integer(size));
  return nnef::array(std::move(out));
}

/// "scalar" of "tensor<scalar>" and of "tensor<scalar>[]"
std::string item_of(const nnef::Parameter& parameter) {
  constexpr size_t kBegin = std::string_view("tensor<").size();
  return parameter.type.substr(kBegin, parameter.type.find('>') - kBegin);
}

nnef::Value external(const OwnCall& call, size_t index) {
  const OwnCall::Operand& operand = call.tensors[index];
  std::vector<nnef::Argument> arguments = {{"shape", sizes_of(operand.shape)}};
  if (extensions().dialect == spec::Dialect::khronos)
    return nnef::invocation("external", std::move(arguments),
                            item_of(call.own.fragment.parameters[operand.parameter]));
  arguments.push_back({"datum_type", nnef::string(std::string(ir::dtype_name(operand.dtype)))});
  return nnef::invocation("tract_core_external", std::move(arguments));
}

/// The operands as arguments: by position, and by name after the first list, as a list may be
/// empty.
std::vector<nnef::Argument> arguments_of(const OwnCall& call) {
  std::vector<nnef::Argument> out;
  bool is_named = false;
  size_t next = 0;
  for (size_t i = 0; i < call.own.fragment.parameters.size(); ++i) {
    const nnef::Parameter& parameter = call.own.fragment.parameters[i];
    nnef::Values operands;
    for (; next < call.tensors.size() && call.tensors[next].parameter == i; ++next)
      operands.push_back(nnef::identifier(cat("i", next)));
    const bool is_list = is_tensor_list(parameter);
    is_named = is_named || is_list;
    if (is_list || !operands.empty())
      out.push_back({is_named ? parameter.name : "",
                     is_list ? nnef::array(std::move(operands)) : operands[0]});
  }
  return out;
}

}  // namespace

void refuse_call(const OwnCall& call, std::string why) {
  throw Error("fragment-signature",
              cat("the fragment ", quoted(call.own.fragment.name), " cannot be called with ",
                  operands_text(call)),
              std::move(why), "correct its body, or call it with other operands");
}

std::string operands_text(const OwnCall& call) {
  std::vector<std::string> out;
  for (const OwnCall::Operand& each : call.tensors)
    out.push_back(cat(ir::dtype_name(each.dtype), ir::shape_str(ir::to_shape(each.shape))));
  return joined(out, ", ");
}

nnef::Document document_of(const OwnCall& call) {
  nnef::Document out;
  out.fragments = extensions().fragments;
  if (extensions().dialect == spec::Dialect::tract)
    out.extensions = {"tract_registry tract_core", "tract_registry tract_transformers"};
  for (size_t i = 0; i < call.tensors.size(); ++i) {
    const std::string name = cat("i", i);
    out.graph.parameters.push_back(name);
    out.graph.body.push_back({nnef::identifier(name), external(call, i), {}});
  }
  std::vector<nnef::Argument> arguments = arguments_of(call);
  arguments.insert(arguments.end(), call.others.begin(), call.others.end());
  nnef::Values results;
  for (size_t i = 0; i < call.own.fragment.results.size(); ++i) {
    out.graph.results.push_back(cat("o", i));
    results.push_back(nnef::identifier(out.graph.results.back()));
  }
  out.graph.body.push_back({results.size() == 1 ? results[0] : nnef::tuple(std::move(results)),
                            nnef::invocation(call.own.fragment.name, std::move(arguments)),
                            {}});
  return out;
}

std::vector<std::optional<ir::Ints>> result_shapes(const OwnCall& call) {
  const nnef::Document document = document_of(call);
  spec::ShapeRunner runner(document);
  if (const auto problem = runner.run({})) refuse_call(call, problem->message);
  std::vector<std::optional<ir::Ints>> out;
  for (const std::string& name : document.graph.results) out.push_back(runner.shape(name));
  return out;
}

void check_strict_call(const OwnCall& call) {
  const std::vector<spec::Violation> broken =
      spec::lint_strict(flattened(document_of(call), extensions().fragments));
  if (!broken.empty()) refuse_call(call, cat("in strict NNEF, ", broken[0].message));
}

}  // namespace t2n::extend
