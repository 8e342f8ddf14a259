// SPDX-License-Identifier: Apache-2.0
// What tract 0.23.9 gets wrong by its own documents, and the reference right. docs/engine_bugs.md
// lists these cases; an engine that changes its mind fails here.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <limits>
#include <sstream>

#include "src/diag/error.h"
#include "tests/interp/agree.h"
#include "tests/support/example.h"
#include "tests/support/reference.h"

namespace t2n::test {
namespace {

using ir::DType;

std::string without_blanks(const std::string& text) {
  std::string out;
  for (const char each : text)
    if (std::isspace(static_cast<unsigned char>(each)) == 0) out += each;
  return out;
}

const std::string& list() {
  static const std::string text = [] {
    std::ifstream file(std::string(std::getenv("T2NNEF_SOURCE_DIR")) + "/docs/engine_bugs.md");
    return without_blanks({std::istreambuf_iterator<char>(file), {}});
  }();
  return text;
}

/// The list shows the statements, the fragments, and what tract says to them.
void check_listed(const Statements& statements, const std::string& said) {
  CHECK(list().find(without_blanks(statements.body)) != std::string::npos);
  CHECK(list().find(without_blanks(statements.fragments)) != std::string::npos);
  CHECK(list().find(without_blanks(statements.quant)) != std::string::npos);
  CHECK(list().find(without_blanks(said)) != std::string::npos);
}

/// "[[1,2],[3,4]]", as in the list.
std::string nested(const ir::Tensor& tensor, size_t axis = 0, int64_t first = 0) {
  if (axis == tensor.shape.size()) {
    const double value = ir::element_f64(tensor, first);
    std::ostringstream out;
    out << std::setprecision(8) << value;
    return std::isnan(value) ? "NaN" : out.str();
  }
  int64_t step = 1;
  for (size_t i = axis + 1; i < tensor.shape.size(); ++i) step *= tensor.shape[i];
  std::string out;
  for (int64_t i = 0; i < tensor.shape[axis]; ++i)
    out += (i == 0 ? "" : ",") + nested(tensor, axis + 1, first + i * step);
  return cat("[", out, "]");
}

/// tract answers, but something else: what `said` says, a question mark for what may be anything.
void check_wrong(const Statements& statements, const std::vector<ir::Tensor>& right,
                 const std::string& said) {
  check_listed(statements, "tract: " + said);
  check_reference(statements, right);
  const std::vector<ir::Tensor> actual = run_tract(statements, right.size());
  CHECK_NE(differences(Run{right, actual, {}, {}, {}}, rel(1e-3)), std::string());
  std::string answer, expected = without_blanks(said);
  for (const ir::Tensor& tensor : actual)
    answer += (answer.empty() ? "" : "and") + nested(ir::contiguous(tensor));
  const size_t any = expected.find('?');
  if (any != std::string::npos)
    expected.replace(any, 1, answer.substr(any, answer.find_first_of(",]", any) - any));
  CHECK_EQ(answer, expected);
}

/// tract loads the graph or not, and fails with this message.
void check_failing(const Statements& statements, const std::vector<ir::Tensor>& right,
                   const std::string& said) {
  check_listed(statements, "`" + said + "`");
  check_reference(statements, right);
  const std::string message = error_of([&] { run_tract(statements, right.size()); });
  CAPTURE(message);
  CHECK(message.find(said) != std::string::npos);
}

TEST_CASE("einsum of one operand to a scalar does nothing") {
  check_wrong(
      {"out = tract_core_einsum([x], expr = 'ij->', acc = 'f32');", {f32({2, 2}, {1, 2, 3, 4})}},
      {f32({}, {10})}, "[[1, 2], [3, 4]]");
}

TEST_CASE("scan pairs states with results by their order") {
  const std::string fragment = R"(
fragment step( v: tensor<scalar>, a: tensor<scalar>, b: tensor<scalar> )
-> ( nb: tensor<scalar>, na: tensor<scalar> )
{
  na = a + v;
  nb = b * v;
})";
  check_wrong({"(out, out2) = tract_core_scan(body = 'step', scan = [('v', x, 0, 1)], full = [], "
               "state = [('a', y, 'na'), ('b', z, 'nb')], "
               "output = [('na', 'last', 0, 1), ('nb', 'last', 0, 1)], reset_every_turn = 1);",
               {f32({2}, {2, 3}), f32({1}, {10}), f32({1}, {100})},
               fragment},
              {f32({1}, {15}), f32({1}, {600})}, "[203] and [36]");
}

TEST_CASE("scan assembles backward chunks of several entries one entry off") {
  const std::string fragment = R"(
fragment twice( v: tensor<scalar>, a: tensor<scalar> ) -> ( n: tensor<scalar>, o: tensor<scalar> )
{
  n = a * 10.0 + sum_reduce(v, axes = [0]);
  o = v * 2.0;
})";
  check_wrong({"(out, out2) = tract_core_scan(body = 'twice', scan = [('v', x, 0, -2)], full = [], "
               "state = [('a', y, 'n')], output = [('o', 'full', 0, -2), ('n', 'last', 0, 1)], "
               "reset_every_turn = 1);",
               {f32({4}, {1, 2, 3, 4}), f32({1}, {0})},
               fragment},
              {f32({4}, {2, 4, 6, 8}), f32({1}, {73})}, "[?, 2, 4, 6] and [73]");
}

TEST_CASE("scan of no iterations has no last state") {
  const std::string fragment = R"(
fragment plus( v: tensor<scalar>, a: tensor<scalar> ) -> ( n: tensor<scalar> )
{
  n = a + v;
})";
  check_wrong({"(out, out2) = tract_core_scan(body = 'plus', scan = [('v', x, 0, 1)], full = [], "
               "state = [('a', y, 'n')], output = [('n', 'full', 0, 1), ('n', 'last', 0, 1)], "
               "reset_every_turn = 1);",
               {f32({0}, {}), f32({1}, {10})},
               fragment},
              {f32({0}, {}), f32({1}, {10})}, "[] and 0");
}

TEST_CASE("scan of a constant") {
  const std::string fragment = R"(
fragment plus( v: tensor<scalar>, a: tensor<scalar> ) -> ( n: tensor<scalar> )
{
  n = a + v;
})";
  check_failing({"out = tract_core_scan(body = 'plus', scan = [('v', [1.0, 2.0, 3.0], 0, 1)], "
                 "full = [], state = [('a', x, 'n')], output = [('n', 'full', 0, 1)], "
                 "reset_every_turn = 1);",
                 {f32({1}, {0})},
                 fragment},
                {f32({3}, {1, 3, 6})}, "body input 1 is 1,F32 and body output 0 is 3,F32");
}

TEST_CASE("a scan within a scan that depends on no state of the outer one") {
  const std::string fragments = R"(
fragment inner( v: tensor<scalar>, h: tensor<scalar> ) -> ( n: tensor<scalar> )
{
  n = h * 2.0 + v;
}
fragment outer( v: tensor<scalar>, zero: tensor<scalar>, h: tensor<scalar> )
-> ( o: tensor<scalar>, n: tensor<scalar> )
{
  y = tract_core_scan(body = 'inner', scan = [('v', v, 1, 1)], full = [],
                      state = [('h', zero, 'n')], output = [('n', 'full', 1, 1)],
                      reset_every_turn = 1);
  n = h * 1.0;
  o = y * 2.0;
})";
  check_failing({"(out, out2) = tract_core_scan(body = 'outer', scan = [('v', x, 0, 1)], "
                 "full = [('zero', y)], state = [('h', z, 'n')], "
                 "output = [('o', 'full', 0, 1), ('n', 'last', 0, 1)], reset_every_turn = 1);",
                 {f32({2, 3}, {1, 2, 3, 4, 5, 6}), f32({1, 1}, {0}), f32({1, 3}, {7, 8, 9})},
                 fragments},
                {f32({2, 3}, {2, 8, 22, 8, 26, 64}), f32({1, 3}, {7, 8, 9})},
                "Trying to substitute a 2,3,F32 by 1,3,F32");
}

TEST_CASE("attention with one row of a mask for all queries") {
  check_failing({"out = tract_transformers_sdpa(x, y, z, w, datum_type = 'f32', "
                 "acc_datum_type = 'f32', is_causal = false);",
                 {f32({1, 2, 1}, {0, 0}), f32({1, 2, 1}, {0, 0}), f32({1, 2, 1}, {2, 4}),
                  f32({1, 2}, {0, 1.0986122887})}},
                {f32({1, 2, 1}, {3.5, 3.5})}, "incompatible shapes");
}

TEST_CASE("gated recurrent units over inputs of one feature") {
  check_failing({"(out, out2) = tract_core_gru_seq(x = x, w = [[0.0], [0.0], [0.0]], "
                 "r = [[0.0], [0.0], [0.0]], b = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0], initial_h = y, "
                 "hidden = 1, chunk = 1, has_bias = 1, reset_every_turn = 1);",
                 {f32({1, 2, 1}, {1, 2}), f32({1, 1, 1}, {8})}},
                {f32({1, 2, 1}, {4, 2}), f32({1, 1, 1}, {2})}, "xw not contiguous");
}

TEST_CASE("integers times themselves") {
  check_failing({"out = x * x;", {values({2}, {3, -2}, DType::i64)}},
                {values({2}, {9, 4}, DType::i64)}, "Square does not support I64");
  check_failing(
      {"out = pow(x, tract_core_cast(2, to = 'i64'));", {values({2}, {3, -2}, DType::i64)}},
      {values({2}, {9, 4}, DType::i64)}, "Square does not support I64");
}

TEST_CASE("means in f16") {
  check_wrong({"out = mean_reduce(x, axes = [0]);",
               {values({100}, std::vector<double>(100, 1000), DType::f16)}},
              {values({1}, {1000}, DType::f16)}, "[inf]");
}

TEST_CASE("products of integers of 64 bits") {
  check_failing({"out = matmul(x, y);",
                 {values({1, 2}, {1, 2}, DType::i64), values({2, 1}, {3, 4}, DType::i64)}},
                {values({1, 1}, {11}, DType::i64)}, "Can't build a WeightType from I64");
  check_failing({"out = tract_core_einsum([x, y], expr = 'ij,jk->ik', acc = 'i64');",
                 {values({1, 2}, {1, 2}, DType::i64), values({2, 1}, {3, 4}, DType::i64)}},
                {values({1, 1}, {11}, DType::i64)}, "Can't build a WeightType from I64");
}

std::string byte_entry(const std::string& name, const std::string& zero_point,
                       const std::string& scale, const std::string& sign) {
  return "\"" + name + "\": zero_point_linear_quantize(zero_point = " + zero_point +
         ", scale = " + scale + ", bits = 8, signed = " + sign + ");\n";
}

TEST_CASE("a cast of an unnamed quantised convolution") {
  check_wrong({"a = tract_core_cast(x, to = 'u8');\n"
               "  w = tract_core_cast(y, to = 'i8');\n"
               "  r = conv(a, w, border = 'constant', padding = [(0, 0)], stride = [1], "
               "dilation = [1], groups = 1);\n"
               "  out = tract_core_cast(r, to = 'f32');",
               {f32({1, 1, 5}, {1, 2, 4, 0, 3}), f32({1, 1, 2}, {0.25, -0.375})},
               "",
               byte_entry("a", "2", "0.125", "false") + byte_entry("w", "0", "0.125", "true")},
              {f32({1, 1, 4}, {-0.5, -1, 1, -1.125})}, "[[[0, -1, 1, -1]]]");
}

TEST_CASE("a named product of quantised matrices") {
  check_wrong({"a = tract_core_cast(x, to = 'i8');\n"
               "  b = tract_core_cast(y, to = 'i8');\n"
               "  r = matmul(a, b);\n"
               "  out = tract_core_cast(r, to = 'f32');",
               {f32({1, 2}, {1.5, -2}), f32({2, 1}, {10, 3.75})},
               "",
               byte_entry("a", "2", "0.5", "true") + byte_entry("b", "-1", "0.25", "true") +
                   byte_entry("r", "0", "0.5", "true")},
              {f32({1, 1}, {7.5})}, "[[2]]");
}

TEST_CASE("functions of quantised tensors") {
  check_wrong({"a = tract_core_cast(x, to = 'u8');\n"
               "  r = sigmoid(a);\n"
               "  out = tract_core_cast(r, to = 'f32');",
               {f32({3}, {-1, 0, 1})},
               "",
               byte_entry("a", "2", "0.5", "false") + byte_entry("r", "0", "0.00390625", "false")},
              {f32({3}, {0.26953125, 0.5, 0.73046875})}, "[0.265625, 0.5, 0.73046875]");
}

TEST_CASE("products of broadcast tensors") {
  const ir::Tensor column = f32({3, 1}, {1, 10, 100});
  check_wrong({"b = tract_core_broadcast(x, shape = [2, 3]);\n"
               "  out = matmul(b, y);",
               {f32({2, 1}, {2, 3}), column}},
              {f32({2, 1}, {222, 333})}, "[[2], [3]]");
  check_failing({"b = tract_core_broadcast(x, shape = [2, 3]);\n"
                 "  out = matmul(b, y);",
                 {f32({1, 3}, {1, 2, 3}), column}},
                {f32({2, 1}, {321, 321})}, "Trying to substitute a 2,1,F32 by 1,1,F32");
  check_failing({"b = tract_core_broadcast(x, shape = [2, 3]);\n"
                 "  c = concat([b, z], axis = 1);\n"
                 "  out = matmul(c, y);",
                 {f32({1, 3}, {1, 2, 3}), f32({4, 1}, {1, 10, 100, 1000}), f32({2, 1}, {4, 5})}},
                {f32({2, 1}, {4321, 5321})},
                "Trying to substitute a 2,1,F32 by 1,1,F32 as output #0 of #5");
}

TEST_CASE("attention of a query that sees none of the first keys") {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  std::vector<double> values(33), mask(66);
  for (size_t i = 0; i < 32; ++i) mask[33 + i] = kNone;
  values[32] = 7;
  check_wrong({"out = tract_transformers_sdpa(x, y, z, w, datum_type = 'f32', "
               "acc_datum_type = 'f32', is_causal = false);",
               {f32({1, 2, 1}, {0, 0}), f32({1, 33, 1}, std::vector<double>(33)),
                f32({1, 33, 1}, values), f32({1, 2, 33}, mask)}},
              {f32({1, 2, 1}, {7.0 / 33, 7})}, "[[[0.21212122], [NaN]]]");
}

TEST_CASE("attention of queries that a finite number hides all keys from") {
  check_wrong({"out = tract_transformers_sdpa(x, y, z, w, datum_type = 'f32', "
               "acc_datum_type = 'f32', is_causal = false);",
               {f32({1, 1, 1}, {0}), f32({1, 2, 1}, {0, 0}), f32({1, 2, 1}, {2, 4}),
                f32({1, 1, 2}, {-1e5, -1e5})}},
              {f32({1, 1, 1}, {3})}, "[[[0]]]");
}

TEST_CASE("a part of a constant between bounds that are computed") {
  Statements statements{
      "c = [[0.0, 1.0, 2.0, 3.0]];\n"
      "  e = tract_core_cast(T, to = 'i64');\n"
      "  d = tract_core_dyn_slice(c, start = 1, end = e, len = T - 1, "
      "axis = 1);\n"
      "  out = squeeze(d, axes = [0]);",
      {f32({3}, {0, 0, 0})}};
  statements.is_open = true;
  check_failing(statements, {f32({2}, {1, 2})}, "self.required_rank() <= tensor.rank()");
}

}  // namespace
}  // namespace t2n::test
