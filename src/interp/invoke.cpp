// SPDX-License-Identifier: Apache-2.0
// Invocations: built-in functions, sources of tensors, fragments, kernels.
#include <algorithm>
#include <cmath>
#include <utility>

#include "nnef_writer/print.h"
#include "src/diag/error.h"
#include "src/frontend/load/convert.h"
#include "src/interp/builtins.h"
#include "src/interp/evaluator.h"
#include "src/interp/operands.h"
#include "src/interp/tract_quant.h"

namespace t2n::interp {
namespace {

constexpr int kDeepestCall = 256;

bool is_list(const nnef::Parameter& result) { return result.type.ends_with("[]"); }

Values range_of(int64_t count) {
  Values out;
  for (int64_t at = 0; at < count; ++at) out.emplace_back(at);
  return out;
}

int64_t length_of(const Value& value) {
  if (const auto* text = value.get<std::string>()) return static_cast<int64_t>(text->size());
  return static_cast<int64_t>(to_items(value).size());
}

Value shape_of(const Value& value) {
  Values out;
  for (const int64_t size : to_tensor(value).sizes()) out.emplace_back(size);
  return out;
}

double number_of(const Value& value) {
  if (const auto* logical = value.get<bool>()) return *logical ? 1 : 0;
  if (const auto* text = value.get<std::string>()) return std::stod(*text);
  return to_scalar(value);
}

int64_t to_i64(double number) {
  constexpr double kLimit = 9.2e18;
  if (!(std::fabs(number) < kLimit)) fail(cat(number, " is not an integer"));
  return static_cast<int64_t>(number);
}

Value text_of(const Value& value) {
  if (value.get<std::string>() != nullptr) return value;
  if (const auto* integer = value.get<int64_t>()) return cat(*integer);
  if (const auto* logical = value.get<bool>()) return std::string(*logical ? "true" : "false");
  return nnef::print(nnef::scalar(to_scalar(value)));
}

void check_element(const nnef::Parameter& parameter, std::string_view element, const Value& value) {
  if (!value.is_tensor() && !value.get<double>() && !value.get<int64_t>() && !value.get<bool>())
    return;  // absent, or not a possible tensor: the kernel reports it
  const at::ScalarType type = to_tensor(value).scalar_type();
  const bool fits = element == "logical"   ? type == at::kBool
                    : element == "integer" ? at::isIntegralType(type, /*includeBool=*/false)
                                           : at::isFloatingType(type);
  if (!fits && !at::isQIntType(type))
    fail(cat(quoted(parameter.name), " is a ", parameter.type, ", not ", described(value)));
}

/// Checks the element types of a declaration. `?`, or no type, allows any.
void check_type(const nnef::Parameter& parameter, const Value& value) {
  for (const std::string_view element : {"scalar", "integer", "logical"}) {
    const std::string type = cat("tensor<", element, ">");
    if (parameter.type == type && !value.is_absent()) check_element(parameter, element, value);
    if (parameter.type == type + "[]")
      for (const Value& item : to_items(value)) check_element(parameter, element, item);
  }
}

/// tract truncates float indices.
Value as_indices(const nnef::Fragment& declaration, const nnef::Parameter& parameter, Value value) {
  const bool is_index = declaration.name.starts_with("tract_core_") &&
                        parameter.type == "tensor<integer>" &&
                        (parameter.name == "indices" || declaration.name == "tract_core_one_hot");
  if (!is_index || value.is_absent()) return value;
  const at::Tensor tensor = to_tensor(value);
  if (!tensor.is_floating_point()) return value;
  return {cast(tensor, at::kLong), value.constant};
}

/// Converts to the width of the standard types: f32, i64, bool. Quantised integers have other types
/// until graph.quant is applied.
at::Tensor standard_values(const at::Tensor& stored, const std::string& type,
                           const std::string& label) {
  const at::ScalarType kind = stored.scalar_type();
  if (type == "integer" && at::isIntegralType(kind, /*includeBool=*/false))
    return stored.to(at::kLong);
  if (type == "logical" && kind == at::kBool) return stored;
  if (type != "integer" && type != "logical" && at::isFloatingType(kind))
    return stored.to(at::kFloat);
  fail(cat("the tensor ", quoted(label), " of this ", type.empty() ? "scalar" : type,
           " variable holds ", described(stored)));
}

/// A list is one value; otherwise every tensor is a value. tract's lists of one element become that
/// element.
Value results(const nnef::Fragment& declaration, Tensors tensors, bool constant) {
  Values out;
  for (at::Tensor& tensor : tensors) out.emplace_back(std::move(tensor), constant);
  const bool list = declaration.results.size() == 1 && is_list(declaration.results[0]);
  const bool is_tract = declaration.name.starts_with("tract_");
  if ((list && !is_tract) || out.size() != 1) return out;
  return std::move(out[0]);
}

}  // namespace

Value DocumentEvaluator::invoke(const nnef::Value& invocation, Frame& frame) {
  CallSite site = {.type = invocation.type,
                   .result_count = std::exchange(frame.result_count, 1),
                   .path = cat(frame.path, ".", frame.calls++),
                   .is_named = &invocation == named_};
  if (const nnef::Fragment* const fragment = program_.fragments.find_defined(invocation.text)) {
    Values results = run_fragment(*fragment, bound(*fragment, invocation, frame), site.path);
    return results.size() == 1 ? std::move(results[0]) : Value(std::move(results));
  }
  if (is_builtin(invocation.text)) return builtin(invocation, frame);
  if (is_tensor_source(invocation.text)) return tensor_source(invocation, frame);
  if (is_submodel(invocation.text)) return submodel(invocation, frame, site.path);
  const nnef::Fragment& declaration = spec::operation(invocation.text, program_.dialect);
  return call_operation(declaration, bound(declaration, invocation, frame), std::move(site));
}

Value DocumentEvaluator::builtin(const nnef::Value& invocation, Frame& frame) {
  if (invocation.arguments.size() != 1) fail(cat(invocation.text, " takes one argument"));
  const Value operand = evaluate(invocation.arguments[0].value, frame);
  const std::string& builtin = invocation.text;
  if (builtin == "length_of") return length_of(operand);
  if (builtin == "range_of") return range_of(length_of(operand));
  if (builtin == "shape_of") return shape_of(operand);
  if (builtin == "string") return text_of(operand);
  const double number = number_of(operand);
  if (builtin == "integer") return to_i64(std::floor(number));
  if (builtin == "logical") return number != 0;
  return number;
}

Value DocumentEvaluator::tensor_source(const nnef::Value& invocation, Frame& frame) {
  if (invocation.text == "variable") return variable(invocation, frame);
  if (invocation.text == "update") return update(invocation, frame);
  const auto input = inputs_.find(frame.left == nullptr ? "" : frame.left->text);
  if (!frame.is_graph || input == inputs_.end())
    fail("an input must be the entire right side of a statement of the graph");
  return input->second;
}

Value DocumentEvaluator::variable(const nnef::Value& invocation, Frame& frame) {
  const nnef::Fragment& declaration = spec::operation("variable", program_.dialect);
  const Values arguments = bound(declaration, invocation, frame);
  const std::string label = to_string(find_value(declaration, arguments, "label"));
  if (frame.is_graph && frame.left != nullptr) labels_[frame.left->text] = label;
  if (const auto updated = program_.memory.find(label); updated != program_.memory.end())
    return {updated->second, /*is_constant=*/false};
  const auto stored = program_.tensors.find(label);
  if (stored == program_.tensors.end()) fail(cat("there is no tensor ", quoted(label)));
  const at::Tensor values = trace::to_torch(stored->second.values);
  if (program_.dialect == spec::Dialect::tract) return values;
  const bool is_quantised =
      frame.is_graph && frame.left != nullptr && program_.quant.count(frame.left->text) != 0;
  return is_quantised && at::isIntegralType(values.scalar_type(), /*includeBool=*/false)
             ? values
             : standard_values(values, invocation.type, label);
}

/// The next run sees the new value (NNEF 1.0.5 §4.1.4).
Value DocumentEvaluator::update(const nnef::Value& invocation, Frame& frame) {
  const nnef::Value* const target = nnef::find_argument(invocation, "variable", 0);
  const auto label = target == nullptr ? labels_.end() : labels_.find(target->text);
  if (label == labels_.end()) fail("the first argument of an update must be a variable");
  const nnef::Fragment& declaration = spec::operation("update", program_.dialect);
  Value value = find_value(declaration, bound(declaration, invocation, frame), "value");
  updates_[label->second] = to_tensor(value);
  return value;
}

/// Passes tensors unchanged, including quantised ones. Its states belong to this call.
Value DocumentEvaluator::submodel(const nnef::Value& invocation, Frame& frame,
                                  const std::string& path) {
  const nnef::Fragment& declaration = spec::operation(invocation.text, program_.dialect);
  const Values arguments = bound(declaration, invocation, frame);
  const Value& input = find_value(declaration, arguments, "input");
  Values inputs = input.is_tensor() ? Values{input} : to_items(input);
  Program& called = program_.submodel(to_string(find_value(declaration, arguments, "label")), path);
  if (depth_ >= kDeepestCall) fail(cat("submodels call each other ", depth_, " levels deep"));
  ++depth_;
  DocumentEvaluator evaluator(called);
  std::vector<std::string> output_names;
  for (const ProgramPort& output : called.outputs) output_names.push_back(output.name);
  Values out = evaluator.run_values(std::move(inputs), output_names);
  --depth_;
  for (Value& value : out) value.constant = false;
  return out.size() == 1 ? std::move(out[0]) : Value(std::move(out));
}

Values DocumentEvaluator::bound(const nnef::Fragment& declaration, const nnef::Value& invocation,
                                Frame& frame) {
  Values out;
  const spec::BoundCall call(declaration, invocation);
  for (const nnef::Value* argument : call.arguments())
    out.push_back(argument == nullptr ? Value() : evaluate(*argument, frame));
  return out;
}

Value DocumentEvaluator::call_operation(const std::string& operation, Values arguments,
                                        bool is_named) {
  const nnef::Fragment& declaration = spec::operation(operation, program_.dialect);
  Frame nothing;
  for (size_t at = arguments.size(); at < declaration.parameters.size(); ++at)
    arguments.push_back(evaluate(declaration.parameters[at].default_value.value(), nothing));
  return call_operation(declaration, std::move(arguments),
                        {.type = {}, .path = {}, .is_named = is_named});
}

Value DocumentEvaluator::call_quantised(const nnef::Fragment& declaration, Values arguments,
                                        CallSite site) {
  QuantisedCall call(declaration, std::move(arguments));
  if (!call.known().is_absent()) return call.known();
  const bool is_named = site.is_named;
  const Value out = call_operation(declaration, call.take_arguments(), std::move(site));
  return is_named && !call.is_on_integers() ? out : call.rounded(out);
}

Value DocumentEvaluator::call_operation(const nnef::Fragment& declaration, Values arguments,
                                        CallSite site) {
  const Kernel kernel = kernels().find(declaration.name);
  if (kernel == nullptr) fail(cat("there is no operation ", quoted(declaration.name)));
  if (has_quantised(arguments))
    return call_quantised(declaration, std::move(arguments), std::move(site));
  for (size_t at = 0; at < arguments.size(); ++at) {
    const nnef::Parameter& parameter = declaration.parameters[at];
    arguments[at] = as_indices(declaration, parameter, std::move(arguments[at]));
    check_type(parameter, arguments[at]);
  }
  const KernelCall call(declaration, std::move(arguments), std::move(site), *this);
  Tensors tensors = kernel(call);
  // From here on, a data-dependent size has a name, like sizes of inputs.
  if (declaration.name == "tract_onnx_non_zero" && call.has("count_symbol"))
    symbols_[call.str("count_symbol")] = tensors.at(0).size(1);
  // Broadcast views need no memory, but their readers do.
  for (const at::Tensor& tensor : tensors)
    if (tensor.defined() && tensor.numel() > budget_)
      throw Error("nnef-limit", cat("a tensor of ", shape_text(tensor.sizes())),
                  "that is far more than its inputs and weights require");
  return results(declaration, std::move(tensors), call.is_constant());
}

Values DocumentEvaluator::run_fragment(const nnef::Fragment& fragment, Values arguments,
                                       const std::string& path) {
  if (depth_ >= kDeepestCall) fail(cat("fragments call each other ", depth_, " levels deep"));
  Frame frame;
  frame.path = path;
  for (size_t at = 0; at < arguments.size(); ++at)
    frame.names[fragment.parameters[at].name] = std::move(arguments[at]);
  for (const nnef::Parameter& result : fragment.results) frame.kept.insert(result.name);
  ++depth_;
  run_body(fragment.body, frame);
  --depth_;
  Values out;
  for (const nnef::Parameter& result : fragment.results) {
    const auto found = frame.names.find(result.name);
    if (found == frame.names.end())
      fail(cat("the fragment ", quoted(fragment.name), " never assigns ", quoted(result.name)));
    out.push_back(std::move(found->second));
  }
  return out;
}

}  // namespace t2n::interp
