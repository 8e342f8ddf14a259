// SPDX-License-Identifier: Apache-2.0
// Insertions of several algorithms in one commit.
#include <doctest/doctest.h>

#include "src/compress/calibrate/insertion.h"
#include "tests/ir/support.h"

namespace t2n::compress {
namespace {

Insertion unary(std::string_view op, ir::ValueId value, std::optional<size_t> reader, int priority,
                std::string algorithm = "a", std::string slot = "") {
  return {
      .at = {value, reader},
      .priority = priority,
      .algorithm = std::move(algorithm),
      .slot = slot.empty() ? std::string(op) : std::move(slot),
      .key = std::string(op),
      .build = [op](passes::Rewriter& rewriter, ir::ValueId x) { return rewriter.unary(op, x); }};
}

/// %x is value 0, %w value 1; nodes add_0 and mul_1 read both.
ir::Graph two_readers() {
  return ir::parse(R"(graph m(%x: f32[2]) -> (%b as "y", %x as "z") {
    const %w: f32[2] = {1.0, 2.0}
    %a: f32[2] = aten::add.Tensor(self=%x, other=%w, alpha=1)
    %b: f32[2] = aten::mul.Tensor(self=%a, other=%w)
  })");
}

ir::ValueId id_of(const ir::Graph& graph, std::string_view name) {
  for (size_t i = 0; i < graph.values.size(); ++i)
    if (graph.values[i].name == name) return static_cast<ir::ValueId>(i);
  return ir::kNoValue;
}

std::string committed(const std::vector<Insertion>& all) {
  ir::Graph graph = two_readers();
  Insertions insertions;
  for (const Insertion& each : all) insertions.add(each);
  insertions.commit(graph);
  ir::verify(graph, "commit");
  return ir::print(graph);
}

TEST_CASE("insertions are ordered by priority; equal ones are applied once") {
  const ir::Graph graph = two_readers();
  const ir::ValueId w = id_of(graph, "w");
  CHECK(committed({unary("aten::neg", w, 0, 20), unary("aten::abs", w, 0, 10),
                   unary("aten::abs", w, 1, 10, "b")}) ==
        R"(graph m(%x: f32[2]) -> (%b as "y", %x as "z") {
  const %w: f32[2] = {1.0, 2.0}
  %w_abs: f32[2] = aten::abs(self=%w) as abs_0
  %w_neg: f32[2] = aten::neg(self=%w_abs) as neg_0
  %a: f32[2] = aten::add.Tensor(self=%x, other=%w_neg, alpha=1) as add_0
  %b: f32[2] = aten::mul.Tensor(self=%a, other=%w_abs) as mul_0
}
)");
}

TEST_CASE("an insertion behind a value applies to all its readers, outputs included") {
  const ir::Graph graph = two_readers();
  CHECK(committed({unary("aten::neg", id_of(graph, "x"), std::nullopt, 0)}) ==
        R"(graph m(%x: f32[2]) -> (%b as "y", %x_neg as "z") {
  const %w: f32[2] = {1.0, 2.0}
  %x_neg: f32[2] = aten::neg(self=%x) as neg_0
  %a: f32[2] = aten::add.Tensor(self=%x_neg, other=%w, alpha=1) as add_0
  %b: f32[2] = aten::mul.Tensor(self=%a, other=%w) as mul_0
}
)");
}

TEST_CASE("two insertions of one slot contradict each other; both are named") {
  const ir::Graph graph = two_readers();
  const ir::ValueId w = id_of(graph, "w");
  try {
    committed({unary("aten::neg", w, 0, 20, "quantisation", "quantiser"),
               unary("aten::abs", w, std::nullopt, 10, "pruning", "quantiser")});
    FAIL("nothing was refused");
  } catch (const Error& error) {
    CHECK(error.diagnostic().message ==
          "the quantiser of 'w' is requested by pruning and by quantisation, with different "
          "settings");
    CHECK(error.diagnostic().why == "one requests aten::abs, the other aten::neg");
  }
}

}  // namespace
}  // namespace t2n::compress
