// SPDX-License-Identifier: Apache-2.0
// What the rules say of sizes, exactly: traced at several sizes, nothing measured.
#include <set>

#include "ops/all.h"
#include "src/diag/error.h"
#include "src/export/dynamic_model.h"
#include "src/shapes/shape_rule.h"
#include "src/translate/registry.h"
#include "tests/dynamic/support.h"
#include "tests/support/shape_rules.h"

namespace t2n::test {
namespace {

struct Case {
  std::string expression;
  std::string shapes;
};

void check(const std::vector<std::string>& inputs, const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    CAPTURE(c.expression);
    CHECK_EQ(shapes_of(c.expression, inputs), c.shapes);
  }
}

TEST_CASE("element by element") {
  check({"B,S,8", "S,1"}, {{"x + y", "[B,S,8]"},
                           {"torch.where(x > 0, x, y)", "[B,S,8]"},
                           {"torch.softmax(x, -1) * 2", "[B,S,8]"},
                           {"torch.clamp(x, min=0)", "[B,S,8]"}});
  check({"S,8", "T,8"}, {{"x[:1] + y", "[T,8]"}});
}

TEST_CASE("sizes that are equal in every trial are assumed to be") {
  check({"B,S + 1", "B,S"}, {{"x[:, 1:] + y", "[B,S]"}});
}

TEST_CASE("reductions") {
  check({"B,S,8"}, {{"x.sum()", "[]"},
                    {"x.mean([-1])", "[B,S]"},
                    {"x.mean([0, 2], keepdim=True)", "[1,S,1]"},
                    {"torch.max(x, 1)[1]", "[B,8]"},
                    {"torch.argmax(x, dim=-1)", "[B,S]"},
                    {"torch.topk(x, 3, 1)[0]", "[B,3,8] {S >= 3}"},
                    {"torch.cumsum(x, 1)", "[B,S,8]"},
                    {"torch.std(x, [1], False)", "[B,8]"}});
}

TEST_CASE("views") {
  check({"B,S,8"}, {{"x.reshape([x.size(0), -1])", "[B,8*S]"},
                    {"x.reshape([-1, 8])", "[B*S,8]"},
                    {"x.view([x.size(0), x.size(1), 2, -1])", "[B,S,2,4]"},
                    {"x.reshape([-1, x.size(1) * 2])", "[4*B,2*S]"},
                    {"torch.flatten(x, 1)", "[B,8*S]"},
                    {"torch.flatten(x)", "[8*B*S]"},
                    {"torch.unflatten(x, -1, [2, -1])", "[B,S,2,4]"},
                    {"x.permute([2, 0, 1])", "[8,B,S]"},
                    {"x.transpose(1, 2)", "[B,8,S]"},
                    {"x.unsqueeze(-2)", "[B,S,1,8]"},
                    {"x.unsqueeze(1).expand([-1, 4, -1, -1])", "[B,4,S,8]"},
                    {"torch.movedim(x, 0, 2)", "[S,8,B]"},
                    {"torch.roll(x, 1, 1)", "[B,S,8]"}});
}

TEST_CASE("a size that must divide is asserted to") {
  check({"4*S,6"}, {{"x.reshape([-1, 4, 6])", "[S,4,6]"}});
  check({"S,6"}, {{"x[:x.size(0) // 2 * 2].reshape([-1, 4])", "[3*((S) // (2)),4]"}});
  const dynamic::Sizes a = {{"S", 8}}, b = {{"S", 12}};
  shapes::ConstraintSet constraints({&a, &b});
  const ir::Dim size = ir::Dim::symbol("S");
  CHECK(constraints.equal(4 * floor_div(size, 4), size));
  CHECK_EQ(ir::str(constraints.take_assumed().at(0)), "4*((S) // (4)) == S");
}

TEST_CASE("bounds are assumed where they do not follow") {
  const dynamic::Sizes a = {{"S", 8}}, b = {{"S", 12}};
  shapes::ConstraintSet constraints({&a, &b});
  const ir::Dim size = ir::Dim::symbol("S");
  CHECK_EQ(constraints.decide(size, ir::Relation::gt, 9), std::nullopt);
  CHECK_EQ(constraints.smaller(size, 9), ir::parse_dim("min(S, 9)"));
  CHECK(constraints.decide(2 * floor_div(size, 2), ir::Relation::le, size).value());
  CHECK(constraints.decide(floor_div(size + 2, 3), ir::Relation::le, size + 1).value());
  CHECK(constraints.take_assumed().empty());
  CHECK_EQ(constraints.larger(size - 3, 2), size - 3);
  CHECK_EQ(constraints.smaller(1000, size), size);
  const auto assumed = constraints.take_assumed();
  REQUIRE_EQ(assumed.size(), 2);
  CHECK_EQ(ir::str(assumed[0]), "S >= 5");
  CHECK_EQ(ir::str(assumed[1]), "S <= 1000");
  CHECK_EQ(constraints.simplified(ir::parse_dim("S % 4 + max(S, 2)")),
           2 * size - 4 * floor_div(size, 4));
}

TEST_CASE("slices are clamped as torch does, where all probes agree") {
  check({"B,S"}, {{"x[:, :-1]", "[B,S - 1]"},
                  {"x[:, 1:]", "[B,S - 1]"},
                  {"x[:, -3:]", "[B,3] {S >= 3}"},
                  {"x[:, :2]", "[B,2] {S >= 2}"},
                  {"x[:, ::2]", "[B,((S + 1) // (2))]"},
                  {"x[:, x.size(1) - 3:]", "[B,3] {S >= 3}"},
                  {"x[:, :x.size(1) // 2]", "[B,((S) // (2))]"},
                  {"x[:, 0]", "[B]"},
                  {"x[:, :1000]", "[B,S] {S <= 1000}"},
                  {"torch.narrow(x, 1, 1, 2)", "[B,2] {S >= 3}"}});
}

TEST_CASE("slices and parts") {
  check({"B,2*S"}, {{"torch.chunk(x, 2, 1)[1]", "[B,S]"},
                    {"torch.split(x, [x.size(1) - 2, 2], 1)[0]", "[B,2*S - 2]"},
                    {"torch.split(x, x.size(1) // 2, 1)[0]", "[B,S]"},
                    {"torch.tensor_split(x, 2, 1)[0]", "[B,S]"}});
  check({"B,6"}, {{"torch.unbind(x, 1)[3]", "[B]"}});
  check({"B,S"},
        {{"x.unfold(1, 4, 2)", "[B,((S) // (2)) - 1,4] {S >= 4}"},
         {"torch.diagonal(x.unsqueeze(1).expand([-1, 2, -1]), 0, 1, 2)", "[B,2] {S >= 2}"}});
}

TEST_CASE("joined and repeated") {
  check({"B,S", "B,T"}, {{"torch.cat([x, y], 1)", "[B,S + T]"},
                         {"torch.cat([x, y, x], -1)", "[B,2*S + T]"},
                         {"torch.stack([x, x], 1)", "[B,2,S]"},
                         {"x.repeat([2, 1, 3])", "[2,B,3*S]"},
                         {"torch.repeat_interleave(x, 2, 1)", "[B,2*S]"},
                         {"torch.constant_pad_nd(x, [1, 2])", "[B,S + 3]"},
                         {"torch.constant_pad_nd(x, [-1, 2])", "[B,S + 1]"},
                         {"torch.constant_pad_nd(x, [0, x.size(0) - 2])", "[B,B + S - 2] {B >= 2}"},
                         {"torch.meshgrid([x[0], y[0]])[1]", "[S,T]"}});
}

TEST_CASE("indices") {
  check({"B,S"}, {{"torch.gather(x, 1, torch.argsort(x, 1))", "[B,S]"},
                  {"torch.index_select(x, 1, torch.arange(x.size(0)) * 0)", "[B,B]"},
                  {"x[torch.arange(x.size(0)), 0 * torch.arange(x.size(0))]", "[B]"},
                  {"torch.embedding(x, 0 * torch.arange(3))", "[3,S]"}});
}

TEST_CASE("created from sizes") {
  check({"B,S"},
        {{"torch.arange(x.size(1))", "[S]"},
         {"torch.arange(1, x.size(1) + 1, 2)", "[((S + 1) // (2))]"},
         {"torch.arange(x.size(1) - 1, -1, -1)", "[S]"},
         {"torch.zeros([x.size(0), x.size(1) + 1])", "[B,S + 1]"},
         {"torch.ones_like(x)", "[B,S]"},
         {"torch.full([x.size(1), x.size(1)], 1.0).triu(1)", "[S,S]"},
         {"torch.linspace(0, 1, x.size(1))", "[S]"},
         {"torch.eye(x.size(1))", "[S,S]"},
         {"torch.tril_indices(x.size(1), x.size(1), -1)", "[2,-((S + S*S + 1) // (2)) + S*S]"}});
  for (const char* offset : {"1", "-9"}) {
    const std::string said =
        shapes_of(cat("torch.tril_indices(x.size(1), x.size(1), ", offset, ")"), {"B,S"});
    CHECK(
        said.starts_with("error[dynamic-size]: aten::tril_indices: axis 1 of its result cannot "));
  }
}

TEST_CASE("convolutions and pools") {
  check({"B,3,S", "5,3,3"},
        {{"torch.conv1d(x, y)", "[B,5,S - 2] {S >= 3}"},
         {"torch.conv1d(x, y, None, [2], [1])", "[B,5,((S + 1) // (2))]"},
         {"torch.conv1d(x, y, None, [1], [2], [2])", "[B,5,S]"},
         {"torch.conv1d(torch.conv1d(x, y, None, [2], [1])[:, :3], y, None, "
          "[2], [1])",
          "[B,5,((S + 3) // (4))]"},
         {"torch.conv_transpose1d(x, y.permute([1, 0, 2]), None, [2], [1], [1])", "[B,5,2*S]"},
         {"torch.max_pool1d(x, [2])", "[B,3,((S) // (2))] {S >= 2}"},
         {"torch.max_pool1d(x, [3], [2], [1], [1], True)", "[B,3,((S) // (2)) + 1]"},
         {"torch.adaptive_avg_pool1d(x, [4])", "[B,3,4]"}});
  check({"B,3,S,8"}, {{"torch.upsample_nearest2d(x, None, [2.0, 0.5])", "[B,3,2*S,4]"},
                      {"torch.upsample_nearest2d(x, [x.size(2) + 1, 5])", "[B,3,S + 1,5]"},
                      {"torch.pixel_shuffle(x.transpose(1, 3), 2)", "[B,2,2*S,6]"}});
}

TEST_CASE("products") {
  check({"B,S,8", "B,T,8"}, {{"x @ y.transpose(1, 2)", "[B,S,T]"},
                             {"torch.bmm(x, y.transpose(1, 2))", "[B,S,T]"},
                             {"torch.einsum('bsd,btd->bst', [x, y])", "[B,S,T]"},
                             {"torch.einsum('...d,...d', [x, x])", "[B,S]"},
                             {"torch.linear(x, y[0])", "[B,S,T]"},
                             {"torch.scaled_dot_product_attention(x, y, y)", "[B,S,8]"},
                             {"torch.cdist(x, y)", "[B,S,T]"},
                             {"torch.layer_norm(x, [8])", "[B,S,8]"}});
}

TEST_CASE("Fourier transforms") {
  check({"B,S + 10"}, {{"torch.view_as_real(torch.fft_rfft(x))", "[B,((S) // (2)) + 6,2]"},
                       {"torch.view_as_real(torch.stft(x, 8, 4, None, None, True, 'constant', "
                        "False, True, True))",
                        "[B,5,((S + 2) // (4)) + 3,2]"}});
}

/// Operators without a rule, by the name before the dot.
std::set<std::string> without_rule(bool translated) {
  std::set<std::string> out;
  for (const ir::OpId op : ops::registry().ops()) {
    const bool is_refused = ops::registry().find(op)->refusal.has_value();
    if (ops::registry().table().find<shapes::ResultShapes>(op) != nullptr ||
        is_refused == translated)
      continue;
    const std::string name(ir::op_name(op));
    out.insert(name.substr(0, name.find('.')));
  }
  return out;
}

TEST_CASE(
    "every translated operator has a rule, but for those whose sizes are in values or in a body") {
  // Packed sequences are padded ones before sizes are asked for.
  CHECK_EQ(without_rule(true),
           std::set<std::string>{"aten::_pack_padded_sequence", "aten::_pad_packed_sequence",
                                 "aten::gru", "aten::lstm", "aten::rnn_relu", "aten::rnn_tanh",
                                 "t2n::scan"});
}

TEST_CASE("the check of every operator test sees a wrong size") {
  ir::Graph graph = infer({"def forward(self, x):\n  return torch.relu(x)[1:]\n", {{6, 4}}}).graph;
  CHECK_EQ(shape_rule_errors(graph), "");
  graph.values[static_cast<size_t>(graph.outputs[0])].shape = {6, 4};
  CHECK(shape_rule_errors(graph).starts_with(
      "aten::slice.Tensor: the rule says [d0_0 - 1,d0_1], torch [6,4]\n"));
}

}  // namespace
}  // namespace t2n::test
