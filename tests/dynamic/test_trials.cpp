// One graph for all sizes: what is assumed, what is suspicious, and what cannot be.
#include "src/export/dynamic_model.h"
#include "src/export/torch_module.h"
#include "tests/dynamic/support.h"
#include "tests/ir/support.h"

namespace t2n::test {
namespace {

struct Outcome {
  std::string shapes;  ///< of the outputs
  std::vector<std::string> relations;
  std::vector<std::string> said;  ///< messages of warnings and notes
  std::optional<Diagnostic> error;
};

/// The inputs x and y of these shapes, f32, with these axes dynamic.
Outcome trace_body(const std::string& body, const std::vector<ir::Ints>& shapes,
                   const std::vector<std::string>& axes,
                   const std::vector<std::string>& asserted = {}) {
  Outcome out;
  const std::string source =
      cat("def forward(self, x", shapes.size() > 1 ? ", y" : "", "):\n", body);
  std::vector<Sample> samples;
  for (size_t i = 0; i < shapes.size(); ++i)
    samples.push_back({{{i == 0 ? "x" : "y"}, randn(shapes[i], i)}, std::nullopt});
  DynamicOptions dynamic;
  for (const std::string& axis : axes) dynamic.axes.push_back(dynamic::parse_axis(axis));
  for (const std::string& text : asserted)
    dynamic.asserted.push_back(dynamic::parse_comparison(text));
  trace::TraceOptions options;
  options.report = [&](const Diagnostic& diagnostic) { out.said.push_back(diagnostic.message); };
  const auto session = torch_module().compile({source, {}});
  try {
    const auto traced = trace_dynamic_model(*session, samples, dynamic, options);
    out.shapes = output_shapes(traced.traced.graph);
    for (const ir::Comparison& relation : traced.relations)
      out.relations.push_back(ir::str(relation));
  } catch (const Error& error) {
    out.error = error.diagnostic();
  }
  return out;
}

using Strings = std::vector<std::string>;

TEST_CASE("sizes stay expressions, and each symbol is positive") {
  const Outcome out = trace_body("  b, s, d = x.size()\n  return x.reshape(b * s, 2, d // 2)\n",
                                 {{2, 10, 8}}, {"x:0=B", "x:1=S"});
  CHECK(!out.error);
  CHECK_EQ(out.shapes, "[B*S,2,4]");
  CHECK_EQ(out.relations, Strings{"B >= 1", "S >= 1"});
  CHECK(out.said.empty());
}

TEST_CASE("an assertion about one symbol takes the place of ours") {
  CHECK_EQ(trace_body("  return x + 1\n", {{2, 10}}, {"x:1=S"}, {"S>=0", "S<512"}).relations,
           Strings{"S >= 0", "S < 512"});
  CHECK_EQ(trace_body("  return x + 1\n", {{2, 10}}, {"x:1=S"}, {"S<5"}).error->message,
           "the sample (S=10) contradicts what --assert says");
}

TEST_CASE("a branch that all sizes took alike binds the file, unless the user knows") {
  const char* body = "  if x.size(1) > 4:\n    return x * 2\n  return x + 1\n";
  const Outcome out = trace_body(body, {{2, 10}}, {"x:1=S"});
  CHECK_EQ(out.relations, Strings{"S >= 1", "S > 4"});
  CHECK_EQ(out.said, Strings{"the file holds for S > 4 only"});
  CHECK(trace_body(body, {{2, 10}}, {"x:1=S"}, {"S > 4"}).said.empty());
  // What holds for every size says nothing.
  const Outcome trivial =
      trace_body("  assert x.size(1) != 0\n  return x + 1\n", {{2, 10}}, {"x:1=S"});
  CHECK(trivial.said.empty());
}

TEST_CASE("a loop of as many turns at all sizes binds the file to those") {
  const Outcome counted =
      trace_body("  for i in range(min(x.size(1), 4)):\n    x = x.sin() + 1\n  return x\n",
                 {{2, 10}}, {"x:1=S"});
  CHECK_EQ(counted.relations, Strings{"S >= 1", "min(S, 4) == 4"});
  CHECK_EQ(counted.said, Strings{"the file holds for min(S, 4) == 4 only"});
  const Outcome asked =
      trace_body("  n = 1\n  while n < x.size(1):\n    n = n * 4\n    x = x + n\n  return x\n",
                 {{2, 10}}, {"x:1=S"});
  CHECK_EQ(asked.relations, Strings{"S >= 1", "1 < S", "4 < S", "16 >= S"});
}

TEST_CASE("what depends on a size other than by whole numbers is refused with its reason") {
  const auto message = [](const char* body) {
    const Outcome out = trace_body(body, {{2, 10}}, {"x:1=S"});
    return out.error ? cat(out.error->id, ": ", out.error->message) : out.shapes;
  };
  CHECK_EQ(message("  if x.size(1) > 10:\n    return x * 2\n  return x + 1\n"),
           "dynamic-differs: a branch depends on a size: it goes another way at S=10 and at S=11");
  CHECK_EQ(message("  return x / (float(x.size(1)) / 4.0)\n"),
           "dynamic-differs: the argument 'other' of aten::div.Scalar is 2.5 and 2.75 at S=10 and "
           "at S=11");
  // The same nearby, another far away.
  CHECK_EQ(
      message("  return x * float(x.size(1) // 64 == 0)\n"),
      "dynamic-differs: the argument 'other' of aten::mul.Scalar is 1.0 and 0.0 at S=10 and at "
      "S=97");
  CHECK_EQ(
      message("  return x * [1.0, 2.0, 3.0][min(x.size(1) // 50, 2)]\n"),
      "dynamic-differs: the argument 'other' of aten::mul.Scalar is 1.0 and 2.0 at S=10 and at "
      "S=97");
  CHECK_EQ(message("  return x.view(2, 5, 2)\n"),
           "dynamic-failed: the model does not run at S=11, only at the sample's S=10");
}

TEST_CASE("a loop that is left early is baked in, which is said") {
  const Outcome out = trace_body(
      "  y = x\n  for t in range(x.size(1)):\n    if t >= 4:\n      break\n    y = y + 1\n"
      "  return y\n",
      {{2, 10}}, {"x:1=S"});
  CHECK(!out.error);
  CHECK_EQ(out.said, Strings{"a branch or loop that depends on sizes is baked in"});
}

TEST_CASE("axes that only fit some sizes are told by what they need") {
  // Pairs of neighbours: torch refuses odd sizes.
  const Outcome pairs = trace_body("  return x.view(2, -1, 2)\n", {{2, 10}}, {"x:1=S"});
  CHECK(!pairs.error);
  REQUIRE_EQ(pairs.relations.size(), 2);
  CHECK_EQ(pairs.relations[1], "S == 2*((S) // (2))");
  // A table with a row per position.
  const Outcome table = trace_body("  return x + y[:x.size(1)]\n", {{2, 10}, {10}}, {"x:1=S"});
  CHECK(!table.error);
  CHECK_EQ(table.shapes, "[2,S]");
  CHECK_EQ(table.relations, Strings{"S >= 1", "S <= 10"});
  // Two inputs that must agree.
  const Outcome both = trace_body("  return x + y\n", {{2, 10}, {2, 10}}, {"x:1=S", "y:1=T"});
  REQUIRE(both.error);
  CHECK_EQ(both.error->id, "dynamic-failed");
  CHECK_NE(both.error->help.find("give both the same symbol"), std::string::npos);
}

TEST_CASE("sizes that were equal by chance are told apart") {
  // Patches of 16: the first sizes tried give the three patches of the sample again.
  const Outcome fixed =
      trace_body("  return x.unfold(1, 16, 16) + y\n", {{2, 48}, {2, 3, 1}}, {"x:1=S"});
  REQUIRE(fixed.error);
  CHECK_EQ(fixed.error->id, "dynamic-failed");
  const Outcome own = trace_body("  n = x.size(1) // 16\n  return x[:, :n] * y[0, 0]\n",
                                 {{2, 32}, {2, 2}}, {"x:1=S"});
  CHECK(!own.error);
  CHECK_EQ(own.shapes, "[2,((S) // (16))]");
}

TEST_CASE("literals that equal the sample's size are suspicious") {
  const auto said = [](const char* body) { return trace_body(body, {{2, 10, 4}}, {"x:1=S"}).said; };
  CHECK_EQ(said("  return x[:, :10]\n"),
           Strings{"aten::slice.Tensor: end holds the literal 10, which is S in the sample",
                   "the output 'output_0' does not grow with S"});
  CHECK_EQ(said("  return x.sum(2) * torch.zeros([2, 1]) + torch.arange(10).sum()\n"),
           Strings{"aten::arange: end holds the literal 10, which is S in the sample"});
  CHECK_EQ(said("  return x.sum(1)\n"), Strings{"no output's shape depends on S"});
  CHECK(said("  return x[:, 1:]\n").empty());
}

}  // namespace
}  // namespace t2n::test
