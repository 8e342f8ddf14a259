// The functions of the interpreter that libt2nnef_torch.so offers to the torch-free side.
#include "src/interp/evaluator.h"
#include "src/trace/convert.h"

namespace t2n::interp {
namespace {

std::vector<Port> inputs(const Program& program) { return program.inputs; }
std::vector<Port> outputs(const Program& program) { return program.outputs; }

std::vector<ir::Tensor> run_to(Program& program, const std::vector<ir::Tensor>& inputs,
                               const std::vector<std::string>& wanted) {
  Checked<at::Tensor> tensors;
  for (const ir::Tensor& input : inputs) tensors.push_back(trace::to_torch(input));
  std::vector<ir::Tensor> out;
  for (const at::Tensor& tensor : Evaluator(program).run(tensors, wanted))
    out.push_back(trace::copy(tensor));
  return out;
}

std::vector<ir::Tensor> run(Program& program, const std::vector<ir::Tensor>& inputs) {
  return run_to(program, inputs, program.document.graph.results);
}

void reset(Program& program) { program.memory.clear(); }

}  // namespace
}  // namespace t2n::interp

extern "C" __attribute__((visibility("default"))) const t2n::interp::InterpModule*
t2n_interp_module() {
  namespace interp = t2n::interp;
  static const interp::InterpModule module = {interp::load_program, interp::inputs, interp::outputs,
                                              interp::run,          interp::run_to, interp::reset};
  return &module;
}
