// SPDX-License-Identifier: Apache-2.0
// The names of tract's C functions; if versions differ, the newest name comes first.
#include "src/tract/abi.h"

#include <dlfcn.h>

#include <initializer_list>

#include "src/diag/error.h"
#include "src/tract/version.h"

namespace t2n::tract {
namespace {

/// An address that converts to the function pointer it is assigned to.
struct Symbol {
  void* address = nullptr;
  template <typename Function>
  operator Function*() const {  // NOLINT: implicit, to avoid casts in the table below
    return reinterpret_cast<Function*>(address);
  }
};

class SymbolTable {
 public:
  explicit SymbolTable(void* library) : library_(library) {}

  Symbol optional(std::initializer_list<const char*> names) const {
    for (const char* name : names)
      if (void* const address = dlsym(library_, name)) return {address};
    return {};
  }

  Symbol operator()(std::initializer_list<const char*> names) const {
    const Symbol symbol = optional(names);
    if (symbol.address == nullptr)
      throw Error("engine-not-found",
                  cat("not a tract library: it lacks ", quoted(*names.begin())));
    return symbol;
  }

 private:
  void* library_;
};

std::vector<Status (*)(Handle)> registries(const SymbolTable& find) {
  std::vector<Status (*)(Handle)> found;
  for (const char* name : {"tract_nnef_enable_tract_core", "tract_nnef_enable_tract_extra",
                           "tract_nnef_enable_tract_transformers", "tract_nnef_enable_onnx",
                           "tract_nnef_enable_pulse"}) {
    const Symbol symbol = find.optional({name});
    if (symbol.address != nullptr) found.push_back(symbol);
  }
  return found;
}

}  // namespace

Abi bind_abi(void* library) {
  const SymbolTable find(library);
  Abi abi{
      .version = find({"tract_version"}),
      .last_error = find({"tract_get_last_error"}),
      .free_cstring = find({"tract_free_cstring"}),
      .nnef_create = find({"tract_nnef_create"}),
      .nnef_destroy = find({"tract_nnef_destroy"}),
      .enable_registry = registries(find),
      .nnef_load = find({"tract_nnef_load", "tract_nnef_model_for_path"}),
      .model_destroy = find({"tract_model_destroy"}),
      .model_counts = find.optional({"tract_model_nbio"}),
      .model_input_count = find.optional({"tract_model_input_count"}),
      .model_output_count = find.optional({"tract_model_output_count"}),
      .model_input_name = find({"tract_model_input_name"}),
      .model_output_name = find({"tract_model_output_name"}),
      .model_input_fact = find({"tract_model_input_fact"}),
      .model_output_fact = find({"tract_model_output_fact"}),
      .model_declutter = find.optional({"tract_model_declutter"}),
      .model_optimize = find.optional({"tract_model_optimize"}),
      .model_into_runnable = find({"tract_model_into_runnable"}),
      .model_profile = find.optional({"tract_model_profile_json"}),
      .model_profile_states = nullptr,
      .model_transform = find.optional({"tract_model_transform"}),
      .model_pulse_simple = find.optional({"tract_model_pulse_simple"}),
      .model_property = find.optional({"tract_model_property"}),
      .fact_dump = find({"tract_fact_dump"}),
      .fact_destroy = find({"tract_fact_destroy"}),
      .runnable_release = find({"tract_runnable_release"}),
      .runnable_run = find({"tract_runnable_run"}),
      .runnable_profile = find.optional({"tract_runnable_profile_json"}),
      .runnable_spawn_state = find({"tract_runnable_spawn_state"}),
      .state_run = find({"tract_state_run"}),
      .state_destroy = find({"tract_state_destroy"}),
      .tensor_from_bytes =
          find({"tract_tensor_from_bytes", "tract_value_from_bytes", "tract_value_create"}),
      .tensor_as_bytes =
          find({"tract_tensor_as_bytes", "tract_value_as_bytes", "tract_value_inspect"}),
      .tensor_convert_to = find.optional({"tract_tensor_convert_to"}),
      .tensor_destroy = find({"tract_tensor_destroy", "tract_value_destroy"}),
  };
  // The only function whose parameters changed under the same name.
  if (parse_version(abi.version()) >= EngineVersion{0, 22, 0}) {
    abi.model_profile = nullptr;
    abi.model_profile_states = find.optional({"tract_model_profile_json"});
  }
  return abi;
}

}  // namespace t2n::tract
