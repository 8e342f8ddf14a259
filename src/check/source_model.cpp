// SPDX-License-Identifier: Apache-2.0
#include "src/check/source_model.h"

#include "src/passes/passes.h"
#include "src/samples/samples_at.h"

namespace t2n {

std::vector<ir::Tensor> graph_inputs(const std::vector<trace::SampleInput>& inputs,
                                     const SourceModel& model) {
  std::vector<ir::Tensor> out = values_of(inputs, model.inputs);
  for (ir::Tensor& tensor : out) tensor = ir::as_pairs(tensor);
  return out;
}

std::vector<ir::Tensor> reference_outputs(const SourceModel& model,
                                          const std::vector<trace::SampleInput>& inputs,
                                          const dynamic::Sizes& sizes, trace::Executor executor) {
  if (!model.is_graph()) return torch_module().run_in(*model.session, inputs, executor);
  return ir::run_graph(passes::at_sizes(model.graph, sizes), values_of(inputs, model.inputs),
                       torch_module().evaluator());
}

}  // namespace t2n
