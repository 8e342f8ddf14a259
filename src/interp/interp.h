// SPDX-License-Identifier: Apache-2.0
// The reference interpreter of NNEF: runs the operations that the specification and tract's
// documents define, with ATen's kernels. Torch-free: the code is in libt2nnef_torch.so.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/shape.h"
#include "ir/tensor.h"
#include "src/nnef/artefact.h"
#include "src/spec/operations.h"

namespace t2n::interp {

/// A loaded artefact with its state between runs (updated variables, states of scans). Must not be
/// used by two threads at once.
struct Program;

/// An input or output of the graph.
struct ProgramPort {
  std::string name;
  ir::DType dtype = ir::DType::f32;  ///< of inputs only
  ir::Shape shape;                   ///< of inputs only
};

/// The functions of libt2nnef_torch.so that run NNEF. Errors: `engine-rejects` if loading
/// fails, `engine-failed` if a run fails; both name the statement.
struct InterpModule {
  std::shared_ptr<Program> (*load)(const nnef::Artefact& artefact, spec::Dialect dialect);
  /// In the order of `run`'s inputs: for tract the order of the `external` statements, as tract
  /// uses no other; else the order of the graph's parameters.
  std::vector<ProgramPort> (*inputs)(const Program& program);
  std::vector<ProgramPort> (*outputs)(const Program& program);
  /// The graph's results. Inputs have the dtypes of the ports.
  std::vector<ir::Tensor> (*run)(Program& program, const std::vector<ir::Tensor>& inputs);
  /// The values of these names in the graph's body, instead of its results.
  std::vector<ir::Tensor> (*run_to)(Program& program, const std::vector<ir::Tensor>& inputs,
                                    const std::vector<std::string>& output_names);
  /// Resets the state of previous runs.
  void (*reset)(Program& program);
};

/// The name under which libt2nnef_torch.so exports `const InterpModule* t2n_interp_module()`.
inline constexpr const char* kInterpModuleSymbol = "t2n_interp_module";

}  // namespace t2n::interp
