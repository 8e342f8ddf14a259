// SPDX-License-Identifier: Apache-2.0
// The functions of the interpreter that libt2nnef_torch.so offers to torch-free code.
#include "src/frontend/load/convert.h"
#include "src/interp/deep_stack.h"
#include "src/interp/evaluator.h"

namespace t2n::interp {
namespace {

std::vector<ProgramPort> inputs(const Program& program) { return program.inputs; }
std::vector<ProgramPort> outputs(const Program& program) { return program.outputs; }

std::vector<ir::Tensor> run_to(Program& program, const std::vector<ir::Tensor>& inputs,
                               const std::vector<std::string>& output_names) {
  Tensors tensors;
  for (const ir::Tensor& input : inputs) tensors.push_back(trace::to_torch(input));
  std::vector<ir::Tensor> out;
  DeepStack::of_process().run([&] {
    for (const at::Tensor& tensor : DocumentEvaluator(program).run(tensors, output_names))
      out.push_back(trace::copy(tensor));
  });
  return out;
}

std::vector<ir::Tensor> run(Program& program, const std::vector<ir::Tensor>& inputs) {
  return run_to(program, inputs, program.document.graph.results);
}

void reset(Program& program) {
  program.memory.clear();
  program.called.clear();
}

}  // namespace
}  // namespace t2n::interp

extern "C" __attribute__((visibility("default"))) const t2n::interp::InterpModule*
t2n_interp_module() {
  namespace interp = t2n::interp;
  static const interp::InterpModule module = {interp::load_program, interp::inputs, interp::outputs,
                                              interp::run,          interp::run_to, interp::reset};
  return &module;
}
