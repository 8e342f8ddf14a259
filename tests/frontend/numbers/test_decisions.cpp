// SPDX-License-Identifier: Apache-2.0
// Decisions are noted, or refused, without a program that runs.
#include <doctest/doctest.h>

#include "src/diag/error.h"
#include "src/frontend/numbers/decisions.h"

namespace t2n::test {
namespace {

using ir::Dim;
using ir::Relation;
using trace::Decision;

const Dim kN = Dim::symbol(ir::Symbol::AxisSize{"x", 0});

/// The decisions of a program at no location.
struct Program {
  explicit Program(bool keep_sizes = true) { options.keep_sizes = keep_sizes; }
  ir::Graph graph;
  trace::SourceMap sources{[](const std::string&) { return std::nullopt; }};
  trace::TraceOptions options;
  trace::Position position{graph, sources};
  trace::Decisions decisions{options, position};
};

TEST_CASE("a branch on sizes is noted with its condition and direction") {
  Program program;
  program.decisions.add_guard({kN, Relation::gt, 1}, false);
  REQUIRE(program.decisions.size() == 1);
  const Decision& noted = program.decisions.all()[0];
  CHECK(noted.direction == 0);
  CHECK(ir::str(*noted.comparison) == "size.x.0 > 1");
  CHECK(noted.sizes == kN);
  program.decisions.add_guard({3, Relation::gt, 1});  // holds at all sizes
  CHECK(program.decisions.size() == 1);
}

TEST_CASE("without sizes nothing is noted") {
  Program program(false);
  program.decisions.add_guard({kN, Relation::gt, 1});
  program.decisions.note_number(trace::opaque_mark(kN), 4);
  CHECK(program.decisions.size() == 0);
}

TEST_CASE("a number without an expression is noted with its value") {
  Program program;
  const trace::Mark root = trace::opaque_mark(Dim(2) * kN);
  program.decisions.note_number(root, trace::marked(2.5, root));
  REQUIRE(program.decisions.size() == 1);
  CHECK(program.decisions.all()[0].kind == Decision::Kind::number);
  CHECK(program.decisions.all()[0].number == "2.5");
  CHECK(program.decisions.all()[0].sizes == kN);
  // A bool that states a condition is a branch.
  const trace::Mark condition = trace::condition_mark({kN, Relation::ge, 3});
  program.decisions.note_number(condition, trace::marked(true, condition));
  CHECK(program.decisions.all()[1].kind == Decision::Kind::branch);
}

TEST_CASE("in a branch that is taken at all sizes, numbers have no effect where it is not") {
  Program program;
  const auto number = [](const Dim& dim, int64_t value) {
    return trace::marked(value, trace::size_mark(dim));
  };
  const Dim rest = floor_mod(kN, 3);
  {
    const trace::Decisions::FixedBranch branch(
        program.decisions, trace::condition_mark({rest, Relation::ne, 0}), true, false, 0);
    const c10::IValue amount = program.decisions.adjusted(number(Dim(3) - rest, 3));
    CHECK(trace::unmarked(amount).toInt() == 0);
    CHECK(trace::sizes_of(trace::mark_of(amount)) == floor_mod(Dim(3) - rest, 3));
  }
  {
    const trace::Decisions::FixedBranch branch(
        program.decisions, trace::condition_mark({kN, Relation::lt, 5}), true, false, 0);
    const c10::IValue amount = program.decisions.adjusted(number(Dim(5) - kN, -2));
    CHECK(trace::unmarked(amount).toInt() == 0);
    CHECK(trace::sizes_of(trace::mark_of(amount)) == ir::max(Dim(5) - kN, 0));
  }
  CHECK(program.decisions.fixed_conditions().empty());
}

TEST_CASE("in a rerolled loop only the first iteration may branch differently") {
  const Dim turn = Dim::symbol(ir::Symbol::Iteration{0});
  const auto changes = [&](const ir::Comparison& comparison) {
    return trace::changes_with_iteration(trace::condition_mark(comparison));
  };
  CHECK_FALSE(changes({turn, Relation::eq, 0}));
  CHECK_FALSE(changes({turn, Relation::gt, 0}));
  CHECK_FALSE(changes({turn, Relation::lt, 1}));
  CHECK(changes({turn, Relation::eq, 1}));
  CHECK(changes({turn, Relation::lt, 2}));
  CHECK(changes({turn, Relation::lt, kN}));
  CHECK_FALSE(changes({kN, Relation::lt, 2}));
  CHECK_THROWS_AS(
      trace::check_iteration_branch(trace::condition_mark({turn, Relation::lt, 2}), "it raises"),
      Error);
}

}  // namespace
}  // namespace t2n::test
