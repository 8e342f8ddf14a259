// SPDX-License-Identifier: Apache-2.0
// Weights packed as Q4_0: the engine gives what torch gives on the floats that the blocks stand
// for.
#include "ir/evaluator.h"
#include "src/compress/round/quantise_q4_0.h"
#include "src/model/torch_module.h"
#include "tests/ops/check_script.h"

namespace t2n::test::q4_0_tests {
namespace {

using compress::pack_weights;
using compress::Q4Options;
using compress::Q4Weight;
using ir::DType;

/// Normal numbers, rounded to what blocks hold: packing them again changes nothing.
ir::Tensor on_grid(const ir::Ints& shape, uint64_t seed, DType dtype = DType::f32) {
  const compress::Packed packed =
      compress::encode_q4_0(randn(shape, seed), compress::Q4Scale::largest);
  const ir::Tensor floats = compress::decode_q4_0(packed.blocks, shape, dtype);
  // f16 rounds products of a scale and a code: what is left is packed once more.
  return dtype == DType::f32
             ? floats
             : compress::decode_q4_0(
                   compress::encode_q4_0(floats, compress::Q4Scale::largest).blocks, shape, dtype);
}

/// The model with all weights packed that can be; each of `count` must be, without an error.
Script packed(Script model, size_t count, const target::Target& target) {
  model.edit = [count, target](ir::Graph& graph) {
    Q4Options options;
    options.is_readable = compress::reads_q4_0(target);
    const std::vector<Q4Weight> weights = pack_weights(graph, options);
    CHECK(weights.size() == count);
    for (const Q4Weight& weight : weights) {
      CHECK(weight.unpacked_reason == "");
      CHECK(weight.relative_error < 1e-3);
    }
  };
  return model;
}

void check_packed(const Parameters& parameters, const std::vector<std::string>& expressions,
                  const std::vector<ir::Tensor>& inputs, double tolerance = 1e-5,
                  size_t count = 1) {
  on_each_target(expressions, [&](const std::string& expression, const target::Target& target) {
    const Script model = with_parameters(expression, inputs.size(), parameters);
    const Run run = export_and_run(packed(model, count, target), inputs, target);
    CHECK_CLOSE(run, rel(tolerance));
  });
}

TEST_CASE("linear layers read packed weights, whatever the rank") {
  const Parameters parameters = {{"w", on_grid({48, 64}, 1)}, {"b", randn({48}, 2)}};
  for (const ir::Ints& shape :
       {ir::Ints{64}, ir::Ints{1, 64}, ir::Ints{5, 64}, ir::Ints{1, 1, 64}, ir::Ints{2, 5, 64},
        ir::Ints{2, 3, 5, 64}, ir::Ints{1, 2, 1, 3, 64}})
    check_packed(parameters, {"torch.linear(x, self.w)", "torch.linear(x, self.w, self.b)"},
                 {randn(shape, 3)});
}

TEST_CASE("products with a weight, or its transpose, are linear layers") {
  const Parameters parameters = {
      {"w", on_grid({48, 64}, 1)}, {"b", randn({48}, 2)}, {"c", randn({5, 48}, 3)}};
  check_packed(parameters,
               {"torch.matmul(x, torch.t(self.w))", "torch.mm(x, torch.transpose(self.w, 0, 1))",
                "torch.addmm(self.b, x, torch.permute(self.w, [1, 0]))",
                "torch.einsum('ak,nk->an', [x, self.w])",
                "torch.matmul(x, torch.t(self.w)) + torch.linear(x, self.w)"},
               {randn({5, 64}, 4)});
  check_packed(parameters,
               {"torch.einsum('abk, nk -> abn', [x, self.w])", "torch.matmul(x, torch.t(self.w))"},
               {randn({2, 5, 64}, 4)});
}

TEST_CASE("a matrix of columns is packed by its columns") {
  ir::Tensor columns = on_grid({48, 64}, 1);
  std::swap(columns.shape[0], columns.shape[1]);
  std::swap(columns.strides[0], columns.strides[1]);
  check_packed({{"w", ir::contiguous(columns)}, {"b", randn({48}, 2)}},
               {"torch.matmul(x, self.w)", "torch.mm(x, self.w)", "torch.addmm(self.b, x, self.w)",
                "torch.einsum('ak,kn->an', [x, self.w])", "torch.linear(x, torch.t(self.w))"},
               {randn({5, 64}, 3)});
}

TEST_CASE("f16 activations") {
  const Parameters parameters = {{"w", on_grid({48, 64}, 1, DType::f16)},
                                 {"b", randn({48}, 2, DType::f16)}};
  check_packed(parameters, {"torch.linear(x, self.w)", "torch.linear(x, self.w, self.b)"},
               {randn({5, 64}, 3, DType::f16)}, 4e-3);
  check_packed(parameters, {"torch.linear(x, self.w)", "torch.linear(x, self.w, self.b)"},
               {randn({2, 5, 64}, 3, DType::f16)}, 4e-3);
  check_packed({{"w", on_grid({16, 32, 3}, 1, DType::f16)}},
               {"torch.conv1d(x, self.w, None, [1], [1], [1], 1)"},
               {randn({2, 32, 20}, 3, DType::f16)}, 4e-3);
}

TEST_CASE("convolutions that mix channels") {
  const std::string tail = ", [1], [1], [1], 1)";
  check_packed({{"w", on_grid({16, 32, 3}, 1)}, {"b", randn({16}, 2)}},
               {"torch.conv1d(x, self.w, self.b" + tail, "torch.conv1d(x, self.w, None" + tail,
                "torch.conv1d(x, self.w, None, [2], [2], [2], 1)",
                "torch.conv1d(x, self.w, self.b, [1], 'same', [1], 1)"},
               {randn({2, 32, 20}, 3)});
  check_packed({{"w", on_grid({16, 8, 4}, 1)}}, {"torch.conv1d(x, self.w, None, [1], [0], [1], 4)"},
               {randn({1, 32, 20}, 3)});
  check_packed({{"w", on_grid({16, 32, 3, 3}, 1)}, {"b", randn({16}, 2)}},
               {"torch.conv2d(x, self.w, self.b, [1, 1], [1, 1], [1, 1], 1)",
                "torch.conv2d(x, self.w, None, [2, 1], [0, 2], [1, 2], 1)"},
               {randn({2, 32, 9, 8}, 3)});
  check_packed({{"w", on_grid({16, 16, 2, 2}, 1)}},
               {"torch.conv2d(x, self.w, None, [1, 1], [1, 1], [1, 1], 2)"},
               {randn({1, 32, 7, 8}, 3)});
  check_packed({{"w", on_grid({16, 32, 1, 1}, 1)}},
               {"torch.conv2d(x, self.w, None, [1, 1], [0, 0], [1, 1], 1)",
                "torch.conv2d(x, self.w, None, [2, 2], [0, 0], [1, 1], 1)"},
               {randn({1, 32, 4, 6}, 3)});
  check_packed({{"w", on_grid({8, 4, 2, 2, 2}, 1)}},
               {"torch.conv3d(x, self.w, None, [1, 1, 1], [0, 0, 0], [1, 1, 1], 1)"},
               {randn({1, 4, 5, 6, 7}, 3)});
}

TEST_CASE("a join in front of a packed weight") {
  const Parameters parameters = {{"w", on_grid({48, 64}, 1)}, {"b", randn({48}, 2)}};
  check_packed(parameters,
               {"torch.linear(torch.cat([x, torch.tanh(x)], 1), self.w, self.b)",
                "torch.matmul(torch.cat([x, x, x, x], 1)[:, 32:96], torch.t(self.w))",
                "torch.linear(torch.cat([x, x * 2], 1).unsqueeze(0), self.w)"},
               {randn({5, 32}, 3)});
  check_packed({{"w", on_grid({16, 64, 1, 1}, 1)}},
               {"torch.conv2d(torch.cat([x, torch.relu(x)], 1), self.w, None, [1, 1], [0, 0], "
                "[1, 1], 1)"},
               {randn({1, 32, 4, 6}, 3)});
}

TEST_CASE("embeddings, and the head that shares their weight") {
  const Parameters parameters = {{"w", on_grid({48, 64}, 1)}};
  check_packed(parameters,
               {"torch.embedding(self.w, x)", "torch.linear(torch.embedding(self.w, x), self.w)",
                "torch.matmul(torch.embedding(self.w, x), torch.t(self.w))"},
               {values({2, 3}, {0, 47, 5, 5, 1, 30}, DType::i64)});
  check_packed(parameters, {"torch.embedding(self.w, x)"}, {values({}, {3}, DType::i64)});
  check_packed({{"w", on_grid({48, 64}, 1, DType::f16)}}, {"torch.embedding(self.w, x)"},
               {values({2}, {0, 47}, DType::i64)}, 1e-3);
}

TEST_CASE("the evaluators run graphs with packed weights, in f64 as well") {
  ir::Graph graph = ir::parse(R"(graph m(%x: f32[5,64]) -> (%y as "y") {
    const %w: f32[48,64] = bytes=12288
    %y: f32[5,48] = aten::linear(input=%x, weight=%w, bias=none)
  })");
  const ir::Tensor weight = on_grid({48, 64}, 1), x = randn({5, 64}, 2);
  graph.constants[0].data = weight;
  const auto run = [&](const ir::Evaluator& evaluate) {
    return ir::run_graph(graph, {x}, evaluate)[0];
  };
  const ir::Tensor before = run(torch_module().evaluator());
  const ir::Tensor wide = run(torch_module().wide_evaluator());
  pack_weights(graph, {});
  REQUIRE(graph.constants[0].data.dtype == DType::u8);
  CHECK(ir::same_values(run(torch_module().evaluator()), before));
  CHECK(ir::same_values(run(torch_module().wide_evaluator()), wide));
}

TEST_CASE("the file holds blocks, once for all readers") {
  const Script model = with_parameters("torch.linear(torch.embedding(self.w, x), self.w)", 1,
                                       {{"w", on_grid({48, 64}, 1)}});
  const std::vector<ir::Tensor> inputs = {values({2}, {0, 47}, DType::i64)};
  const std::string text = export_text(packed(model, 1, newest_target()), inputs, newest_target());
  CAPTURE(text);
  CHECK(text.find("w = variable<scalar>(label = 'w', shape = [48, 64]);") != std::string::npos);
  CHECK(text.find("datum_type = 'f32'") != std::string::npos);
  CHECK(text.find("label = 'w'") == text.rfind("label = 'w'"));
}

/// What the pass says of the only weight of an expression.
std::string unpacked_reason(const std::string& expression, const Parameters& parameters,
                            const std::vector<ir::Tensor>& inputs) {
  Script model = with_parameters(expression, inputs.size(), parameters);
  std::string out = "not wanted";
  model.edit = [&](ir::Graph& graph) {
    const std::string before = ir::print(graph);
    for (const Q4Weight& weight : pack_weights(graph, {})) {
      out = weight.unpacked_reason;
      CHECK((ir::print(graph) == before) == (out != ""));
    }
  };
  export_text(model, inputs, newest_target());
  return out;
}

TEST_CASE("a weight with another kind of reader stays a float") {
  const Parameters square = {{"w", on_grid({64, 64}, 1)}};
  const std::vector<ir::Tensor> x = {randn({64, 64}, 2)};
  CHECK(unpacked_reason("torch.linear(x, self.w)", square, x) == "");
  CHECK(unpacked_reason("torch.mul(x, self.w)", square, x) == "not wanted");
  CHECK(unpacked_reason("torch.linear(x, self.w) + self.w", square, x) ==
        "aten::add.Tensor reads it");
  CHECK(unpacked_reason("torch.linear(x, self.w) + torch.matmul(x, self.w)", square, x) ==
        "some of its readers need its rows and others its columns");
  CHECK(unpacked_reason("[torch.linear(x, self.w), self.w][0]", square, x) == "");
  CHECK(unpacked_reason("torch.linear(x, self.w)", {{"w", randn({8, 48}, 1)}},
                        {randn({2, 48}, 2)}) == "its row length is not a multiple of 32");
  CHECK(unpacked_reason("torch.addmm(x, x, self.w, beta=2.0)", square, x) == "not wanted");
  CHECK(unpacked_reason("torch.conv1d(x, self.w, None, [1], [0], [1], 4)",
                        {{"w", randn({4, 1, 32}, 1)}}, {randn({1, 4, 40}, 2)}) == "not wanted");
}

/// The refusal of a graph with a packed weight that something else reads as well.
std::string refusal_of(const std::string& reader, const target::Target& target) {
  Script model = with_parameters("torch.linear(x, self.w)", 1, {{"w", on_grid({64, 64}, 1)}});
  model.edit = [&](ir::Graph& graph) {
    pack_weights(graph, {});
    ir::Node& linear = graph.nodes.back();
    if (reader.empty()) return;
    const ir::Attr x = *linear.find("input"), w = *linear.find("weight");
    linear.op = ir::op_id(reader);
    linear.args = {{"self", x}, {"other", w}};
  };
  return export_error(model, {randn({64, 64}, 2)}, target);
}

TEST_CASE("translations refuse what the engine reads wrongly or not at all") {
  const target::Target tract = newest_target();
  CHECK(refusal_of("aten::matmul", tract).find("a Q4_0 weight in matmul has no translation") !=
        std::string::npos);
  CHECK(refusal_of("aten::mul.Tensor", tract).find("a Q4_0 weight in mul has no translation") !=
        std::string::npos);
  const std::string old = refusal_of("", {target::Engine::tract, {0, 21, 10}});
  CHECK(old.find("supported from tract@0.21.11 on") != std::string::npos);
  const std::string strict = refusal_of("", target::parse_target("khronos"));
  CHECK(strict.find("standard NNEF cannot express it") != std::string::npos);
}

}  // namespace
}  // namespace t2n::test::q4_0_tests
