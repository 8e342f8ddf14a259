// SPDX-License-Identifier: Apache-2.0
// With keep_sizes, numbers computed from sizes stay expressions until `bind-sizes` gives them
// values.
#include "ir/print.h"
#include "src/export/pass_table.h"
#include "src/model/torch_module.h"
#include "src/passes/pass.h"
#include "tests/frontend/replay.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

/// With sizes as expressions; x is f32[2,3,8].
trace::Traced trace_sizes(const std::string& source, std::vector<trace::SampleInput> inputs) {
  const auto session = torch_module().compile({source, {}});
  trace::TraceOptions options;
  options.keep_sizes = true;
  inputs.push_back({{"x"}, randn({2, 3, 8}, 1)});
  return torch_module().trace(*session, inputs, options);
}

constexpr const char* kSource = R"(
def forward(self, x):
    b, s, d = x.size()
    half = d // 2
    shape = [b * s, half]
    shape.append(2)
    shape[1] = shape[1] - 0
    n = torch.tensor(s) * 3
    return x.reshape(shape), torch.zeros([max(b, s), int(n)])
)";

trace::Traced trace_with_sizes() { return trace_sizes(kSource, {}); }

const std::vector<ir::Dim>& dims(const ir::Graph& graph, std::string_view op,
                                 std::string_view argument) {
  for (const ir::Node& node : graph.nodes)
    if (ir::op_name(node.op) == op) return std::get<std::vector<ir::Dim>>(*node.find(argument));
  FAIL("no such operation");
  static const std::vector<ir::Dim> none;
  return none;
}

TEST_CASE("sizes are followed through arithmetic, lists and tensors of rank 0") {
  const trace::Traced traced = trace_with_sizes();
  const auto& shape = dims(traced.graph, "aten::reshape", "shape");
  REQUIRE_EQ(shape.size(), 3);
  CHECK_EQ(shape[0].str(), "size.x.0*size.x.1");
  CHECK_EQ(shape[1].str(), "((size.x.2) // (2))");
  CHECK_EQ(shape[2].str(), "2");
  const auto& zeros = dims(traced.graph, "aten::zeros", "size");
  CHECK_EQ(zeros[0].str(), "max(size.x.0, size.x.1)");
  CHECK_EQ(zeros[1].str(), "3*size.x.1");
}

TEST_CASE("a size that is written over the first input is followed") {
  const trace::Traced traced = trace_sizes(
      "def forward(self, n, x):\n  torch.add(torch.tensor(x.size(1)), 1, out=n)\n"
      "  return torch.zeros([int(n)])\n",
      {{{"n"}, values({}, {5}, ir::DType::i64)}});
  CHECK_EQ(dims(traced.graph, "aten::zeros", "size")[0].str(), "size.x.1 + 1");
}

TEST_CASE("both numbers of divmod() are followed") {
  const trace::Traced traced = trace_sizes(
      "def forward(self, x):\n  a, b = divmod(x.size(2), 3)\n  return torch.zeros([a, b])\n", {});
  const auto& zeros = dims(traced.graph, "aten::zeros", "size");
  CHECK_EQ(zeros[0].str(), "((size.x.2) // (3))");
  CHECK_EQ(zeros[1].str(), "((size.x.2) % (3))");
}

TEST_CASE("bind-sizes gives the sample's integers, and the graph computes what the program did") {
  trace::Traced traced = trace_with_sizes();
  passes::run_pipeline(traced.graph, {"bind-sizes"}, {});
  CHECK_EQ(dims(traced.graph, "aten::reshape", "shape"), std::vector<ir::Dim>{6, 4, 2});
  const std::vector<ir::Tensor> x = {randn({2, 3, 8}, 1)};
  CHECK_EQ(replay_difference({traced, ir::run_graph(traced.graph, x, torch_module().evaluator())}),
           "");
}

TEST_CASE("without the option sizes are integers at once") {
  const Replay run = replay(kSource, {randn({2, 3, 8}, 1)});
  CHECK_EQ(dims(run.traced.graph, "aten::reshape", "shape"), std::vector<ir::Dim>{6, 4, 2});
  CHECK(!run.traced.graph.attributes.contains(ir::kSampleSizes));
}

}  // namespace
}  // namespace t2n::test
