// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/session/session.h"

#include <unordered_set>

#include "src/diag/error.h"
#include "src/frontend/load/allocation.h"
#include "src/frontend/load/quant_params.h"
#include "src/frontend/record/module_names.h"
#include "src/frontend/session/inputs.h"

namespace t2n::trace {
namespace {

void count_tensor(const std::string& name, const at::Tensor& tensor,
                  std::unordered_set<const void*>& seen, ModelInfo& info) {
  if (!tensor.defined()) return;
  if (info.tensors++ == 0) info.first_tensor = name;
  if (!seen.insert(tensor.unsafeGetTensorImpl()).second) return;
  info.parameters += tensor.numel();
  info.parameter_bytes += tensor.numel() * static_cast<int64_t>(tensor.element_size());
}

[[noreturn]] void refuse_method(const torch::jit::Module& module, const std::string& method) {
  std::vector<std::string> methods;
  std::string known;
  for (const auto& each : module.get_methods()) {
    methods.push_back(each.name());
    known += (known.empty() ? "" : ", ") + each.name();
  }
  if (known.empty())
    throw Error("model-format", cat("the model has no method ", quoted(method)),
                "it has no methods at all", {}, method);
  const std::string near = nearest(method, methods);
  throw Error("model-format", cat("the model has no method ", quoted(method)),
              cat("its methods are: ", known),
              near.empty() ? cat("choose one, for example: --method ", methods[0])
                           : cat("did you mean --method ", near, "?"),
              method);
}

}  // namespace

Session::Session(std::function<Loaded()> load, std::string method)
    : load_(std::move(load)), loaded_(load_()), method_(std::move(method)) {
  if (loaded_.is_exported) method_ = "forward";  // of the program that it named
  if (loaded_.module.find_method(method_)) return;
  refuse_method(loaded_.module, method_);
}

const c10::FunctionSchema& Session::schema() const {
  return loaded_.module.get_method(method_).function().getSchema();
}

bool Session::is_frozen() const {
  return !loaded_.module.type()->findAttributeSlot("training").has_value();
}

/// After a run, drops the pages that forward read or wrote from memory.
void Session::restore() const {
  if (loaded_.mapping && !loaded_.ran_code) loaded_.mapping->restore();
}

void Session::verify(bool entire_file) const {
  if (loaded_.archive) loaded_.archive->verify(entire_file);
}

ModelInfo Session::describe() const {
  ModelInfo info;
  info.kind = loaded_.is_exported     ? FileKind::exported
              : is_frozen()           ? FileKind::frozen
              : loaded_.traced_inputs ? FileKind::traced
                                      : FileKind::scripted;
  info.class_name = class_name_of(*loaded_.module.type());
  info.format_version = loaded_.format_version;
  if (loaded_.programs.size() > 1)
    info.methods = loaded_.programs;
  else
    for (const auto& method : loaded_.module.get_methods()) info.methods.push_back(method.name());
  for (size_t i = 1; i < schema().arguments().size(); ++i) {
    const c10::Argument& argument = schema().arguments()[i];
    info.arguments.push_back(
        {argument.name(), argument.type()->annotation_str(), argument.default_value().has_value()});
  }
  info.dynamic_axes = loaded_.dynamic_axes;
  info.assertions = loaded_.assertions;
  info.guards = loaded_.guards;
  for (size_t i = 0; i < loaded_.samples.size(); ++i)
    for (SampleInput& leaf :
         flatten_value(schema().arguments().at(i + 1).name(), loaded_.samples[i]))
      info.samples.push_back(std::move(leaf));
  if (loaded_.traced_inputs) {
    for (const auto& entry : loaded_.traced_inputs->toGenericDict())
      if (entry.key().toStringRef() == method_) {
        const auto list = entry.value().toListRef();
        info.samples =
            flatten_samples(schema(), std::vector<c10::IValue>(list.begin(), list.end()));
      }
  }
  std::unordered_set<const void*> seen;
  for (const auto& each : loaded_.module.named_parameters())
    count_tensor(each.name, each.value, seen, info);
  for (const auto& each : loaded_.module.named_buffers())
    count_tensor(each.name, each.value, seen, info);
  for ([[maybe_unused]] const auto& module : loaded_.module.modules()) ++info.modules;
  info.quant_params = quant_params(loaded_.module);
  return info;
}

/// Limits the model's memory by the size of the samples.
void Session::limit_memory(const std::vector<SampleInput>& arguments) const {
  if (!loaded_.mapping) return;
  size_t bytes = 0;
  for (const SampleInput& argument : arguments)
    if (const auto* tensor = std::get_if<ir::Tensor>(&argument.value))
      bytes += static_cast<size_t>(tensor->elements()) *
               static_cast<size_t>(ir::dtype_size(tensor->dtype));
  limit_allocations(loaded_.mapping->size(), bytes);
}

}  // namespace t2n::trace
