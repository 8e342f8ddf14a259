// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/run/bound_modules.h"

#include <algorithm>
#include <map>
#include <span>

#include "ir/tensor.h"
#include "src/diag/error.h"
#include "src/diag/glob.h"
#include "src/frontend/load/convert.h"

namespace t2n::trace {
namespace {

using extend::OwnOperator;
using torch::jit::Module;

/// "conv.weight" of the parameter "conv__weight".
std::string attribute_path(std::string name) {
  for (size_t at = name.find("__", 1); at != std::string::npos; at = name.find("__", at + 1))
    name.replace(at, 2, ".");
  return name;
}

/// The attribute at a dotted path; nothing if there is none.
std::optional<c10::IValue> attribute(Module module, const std::string& path) {
  size_t begin = 0;
  for (size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', begin)) {
    const std::string name = path.substr(begin, dot - begin);
    if (!module.hasattr(name) || !module.attr(name).isModule()) return std::nullopt;
    module = module.attr(name).toModule();
    begin = dot + 1;
  }
  const std::string name = path.substr(begin);
  if (module.hasattr(name)) return module.attr(name);
  const auto type = module.type();
  const auto slot = type->findConstantSlot(name);
  return slot ? std::optional(type->getConstant(*slot)) : std::nullopt;
}

[[noreturn]] void refuse(const std::string& path, const OwnOperator& own, std::string why,
                         std::string help = {}) {
  throw Error(
      "fragment-signature",
      cat("the fragment ", quoted(own.fragment.name), " does not fit the module ", quoted(path)),
      std::move(why), std::move(help));
}

/// Whether a value may be an argument for the parameter.
bool may_be_argument(const nnef::Parameter& parameter, const c10::IValue& value) {
  const std::string& type = parameter.type;
  const bool is_absent = value.isNone() || (value.isTensor() && !value.toTensor().defined());
  if (is_absent) return parameter.default_value.has_value();
  if (extend::is_tensor_list(parameter)) return value.isTensorList();
  if (extend::is_tensor(parameter)) return value.isTensor();
  if (type == "scalar")
    return value.isDouble() || value.isInt() || value.isSymFloat() || value.isSymInt();
  if (type == "integer") return value.isInt() || value.isSymInt();
  if (type == "logical") return value.isBool();
  if (type == "string") return value.isString();
  return type == "integer[]" ? value.isIntList() : value.isDoubleList();
}

c10::IValue default_of(const OwnOperator& own, const nnef::Parameter& parameter) {
  const auto op = torch::jit::findOperatorFor(c10::OperatorName(own.op, ""));
  const int index = *op->schema().argumentIndexWithName(parameter.name);
  return *op->schema().arguments().at(static_cast<size_t>(index)).default_value();
}

/// The tensor, or those of a list.
std::vector<at::Tensor> plain_tensors(const c10::IValue& value) {
  if (value.isTensorList()) return value.toTensorVector();
  return value.isTensor() && value.toTensor().defined() ? std::vector{value.toTensor()}
                                                        : std::vector<at::Tensor>();
}

/// Copies of tensors, so that a write is noticed and the program's tensors do not change.
std::vector<c10::IValue> copies(const std::vector<c10::IValue>& plain) {
  std::vector<c10::IValue> out;
  for (const c10::IValue& value : plain) {
    std::vector<at::Tensor> tensors = plain_tensors(value);
    for (at::Tensor& each : tensors) each = each.clone();
    out.push_back(value.isTensorList() ? c10::IValue(std::move(tensors))
                  : tensors.empty()    ? value
                                       : c10::IValue(tensors[0]));
  }
  return out;
}

bool same_bytes(const c10::IValue& a, const c10::IValue& b) {
  const std::vector<at::Tensor> left = plain_tensors(a), right = plain_tensors(b);
  return std::ranges::equal(left, right, [](const at::Tensor& x, const at::Tensor& y) {
    return ir::same_values(copy(x), copy(y));
  });
}

bool share_memory(const c10::IValue& a, const c10::IValue& b) {
  const std::vector<at::Tensor> left = plain_tensors(a), right = plain_tensors(b);
  return std::ranges::any_of(left, [&](const at::Tensor& x) {
    return x.has_storage() && std::ranges::any_of(right, [&](const at::Tensor& y) {
             return y.has_storage() && x.is_alias_of(y);
           });
  });
}

/// A later write to a result must not reach anything else, nor the reverse: statements have values.
bool is_view(const std::vector<c10::IValue>& results, size_t index, const Module& module,
             const std::vector<c10::IValue>& passed) {
  const c10::IValue& result = results[index];
  const auto shares = [&](const c10::IValue& other) { return share_memory(result, other); };
  for (const c10::IValue& each : module.attributes())
    if (shares(each)) return true;
  return std::ranges::any_of(passed, shares) ||
         std::ranges::any_of(std::span(results).first(index), shares);
}

std::string paths_text(const Module& model) {
  constexpr size_t kShown = 8;
  std::vector<std::string> out;
  for (const auto& each : model.named_modules()) {
    if (each.name.empty()) continue;
    if (out.size() == kShown) return cat(joined(out, ", "), ", …");
    out.push_back(each.name);
  }
  return joined(out, ", ");
}

/// Whether an argument is the tensor of an attribute that the fragment has a parameter for.
bool is_attribute_of(const OwnOperator& own, const Module& module, const c10::IValue& argument) {
  if (!argument.isTensor() || !argument.toTensor().defined()) return false;
  return std::ranges::any_of(own.fragment.parameters, [&](const nnef::Parameter& parameter) {
    const auto value = attribute(module, attribute_path(parameter.name));
    return value && value->isTensor() && value->toTensor().defined() &&
           value->toTensor().data_ptr() == argument.toTensor().data_ptr() &&
           value->toTensor().sizes() == argument.toTensor().sizes();
  });
}

/// The operands: attributes of the module by name, and for all other parameters the arguments of
/// forward in order, whose names a trace does not keep.
torch::jit::Stack operands_of(const std::string& path, const OwnOperator& own, const Module& module,
                              const c10::FunctionSchema& schema,
                              const std::vector<c10::IValue>& arguments) {
  torch::jit::Stack out;
  size_t next = 1;
  // A trace passes the weights of a shared module to its forward, too.
  const auto skip_attributes = [&] {
    while (next < arguments.size() && is_attribute_of(own, module, arguments[next])) ++next;
  };
  for (const nnef::Parameter& parameter : own.fragment.parameters) {
    std::optional<c10::IValue> value = attribute(module, attribute_path(parameter.name));
    skip_attributes();
    if (!value && next < arguments.size()) value = arguments[next++];
    if (!value && parameter.default_value) value = default_of(own, parameter);
    if (!value)
      refuse(path, own,
             cat("the module has no attribute ", quoted(attribute_path(parameter.name)),
                 ", and forward no further argument"),
             "arguments of forward come in order; attributes have their names, with __ for a dot: "
             "conv__weight for conv.weight");
    if (!may_be_argument(parameter, *value))
      refuse(path, own,
             cat(quoted(parameter.name), " is a ", parameter.type, ", and the module's is a ",
                 value->type()->annotation_str()));
    out.push_back(*std::move(value));
  }
  // An argument that is left out must be what it is without being passed.
  for (skip_attributes(); next < arguments.size(); ++next, skip_attributes()) {
    const c10::Argument& argument = schema.arguments().at(next);
    const c10::IValue& value = arguments[next];
    const auto& fallback = argument.default_value();
    if (value.isNone() || (fallback && !fallback->isTensor() && value == *fallback)) continue;
    refuse(path, own,
           cat("forward is called with ", quoted(argument.name()),
               ", and the fragment has no parameter for it"),
           "add it to the fragment");
  }
  return out;
}

}  // namespace

BoundModules::BoundModules(const Module& model, RunMethod run) : run_(std::move(run)) {
  std::map<const c10::ivalue::Object*, std::string> globs;
  for (const extend::ModuleOp& each : extend::extensions().modules) {
    bool is_matched = false;
    for (const auto& module : model.named_modules()) {
      if (module.name.empty() || !glob_matches(each.glob, module.name)) continue;
      is_matched = true;
      const auto* const object = module.value._ivalue().get();
      const auto [known, is_new] = globs.emplace(object, each.glob);
      if (!is_new && known->second != each.glob)
        throw Error("usage",
                    cat("--module-op ", quoted(known->second), " and ", quoted(each.glob),
                        " both match the module ", quoted(module.name)),
                    "one fragment stands for a module", "make the globs narrower");
      bound_[object] = {module.name, each.glob,
                        extend::extensions().find(cat("fragment::", each.fragment))};
    }
    if (!is_matched)
      throw Error("usage", cat("--module-op ", quoted(each.glob), " matches no module"),
                  cat("the modules are ", paths_text(model)),
                  "`t2nnef inspect MODEL.pt --graph` shows their paths");
  }
}

bool BoundModules::contains(const c10::ivalue::Object& object, const std::string& method) const {
  constexpr std::string_view kForward = "forward";
  return bound_.contains(&object) && method.starts_with(kForward) &&
         method.find_first_not_of("0123456789", kForward.size()) == std::string::npos;
}

void BoundModules::require_called() const {
  for (const extend::ModuleOp& each : extend::extensions().modules) {
    const bool is_called = std::ranges::any_of(bound_, [&](const auto& entry) {
      return entry.second.glob == each.glob && entry.second.is_called;
    });
    if (is_called) continue;
    throw Error("usage",
                cat("--module-op ", quoted(each.glob),
                    " matches modules, and the run calls forward of none"),
                "the model does not use them with these inputs, calls other methods, or, in a "
                "trace, calls one of several paths of a shared module",
                "widen the glob, or bind a module around them");
  }
}

BoundCall BoundModules::call(const std::string& method, const std::vector<c10::IValue>& arguments,
                             const std::vector<c10::IValue>& plain) {
  const Module module(arguments.at(0).toObject());
  Bound& bound = bound_.at(module._ivalue().get());
  bound.is_called = true;
  const std::string& path = bound.path;
  const OwnOperator* const own = bound.own;
  BoundCall out;
  out.operands =
      operands_of(path, *own, module, module.get_method(method).function().getSchema(), arguments);
  const std::vector<c10::IValue> passed = copies(plain);
  const c10::IValue result = run_(method, passed);
  for (size_t i = 1; i < plain.size(); ++i)
    if (!same_bytes(plain[i], passed[i]))
      refuse(path, *own, "the module writes to its input, and a fragment cannot");
  out.is_tuple = result.isTuple();
  const std::vector<c10::IValue> results =
      out.is_tuple ? result.toTupleRef().elements().vec() : std::vector{result};
  if (results.size() != own->fragment.results.size() ||
      !std::ranges::all_of(results, [](const c10::IValue& each) { return each.isTensor(); }))
    refuse(path, *own,
           cat("the module returns a ", result.type()->annotation_str(), ", and the fragment ",
               own->fragment.results.size(), " tensors"),
           "a fragment stands for modules that return a tensor, or a tuple of tensors");
  for (size_t i = 0; i < results.size(); ++i)
    if (is_view(results, i, module, passed))
      refuse(path, *own, "the module returns memory of its input, its attributes or another result",
             "a fragment computes new values: return a copy, or bind a module around this one");
  const auto op = torch::jit::findOperatorFor(c10::OperatorName(own->op, ""));
  T2N_ASSERT(op != nullptr, "no operator ", own->op);
  const auto push = [results, count = own->fragment.parameters.size()](torch::jit::Stack& stack) {
    torch::jit::drop(stack, count);
    for (const c10::IValue& each : results) stack.emplace_back(each.toTensor().clone());
  };
  out.operation = {op.get(), push, false, true, false};
  return out;
}

}  // namespace t2n::trace
