// SPDX-License-Identifier: Apache-2.0
// One graph for all sizes: what is assumed, what is suspicious, and what cannot be.
#include "src/export/dynamic_model.h"
#include "tests/dynamic/support.h"
#include "tests/ir/support.h"

namespace t2n::test {
namespace {

TEST_CASE("sizes stay expressions, and each symbol is positive") {
  const Tracing out = trace_body("  b, s, d = x.size()\n  return x.reshape(b * s, 2, d // 2)\n",
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
           "the sample (S=10) contradicts --assert");
}

TEST_CASE("a branch that all sizes took alike binds the file, unless the user knows") {
  const char* body = "  if x.size(1) > 4:\n    return x * 2\n  return x + 1\n";
  const Tracing out = trace_body(body, {{2, 10}}, {"x:1=S"});
  CHECK_EQ(out.relations, Strings{"S >= 1", "S > 4"});
  CHECK_EQ(out.said, Strings{"the exported model requires S > 4"});
  CHECK(trace_body(body, {{2, 10}}, {"x:1=S"}, {"S > 4"}).said.empty());
  // What holds for every size says nothing.
  const Tracing trivial =
      trace_body("  assert x.size(1) != 0\n  return x + 1\n", {{2, 10}}, {"x:1=S"});
  CHECK(trivial.said.empty());
}

TEST_CASE("a loop of as many iterations at all sizes binds the file to those") {
  const Tracing counted =
      trace_body("  for i in range(min(x.size(1), 4)):\n    x = x.sin() + 1\n  return x\n",
                 {{2, 10}}, {"x:1=S"});
  CHECK_EQ(counted.relations, Strings{"S >= 1", "S >= 4"});
  CHECK_EQ(counted.said, Strings{"the exported model requires S >= 4"});
  const Tracing asked =
      trace_body("  n = 1\n  while n < x.size(1):\n    n = n * 4\n    x = x + n\n  return x\n",
                 {{2, 10}}, {"x:1=S"});
  CHECK_EQ(asked.relations, Strings{"S >= 1", "4 < S", "16 >= S"});
}

TEST_CASE("sizes that enter in other ways than as integers are refused with the reason") {
  const auto message = [](const char* body) {
    const Tracing out = trace_body(body, {{2, 10}}, {"x:1=S"});
    return out.error ? cat(out.error->id, ": ", out.error->message) : out.shapes;
  };
  CHECK_EQ(message("  if x.size(1) > 10:\n    return x * 2\n  return x + 1\n"),
           "dynamic-differs: a branch depends on a size: it takes different directions at S=10 "
           "and at S=11");
  // Equal for these values, and not for all.
  CHECK_EQ(message("  if x.size(1) > 10:\n    x = x.clamp(-1000.0, 1000.0)\n  return x + 1\n"),
           "dynamic-differs: a branch depends on a size: it takes different directions at S=10 "
           "and at S=11");
  CHECK_EQ(
      message(
          "  if x.size(1) > 10:\n    return (x + 900).relu() + 1\n  return (x + 900 + 1).relu()\n"),
      "dynamic-differs: a branch depends on a size: it takes different directions at S=10 "
      "and at S=11");
  CHECK_EQ(message("  return x.unbind(1)[-1]\n"),
           "dynamic-differs: aten::unbind.int gives 10 tensors at S=10, and 11 at S=11");
  // The same nearby, another far away.
  CHECK_EQ(message("  return x * [1.0, 2.0, 3.0][min(x.size(1) // 50, 2)]\n"),
           "dynamic-assumption: the number 1. is computed from sizes");
  CHECK_EQ(message("  return x.view(2, 5, 2)\n"),
           "dynamic-failed: the model does not run at S=11, only at the sample's S=10");
}

TEST_CASE("numbers over sizes are computed, and comparisons used as numbers are asserted") {
  const Tracing quotient =
      trace_body("  return x / (float(x.size(1)) / 4.0)\n", {{2, 10}}, {"x:1=S"});
  CHECK_EQ(quotient.shapes, "[2,S]");
  CHECK_EQ(quotient.relations, Strings{"S >= 1"});
  const Tracing flag =
      trace_body("  return x * float(x.size(1) // 64 == 0)\n", {{2, 10}}, {"x:1=S"});
  CHECK_EQ(flag.relations, Strings{"S >= 1", "((S) // (64)) == 0"});
}

TEST_CASE("a loop that is left early needs the iterations that it took") {
  const Tracing out = trace_body(
      "  y = x\n  for t in range(x.size(1)):\n    if t >= 4:\n      break\n    y = y + 1\n"
      "  return y\n",
      {{2, 10}}, {"x:1=S"});
  CHECK_EQ(out.relations, Strings{"S >= 1", "3 < S"});
}

TEST_CASE("a loop that takes no iteration at some sizes needs nothing of them") {
  const auto of = [](const std::string& loop) {
    return trace_body(loop + "  return h\n", {{5, 3}}, {"x:0=T"});
  };
  const auto tells = [](const Tracing& out) {
    return std::count(out.said.begin(), out.said.end(), "the exported model requires T >= 2");
  };
  const Tracing later =
      of("  h = x[0]\n  for t in range(1, x.size(0)):\n    h = torch.tanh(h + x[t])\n");
  CHECK_EQ(later.relations, Strings{"T >= 1"});
  CHECK_EQ(tells(later), 0);
  // Only the first iteration is another: it stands before the scan.
  const Tracing flag =
      of("  h = torch.zeros(3)\n  for t in range(x.size(0)):\n    if t == 0:\n      h = x[t] + 1\n"
         "    else:\n      h = torch.tanh(h * x[t])\n");
  CHECK_EQ(flag.relations, Strings{"T >= 1"});
  CHECK_EQ(tells(flag), 0);
}

TEST_CASE("assertions exclude no size at which the graph is right") {
  // Both sides do the same at size 1.
  CHECK_EQ(
      needed("  if x.size(0) == 1:\n    return x.squeeze(0).unsqueeze(0) * 2\n  return x * 2\n",
             {{5, 3}}, {"x:0=B"}),
      Strings{});
  // Torch takes three columns or more, and any number of rows.
  const char* windows = "  y = x.t()\n  return y[:, :min(y.size(1), 99)].unfold(1, 3, 1).sum(2)\n";
  CHECK_EQ(needed(windows, {{7, 2}}, {"x:0=T", "x:1=B"}), Strings{"T >= 3"});
  // Where all sizes are small, one of them alone is to blame.
  CHECK_EQ(needed("  if x.size(0) * x.size(1) < 2:\n    return x + 1\n  return x\n", {{5, 7}},
                  {"x:0=B", "x:1=T"}),
           Strings{"B >= 2"});
}

TEST_CASE("which of two sizes is the smaller is not taken from the probes") {
  const std::vector<ir::Ints> rows = {{4, 3}};
  const auto of = [&](const std::string& body) { return needed(body, rows, {"x:0=T"}, {}); };
  CHECK_EQ(of("  return x[:2]\n"), Strings{});
  CHECK_EQ(of("  return x[-2:]\n"), Strings{});
  CHECK_EQ(of("  return x[:6] @ x[:6].t()\n"), Strings{});
  CHECK_EQ(of("  return torch.diagonal(x)\n"), Strings{});
  CHECK_EQ(of("  return torch.zeros(max(x.size(0), 6)) + x.sum()\n"), Strings{});
  CHECK_EQ(of("  return x.topk(min(3, x.size(0)), 0)\n"), Strings{});
  CHECK_EQ(of("  return torch.constant_pad_nd(x, [0, 0, 0, max(6 - x.size(0), 0)])\n"), Strings{});
  CHECK_EQ(of("  return x[1:6]\n"), Strings{"T >= 2"});
  CHECK_EQ(of("  return x[:min(x.size(0) // 2, 3)]\n"), Strings{});
  CHECK_EQ(of("  return x[:3].reshape(9)\n"), Strings{"T >= 3"});
  CHECK_EQ(of("  return x + torch.ones(10, 3)[:x.size(0)]\n"), Strings{"T <= 10"});
  CHECK_EQ(of("  return x[:5] if x[:5].size(0) != 1 else x[:5] + 1\n"), Strings{"T >= 2"});
  CHECK_EQ(of("  y = x[:6]\n  return y + 1 if y.size(0) > 3 else y\n"), Strings{"T >= 4"});
  CHECK_EQ(needed("  n = min(x.size(0), x.size(1))\n  return x[:n, :n]\n", {{4, 5}},
                  {"x:0=B", "x:1=T"}, {}),
           Strings{});
}

TEST_CASE("sizes are varied although numbers of the model have all of them") {
  const Tracing out = trace_body(
      "  s = torch.zeros(2)\n  for i in range(x.size(0)):\n    s = s * 0.5 + x[i]\n  return s\n",
      {{150, 2}}, {"x:0=B"});
  CHECK(!out.error);
}

std::string branch(const std::string& condition) {
  return cat("  if ", condition, ":\n    return x * 2\n  return x\n");
}

TEST_CASE("factors must be as large as each other, and what is normalised must be something") {
  const auto error = [](const std::string& result) {
    return needed(cat("  odd = x.new_ones(1, x.size(0) % 2, 9)\n  return ", result, "\n"), {{5, 3}},
                  {"x:0=B"});
  };
  const Strings refused = {
      "dynamic-assumption: the model requires -2*(B//2) + B == 1, which NNEF cannot express"};
  for (const char* result :
       {"odd[0, :, :3].t() @ torch.ones(1, 4)", "torch.linear(odd[0].t(), torch.ones(4, 1))",
        "torch.conv1d(odd, torch.ones(4, 1, 3))",
        "torch.bilinear(odd[0].t(), x[:1].t()[:1].expand(9, 1), torch.ones(2, 1, 1))",
        "torch.addbmm(x[:1, :1], odd.transpose(1, 2), torch.ones(1, 1, 2))",
        "torch.prelu(x[None], odd[0, :, 0])",
        "torch.batch_norm(x[:, :1], None, None, odd[0, :, 0], odd[0, :, 1], False, 0.1, 1e-5, "
        "False)"})
    CHECK_MESSAGE(error(result) == refused, result);
  CHECK_EQ(needed("  return torch.layer_norm(x.t()[:, : x.size(0) // 2], [x.size(0) // 2])\n",
                  {{5, 3}}, {"x:0=B"}),
           Strings{"B >= 2"});
}

TEST_CASE("indices from a range of floats are not read as those of another range") {
  const auto relations = [](const char* step) {
    return needed(cat("  return x[torch.arange(y.size(0) // 2, 0, ", step, ").long()]\n"),
                  {{5, 3}, {6, 3}}, {"x:0=B", "y:0=T"});
  };
  const Strings whole = relations("-1");
  CHECK(std::find(whole.begin(), whole.end(), "((T) // (2)) <= B - 1") != whole.end());
  CHECK(relations("-1.0") == whole);
  CHECK(relations("-0.5") != whole);
}

TEST_CASE("a branch that was not taken bounds the sizes on the sample's side") {
  const auto of = [](const std::string& condition) {
    return needed(branch(condition), {{5, 3}}, {"x:0=B"});
  };
  CHECK_EQ(of("x.size(0) == 1"), Strings{"B >= 2"});
  CHECK_EQ(of("x.size(0) == 3"), Strings{"B >= 4"});
  CHECK_EQ(of("x.size(0) == 300"), Strings{"B <= 299"});
  CHECK_EQ(of("x.size(0) > 65536"), Strings{"B <= 65536"});
  CHECK_EQ(of("min(x.size(0), 4) == 4"), Strings{"B >= 4"});
  CHECK_EQ(of("x.size(0) % 2 == 0"),
           Strings{"dynamic-differs: a branch depends on a size: it takes "
                   "different directions at B=5 and at B=8"});
}

TEST_CASE("lists as long as an axis are compared at each size") {
  const Tracing out = trace_body(
      "  n = [1 for _ in range(x.size(0))]\n  if [1, 1, 1] == n:\n    return x + 1\n"
      "  return x * 2\n",
      {{3, 2}}, {"x:0=B"});
  REQUIRE(out.error);
  CHECK_EQ(out.error->message,
           "a branch depends on a size: it takes different directions at B=3 and at B=5");
}

TEST_CASE("a branch on two sizes is asserted, or refused if it has no form") {
  const auto of = [](const std::string& condition, const std::vector<std::string>& asserted = {}) {
    return needed(branch(condition), {{5, 3}, {40, 3}}, {"x:0=B", "y:0=T"}, asserted);
  };
  CHECK_EQ(of("x.size(0) <= y.size(0)"), Strings{"B <= T"});
  CHECK_EQ(of("x.size(0) > 3 * y.size(0)"), Strings{"B <= 3*T"});
  CHECK_EQ(of("x.size(0) == y.size(0)"),
           Strings{"dynamic-differs: a branch depends on a size: it takes different directions at "
                   "B=5, T=40 and at B=40, T=40"});
  CHECK_EQ(of("x.size(0) == y.size(0)", {"B < T"}), Strings{"B < T"});
}

TEST_CASE("conditions of operators on sizes are asserted") {
  const auto of = [](const std::string& expression, const ir::Ints& y = {3}) {
    return needed(cat("  return ", expression, "\n"), {{9, 3}, y}, {"x:0=B"});
  };
  CHECK_EQ(of("x[3]"), Strings{"B >= 4"});
  CHECK_EQ(of("x[-2]"), Strings{"B >= 2"});
  CHECK_EQ(of("torch.narrow(x, 0, 1, 2)"), Strings{"B >= 3"});
  CHECK_EQ(of("x[2:5]"), Strings{"B >= 5"});
  CHECK_EQ(of("x.roll(-2, 0)"), Strings{"B >= 2"});
  CHECK_EQ(of("x.unfold(0, 4, 1)"), Strings{"B >= 4"});
  CHECK_EQ(of("torch.conv1d(x.t().unsqueeze(0), y)", {2, 3, 5}), Strings{"B >= 5"});
  CHECK_EQ(of("torch.max_pool1d(x.t().unsqueeze(0), 3)"), Strings{"B >= 3"});
  CHECK_EQ(of("torch.embedding(y, torch.arange(x.size(0)))", {64, 2}), Strings{"B <= 64"});
}

TEST_CASE("size 1 is tried, since strides and aliasing differ there") {
  const auto of = [](const std::string& body) { return needed(body, {{5, 3}}, {"x:0=B"}); };
  CHECK_EQ(of("  m = x.clone()\n  m.t().contiguous().add_(1.0)\n  return m\n"), Strings{"B >= 2"});
  CHECK_EQ(of("  return x.squeeze(0)\n"), Strings{"B >= 2"});
  // A copy that is made for some strides only changes nothing here.
  CHECK_EQ(of("  return x.t().contiguous() + 1\n"), Strings{});
}

TEST_CASE("positions of indices, borders and ranks are asserted to be inside an axis") {
  const auto of = [](const std::string& expression) {
    return needed(cat("  return ", expression, "\n"), {{9, 3}}, {"x:0=B"});
  };
  CHECK_EQ(of("x[torch.tensor([0, 2, 4])]"), Strings{"B >= 5"});
  CHECK_EQ(of("x[[-1, -4]]"), Strings{"B >= 4"});
  CHECK_EQ(of("torch.index_select(x, 0, torch.tensor([0, 4]))"), Strings{"B >= 5"});
  CHECK_EQ(of("torch.gather(x, 0, torch.tensor([[0, 4, 1]]))"), Strings{"B >= 5"});
  CHECK_EQ(of("x.index_fill(0, torch.tensor([3]), 0.)"), Strings{"B >= 4"});
  CHECK_EQ(of("x.index_add(0, torch.tensor([0, 4]), torch.ones([2, 3]))"), Strings{"B >= 5"});
  CHECK_EQ(of("x.index_put([torch.tensor([6])], torch.tensor(1.))"), Strings{"B >= 7"});
  CHECK_EQ(of("x[torch.tensor(6)]"), Strings{"B >= 7"});
  CHECK_EQ(of("x[torch.zeros([0], dtype=4)]"), Strings{});
  CHECK_EQ(of("x.index_put([torch.tensor([6]), x[0] > 0], torch.tensor(1.))"), Strings{"B >= 7"});
  CHECK_EQ(of("x.select_scatter(torch.ones([3]), 0, 3)"), Strings{"B >= 4"});
  CHECK_EQ(of("x.slice_scatter(torch.ones([2, 3]), 0, 2, 4)"), Strings{"B >= 4"});
  CHECK_EQ(of("torch.ones([64, 3])[torch.arange(x.size(0))[None, :]]"), Strings{"B <= 64"});
  CHECK_EQ(of("torch.topk(x, 3, 0)[0]"), Strings{"B >= 3"});
  CHECK_EQ(of("torch.kthvalue(x, 3, 0)[0]"), Strings{"B >= 3"});
  CHECK_EQ(of("torch.reflection_pad1d(x.t(), [2, 3])"), Strings{"B >= 4"});
  CHECK_EQ(of("torch.pad(x.t().unsqueeze(0), [3, 1], 'circular')"), Strings{"B >= 3"});
  // Of a part it is not known which places are left: only what the slice needs is said.
  CHECK_EQ(of("x[torch.arange(64)[:x.size(0)]]"), Strings{});
}

TEST_CASE("an operand that is read while a view is written must lie apart from it") {
  const auto of = [](const std::string& write, const std::vector<ir::Ints>& shapes = {{9, 3}}) {
    return needed(cat("  m = x.clone()\n  ", write, "\n  return m\n"), shapes, {"x:0=B"});
  };
  CHECK_EQ(of("m[:2].copy_(m[-2:])"), Strings{"B >= 4"});
  CHECK_EQ(of("m[0][:2].copy_(m[-1][1:])"), Strings{"B >= 2"});
  CHECK_EQ(of("m[0][:2].copy_(m[-1][:2])"), Strings{});  // the same for a single row
  CHECK_EQ(of("m[:2].copy_(m.permute(1, 0)[:, -2:].t())"), Strings{"B >= 4"});
  CHECK_EQ(of("m[:2].copy_(m.transpose(0, 1)[:, -2:].t())"), Strings{"B >= 4"});
  // One place on is read before it is written; torch refuses it of a single row.
  CHECK_EQ(of("m[:, :-1] = m[:, 1:]"), Strings{"B >= 2"});
  CHECK_EQ(of("m.transpose(0, 1).add_(m.t())", {{9, 6}}), Strings{});
  CHECK_EQ(of("m.split(2, 1)[1].mul_(m[:, 4:6])", {{9, 6}}), Strings{});
  CHECK_EQ(of("m[:2].copy_(m[2::y.size(0)][:2])", {{9, 3}, {2}}),
           Strings{"dynamic-assumption: a tensor is written while a part of it is read, and the "
                   "regions depend on sizes"});
}

TEST_CASE("numbers that are cut off, and lists of as many elements as a size, are expressions") {
  const auto of = [](const std::string& result) {
    return trace_body(cat("  return ", result, "\n"), {{2, 12}}, {"x:1=S"});
  };
  CHECK_EQ(of("x[:, :int(x.size(1) / 2)]").shapes, "[2,((S) // (2))]");
  CHECK(of("x * float(round(x.size(1) / 4))").error);  // is no expression
  CHECK_EQ(of("x * float(len([1] * (x.size(1) - 12)) + 1)").relations,
           Strings{"S >= 1", "S >= 12"});
  CHECK_EQ(of("x * float([x.size(1), 3] == [x.size(1), 3])").relations, Strings{"S >= 1"});
}

TEST_CASE("failures at size 1 are reported although a loop is too short there") {
  const Tracing out = trace_body(
      "  h = x.squeeze(0).sum(2)\n  for t in range(x.size(1)):\n    h = torch.tanh(h + x[:, t, "
      ":1])\n"
      "  return h\n",
      {{3, 5, 4}}, {"x:0=B", "x:1=S"});
  CHECK(!out.error);
  std::string relations;
  for (const std::string& each : out.relations) relations += each + "; ";
  CHECK_EQ(relations, "B >= 1; S >= 1; B >= 2; ");
}

TEST_CASE("errors on axes that fit only some sizes state their condition") {
  // Pairs of neighbours: torch refuses odd sizes.
  const Tracing pairs = trace_body("  return x.view(2, -1, 2)\n", {{2, 10}}, {"x:1=S"});
  REQUIRE(pairs.error);
  CHECK_EQ(pairs.error->message, "the model requires S to be a multiple of 2");
  CHECK_EQ(pairs.error->help, "declare the axis as a multiple: --dynamic x:1=2*S");
  CHECK(!trace_body("  return x.view(2, -1, 2)\n", {{2, 10}}, {"x:1=2*S"}).error);
  // What fits multiples of the whole sample only may as well be made for it alone.
  const Tracing whole = trace_body("  return x.reshape(-1, 5)\n", {{2, 5}}, {"x:1=S"});
  REQUIRE(whole.error);
  CHECK_EQ(whole.error->message.find("multiple of"), std::string::npos);
  // A table with a row per position.
  const Tracing table = trace_body("  return x + y[:x.size(1)]\n", {{2, 10}, {10}}, {"x:1=S"});
  CHECK(!table.error);
  CHECK_EQ(table.shapes, "[2,S]");
  CHECK_EQ(table.relations, Strings{"S >= 1", "S <= 10"});
  // Two inputs that must agree.
  const Tracing both = trace_body("  return x + y\n", {{2, 10}, {2, 10}}, {"x:1=S", "y:1=T"});
  REQUIRE(both.error);
  CHECK_EQ(both.error->id, "dynamic-failed");
  CHECK_NE(both.error->help.find("give both the same symbol"), std::string::npos);
}

TEST_CASE("sizes that were equal by chance are told apart") {
  // Patches of 16: the first sizes tried give the three patches of the sample again.
  const Tracing fixed =
      trace_body("  return x.unfold(1, 16, 16) + y\n", {{2, 48}, {2, 3, 1}}, {"x:1=S"});
  REQUIRE(fixed.error);
  CHECK_EQ(fixed.error->id, "dynamic-failed");
  const Tracing own = trace_body("  n = x.size(1) // 16\n  return x[:, :n] * y[0, 0]\n",
                                 {{2, 32}, {2, 2}}, {"x:1=S"});
  CHECK(!own.error);
  CHECK_EQ(own.shapes, "[2,((S) // (16))]");
  // The model runs with a single patch as well, which is broadcast.
  const Tracing one =
      trace_body("  return x.unfold(1, 16, 16) + y\n", {{2, 32}, {2, 2, 1}}, {"x:1=S"});
  REQUIRE(one.error);
  CHECK_EQ(one.error->why, "sizes that must be equal are not");
}

TEST_CASE("literals that equal the sample's size are suspicious") {
  const auto said = [](const char* body) { return trace_body(body, {{2, 10, 4}}, {"x:1=S"}).said; };
  CHECK_EQ(said("  return x[:, :10]\n"),
           Strings{"aten::slice.Tensor: end holds the literal 10, which is S in the sample"});
  CHECK_EQ(said("  return x.sum(2) * torch.zeros([2, 1]) + torch.arange(10).sum()\n"),
           Strings{"aten::arange: end holds the literal 10, which is S in the sample"});
  CHECK_EQ(said("  return x.sum(1)\n"), Strings{"no output's shape depends on S"});
  CHECK(said("  return x[:, 1:]\n").empty());
  // A single entry tells nothing.
  CHECK_EQ(trace_body("  return x.sum(0, keepdim=True)\n", {{1, 10}}, {"x:0=B"}).said,
           Strings{"no output's shape depends on B"});
}

}  // namespace
}  // namespace t2n::test
