// SPDX-License-Identifier: Apache-2.0
// Exact rules are compared with Python's arithmetic at many sizes. Nothing is run or recorded here.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "src/diag/error.h"
#include "src/frontend/numbers/data_rules.h"
#include "src/frontend/numbers/number_rules.h"
#include "src/frontend/numbers/ratios.h"

namespace t2n::test {
namespace {

using ir::Dim;
using trace::Mark;
using trace::Operand;

const ir::Symbol kSize = ir::Symbol::AxisSize{"x", 0};

int64_t at(const Dim& dim, int64_t size) {
  return dim.substitute([&](const ir::Symbol&) { return std::optional(Dim(size)); }).value();
}

/// `factor` * size + `offset`, with its value at a size.
Operand integer(int64_t factor, int64_t offset, int64_t size) {
  const Dim dim = Dim(factor) * Dim::symbol(kSize) + Dim(offset);
  return {at(dim, size), trace::size_mark(dim)};
}

Operand plain(const c10::IValue& number) { return {number, nullptr}; }

int64_t python(const std::string& op, int64_t a, int64_t b) {
  if (op == "aten::add") return a + b;
  if (op == "aten::sub") return a - b;
  if (op == "aten::rsub") return b - a;
  if (op == "aten::mul") return a * b;
  if (op == "prim::min") return std::min(a, b);
  if (op == "prim::max") return std::max(a, b);
  return op == "aten::floordiv" ? ir::floor_div_int(a, b) : ir::floor_mod_int(a, b);
}

TEST_CASE("integers over sizes are the program's own at all sizes") {
  for (const std::string op : {"aten::add", "aten::sub", "aten::rsub", "aten::mul", "prim::min",
                               "prim::max", "aten::floordiv", "aten::remainder"})
    for (const int64_t other : {-7, -2, -1, 1, 3, 8})
      for (const int64_t factor : {-3, 1, 2}) {
        CAPTURE(op);
        CAPTURE(other);
        CAPTURE(factor);
        const auto mark = trace::number_rule(op, {integer(factor, 5, 4), plain(other)});
        REQUIRE(mark);
        const int64_t sample = python(op, factor * 4 + 5, other);
        for (int64_t size = 1; size < 20; ++size)
          CHECK(at(trace::size_or(*mark, sample), size) == python(op, factor * size + 5, other));
      }
}

TEST_CASE("range has the length of Python's, where its guard holds") {
  for (const int64_t step : {-3, -1, 1, 2, 5})
    for (const int64_t sample : {1, 4, 9}) {
      CAPTURE(step);
      CAPTURE(sample);
      const std::vector<Operand> bounds = {plain(2), integer(1, 0, sample), plain(step)};
      const auto mark = trace::number_rule("aten::__range_length", bounds);
      const auto guard = trace::range_guard(bounds);
      REQUIRE(mark);
      REQUIRE(guard);
      for (int64_t size = 1; size < 20; ++size) {
        if (!ir::holds(at(guard->left, size), guard->relation, at(guard->right, size))) continue;
        int64_t count = 0;
        for (int64_t i = 2; step > 0 ? i < size : i > size; i += step) ++count;
        CHECK(at(trace::size_or(*mark, 0), size) == count);
      }
    }
}

TEST_CASE("comparisons are conditions, which `not` negates and `and True` keeps") {
  const Operand n = integer(1, 0, 4);
  const Mark less = trace::number_rule("aten::lt", {n, plain(6)}).value();
  CHECK(trace::is_opaque(less));
  CHECK(ir::str(*trace::comparison_of(less)) == "size.x.0 < 6");
  REQUIRE(trace::truth_of(less));
  CHECK(trace::truth_of(less)->op == "lt");
  const Operand condition{true, less};
  const Mark opposite = trace::number_rule("aten::__not__", {condition}).value();
  CHECK(ir::str(*trace::comparison_of(opposite)) == "size.x.0 >= 6");
  CHECK(trace::truth_of(opposite)->op == "logical_not");
  CHECK(trace::number_rule("aten::__and__", {condition, plain(true)}).value() == less);
  CHECK(trace::number_rule("aten::__and__", {condition, plain(false)}).value() == nullptr);
  CHECK_FALSE(trace::number_rule("aten::__and__", {condition, {true, opposite}}));
}

TEST_CASE("floats are quotients of sizes, and integers again where they are rounded") {
  struct Row {
    std::string rounding;
    double (*function)(double);
  };
  const std::vector<Row> rows = {{"aten::floor", [](double x) { return std::floor(x); }},
                                 {"aten::ceil", [](double x) { return std::ceil(x); }},
                                 {"aten::round", [](double x) { return std::nearbyint(x); }},
                                 {"aten::Int", [](double x) { return std::trunc(x); }}};
  for (const Row& row : rows)
    for (const double factor : {0.5, 0.25, 0.1, 1.0 / 3, 1.5, 0.7}) {
      CAPTURE(row.rounding);
      CAPTURE(factor);
      const Operand n = integer(1, 0, 7);
      const auto product = trace::number_rule("aten::mul", {n, plain(factor)});
      REQUIRE(product);
      CHECK(trace::is_opaque(*product));
      REQUIRE(trace::formula_of(*product));
      CHECK(trace::formula_of(*product)->op == "mul");
      const Operand number{7 * factor, *product};
      const auto rounded = trace::number_rule(row.rounding, {number});
      if (!rounded || !trace::is_size(*rounded)) continue;
      for (int64_t size = 1; size < 3000; ++size)
        CHECK(static_cast<double>(at(*trace::exact_size(*rounded), size)) ==
              row.function(static_cast<double>(size) * factor));
    }
  // Which of them are exact: a half is, and 0.7, which is below 7/10, only rounds up.
  const auto scaled = [](const std::string& rounding, double factor) {
    const Operand n = integer(1, 0, 7);
    const Mark product = trace::number_rule("aten::mul", {n, plain(factor)}).value();
    const auto mark = trace::number_rule(rounding, {{7 * factor, product}});
    return mark && trace::is_size(*mark);
  };
  CHECK(scaled("aten::floor", 0.5));
  CHECK(scaled("aten::Int", 0.5));
  CHECK_FALSE(scaled("aten::floor", 1e-9));
}

TEST_CASE("marks join: data wins, and two sizes leave no expression") {
  const Mark size = integer(1, 0, 4).mark, data = trace::data_mark("aten::item (model.py:8)");
  CHECK(trace::join(size, data) == data);
  CHECK(trace::either(size, nullptr) == size);
  const Mark other = trace::size_mark(Dim::symbol(ir::Symbol::AxisSize{"y", 1}));
  const Mark both = trace::join(size, trace::join(other, size));
  CHECK(trace::is_opaque(both));
  CHECK(trace::sizes_of(both).str() == "size.x.0 + size.y.1");
  CHECK_FALSE(trace::exact_size(both));
  CHECK(trace::join(nullptr, nullptr) == nullptr);
  CHECK(trace::size_mark(3) == nullptr);
  CHECK(trace::condition_mark({3, ir::Relation::lt, 4}) == nullptr);
  const Mark read = trace::data_mark("aten::item", trace::number_formula(2));
  CHECK(trace::data_formula(read));
  CHECK_FALSE(trace::data_formula(trace::derived_mark(read)));
  CHECK(trace::origin_of(trace::derived_mark(read)) == "aten::item");
}

TEST_CASE("expressions that double their length are refused") {
  Operand n = integer(1, 0, 4);
  const auto grow = [&] {
    for (int step = 0; step < 20; ++step) {
      const Mark half = trace::number_rule("aten::floordiv", {n, plain(2)}).value();
      const int64_t value = n.number.toInt();
      const auto sum = trace::number_rule("aten::add", {n, {value / 2, half}});
      n = {value + value / 2, sum.value()};
    }
  };
  CHECK_THROWS_WITH_AS(grow(), doctest::Contains("more than 1000 quotients"), Error);
}

TEST_CASE("numbers that were read have formulas only where Python and torch agree") {
  using trace::FormulaType;
  const auto read = [](const at::Tensor& tensor, FormulaType type) {
    return trace::read_formula(tensor, 0, type);
  };
  const auto whole = read(at::Tensor(), FormulaType::integer);
  const auto real = read(at::Tensor(), FormulaType::floating);
  const auto flag = read(at::Tensor(), FormulaType::boolean);
  CHECK(trace::data_rule("aten::add", {whole, real}, 1.5)->op == "add");
  CHECK(trace::data_rule("aten::floordiv", {whole, whole}, 3)->op == "floor_divide");
  CHECK_FALSE(trace::data_rule("aten::floordiv", {real, real}, 3.0));  // rounds differently
  CHECK(trace::data_rule("prim::min", {whole, whole}, 3)->op == "where");
  CHECK_FALSE(trace::data_rule("prim::min", {whole, real}, 3));
  // `False and x` does not depend on x.
  const auto no = trace::number_formula(false);
  CHECK(trace::data_rule("aten::__and__", {no, flag}, false)->op == "number");
  CHECK(trace::data_rule("aten::__or__", {no, flag}, false) == flag);
  CHECK_FALSE(trace::choice_formula(flag, whole, real));
  CHECK(trace::choice_formula(flag, whole, whole));
}

}  // namespace
}  // namespace t2n::test
