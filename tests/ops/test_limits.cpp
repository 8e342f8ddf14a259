// SPDX-License-Identifier: Apache-2.0
// What an engine cannot do, shown by the smallest model that it rejects or gets wrong: a refusal is
// wrong from the version on in which its model passes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "src/check/compare.h"
#include "src/diag/error.h"
#include "src/target/limits.h"
#include "tests/support/example.h"

namespace t2n::test::limits_tests {
namespace {

using ir::DType;
using target::Limit;

struct Case {
  Limit limit;
  const char* inputs;  ///< names
  const char* body;
  std::vector<ir::Tensor> values;
  ir::Tensor right;               ///< what torch computes
  std::vector<ir::Tensor> wrong;  ///< what the engine computes; nothing if it fails
  const char* message = "";       ///< then, a part of it
};

std::string graph(const Case& c) {
  return cat("version 1.0;\nextension tract_registry tract_core;\n\ngraph model(", c.inputs,
             ") -> (y)\n{\n", c.body, "}\n");
}

const ir::Tensor kIntegers = values({1, 1, 3}, {1, 2, -4}, DType::i64);

/// 1, 2, … n in f64.
ir::Tensor iota(int64_t n) {
  std::vector<double> out;
  for (int64_t i = 1; i <= n; ++i) out.push_back(static_cast<double>(i));
  return values({n}, out, DType::f64);
}

/// n / n as the engine computes it, by a reciprocal, and without its fraction.
ir::Tensor floored_products(int64_t n) {
  std::vector<double> out;
  for (int64_t i = 1; i <= n; ++i) {
    const auto x = static_cast<double>(i);
    out.push_back(std::floor(x * (1 / x)));
  }
  return values({n}, out, DType::f64);
}

/// A model per limit that says what the engine does.
const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {Limit::integer_convolution,
       "x",
       "  x = tract_core_external(shape = [1, 1, 3], datum_type = 'i64');\n"
       "  w = [[[2]]];\n"
       "  k = tract_core_cast(w, to = 'i64');\n"
       "  y = conv(x, k, border = 'constant', padding = [(0, 0)]);\n",
       {kIntegers},
       values({1, 1, 3}, {2, 4, -8}, DType::i64),
       {},
       "`current.size_of() == 1`"},
      {Limit::integer_product_size,
       "x",
       "  x = tract_core_external(shape = [1, 1, 3], datum_type = 'i64');\n"
       "  t = transpose(x, axes = [0, 2, 1]);\n  y = matmul(x, t);\n",
       {kIntegers},
       values({1, 1, 1}, {21}, DType::i64),
       {},
       "Can't build a WeightType from I64"},
      // 3 / 3, 5 / 5 … are 1; some of these quotients come out below it.
      {Limit::quotient_f64,
       "x, z",
       "  x = tract_core_external(shape = [64], datum_type = 'f64');\n"
       "  z = tract_core_external(shape = [64], datum_type = 'f64');\n"
       "  q = div(x, z);\n  y = floor(q);\n",
       {iota(64), iota(64)},
       values({64}, std::vector<double>(64, 1), DType::f64),
       {floored_products(64)}},
  };
  return all;
}

bool is_same(const std::vector<ir::Tensor>& expected, const std::vector<ir::Tensor>& actual) {
  return std::equal(expected.begin(), expected.end(), actual.begin(), actual.end(),
                    [](const ir::Tensor& a, const ir::Tensor& b) {
                      return a.dtype == b.dtype &&
                             check::compare(a, b, rel(1e-5)).verdict == check::Verdict::ok;
                    });
}

/// The engine answers as the case says, and not as torch does.
void check_limit(const Case& c, const target::Target& target) {
  std::vector<ir::Tensor> outputs;
  const std::string said = error_of([&] { outputs = run_text(graph(c), c.values, target); });
  CAPTURE(said);
  if (c.wrong.empty()) CHECK_NE(said.find(c.message), std::string::npos);
  CHECK(is_same(c.wrong, outputs));
  CHECK_FALSE(is_same({c.right}, outputs));
}

}  // namespace

TEST_CASE("each limit of an engine is real") {
  for (const Case& c : cases())
    for (const target::Target& target : test_targets()) {
      CAPTURE(std::string(target::limit_row(c.limit).name));
      CAPTURE(target::target_name(target));
      check_limit(c, target);
    }
}

TEST_CASE("each limit of an engine has a model") {
  for (const target::LimitRow& row : target::limit_rows()) {
    CAPTURE(std::string(row.name));
    const bool has_model = std::any_of(cases().begin(), cases().end(),
                                       [&](const Case& c) { return c.limit == row.limit; });
    CHECK_EQ(has_model, row.evidence == target::Evidence::engine);
  }
}

}  // namespace t2n::test::limits_tests
