// SPDX-License-Identifier: Apache-2.0
// Names and places: parameters keep their path, operations their module and the user's line.
#include <cstdlib>

#include "src/diag/error.h"
#include "src/model/torch_module.h"
#include "tests/frontend/replay.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

trace::Traced trace_fixture(const std::string& file,
                            const std::vector<trace::SampleInput>& inputs) {
  const char* root = std::getenv("T2NNEF_SOURCE_DIR");
  REQUIRE(root != nullptr);
  const auto session = torch_module().load(std::string(root) + "/fixtures/" + file, "forward");
  return torch_module().trace(*session, inputs, {});
}

std::vector<std::string> constant_names(const ir::Graph& graph) {
  std::vector<std::string> out;
  for (const ir::Constant& constant : graph.constants)
    out.push_back(graph.values[static_cast<size_t>(constant.value)].name);
  return out;
}

TEST_CASE("a traced file: parameters, scopes and lines") {
  const trace::Traced traced =
      trace_fixture("digits_cnn/model.pt", {{{"x"}, randn({4, 1, 8, 8}, 1)}});
  const ir::Node& first = traced.graph.nodes.front();
  CHECK_EQ(ir::node_address(traced.graph, first).find("/conv2d_0") != std::string::npos, true);
  const Where where = ir::node_where(traced.graph, first);
  REQUIRE(!where.frames.empty());
  CHECK_EQ(where.frames[0].file, "make.py");
  CHECK_GT(where.frames[0].line, 1);
  for (const std::string& name : constant_names(traced.graph)) {
    CAPTURE(name);
    CHECK_NE(name.find('.'), std::string::npos);
  }
}

TEST_CASE("weights in the file are not copied") {
  const trace::Traced traced =
      trace_fixture("digits_cnn/model.pt", {{{"x"}, randn({4, 1, 8, 8}, 1)}});
  const auto& constants = traced.graph.constants;
  REQUIRE(!constants.empty());
  // One owner, the mapping, holds the bytes of all of them.
  for (const ir::Constant& constant : constants)
    CHECK_EQ(constant.data.owner, constants.front().data.owner);
}

TEST_CASE("a frozen file names constants by their first use") {
  const trace::Traced traced =
      trace_fixture("frozen_cnn/model.pt", {{{"input_0"}, randn({1, 3, 16, 16}, 1)}});
  bool weight = false;
  for (const std::string& name : constant_names(traced.graph))
    weight = weight || name == "conv2d_0_weight";
  CHECK(weight);
}

TEST_CASE("shared weights keep the first path, nested places get joined names") {
  const char* source = R"(
def forward(self, pair: Tuple[Tensor, Tensor], table: Dict[str, Tensor], rest: Optional[Tensor] = None):
    out = pair[0] + pair[1] * table["scale"]
    if rest is not None:
        out = out + rest
    return {"sum": [out], "parts": [pair[0] * 2, out * 3]}
)";
  const auto session = torch_module().compile({source, {}});
  const std::vector<trace::SampleInput> inputs = {{{"pair", "0"}, randn({2}, 1)},
                                                  {{"pair_1"}, randn({2}, 2)},
                                                  {{"table", "scale"}, randn({2}, 3)}};
  const trace::Traced traced = torch_module().trace(*session, inputs, {});
  std::vector<std::string> names;
  for (const ir::ValueId input : traced.graph.inputs)
    names.push_back(traced.graph.values[static_cast<size_t>(input)].name);
  CHECK_EQ(names, std::vector<std::string>{"pair_0", "pair_1", "table_scale"});
  CHECK_EQ(traced.graph.output_names, std::vector<std::string>{"sum_0", "parts_0", "parts_1"});
}

TEST_CASE("input_N names the N-th tensor, optional ones too") {
  const auto session = torch_module().compile(
      {"def forward(self, x, y: Optional[Tensor] = None):\n  return x if y is None else x + y",
       {}});
  const std::vector<trace::SampleInput> two = {{{"input_0"}, randn({2}, 1)},
                                               {{"input_1"}, randn({2}, 2)}};
  CHECK_EQ(torch_module().trace(*session, two, {}).graph.inputs.size(), 2);
  CHECK_EQ(torch_module().trace(*session, {two[0]}, {}).graph.inputs.size(), 1);
}

/// Names of the graph's inputs for samples called as `names`, or the error.
std::string bound_names(const char* source, const std::vector<std::string>& names) {
  const auto session = torch_module().compile({source, {}});
  std::vector<trace::SampleInput> inputs;
  for (const std::string& name : names) inputs.push_back({{name}, randn({2}, 1)});
  try {
    const trace::Traced traced = torch_module().trace(*session, inputs, {});
    std::string out;
    for (const ir::ValueId input : traced.graph.inputs)
      out += traced.graph.values[static_cast<size_t>(input)].name + " ";
    return out;
  } catch (const Error& error) {
    return render_text(error.diagnostic());
  }
}

TEST_CASE("arguments whose names begin alike are not mixed up") {
  CHECK_EQ(bound_names("def forward(self, h_prev, h: Optional[Tensor] = None):\n"
                       "  return h_prev if h is None else h",
                       {"h_prev"}),
           "h_prev ");
  CHECK_EQ(
      bound_names("def forward(self, x_scale, x: float = 2.0):\n  return x_scale * x", {"x_scale"}),
      "x_scale ");
  CHECK_EQ(bound_names("def forward(self, d: Dict[str, Tensor], d_mask):\n"
                       "  return d['k'] * d_mask * len(d)",
                       {"d_k", "d_mask"}),
           "d_k d_mask ");
  CHECK_EQ(bound_names("def forward(self, d: Dict[str, List[Tensor]]):\n  return d['a_b'][1]",
                       {"d_a_b_0", "d_a_b_1"}),
           "d_a_b_0 d_a_b_1 ");
  CHECK_EQ(bound_names("def forward(self, h: Dict[str, Tensor], h_a: Dict[str, Tensor]):\n"
                       "  return h['k'] + h_a['b']",
                       {"h_k", "h_a_b"}),
           "error[input-unknown]: several inputs have the name 'h_a_b'\n"
           "  why:  they are: h.a_b, h_a.b\n"
           "  help: write it with dots: --input h.a_b=…\n");
}

}  // namespace
}  // namespace t2n::test
