// SPDX-License-Identifier: Apache-2.0
// Kernels for the user's operators: their fragments, run by the reference interpreter.
#include <dlfcn.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "src/diag/error.h"
#include "src/diag/printable.h"
#include "src/extend/own_call.h"
#include "src/extend/own_plugins.h"
#include "src/frontend/load/convert.h"
#include "src/frontend/load/loader.h"
#include "src/frontend/load/operators.h"
#include "src/interp/interp.h"
#include "src/model/extension.h"

extern "C" const t2n::interp::InterpModule* t2n_interp_module();

namespace t2n::interp {
namespace {

using extend::OwnOperator;

nnef::Value primitive(const c10::IValue& value) {
  if (value.isBool()) return nnef::logical(value.toBool());
  if (value.isInt()) return nnef::integer(value.toInt());
  if (value.isDouble()) return nnef::scalar(value.toDouble());
  if (value.isString()) return nnef::string(value.toStringRef());
  nnef::Values items;
  for (const c10::IValue& item : value.toListRef()) items.push_back(primitive(item));
  return nnef::array(std::move(items));
}

nnef::Value literal_of(const nnef::Parameter& parameter, const c10::IValue& value) {
  return parameter.type == "scalar" && value.isInt()
             ? nnef::scalar(static_cast<double>(value.toInt()))
             : primitive(value);
}

/// Strict NNEF computes in f32, and has one width of integers.
at::Tensor accepted(const at::Tensor& tensor, const OwnOperator& own) {
  if (tensor.is_quantized())
    throw Error("unsupported-dtype", cat(own.op, " gets a quantised tensor"),
                "fragments compute with plain tensors",
                "dequantise it in the model, before the call");
  if (extend::extensions().dialect == spec::Dialect::tract) return tensor;
  return at::isFloatingType(tensor.scalar_type()) ? tensor.to(at::kFloat)
         : tensor.scalar_type() == at::kBool      ? tensor
                                                  : tensor.to(at::kLong);
}

/// The absent tensors of a call that others follow.
at::Tensor default_of(const nnef::Parameter& parameter) {
  const nnef::Value& value = *parameter.default_value;
  return at::scalar_tensor(value.kind == nnef::Kind::integer ? static_cast<double>(value.integer)
                                                             : value.number);
}

/// The tensors of an argument, which may be a list; nothing for an absent one.
std::vector<std::optional<at::Tensor>> tensors_of(const c10::IValue& argument) {
  if (argument.isTensorList()) {
    const std::vector<at::Tensor> list = argument.toTensorVector();
    return {list.begin(), list.end()};
  }
  if (argument.isNone() || !argument.toTensor().defined()) return {std::nullopt};
  return {argument.toTensor()};
}

/// Errors: `fragment-signature` if the interpreter refuses the call.
std::vector<ir::Tensor> computed(const extend::OwnCall& call,
                                 const std::vector<ir::Tensor>& inputs) {
  const InterpModule& interp = *t2n_interp_module();
  nnef::Artefact artefact;
  artefact.document = extend::document_of(call);
  try {
    return interp.run(*interp.load(artefact, extend::extensions().dialect), inputs);
  } catch (const Error& error) {
    const Diagnostic& found = error.diagnostic();
    if (error.code() == ExitCode::timeout || found.id == "memory-limit") throw;
    extend::refuse_call(
        call, found.details.empty() ? found.message : cat(found.message, ", ", found.details[0]));
  }
}

/// Runs the fragment on the operands of a call. Floating-point results have the operands' dtype.
std::vector<at::Tensor> run_fragment(const OwnOperator& own, const torch::jit::Stack& operands) {
  extend::OwnCall call{own, {}, {}};
  std::vector<ir::Tensor> inputs;
  std::optional<at::ScalarType> dtype;
  for (size_t i = 0; i < operands.size(); ++i) {
    const nnef::Parameter& parameter = own.fragment.parameters[i];
    if (!extend::is_tensor(parameter)) {
      call.others.push_back({parameter.name, literal_of(parameter, operands[i])});
      continue;
    }
    for (const std::optional<at::Tensor>& operand : tensors_of(operands[i])) {
      const at::Tensor tensor = operand ? accepted(*operand, own) : default_of(parameter);
      if (operand && !dtype && operand->is_floating_point()) dtype = operand->scalar_type();
      inputs.push_back(trace::copy(tensor));
      call.tensors.push_back({inputs.back().dtype, inputs.back().shape, i});
    }
  }
  std::vector<at::Tensor> out;
  for (const ir::Tensor& result : computed(call, inputs)) {
    at::Tensor tensor = trace::to_torch_copy(result);
    out.push_back(dtype && tensor.is_floating_point() ? tensor.to(*dtype) : tensor);
  }
  return out;
}

void define(const OwnOperator& own) {
  trace::define_operator(extend::schema_of(own), [own](torch::jit::Stack& stack) {
    const size_t count = own.fragment.parameters.size();
    const auto last = torch::jit::last(stack, count);
    const torch::jit::Stack operands(last.begin(), last.end());
    torch::jit::drop(stack, count);
    for (at::Tensor& result : run_fragment(own, operands))
      torch::jit::push(stack, std::move(result));
  });
}

// The signature of an operator that LibTorch, or a plugin, has.

bool fits(const nnef::Parameter& parameter, const c10::Argument& argument) {
  std::string type = argument.type()->str();
  if (type == "Optional[Tensor]") return extend::is_tensor(parameter) && parameter.default_value;
  constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
      {"Tensor", "tensor<scalar>"},
      {"Tensor", "tensor<integer>"},
      {"Tensor", "tensor<logical>"},
      {"List[Tensor]", "tensor<scalar>[]"},
      {"List[Tensor]", "tensor<integer>[]"},
      {"List[Tensor]", "tensor<logical>[]"},
      {"float", "scalar"},
      {"Scalar", "scalar"},
      {"int", "integer"},
      {"int", "scalar"},
      {"bool", "logical"},
      {"str", "string"},
      {"List[int]", "integer[]"},
      {"List[float]", "scalar[]"}};
  if (type == "number") type = "Scalar";
  return std::ranges::find(kTypes, std::pair<std::string_view, std::string_view>(
                                       type, parameter.type)) != std::end(kTypes);
}

/// "", or what differs.
std::string difference(const nnef::Fragment& fragment, const c10::FunctionSchema& schema) {
  for (const c10::Argument& argument : schema.arguments()) {
    const auto parameter = std::ranges::find_if(
        fragment.parameters, [&](const auto& each) { return each.name == argument.name(); });
    const std::string text = cat(argument.type()->str(), " ", argument.name());
    if (parameter == fragment.parameters.end())
      return cat("it has no parameter for the argument ", quoted(text));
    if (!fits(*parameter, argument))
      return cat("its parameter ", quoted(parameter->name), " of the type ", parameter->type,
                 " does not fit the argument ", quoted(text));
  }
  for (const nnef::Parameter& each : fragment.parameters)
    if (!each.default_value && !schema.argumentIndexWithName(each.name))
      return cat("its parameter ", quoted(each.name),
                 " has no default, and the operator no such "
                 "argument");
  if (schema.is_mutable()) return "the operator writes to its arguments, and a fragment cannot";
  if (std::ranges::any_of(schema.returns(), [](const auto& each) { return each.alias_info(); }))
    return "the operator returns memory of its arguments, and a fragment computes new values";
  const size_t results = schema.returns().size();
  return results == fragment.results.size()
             ? ""
             : cat("it has ", fragment.results.size(), " results, and the operator ", results);
}

void check_signature(const OwnOperator& own) {
  const size_t dot = own.op.find('.', own.op.find("::"));
  const std::string name = own.op.substr(0, dot);
  const std::string overload = dot == std::string::npos ? "" : own.op.substr(dot + 1);
  std::vector<std::string> overloads;
  for (const auto& op : torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(name))) {
    overloads.push_back(op->schema().overload_name());
    if (overloads.back() != overload) continue;
    const std::string why = difference(own.fragment, op->schema());
    if (why.empty()) return;
    throw Error("fragment-signature",
                cat("the fragment ", quoted(own.fragment.name), " does not fit ", own.op), why,
                cat("its schema is ", op->schema()));
  }
  throw Error("fragment-signature",
              cat("the fragment ", quoted(own.fragment.name), " stands for ", own.op,
                  ", which is no overload of the operator"),
              cat("it has ", joined(overloads, ", ")),
              "name one after a further __, as in aten__foo__Tensor");
}

/// Registers its operators itself, while it is loaded.
void open_plugin(const std::string& path) {
  const std::set<std::string> before = trace::operator_names();
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    const char* const reason = ::dlerror();
    throw Error("plugin-failed", cat("cannot load the plugin ", quoted(path)),
                reason == nullptr ? "" : first_line(reason),
                "a plugin is a library of torch operators, built for the LibTorch that `t2nnef "
                "--version` shows");
  }
  std::set<std::string> added;
  std::ranges::set_difference(trace::operator_names(), before, std::inserter(added, added.end()));
  if (added.empty())
    throw Error("plugin-failed", cat("the plugin ", quoted(path), " registers no operator"), {},
                "it must call TORCH_LIBRARY when it is loaded");
  trace::allow_operators(added);
  using Entry = const t2nnef_plugin* (*)();
  if (const auto entry = reinterpret_cast<Entry>(::dlsym(library, "t2nnef_plugin_v1")))
    extend::add_plugin(entry(), path);
}

void load_plugins() {
  static bool is_loaded = false;
  if (std::exchange(is_loaded, true)) return;
  trace::prepare_process();
  // A copy: each adds to the extensions.
  for (const std::string& path : std::vector(extend::extensions().plugins)) open_plugin(path);
}

/// Only LibTorch computes what a plugin translates.
void require_kernel(const OwnOperator& own, bool is_known) {
  if (is_known) return;
  throw Error("plugin-failed", cat("no library registers ", own.op),
              "a plugin translates it, and the check needs its kernel",
              "register it with TORCH_LIBRARY, in the same library or in another --plugin");
}

std::vector<std::string> define_all() {
  static const std::vector<std::string> defined = [] {
    trace::prepare_process();
    std::vector<std::string> out;
    for (const OwnOperator& own : extend::extensions().operators) {
      const bool is_known =
          trace::torch_knows(own.op.substr(0, own.op.find('.', own.op.find("::"))));
      if (own.plugin != nullptr) {
        require_kernel(own, is_known);
        continue;
      }
      if (is_known) {
        check_signature(own);
        continue;
      }
      define(own);
      if (!own.is_module()) out.push_back(own.op);
    }
    return out;
  }();
  return defined;
}

}  // namespace
}  // namespace t2n::interp

extern "C" __attribute__((visibility("default"))) const t2n::trace::ExtensionModule*
t2n_extension_module() {
  static const t2n::trace::ExtensionModule module = {t2n::interp::load_plugins,
                                                     t2n::interp::define_all};
  return &module;
}
