// SPDX-License-Identifier: Apache-2.0
#include "tests/frontend/rolled.h"

#include <doctest/doctest.h>

#include "ir/evaluator.h"
#include "src/check/compare.h"
#include "src/diag/error.h"
#include "src/export/pass_table.h"
#include "src/model/torch_module.h"
#include "src/passes/pass.h"
#include "tests/support/named.h"
#include "tests/support/script.h"

namespace t2n::test {
trace::Traced rolled(const std::string& source, const std::vector<ir::Tensor>& inputs,
                     const Parameters& parameters) {
  const auto session = torch_module().compile({source, parameters});
  trace::TraceOptions options;
  options.keep_sizes = true;
  for (;;) {
    trace::Traced out = torch_module().trace(*session, named(inputs), options);
    const size_t before = options.rerolled_loops.size();
    for (const trace::Decision& decision : out.decisions)
      if (decision.kind == trace::Decision::Kind::loop) options.rerolled_loops.insert(decision.id);
    if (options.rerolled_loops.size() > before) continue;
    ir::verify(out.graph, "trace");
    return out;
  }
}

std::string rolled_text(const std::string& source, const std::vector<ir::Tensor>& inputs,
                        const Parameters& parameters) {
  trace::Traced traced = rolled(source, inputs, parameters);
  ir::Graph bound = traced.graph;
  passes::run_pipeline(bound, {"bind-sizes"}, {});
  const std::vector<ir::Tensor> outputs = ir::run_graph(bound, inputs, torch_module().evaluator());
  REQUIRE_EQ(outputs.size(), traced.outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const check::Deviation result = check::compare(traced.outputs[i], outputs[i], rel(1e-6));
    CHECK_MESSAGE(result.verdict == check::Verdict::ok,
                  check::mismatch_text(traced.graph.output_names[i], result));
  }
  return ir::print(traced.graph);
}

}  // namespace t2n::test
