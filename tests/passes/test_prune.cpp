// SPDX-License-Identifier: Apache-2.0
// Small weights set to zero, by settings.
#include <doctest/doctest.h>

#include "src/compress/settings/settings.h"
#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

using compress::Settings;
using compress::SettingsEntry;

Settings settings(std::vector<SettingsEntry> entries) { return Settings(std::move(entries)); }
Settings share(double sparsity) { return settings({{"", {{"prune.sparsity", sparsity}}, "test"}}); }
Settings pattern(const std::string& words) {
  return settings({{"", {{"prune.pattern", words}}, "test"}});
}

PassContext with(const Settings& of) {
  PassContext out;
  out.settings = &of;
  return out;
}

/// What stays of each weight, in the order of the layers.
std::vector<std::vector<int64_t>> masks(std::string_view text, const Settings& of) {
  const PassContext context = with(of);
  ir::Graph graph = ir::parse(text);
  run_pipeline(graph, {"prune-weights"}, context);
  std::vector<std::vector<int64_t>> out;
  for (const ir::Constant& each : graph.constants)
    if (each.data.dtype == ir::DType::boolean) out.push_back(ir::to_i64(each.data));
  return out;
}

using Masks = std::vector<std::vector<int64_t>>;

TEST_CASE("the smallest half of a weight is replaced by zeros, under the weight's name") {
  const Settings half = share(0.5);
  CHECK(after("prune-weights", R"(graph m(%x: f32[1,2]) -> (%y as "y") {
    const %w: f32[2,2] = {0.1, -0.4, 0.3, -0.2}
    %y: f32[1,2] = aten::linear(input=%x, weight=%w, bias=none)
  })",
              with(half)) == R"(graph m(%x: f32[1,2]) -> (%y as "y") {
  const %w_where: f32[2,2] = {0.1, -0.4, 0.3, -0.2}
  const %y_const: f32[] = {0.0}
  const %y_const_2: bool[2,2] = {false, true, true, false}
  %w: f32[2,2] = aten::where.self(condition=%y_const_2, self=%w_where, other=%y_const) as where_0
  %y: f32[1,2] = aten::linear(input=%x, weight=%w, bias=none) as linear_0
}
)");
}

constexpr const char* kTen = R"(graph m(%x: f32[1,10]) -> (%y as "y") {
    const %w: f32[1,10] = {0.5, 0.5, -0.5, 0.5, 0.1, 0.9, 0.5, -0.5, 0.8, 0.5}
    %y: f32[1,1] = aten::linear(input=%x, weight=%w, bias=none)
  })";

TEST_CASE("the share determines how many are pruned; of equal ones the first") {
  CHECK(masks(kTen, share(0.3)) == Masks{{0, 0, 1, 1, 0, 1, 1, 1, 1, 1}});
  CHECK(masks(kTen, share(0.39)) == Masks{{0, 0, 1, 1, 0, 1, 1, 1, 1, 1}});
  CHECK(masks(kTen, share(0.7)) == Masks{{0, 0, 0, 0, 0, 1, 0, 0, 1, 1}});
  CHECK(masks(kTen, share(0.05)) == Masks{{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}});
}

constexpr const char* kTwoLayers = R"(graph m(%x: f32[1,2]) -> (%y as "y") {
    const %v: f32[2,2] = {1.0, -2.0, 3.0, 4.0}
    const %w: f32[2,2] = {0.1, 0.2, -0.3, 1.5}
    @Net/Linear[a]:
    %a: f32[1,2] = aten::linear(input=%x, weight=%v, bias=none) as linear_0
    @Net/Linear[b]:
    %y: f32[1,2] = aten::linear(input=%a, weight=%w, bias=none) as linear_0
  })";

TEST_CASE("a global share has one threshold for all layers") {
  CHECK(masks(kTwoLayers, share(0.5)) == Masks{{0, 0, 1, 1}, {0, 0, 1, 1}});
  const Settings together =
      settings({{"", {{"prune.sparsity", 0.5}, {"prune.global", true}}, "test"}});
  CHECK(masks(kTwoLayers, together) == Masks{{0, 1, 1, 1}, {0, 0, 0, 1}});
}

TEST_CASE("ignored modules do not count, others have their own share") {
  const Settings but_b = settings({{"", {{"prune.sparsity", 0.5}, {"prune.global", true}}, "test"},
                                   {"b", {{"prune", false}}, ""}});
  CHECK(masks(kTwoLayers, but_b) == Masks{{0, 0, 1, 1}});
  const Settings own = settings(
      {{"", {{"prune.sparsity", 0.5}}, "test"}, {"b", {{"prune.sparsity", 0.25}}, "test"}});
  CHECK(masks(kTwoLayers, own) == Masks{{0, 0, 1, 1}, {0, 1, 1, 1}});
}

TEST_CASE("two of each four inputs of a linear layer stay, two of what is left at the end, too") {
  CHECK(masks(R"(graph m(%x: f32[1,7]) -> (%y as "y") {
    const %w: f32[2,7] = {1.0, -2.0, 3.0, -4.0, 0.1, 0.3, 0.2, 4.0, 4.0, 4.0, 4.0, 7.0, 5.0, 6.0}
    %y: f32[1,2] = aten::linear(input=%x, weight=%w, bias=none)
  })",
              pattern("2:4")) == Masks{{0, 0, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1}});
}

TEST_CASE("neighbours in a convolution are input channels at one place of the kernel") {
  CHECK(masks(R"(graph m(%x: f32[1,4,5]) -> (%y as "y") {
    const %w: f32[1,4,2] = {1.0, 8.0, 2.0, 7.0, 3.0, 6.0, 4.0, 5.0}
    %y: f32[1,1,4] = aten::conv1d(input=%x, weight=%w, bias=none, stride=[1], padding=[0], dilation=[1], groups=1)
  })",
              pattern("1:4")) == Masks{{0, 1, 0, 0, 0, 0, 1, 0}});
}

TEST_CASE("inputs lie along the first axis of transposed convolutions and second factors") {
  CHECK(masks(R"(graph m(%x: f32[1,4,1]) -> (%y as "y") {
    const %w: f32[4,1,1] = {1.0, 2.0, 4.0, 3.0}
    %y: f32[1,2,1] = aten::conv_transpose1d(input=%x, weight=%w, bias=none, stride=[1], padding=[0], output_padding=[0], groups=2, dilation=[1])
  })",
              pattern("1:4")) == Masks{{0, 1, 1, 0}});
  CHECK(masks(R"(graph m(%x: f32[1,2]) -> (%y as "y") {
    const %w: f32[2,2] = {1.0, 4.0, 2.0, 3.0}
    %y: f32[1,2] = aten::mm(self=%x, mat2=%w)
  })",
              pattern("1:2")) == Masks{{0, 1, 1, 0}});
}

constexpr const char* kShared = R"(graph m(%x: f32[1,2]) -> (%y as "y") {
    const %w: f32[2,2] = {0.1, -0.4, 0.3, -0.2}
    @Net/Linear[a]:
    %a: f32[1,2] = aten::linear(input=%x, weight=%w, bias=none) as linear_0
    @Net/Linear[b]:
    %y: f32[1,2] = aten::linear(input=%a, weight=%w, bias=none) as linear_0
  })";

TEST_CASE("a weight of two layers has one mask") {
  CHECK(masks(kShared, share(0.25)) == Masks{{0, 1, 1, 1}});
}

TEST_CASE("layers that share a weight must want the same of it") {
  const auto problem = [](const Settings& of) {
    const PassContext context = with(of);
    ir::Graph graph = ir::parse(kShared);
    return ir::diagnostic_of([&] { run_pipeline(graph, {"prune-weights"}, context); });
  };
  const Diagnostic differ = problem(
      settings({{"a", {{"prune.sparsity", 0.5}}, ""}, {"b", {{"prune.pattern", "1:2"}}, ""}}));
  CHECK(differ.id == "usage");
  CHECK(differ.message ==
        "the mask of 'w' is requested by pruning of Net/Linear[a]/linear_0 and by pruning of "
        "Net/Linear[b]/linear_0, with different settings");
  CHECK(differ.why == "one requests a share of 0.5, the other 1 of each 2 along axis 1");
  const Diagnostic one = problem(settings({{"b", {{"prune.sparsity", 0.5}}, ""}}));
  CHECK(one.why == "one requests no pruning, the other a share of 0.5");
}

TEST_CASE("without settings nothing is pruned, nor are other constants and integers") {
  check_unchanged("prune-weights", kTen);
  const Settings half = share(0.5);
  check_unchanged("prune-weights", R"(graph m(%x: f32[2,2]) -> (%y as "y") {
    const %w: f32[2,2] = {0.1, -0.4, 0.3, -0.2}
    %y: f32[2,2] = aten::mul.Tensor(self=%x, other=%w)
  })",
                  with(half));
}

TEST_CASE("weights that cannot be pruned are named, where settings ask for it") {
  const auto heard = [](const Settings& of) {
    std::string out;
    PassContext context = with(of);
    context.report = [&](const Diagnostic& diagnostic) { out += render_text(diagnostic); };
    ir::Graph graph = ir::parse(R"(graph m(%x: f32[1,2]) -> (%y as "y") {
      const %v: f32[2,2] = {1.0, -2.0, 3.0, 4.0}
      @Net/Linear[a]:
      %w: f32[2,2] = aten::exp(self=%v) as exp_0
      %y: f32[1,2] = aten::linear(input=%x, weight=%w, bias=none) as linear_0
    })");
    CHECK_FALSE(run_pipeline(graph, {"prune-weights"}, context));
    return out;
  };
  const std::string warning = heard(share(0.5));
  CHECK_NE(warning.find("weight-not-pruned"), std::string::npos);
  CHECK_NE(warning.find("w, of 'a': it is computed from other constants"), std::string::npos);
  CHECK_EQ(heard(settings({})), "");
}

TEST_CASE("pruned weights are observed, in one commit") {
  const Settings both = settings({{"", {{"prune.sparsity", 0.5}, {"weights.bits", 8.0}}, "test"}});
  ir::Graph graph = ir::parse(R"(graph m(%x: f32[1,2]) -> (%y as "y") {
    const %w: f32[2,2] = {0.1, -0.4, 0.3, -0.2}
    %y: f32[1,2] = aten::linear(input=%x, weight=%w, bias=none)
  })");
  run_pipeline(graph, {"insert-compression"}, with(both));
  REQUIRE(graph.nodes.size() == 3);
  CHECK(ir::op_name(graph.nodes[0].op) == "aten::where.self");
  CHECK(ir::op_name(graph.nodes[1].op) == "t2n::observe");
  CHECK(*graph.nodes[1].find("self") == ir::Attr(ir::TensorRef{graph.nodes[0].outputs[0]}));
  CHECK(*graph.nodes[2].find("weight") == ir::Attr(ir::TensorRef{graph.nodes[1].outputs[0]}));
}

}  // namespace
}  // namespace t2n::passes
