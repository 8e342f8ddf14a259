// SPDX-License-Identifier: Apache-2.0
// The functions of libt2nnef_torch.so, without any torch header.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/evaluator.h"
#include "ir/schema.h"
#include "src/model/find_torch.h"
#include "src/model/model.h"
#include "src/model/traced.h"

namespace t2n::trace {

/// The executor that runs a model.
enum class Executor {
  torch,          ///< LibTorch's own executor without its optimisations: the reference of a check
  torch_unfused,  ///< the same with gradients reported as on, as in every export, so that torch's
                  ///< modules take no fused path
  // LibTorch's, with another quantised engine than its default one:
  torch_onednn,  ///< the default one has its kernels, too, except for linear layers and many groups
  torch_fbgemm,
  torch_qnnpack,
  ours,         ///< the interpreter that records
  ours_native,  ///< the same with TraceOptions::native_halves
};

/// LibTorch's quantised engines other than its default one.
inline constexpr std::array kOtherEngines = {Executor::torch_onednn, Executor::torch_fbgemm,
                                             Executor::torch_qnnpack};

/// The first difference between two executors.
struct FirstDifference {
  std::string op;  ///< "aten::select"; "" if no single operator gives another result
  Where where;
};

/// The functions of libt2nnef_torch.so. Errors: see docs/diagnostics.md, ids `model-…`, `input-…`,
/// `forward-failed`, `data-dependent-…`, `denied-operator`, `unsupported-…`, `trace-limit`.
struct TorchModule {
  std::string torch_version;
  std::shared_ptr<Session> (*load)(const std::string& path, const std::string& method);
  /// Reads the code without compiling it. Errors: `model-…`.
  ModelCode (*read_code)(const std::string& path);
  std::shared_ptr<Session> (*compile)(const InlineModel& model);
  ModelInfo (*describe)(const Session& session);
  /// Runs the model once and records it. Graph inputs are the tensor leaves, depth first.
  Traced (*trace)(Session& session, const std::vector<SampleInput>& inputs,
                  const TraceOptions& options);
  /// The same run, but it goes on after refusals. Errors: those of the inputs.
  Survey (*survey)(Session& session, const std::vector<SampleInput>& inputs,
                   const TraceOptions& options);
  /// The index ranges of the tensor inputs, depth first. The run ends once no tensor with their
  /// values is alive. Errors: `input-…`; `forward-failed` if torch refuses these values.
  std::vector<InputRange> (*input_ranges)(Session& session, const std::vector<SampleInput>& inputs,
                                          bool explicit_states);
  /// Runs the model as trace() does, without recording. States are those of the last trace.
  std::vector<ir::Tensor> (*run)(Session& session, const std::vector<SampleInput>& inputs);
  /// The same in another executor. LibTorch's own reloads the model each time. Errors:
  /// `forward-failed`; `unsupported-dtype` if LibTorch has no kernel for 16-bit floats.
  std::vector<ir::Tensor> (*run_in)(Session& session, const std::vector<SampleInput>& inputs,
                                    Executor executor);
  /// The first operator of our run whose result no operator of that name has in the run of `torch`.
  FirstDifference (*first_difference)(Session& session, const std::vector<SampleInput>& inputs,
                                      Executor torch, Executor ours);
  /// The calls of `forward` of modules of the model in a run, in order; also of a run that fails.
  std::vector<ModuleCall> (*module_calls)(Session& session, const std::vector<SampleInput>& inputs);
  /// A module of the model in a file, as a model of its own. Errors: those of `load`.
  std::shared_ptr<Session> (*load_module)(const std::string& path, const std::string& module);
  /// The bytes of a TorchScript file of the model. Errors: `forward-failed`.
  std::string (*saved)(Session& session);
  /// Refuses a model whose file changed since it was loaded. `checks_bytes`: it also reads all
  /// bytes and compares them with their checksums.
  void (*verify)(const Session& session, bool checks_bytes);
  ir::Evaluator (*evaluator)();
  /// The same with torch's own kernels for 16-bit floats, as its executor has them.
  ir::Evaluator (*native_evaluator)();
  /// The same in f64, whatever float types the graph has.
  ir::Evaluator (*wide_evaluator)();
  /// The signature of "aten::add.Tensor"; nullopt if this LibTorch has no such operator.
  std::optional<ir::Schema> (*find_schema)(const std::string& op);
  /// The signatures of all operators without tensors: on numbers, strings, containers.
  std::vector<ir::Schema> (*operators)();
  /// Tensors of a `torch.save`d tensor, list, tuple or dict.
  std::vector<SampleInput> (*read_saved)(const std::string& path);
};

/// The name under which libt2nnef_torch.so exports `const TorchModule* t2n_torch_module()`.
inline constexpr const char* kTorchModuleSymbol = "t2n_torch_module";

}  // namespace t2n::trace

namespace t2n {

/// Finds and loads LibTorch and our module for its version on first use, so that only commands that
/// need LibTorch load it. Errors: `torch-not-found`.
const trace::TorchModule& torch_module();
/// Where it was found, with the same errors.
const LibTorch& loaded_torch();
/// Its version, or "" if it was not loaded until now.
std::string version_if_loaded();
/// The address of what libt2nnef_torch.so exports under this name, with the same errors.
void* torch_module_symbol(const char* name);

}  // namespace t2n
