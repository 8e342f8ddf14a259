// SPDX-License-Identifier: Apache-2.0
// tract's C functions as one struct, under any version's names (0.19 to 0.23).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace t2n::tract {

using Handle = void*;  ///< opaque; each kind has its own function to destroy it
using Status = int;    ///< zero is success

/// Functions that a version lacks are null; comments name the versions that have them.
struct Abi {
  const char* (*version)();
  const char* (
      *last_error)();  ///< null before the first error; valid until this thread's next call
  void (*free_cstring)(char*);

  Status (*nnef_create)(Handle* nnef);
  Status (*nnef_destroy)(Handle* nnef);
  std::vector<Status (*)(Handle nnef)> enable_registry;  ///< one per registry; order is irrelevant
  Status (*nnef_load)(Handle nnef, const char* path, Handle* model);

  Status (*model_destroy)(Handle* model);
  Status (*model_counts)(Handle model, size_t* inputs, size_t* outputs);  ///< 0.19
  Status (*model_input_count)(Handle model, size_t* count);               ///< 0.20 and later
  Status (*model_output_count)(Handle model, size_t* count);              ///< 0.20 and later
  Status (*model_input_name)(Handle model, size_t index, char** name);
  Status (*model_output_name)(Handle model, size_t index, char** name);
  Status (*model_input_fact)(Handle model, size_t index, Handle* fact);
  Status (*model_output_fact)(Handle model, size_t index, Handle* fact);
  Status (*model_declutter)(Handle model);  ///< up to 0.22; loading does it since
  Status (*model_optimize)(Handle model);   ///< up to 0.22; model_into_runnable does it since
  Status (*model_into_runnable)(Handle* model,
                                Handle* runnable);  ///< consumes the model, even on failure
  /// 0.19 to 0.21.
  Status (*model_profile)(Handle model, Handle* inputs, char** json);
  /// 0.22: the same symbol with two more parameters.
  Status (*model_profile_states)(Handle model, Handle* inputs, Handle* states, size_t state_count,
                                 char** json);

  Status (*model_transform)(Handle model, const char* what);  ///< 0.21; JSON since 0.23
  /// 0.19 to 0.22: replaces the model.
  Status (*model_pulse_simple)(Handle* model, const char* symbol, const char* pulse);
  Status (*model_property)(Handle model, const char* name, Handle* tensor);  ///< 0.20 and later

  Status (*fact_dump)(Handle fact, char** text);
  Status (*fact_destroy)(Handle* fact);

  Status (*runnable_release)(Handle* runnable);
  Status (*runnable_run)(Handle runnable, Handle* inputs, Handle* outputs);  ///< in a fresh state
  Status (*runnable_profile)(Handle runnable, Handle* inputs, char** json);  ///< 0.23
  Status (*runnable_spawn_state)(Handle runnable, Handle* state);

  Status (*state_run)(Handle state, Handle* inputs, Handle* outputs);
  Status (*state_destroy)(Handle* state);

  Status (*tensor_from_bytes)(uint32_t type, size_t rank, const size_t* shape, void* data,
                              Handle* tensor);
  Status (*tensor_as_bytes)(Handle tensor, uint32_t* type, size_t* rank, const size_t** shape,
                            const void** data);
  Status (*tensor_convert_to)(Handle tensor, uint32_t type, Handle* converted);  ///< 0.23
  Status (*tensor_destroy)(Handle* tensor);
};

/// Looks up the functions in an opened library. Errors: `engine-not-found`, with the missing
/// symbol.
Abi bind_abi(void* library);

}  // namespace t2n::tract
