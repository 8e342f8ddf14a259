// SPDX-License-Identifier: Apache-2.0
// NaN that a program makes, and what is said of it.
#include <doctest/doctest.h>

#include "ops/all.h"
#include "src/diag/sink.h"
#include "src/translate/nan_sizes.h"
#include "src/translate/registry.h"
#include "src/translate/translate.h"
#include "tests/translate/builder.h"
#include "tests/translate/one_op.h"

namespace t2n::ops {
namespace {

using test::arg;
using test::Builder;

const Dim kRows = Dim::symbol(ir::Symbol("B"));

/// relu(std(x, 0)) of x[rows, 4], where the file holds for a B of `least` and more.
struct Broadcast : Builder {
  explicit Broadcast(int64_t least, const Dim& rows = kRows) {
    const ir::ValueId x = value("x", {rows, 4}, DType::f32);
    graph.inputs.push_back(x);
    graph.attributes[ir::kSampleSizes] = ir::Sizes{{ir::Symbol("B"), 3}};
    graph.attributes[ir::kRelations] =
        std::vector<ir::Comparison>{{kRows, ir::Relation::ge, Dim(least)}};
    const ir::ValueId spread =
        node("aten::std.dim",
             {arg("self", x), {"dim", std::vector<Dim>{0}}, {"unbiased", true}, {"keepdim", false}},
             "spread", {4});
    output(node("aten::relu", {arg("self", spread)}, "y", {4}), "y");
    graph.nodes.back().scope = ir::add_scope(graph, 0, "ReLU", "act");
  }

  /// What is said while it is translated, without places.
  std::string reported(const std::string& option = "") {
    if (!option.empty()) graph.attributes[kNanOption] = option;
    DiagnosticList list;
    text = test::body(translate(graph, kNew, list.report(), registry()));
    std::string out;
    for (const Diagnostic& each : list.items) {
      out += cat(each.id, ": ", each.message, "\n");
      for (const std::string& line : each.details) out += cat("  ", line, "\n");
    }
    return out;
  }

  std::string text;
};

bool selects(const Broadcast& model) { return model.text.find("select(") != std::string::npos; }

TEST_CASE("a NaN of one row is kept behind relu, and said") {
  Broadcast any(1);
  CHECK_EQ(any.reported(), "nan-at-size: aten::std.dim divides by 0 where B <= 1\n");
  CHECK(selects(any));
}

TEST_CASE("where the rows are two and more, there is no NaN") {
  Broadcast two(2);
  CHECK_EQ(two.reported(), "");
  CHECK(!selects(two));
}

TEST_CASE("joined axes are as long as the product of theirs") {
  const Dim halves = floor_div(kRows + 1, 2) * floor_div(kRows + 2, 2);
  CHECK_EQ(Broadcast(3, halves).reported(), "");
  CHECK_NE(Broadcast(1, halves).reported(), "");
}

/// The divisor is a tensor, as in traces: (factor * B - less), in f32.
std::string of_quotient(double factor, int64_t less, ir::Relation relation, int64_t bound) {
  Builder model;
  ir::Graph& graph = model.graph;
  graph.inputs.push_back(model.value("x", {kRows}, DType::f32));
  graph.attributes[ir::kSampleSizes] = ir::Sizes{{ir::Symbol("B"), 3}};
  const std::vector<ir::Comparison> assertions = {{kRows, relation, Dim(bound)}};
  const ir::ValueId rows = model.node("aten::tensor.int", {{"t", kRows}}, "rows", {}, DType::i64);
  const ir::ValueId real =
      model.node("t2n::cast", {arg("self", rows), {"dtype", DType::f32}}, "real", {});
  const ir::ValueId scaled =
      model.node("aten::mul.Scalar", {arg("self", real), {"other", factor}}, "scaled", {});
  const ir::ValueId divisor = model.node(
      "aten::sub.Scalar", {arg("self", scaled), {"other", Dim(less)}, {"alpha", Dim(1)}}, "n", {});
  model.node("aten::div.Tensor", {arg("self", graph.inputs[0]), arg("other", divisor)}, "y", {});
  const auto found = nan_sizes(graph, graph.nodes.back(), SizeNumbers(graph), assertions);
  return found ? found->count.str() : "never";
}

TEST_CASE("divisors that traces compute from sizes may be 0") {
  CHECK_EQ(of_quotient(1, 1, ir::Relation::ge, 1), "B - 1");
  CHECK_EQ(of_quotient(1, 1, ir::Relation::ge, 2), "never");
  CHECK_EQ(of_quotient(1, 9, ir::Relation::le, 8), "never");
  CHECK_EQ(of_quotient(1, 9, ir::Relation::le, 9), "-B + 9");
  CHECK_EQ(of_quotient(0.5, 1, ir::Relation::ge, 1), "B - 2");
  CHECK_EQ(of_quotient(0.3, 1, ir::Relation::ge, 1), "never");
}

TEST_CASE("operations that lose a NaN of an input are listed, or keep it") {
  Broadcast listed(2), kept(2);
  CHECK_EQ(listed.reported("report"),
           "nan-lost: operations that lose a NaN of an input in tract@0.23.9: 1\n"
           "  aten::relu: act (ReLU)\n");
  CHECK_EQ(kept.reported("keep"), "");
  CHECK(selects(kept));
}

}  // namespace
}  // namespace t2n::ops
