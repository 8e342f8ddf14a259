// SPDX-License-Identifier: Apache-2.0
// What ties explain, and what they do not.
#include <doctest/doctest.h>

#include <limits>

#include "src/check/ties.h"
#include "tests/check/vectors.h"

namespace t2n::test {
namespace {

using check::Runs;

const std::vector<float> kTorch = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
/// A tie moves the third from 3 to 3.5, and the last from 10 to 9.5.
const Runs kRuns = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
                    {1, 2, 3.5, 4, 5, 6, 7, 8, 9, 10},
                    {1, 2, 3, 4, 5, 6, 7, 8, 9, 9.5}};

check::Ties ties_of(const std::vector<std::pair<size_t, float>>& changes,
                    std::optional<double> step = 0.5) {
  std::vector<float> values = kTorch;
  for (const auto& [at, value] : changes) values[at] = value;
  return *check::measure_ties(f32(kTorch), f32(values), kRuns, {}, step);
}

TEST_CASE("an element lies where a run is, or it is off") {
  CHECK_EQ(ties_of({}).off, 0);
  CHECK_EQ(ties_of({}).movable, 2);
  CHECK(ties_of({{2, 3.5F}}).explain_all());
  CHECK(ties_of({{2, 3.5F}, {9, 9.5F}}).explain_all());
  CHECK_EQ(ties_of({{2, 3.5F}, {9, 9.5F}}).off, 2);
  CHECK_FALSE(ties_of({{2, 4}}).explain_all());     // two steps, of which the runs show one
  CHECK_FALSE(ties_of({{2, 2.5F}}).explain_all());  // to the other side
  CHECK_FALSE(ties_of({{0, 1.5F}}).explain_all());  // an element that no tie moves
  CHECK_EQ(ties_of({{0, 1.5F}, {1, 2.5F}}).outside, 2);
}

TEST_CASE("a value between steps is not a tie") {
  const check::Ties between = ties_of({{2, 3.2F}});
  CHECK_EQ(between.outside, 0);
  CHECK_EQ(between.between_steps, 1);
  CHECK_FALSE(between.explain_all());
  CHECK(ties_of({{2, 3.2F}}, std::nullopt).explain_all());
}

TEST_CASE("a value that is not finite on one side only is not a tie") {
  CHECK_FALSE(ties_of({{2, std::numeric_limits<float>::infinity()}}).explain_all());
  CHECK_FALSE(ties_of({{2, std::numeric_limits<float>::quiet_NaN()}}).explain_all());
}

TEST_CASE("many movable elements make the rest meaningless") {
  check::Ties ties{.elements = 1000, .movable = 100};
  CHECK_FALSE(ties.are_everywhere(true));
  ties.movable = 101;
  CHECK(ties.are_everywhere(true));
  ties.moved_rms = 0.02;
  ties.scale_rms = 1;
  CHECK_FALSE(ties.are_everywhere(false));
  ties.moved_rms = 0.021;
  CHECK(ties.are_everywhere(false));
}

TEST_CASE("integers of a quantiser move by steps, classes to those that were seen") {
  const Runs runs = {{3, 7}, {4, 7}, {9, 7}};
  const auto ties = [&](const std::vector<int64_t>& result, std::optional<double> step) {
    return check::measure_ties(i64({3, 7}), i64(result), runs, {}, step)->explain_all();
  };
  CHECK(ties({4, 7}, 1));
  CHECK(ties({5, 7}, 1));
  CHECK_FALSE(ties({3, 8}, 1));
  CHECK(ties({9, 7}, std::nullopt));
  CHECK_FALSE(ties({5, 7}, std::nullopt));
}

TEST_CASE("runs of another shape measure nothing") {
  CHECK_FALSE(check::measure_ties(f32({1}), f32({1}), kRuns, {}, 1));
  CHECK_FALSE(check::measure_ties(f32({1}), f32({1}), {}, {}, 1));
  CHECK_FALSE(check::are_within(f32({1}), kRuns, {}));
  CHECK(check::are_within(f32(kTorch), kRuns, {}));
  CHECK(check::are_within(f32({1, 2, 3.3F, 4, 5, 6, 7, 8, 9, 10}), kRuns, {}));
  CHECK_FALSE(check::are_within(f32({1.2F, 2, 3, 4, 5, 6, 7, 8, 9, 10}), kRuns, {}));
}

TEST_CASE("the file is one engine's in every element, or neither's") {
  const auto engines = [](const std::vector<float>& other, const std::vector<float>& result) {
    return check::measure_engines(f32({1, 2, 3}), f32(other), f32(result), {}, {}, 0.5);
  };
  CHECK(engines({1, 2, 5}, {1, 2, 5}).is_other);
  CHECK_FALSE(engines({1, 2.5F, 5}, {1, 2, 5}).is_other);
  CHECK(engines({1, 2.5F, 5}, {1, 2, 5}).disagree);
  CHECK(engines({1, 2.5F, 5}, {1, 2, 5}).are_as_far);
  CHECK(engines({1, 2, 5}, {1, 2, 4}).are_as_far);
  CHECK_FALSE(engines({1, 2, 5}, {1, 2, 8}).are_as_far);
  CHECK_FALSE(engines({1, 2, 3}, {1, 2, 3.5F}).disagree);
}

TEST_CASE("engines count integers as well") {
  const auto found =
      check::measure_engines(i64({1, 2, 3}), i64({1, 2, 5}), i64({1, 2, 4}), {}, {}, 1);
  CHECK(found.disagree);
  CHECK(found.are_as_far);
  CHECK_FALSE(found.is_other);
}

TEST_CASE("engines that differ only by ties do not disagree") {
  const Runs runs = {{1, 2, 3}, {1, 2, 3.5}};
  const auto disagree = [&](float last) {
    return check::measure_engines(f32({1, 2, 3}), f32({1, 2, last}), f32({1, 3, 3}), runs, {}, 0.5)
        .disagree;
  };
  CHECK_FALSE(disagree(3.5F));
  CHECK(disagree(4));
}

TEST_CASE("ties explain what is off from an engine, if nearly all is equal or few can move") {
  const auto equals = [&](const Runs& runs, const std::vector<std::pair<size_t, float>>& changes) {
    std::vector<float> values = kTorch;
    for (const auto& [at, value] : changes) values[at] = value;
    return check::equals_but_for_ties(f32(kTorch), f32(values), runs, {}, 0.5);
  };
  CHECK(equals(kRuns, {{2, 3.5F}}));                           // one of two that can move
  CHECK_FALSE(equals(kRuns, {{2, 3.5F}, {9, 9.5F}}));          // both of them: a fifth of all
  CHECK_FALSE(equals(kRuns, {{3, 4.5F}}));                     // no tie
  CHECK_FALSE(equals({}, {}));                                 // no measure
  CHECK_FALSE(equals({{0, 2, 3, 4, 5, 6, 7, 8, 9, 10}}, {}));  // the engine is not the graph's
}

}  // namespace
}  // namespace t2n::test
