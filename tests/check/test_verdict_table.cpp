// SPDX-License-Identifier: Apache-2.0
// The table that a check prints, letter by letter.
#include <doctest/doctest.h>

#include <limits>

#include "src/check/verdict_table.h"
#include "src/diag/printable.h"
#include "tests/tract/support.h"

namespace t2n::test {
namespace {

using check::OutputRow;
using check::Verdict;

OutputRow row(const char* name, const ir::Tensor& expected, const ir::Tensor& actual,
              std::optional<double> moved) {
  return {.name = name,
          .comparison = check::compare(expected, actual, {}),
          .response = moved ? std::optional(21000.0) : std::nullopt,
          .moved = moved,
          .f64_distance = {},
          .times_torch = {},
          .quanta = {},
          .where = {}};
}

TEST_CASE("a line per output behind a quantiser") {
  const ir::Tensor ones = f32({2, 2}, {1, 1, 1, 1});
  std::vector<check::OutputRow> rows(2, row("y", ones, ones, 1));
  rows[1].quanta = check::Quanta{
      .step = 0.25, .most = 2, .elements = 400, .off_by_one = 3, .off_by_more = 1, .at_ties = 4};
  CHECK_EQ(check::quanta_text(rows),
           "quanta: y at most 2 (of 0.25): of 400 elements 3 off by one, 1 by more, none between "
           "steps; 4 at ties\n");
  rows[1].quanta = check::Quanta{.step = 0.25,
                                 .most = 9.5,
                                 .elements = 400,
                                 .off_by_more = 1,
                                 .between = 2,
                                 .of_an_engine = 1};
  CHECK_EQ(check::quanta_text(rows),
           "quanta: y at most 9.5 (of 0.25): of 400 elements none off by one, 1 by more, 2 between "
           "steps; 1 equal to another engine of LibTorch\n");
}

TEST_CASE("a value between steps of the quantiser is a fault even within the tolerance") {
  check::OutputRow steps = row("y", f32({1}, {1}), f32({1}, {1.0001F}), 1);
  CHECK_EQ(check::verdict(steps), Verdict::ok);
  steps.quanta = check::count_quanta(f32({1}, {1}), f32({1}, {1.0001F}), 0.001);
  CHECK_EQ(check::verdict(steps), Verdict::differs);
  steps.most_times_torch = std::nullopt;  // at a level that allows more
  CHECK_EQ(check::verdict(steps), Verdict::ok);
}

TEST_CASE("a ruling explains a difference, unless a value is not finite on one side only") {
  const auto judged = [&](float actual, std::optional<check::MismatchCause> cause) {
    OutputRow out = row("y", f32({2}, {1, 2}), f32({2}, {1, actual}), 1);
    out.cause = cause;
    return check::verdict(out);
  };
  using check::MismatchCause;
  CHECK_EQ(judged(3, std::nullopt), Verdict::differs);
  CHECK_EQ(judged(3, MismatchCause::ties), Verdict::ok);
  CHECK_EQ(judged(3, MismatchCause::engine), Verdict::ok);
  CHECK_EQ(judged(3, MismatchCause::undecided), Verdict::inconclusive);
  for (const float wrong :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    for (const auto cause : {MismatchCause::ties, MismatchCause::engine, MismatchCause::undecided})
      CHECK_EQ(judged(wrong, cause), Verdict::differs);
    // The yardstick looks at what is finite alone.
    OutputRow near = row("y", f32({2}, {1, 2}), f32({2}, {1, wrong}), 1);
    near.f64_distance = check::measure(ir::tensor_of<double>(ir::DType::f64, {2}, {1, 2}),
                                       f32({2}, {1, 2}), f32({2}, {1, wrong}));
    REQUIRE(near.f64_distance->is_as_near());
    CHECK_EQ(check::verdict(near), Verdict::differs);
    near.f64_distance->is_unstable = true;
    CHECK_EQ(check::verdict(near), Verdict::differs);
  }
}

TEST_CASE("one line per output, columns aligned") {
  const ir::Tensor reference = f32({2, 2}, {1, 2, 3, 4});
  std::vector<OutputRow> rows = {
      row("y", reference, f32({2, 2}, {1, 2, 3, 4.0001F}), 1),
      row("größe", f32({}, {1}), f32({}, {1}), 0.25),
      row("logits", reference, f32({2, 2}, {1, 2.5F, 3, 4}), 0.9),
      row("shape", reference, f32({4}, {1, 2, 3, 4}), std::nullopt),
      row("unmeasured", reference, reference, std::nullopt),
  };
  rows[0].times_torch = 1.25;
  CHECK_EQ(check::verdict_table(rows, 200),
           "  output      shape   max|Δ|   max rel  p99 ulp  SNR dB  outliers  x torch  response  "
           "moved  "
           "verdict\n"
           "  y           2,2     1.0e-04  2.5e-05  210      94.8    0         1.2      2.1e+04   "
           "100 %  "
           "ok\n"
           "  größe       scalar  0        0        0        inf     0         -        2.1e+04   "
           "25 %   "
           "inconclusive\n"
           "  logits      2,2     5.0e-01  2.5e-01  2.1e+06  20.8    1         -        2.1e+04   "
           "90 %   "
           "DIFFERS\n"
           "  shape       2,2     -        -        -        -       -         -        -         "
           "-      "
           "DIFFERS: shape [4], expected [2,2]\n"
           "  unmeasured  2,2     0        0        0        inf     0         -        -         "
           "-      "
           "ok\n");
}

TEST_CASE("a table has the columns that fit, and the most telling ones always") {
  const ir::Tensor reference = f32({2, 2}, {1, 2, 3, 4});
  std::vector<OutputRow> rows = {
      row("encoder.layers.11.attention.größe", reference, f32({2, 2}, {1, 2, 3, 4.0001F}), 1)};
  size_t last = 0;
  for (const size_t width : {50, 60, 80, 100, 120, 140}) {
    CAPTURE(width);
    const std::string table = check::verdict_table(rows, width);
    for (size_t at = 0; at < table.size(); at = table.find('\n', at) + 1)
      CHECK_LE(text_width(table.substr(at, table.find('\n', at) - at)), width);
    for (const char* heading : {"output", "max|Δ|", "x torch", "verdict"})
      CHECK_NE(table.find(heading), std::string::npos);
    CHECK_NE(table.find("größe"), std::string::npos);
    CHECK_GE(table.size(), last);
    last = table.size();
  }
  // Outliers are of no interest if there are none.
  CHECK_EQ(check::verdict_table(rows, 90).find("outliers"), std::string::npos);
  rows[0] = row("y", reference, f32({2, 2}, {1, 2.5F, 3, 4}), 0.9);
  CHECK_NE(check::verdict_table(rows, 80).find("outliers"), std::string::npos);
}

TEST_CASE("values that agree are inconclusive where too few elements move") {
  const ir::Tensor value = f32({1}, {1});
  const auto with = [&](double moved) { return check::verdict(row("y", value, value, moved)); };
  CHECK_EQ(with(0), Verdict::inconclusive);
  CHECK_EQ(with(0.33), Verdict::inconclusive);
  CHECK_EQ(with(0.34), Verdict::ok);
  CHECK_EQ(check::verdict(row("y", value, f32({1}, {2}), 0)), Verdict::differs);
  const ir::Tensor class_of = ir::tensor_of<int64_t>(ir::DType::i64, {1}, {3});
  CHECK_EQ(check::verdict(row("y", class_of, class_of, 0)), Verdict::inconclusive);
  CHECK_EQ(check::verdict(row("y", class_of, class_of, 0.01)), Verdict::ok);
}

TEST_CASE("distance from f64 decides where the tolerance cannot") {
  const ir::Tensor exact = ir::tensor_of<double>(ir::DType::f64, {2}, {1, 2});
  const auto judged = [&](const ir::Tensor& torch, const ir::Tensor& result) {
    OutputRow out = row("y", torch, result, 1);
    out.f64_distance = check::measure(exact, torch, result);
    out.times_torch = out.f64_distance->ratio(ir::DType::f32);
    return out;
  };
  // Torch itself is off: as far off is right, much farther is not.
  CHECK_EQ(check::verdict(judged(f32({2}, {1.01F, 2}), f32({2}, {0.99F, 2}))), Verdict::ok);
  CHECK_EQ(check::verdict(judged(f32({2}, {1.01F, 2}), f32({2}, {0.9F, 2}))), Verdict::differs);
  // Torch is not: what is within the tolerance is wrong where no rounding explains it.
  OutputRow far = judged(f32({2}, {1, 2}), f32({2}, {1.0004F, 2}));
  CHECK_EQ(far.comparison.verdict, Verdict::ok);
  CHECK(check::is_too_far(far));
  CHECK_EQ(check::verdict(far), Verdict::differs);
  far.most_times_torch = std::nullopt;
  CHECK_EQ(check::verdict(far), Verdict::ok);
  CHECK_EQ(check::verdict(judged(f32({2}, {1, 2}), f32({2}, {1.000001F, 2}))), Verdict::ok);
}

}  // namespace
}  // namespace t2n::test
