// The reference interpreter of NNEF: runs what the specification and tract's documents define, over
// ATen's kernels. Torch-free: the code is in libt2nnef_torch.so.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/shape.h"
#include "ir/tensor.h"
#include "src/nnef_reader/artefact.h"
#include "src/spec/operations.h"

namespace t2n::interp {

/// A loaded artefact, with what it keeps between runs (updated variables, states of scans). Must
/// not be used by two threads at once.
struct Program;

/// An input or output of the graph.
struct ProgramPort {
  std::string name;
  ir::DType dtype = ir::DType::f32;  ///< of inputs only
  ir::Shape shape;                   ///< of inputs only
};

/// The functions of libt2nnef_torch.so that run NNEF. Errors: `engine-rejects` for what cannot be
/// loaded, `engine-failed` for what fails in a run; both name the statement.
struct InterpModule {
  std::shared_ptr<Program> (*load)(const nnef::Artefact& artefact, spec::Dialect dialect);
  /// In the order of `run`'s inputs: for tract that of the `external` statements, which is the only
  /// one that it uses, else that of the graph's parameters.
  std::vector<ProgramPort> (*inputs)(const Program& program);
  std::vector<ProgramPort> (*outputs)(const Program& program);
  /// The graph's results. Inputs have the dtypes of the ports.
  std::vector<ir::Tensor> (*run)(Program& program, const std::vector<ir::Tensor>& inputs);
  /// The values of these names in the graph's body, instead of its results.
  std::vector<ir::Tensor> (*run_to)(Program& program, const std::vector<ir::Tensor>& inputs,
                                    const std::vector<std::string>& wanted);
  /// Forgets what earlier runs kept.
  void (*reset)(Program& program);
};

/// The name under which libt2nnef_torch.so exports `const InterpModule* t2n_interp_module()`.
inline constexpr const char* kInterpModuleSymbol = "t2n_interp_module";

}  // namespace t2n::interp
