// SPDX-License-Identifier: Apache-2.0
// Arguments by schema name: absent ones, kinds of numbers, dims from either end, what was read.
#include <doctest/doctest.h>

#include "ir/node_args.h"
#include "ir/op_set.h"
#include "tests/ir/support.h"

namespace t2n::ir {
namespace {

TEST_CASE("absent arguments, kinds of numbers, and what was read") {
  Graph graph;
  const ValueId x = add_value(graph, {"x", DType::f32, {2, 3}, {}});
  Node node;
  node.args = {{"self", TensorRef{x}},
               {"other", TensorRef{}},
               {"none", None{}},
               {"flag", true},
               {"whole", 2.0},
               {"half", 0.5},
               {"size", Dim::symbol("S")},
               {"list", std::vector<Dim>{1, Dim::symbol("S")}},
               {"empty", std::vector<double>{}}};
  const NodeArgs args(graph, node);
  CHECK(args.is_tensor("self"));
  CHECK_FALSE(args.is_tensor("other"));
  CHECK(args.is_symbolic("size"));
  CHECK(args.is_symbolic("list"));
  CHECK_FALSE(args.is_symbolic("whole"));
  CHECK(args.unread() == "self");  // none of these reads

  CHECK(args.tensor("self") == x);
  CHECK(args.is_none("other"));
  CHECK(args.find("none") == nullptr);
  CHECK(args.argument("missing") == nullptr);
  CHECK(args.integer("flag") == Dim(1));
  CHECK(args.integer("whole") == Dim(2));
  CHECK(args.integer("half") == std::nullopt);
  CHECK(args.scalar("half") == 0.5);
  CHECK(args.integer("size") == Dim::symbol("S"));
  CHECK(args.scalar("size") == std::nullopt);
  CHECK(args.dims("size") == Shape{Dim::symbol("S")});
  CHECK(args.dims("list") == Shape{1, Dim::symbol("S")});
  CHECK(args.unread() == "empty");
  CHECK(args.dims("empty") == Shape{});
  CHECK(args.unread().empty());
  CHECK(diagnostic_of([&] { args.required("slef"); }).message.find("there is no argument 'slef'") !=
        std::string::npos);
}

TEST_CASE("dims count from either end; rank 0 has one") {
  CHECK(from_front(-1, 3) == 2);
  CHECK(from_front(1, 3) == 1);
  CHECK(from_front(-1, 0) == 0);
  CHECK(diagnostic_of([] { from_front(3, 3, "dim"); }).message.find("dim=3 of rank 3") !=
        std::string::npos);
}

TEST_CASE("a set of operators, or of all others") {
  const OpId add = op_id("aten::add"), relu = op_id("aten::relu");
  CHECK_FALSE(OpSet{}.contains(add));
  CHECK(OpSet{{add}}.contains(add));
  CHECK_FALSE(OpSet{{add}}.contains(relu));
  CHECK(OpSet{{}, "aten::"}.contains(relu));
  CHECK(all_operators_but({add}).contains(relu));
  CHECK_FALSE(all_operators_but({add}).contains(add));
}

}  // namespace
}  // namespace t2n::ir
