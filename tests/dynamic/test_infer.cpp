// SPDX-License-Identifier: Apache-2.0
// Whole programs: sizes from inputs to outputs, through arguments as well.
#include "ir/print.h"
#include "src/diag/error.h"
#include "src/dynamic/level.h"
#include "tests/dynamic/support.h"

namespace t2n::test {
namespace {

const ir::Dim kB = ir::Dim::symbol("B"), kS = ir::Dim::symbol("S");

const ir::Attr& argument(const ir::Graph& graph, std::string_view op, std::string_view name) {
  for (const ir::Node& node : graph.nodes)
    if (ir::op_name(node.op) == op) return *node.find(name);
  FAIL("no such operation");
  return graph.nodes[0].args[0].value;
}

TEST_CASE("sizes in arguments become expressions of the axes") {
  const Inference out = infer({R"(
def forward(self, x):
    b, s, d = x.size()
    y = x.reshape([b * s, d])
    return y.reshape([y.size(0) // s, s, d]), torch.arange(s + 1)
)",
                               {{kB, kS, 8}}});
  CHECK_EQ(output_shapes(out.graph), "[B,S,8] [S + 1]");
  CHECK_EQ(std::get<std::vector<ir::Dim>>(argument(out.graph, "aten::reshape", "shape"))[0].str(),
           "B*S");
  CHECK_EQ(std::get<ir::Dim>(argument(out.graph, "aten::arange", "end")).str(), "S + 1");
}

TEST_CASE("the graph names the symbols and their sizes in the first trial") {
  const Inference out = infer({"def forward(self, x):\n  return x + 1\n", {{kB, kS}}});
  CHECK_NE(ir::print(out.graph).find("B="), std::string::npos);
  const auto& sizes =
      std::any_cast<const dynamic::Sizes&>(out.graph.attributes.at(ir::kSampleSizes));
  CHECK_EQ(sizes.size(), 2);
}

TEST_CASE("a size that no rule can express is refused with the sizes seen") {
  const std::string text = shapes_of("torch.tril_indices(x.size(0), 3)", {"S,3"});
  CHECK_NE(text.find("error[dynamic-size]: aten::tril_indices: axis 1 of its result cannot "
                     "be expressed in the dynamic axes\n"),
           std::string::npos);
  CHECK_NE(text.find(" where S="), std::string::npos);
  CHECK_NE(text.find("help: declare fewer axes dynamic"), std::string::npos);
}

TEST_CASE("a number that is not an integer cannot depend on a size") {
  const std::string text = shapes_of("x * (1.0 / x.size(0))", {"S,3"});
  CHECK_NE(text.find("error[dynamic-size]: aten::mul.Scalar: other="), std::string::npos);
}

TEST_CASE("an integer without an expression over sizes is refused") {
  CHECK_EQ(shapes_of("torch.zeros([int(x.size(0) * 0.5)])", {"2*S,3"}), "[S]");
  const std::string text = shapes_of("torch.zeros([int(x.size(0) ** 0.5)])", {"2*S,3"});
  CHECK_NE(text.find("error[dynamic-size]: aten::zeros: the argument 'size' cannot be "
                     "expressed in the dynamic axes\n"),
           std::string::npos);
}

TEST_CASE("the tracer's symbols are rewritten over the axes") {
  const Inference out = infer({"def forward(self, x):\n  return x[:, 1:]\n", {{kB, 2 * kS}}});
  CHECK_EQ(
      dynamic::InferredSizes(out.graph).over_axes(ir::parse_dim("size.x.1 * 3 + size.x.0")).str(),
      "B + 6*S");
}

}  // namespace
}  // namespace t2n::test
