// SPDX-License-Identifier: Apache-2.0
// Loops of static exports: unrolled and noted by the trace, made scans by a pass.
#include <doctest/doctest.h>

#include "ir/evaluator.h"
#include "ir/scan.h"
#include "src/check/compare.h"
#include "src/export/pass_table.h"
#include "src/model/torch_module.h"
#include "tests/support/named.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

size_t scans_in(const ir::Graph& graph) {
  size_t out = 0;
  for (const ir::Node& node : graph.nodes) out += ir::is_scan(node) ? 1 + scans_in(*node.body) : 0;
  return out;
}

/// How many scans the pass makes; fails the test unless the graph computes what the program did.
size_t scans_of(const std::string& body, const std::vector<ir::Tensor>& inputs) {
  const auto session = torch_module().compile({"def forward(self, x):\n" + body, {}});
  trace::TraceOptions options;
  options.notes_loops = true;
  trace::Traced traced = torch_module().trace(*session, named(inputs), options);
  passes::run_pipeline(traced.graph, {"roll-loops", "dead-code"}, {});
  CAPTURE(ir::print(traced.graph));
  const std::vector<ir::Tensor> outputs =
      ir::run_graph(traced.graph, inputs, torch_module().evaluator());
  REQUIRE_EQ(outputs.size(), traced.outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const check::Deviation result = check::compare(traced.outputs[i], outputs[i], rel(1e-6));
    CHECK_MESSAGE(result.verdict == check::Verdict::ok,
                  check::mismatch_text(traced.graph.output_names[i], result));
  }
  return scans_in(traced.graph);
}

struct LoopCase {
  size_t scans;
  std::string body;
};

const std::vector<LoopCase> kLoopCases = {
    {1, R"(
    h = x[:, 0] * 0.0
    outs = []
    for t in range(x.size(1)):
        h = torch.tanh(x[:, t] + h * 0.5)
        outs.append(h)
    return torch.stack(outs, 1), h, outs[2], outs[1] + outs[-1]
)"},
    {1, R"(
    out = torch.zeros([2, 5, 3])
    for t in range(4, -1, -1):
        out[:, t] = x[:, t] * 2.0 + t
    return out
)"},
    {1, R"(
    h = x[:, 0]
    parts = []
    for v in x.unbind(1):
        h = torch.tanh(v + h)
        parts.append(h.unsqueeze(1))
    return torch.cat(parts, 1), torch.cat(parts[1:4], 1), torch.cat(parts[::-1], 1)
)"},
    {2, R"(
    h = x[:, 0]
    for t in range(5):
        for i in range(3):
            h = torch.tanh(h + x[:, t] * 0.5)
        h = h + 1.0
    return h
)"},
    {2, R"(
    first = []
    for t in range(5):
        first.append(x[:, t] + 1.0)
    h = x[:, 0]
    for a in first:
        h = torch.tanh(h + a)
    return h
)"},
    // The first iteration is another, the last one too.
    {1, R"(
    h = x[:, 0]
    for t in range(5):
        if t == 0:
            h = h * 2.0
        h = torch.sin(h) + x[:, t]
    return h
)"},
    {0, R"(
    h = x[:, 0]
    for t in range(5):
        h = torch.sin(h) + x[:, t]
        if t == 4:
            h = h * 2.0
    return h
)"},
    // Operations that take iterations, slices in other steps, numbers in no steps.
    {0, R"(
    h = x[:, 0]
    for t in range(5):
        h = torch.sin(h) if t % 2 == 0 else torch.cos(h)
    return h
)"},
    {1, R"(
    h = x[:, 0]
    for t in range(3):
        h = torch.sin(h) + x[:, 2 * t]
    return h
)"},
    {0, R"(
    h = x[:, 0]
    for t in range(5):
        h = torch.sin(h) * (t * t)
    return h
)"},
    {0, R"(
    h = x[:, 0]
    for t in range(5):
        h = torch.sin(h) + torch.tensor([1.0 * t * t, 2.0, 3.0])
    return h
)"},
    {1, R"(
    h = x[:, 0]
    for t in range(5):
        h = torch.sin(h) * (2 * t + 1)
    return h
)"},
    // Numbers that differ in a sign of zero, tensors of outside that take turns.
    {0, R"(
    h = x[:, 0]
    s = 0.0
    for t in range(3):
        h = h + torch.atan(x[:, t] / s)
        s = -s
    return h
)"},
    {0, R"(
    h = x[:, 0]
    a, b, c = torch.tensor(1.0), torch.tensor(2.0), torch.tensor(3.0)
    for w in [a, b, a, b, c, c]:
        h = torch.sin(h * w)
    return h
)"},
    {0, R"(
    h = x[:, 0]
    for t in range(4):
        h = h * torch.tensor([t, t + 1, 2])
    return h
)"},
    // What is filled is a state of another tensor as well.
    {0, R"(
    out = torch.zeros([2, 5, 3])
    before = out + 1.0
    h = x[:, 0]
    for t in range(5):
        h = torch.tanh(h) + before.sum(1) + x[:, t]
        before = out
        out = out.clone()
        out[:, t] = h
    return out, h
)"},
    // An iteration reads what the two before it computed.
    {1, R"(
    a = x[:, 0]
    b = x[:, 1]
    c = a
    for t in range(5):
        c = a + b
        a = b
        b = c
    return c
)"},
    // What is written is read in the loop, in a slice of another iteration.
    {1, R"(
    out = x.clone()
    for t in range(4):
        out[:, t + 1] = torch.tanh(out[:, t]) + out[:, t + 1]
    return out
)"},
    // Sizes change.
    {0, R"(
    h = x
    for t in range(4):
        h = torch.tanh(h[:, 1:])
    return h
)"},
    {1, R"(
    y = x[:, :0]
    for t in range(5):
        y = torch.cat([y, x[:, t:t + 1] * 2.0], 1)
    return y
)"},
};

TEST_CASE("loops become scans and compute the same with and without rolling") {
  for (const LoopCase& each : kLoopCases) {
    CAPTURE(each.body);
    CHECK_EQ(scans_of(each.body, {randn({2, 5, 3}, 1)}), each.scans);
  }
}

TEST_CASE("without the option no loops are noted") {
  const auto session =
      torch_module().compile({"def forward(self, x):\n    for t in range(3):\n        x = x + 1.0\n"
                              "    return x\n",
                              {}});
  const trace::Traced traced = torch_module().trace(*session, named({randn({2}, 1)}), {});
  CHECK(ir::print(traced.graph).find("unrolled") == std::string::npos);
}

}  // namespace
}  // namespace t2n::test
