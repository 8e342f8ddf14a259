// SPDX-License-Identifier: Apache-2.0
#include "tests/frontend/replay.h"

#include "src/check/compare.h"
#include "src/diag/error.h"
#include "src/export/pass_table.h"
#include "src/model/torch_module.h"
#include "tests/support/named.h"

namespace t2n::test {
Replay replay(const std::string& source, const std::vector<ir::Tensor>& inputs,
              const std::vector<std::pair<std::string, ir::Tensor>>& parameters) {
  Replay out;
  const auto session = torch_module().compile({source, parameters});
  out.traced = torch_module().trace(*session, named(inputs), {});
  ir::verify(out.traced.graph, "trace");
  out.outputs = ir::run_graph(out.traced.graph, inputs, torch_module().evaluator());
  return out;
}

std::string replay_difference(const Replay& replay) {
  const check::Tolerance exact{check::Level::exact, {}};
  std::string out;
  for (size_t i = 0; i < replay.outputs.size(); ++i) {
    const check::Deviation comparison =
        check::compare(replay.traced.outputs[i], replay.outputs[i], exact);
    if (comparison.verdict != check::Verdict::ok)
      out += check::mismatch_text(replay.traced.graph.output_names[i], comparison) + "\n";
  }
  return out;
}

std::string trace_error(const std::string& source, const std::vector<ir::Tensor>& inputs) {
  try {
    replay(source, inputs);
  } catch (const Error& error) {
    return cat(error.diagnostic().id, ": ", error.diagnostic().message);
  }
  return {};
}

std::string trace_reason(const std::string& source, const std::vector<ir::Tensor>& inputs) {
  try {
    replay(source, inputs);
  } catch (const Error& error) {
    return error.diagnostic().why;
  }
  return {};
}

std::string live_operations(const Replay& replay) {
  ir::Graph graph = replay.traced.graph;
  passes::run_pipeline(graph, {"dead-code"}, {});
  std::string out;
  for (const ir::Node& node : graph.nodes) out += cat(out.empty() ? "" : " ", ir::op_name(node.op));
  return out;
}

}  // namespace t2n::test
