// SPDX-License-Identifier: Apache-2.0
// Recurrent cells, scans and running norms of tract, against values worked out by hand.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/interp/agree.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

using ir::DType;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

TEST_CASE("the epilogues of recurrent cells") {
  const double c = sigmoid(0.3) * 0.5 + sigmoid(0.1) * std::tanh(0.4);
  check_agree({"(out, out2) = tract_core_lstm_epilogue(x, y, hidden = 1);",
               {f32({1, 4}, {0.1, 0.2, 0.3, 0.4}), f32({1, 1}, {0.5})}},
              {f32({1, 1}, {sigmoid(0.2) * std::tanh(c)}), f32({1, 1}, {c})});
  const double z = sigmoid(0.6), candidate = std::tanh(0.3 + sigmoid(0.8) * 0.7);
  check_agree({"out = tract_core_gru_epilogue(x, y, z, hidden = 1);",
               {f32({1, 3}, {0.1, 0.2, 0.3}), f32({1, 3}, {0.5, 0.6, 0.7}), f32({1, 1}, {0.9})}},
              {f32({1, 1}, {(1 - z) * candidate + z * 0.9})});
}

TEST_CASE("a whole sequence of gated recurrent units") {
  const std::string start =
      "(out, out2) = tract_core_gru_seq(x = x, w = [[0.5, 0.0], [0.25, 0.0], [1.0, 0.0]], r = "
      "[[0.1], [0.2], "
      "[0.3]], b = [0.1, 0.2, 0.3, 0.0, 0.1, 0.2], initial_h = y, hidden = 1, ";
  const auto step = [](double x, double h) {
    const double z = sigmoid(0.5 * x + 0.1 + 0.1 * h), r = sigmoid(0.25 * x + 0.2 + 0.2 * h + 0.1);
    const double candidate = std::tanh(x + 0.3 + r * (0.3 * h + 0.2));
    return (1 - z) * candidate + z * h;
  };
  const ir::Tensor x = f32({1, 2, 2}, {1, 9, -2, 9}), h0 = f32({1, 1, 1}, {0.5});
  const double first = step(1, 0.5), second = step(-2, first);
  check_agree({start + "chunk = 1, has_bias = 1, reset_every_turn = 1);", {x, h0}},
              {f32({1, 2, 1}, {first, second}), f32({1, 1, 1}, {second})}, 1e-5);
  const double last = step(-2, 0.5), back = step(1, last);
  check_agree({start + "chunk = -1, has_bias = 1, reset_every_turn = 1);", {x, h0}},
              {f32({1, 2, 1}, {back, last}), f32({1, 1, 1}, {back})}, 1e-5);
}

const std::string kSum = R"(
fragment sum( v: tensor<scalar>, h: tensor<scalar> ) -> ( seen: tensor<scalar>, next: tensor<scalar> )
{
  next = h + v;
  seen = mul(next, 10.0);
}
)";

TEST_CASE("a scan hands its state from iteration to iteration") {
  const ir::Tensor x = f32({3, 2}, {1, 2, 3, 4, 5, 6}), h = f32({1, 2}, {0, 100});
  const auto scan = [](const std::string& step) {
    return "(out, out2) = tract_core_scan(body = 'sum', scan = [('v', x, 0, " + step +
           ")], full = [], state = [('h', y, 'next')], output = [('seen', 'full', 0, " + step +
           "), ('next', 'last', 0, 1)], reset_every_turn = 1);";
  };
  check_agree({scan("1"), {x, h}, kSum},
              {f32({3, 2}, {10, 1020, 40, 1060, 90, 1120}), f32({1, 2}, {9, 112})});
  check_agree({scan("-1"), {x, h}, kSum},
              {f32({3, 2}, {90, 1120, 80, 1100, 50, 1060}), f32({1, 2}, {9, 112})});
}

TEST_CASE("a scan of chunks, with a tensor that stays") {
  const std::string fragment = R"(
fragment pair( v: tensor<scalar>, w: tensor<scalar>, h: tensor<scalar> ) -> ( y: tensor<scalar>, n: tensor<scalar> )
{
  n = h + sum_reduce(v, axes = [0]);
  y = v * w;
}
)";
  check_agree({"(out, out2) = tract_core_scan(body = 'pair', scan = [('v', x, 0, 2)], "
               "full = [('w', z)], state = [('h', y, 'n')], output = [('y', 'full', 0, 2), "
               "('n', 'last', 0, 1)], reset_every_turn = true);",
               {f32({4}, {1, 2, 3, 4}), f32({1}, {0}), f32({2}, {10, 100})},
               fragment},
              {f32({4}, {10, 200, 30, 400}), f32({1}, {10})});
}

TEST_CASE("a scan within a scan") {
  const std::string fragments = R"(
fragment inner( v: tensor<scalar>, h: tensor<scalar> ) -> ( n: tensor<scalar> )
{
  n = h * 2.0 + v;
}
fragment outer( v: tensor<scalar>, zero: tensor<scalar>, h: tensor<scalar> ) -> ( y: tensor<scalar>, n: tensor<scalar> )
{
  y = tract_core_scan(body = 'inner', scan = [('v', v, 1, 1)], full = [], state = [('h', zero, 'n')],
                      output = [('n', 'last', 0, 1)], reset_every_turn = 1);
  n = h + y;
}
)";
  check_agree({"(out, out2) = tract_core_scan(body = 'outer', scan = [('v', x, 0, 1)], "
               "full = [('zero', y)], state = [('h', y, 'n')], output = [('y', 'full', 0, 1), "
               "('n', 'last', 0, 1)], reset_every_turn = 1);",
               {f32({2, 3}, {1, 2, 3, 4, 5, 6}), f32({1, 1}, {0})},
               fragments},
              {f32({2, 1}, {11, 32}), f32({1, 1}, {43})});
}

TEST_CASE("as many iterations as the input says") {
  const ir::Tensor h = f32({1}, {5});
  for (const int64_t length : {1, 4}) {
    const ir::Tensor x = f32({length}, std::vector<double>(static_cast<size_t>(length), 2));
    std::vector<double> sums;
    for (int64_t i = 1; i <= length; ++i) sums.push_back(static_cast<double>(10 * (5 + 2 * i)));
    check_agree({"out = tract_core_scan(body = 'sum', scan = [('v', x, 0, 1)], full = [], "
                 "state = [('h', y, 'next')], output = [('seen', 'full', 0, 1)], "
                 "reset_every_turn = 1);",
                 {x, h},
                 kSum},
                {f32({length}, sums)});
  }
  check_reference({"(out, out2) = tract_core_scan(body = 'sum', scan = [('v', x, 0, 1)], "
                   "full = [], state = [('h', y, 'next')], output = [('seen', 'full', 0, 1), "
                   "('next', 'last', 0, 1)], reset_every_turn = 1);",
                   {f32({0}, {}), h},
                   kSum},
                  {f32({0}, {}), f32({1}, {5})});
}

TEST_CASE("errors of scans") {
  const std::string rest = ", full = [], state = [('h', y, 'next')], output = [";
  const ir::Tensor x = f32({3}, {1, 2, 3}), h = f32({1}, {0});
  check_refused({"out = tract_core_scan(body = 'sum', scan = [('v', x, 0, 1)]" + rest +
                     "('seen', 'all', 0, 1)]);",
                 {x, h},
                 kSum},
                "an output is 'full' or 'last', not 'all'");
  check_refused({"out = tract_core_scan(body = 'sum', scan = [('u', x, 0, 1)]" + rest +
                     "('seen', 'full', 0, 1)]);",
                 {x, h},
                 kSum},
                "nothing is bound to 'v' of 'sum'");
  check_refused({"out = tract_core_scan(body = 'none', scan = [('v', x, 0, 1)]" + rest +
                     "('seen', 'full', 0, 1)]);",
                 {x, h},
                 kSum},
                "the document has no fragment 'none'");
}

TEST_CASE("running norms") {
  const ir::Tensor x = f32({2, 2}, {0, 1, 2, 3}), state = f32({2}, {1, 2});
  check_agree(
      {"out = tract_extra_exp_mean_norm(x, y, axis = 0, alpha = 0.5, scaling_factor = 2.0);",
       {x, state}},
      {f32({2, 2}, {-0.25, -0.25, 0.375, 0.375})});
  check_agree({"out = tract_extra_exp_unit_norm(x, y, axis = 0, alpha = 0.5);", {x, state}},
              {f32({2, 2}, {0, 1 / std::sqrt(1.5), 2 / std::sqrt(1.25), 3 / std::sqrt(2.25)})});
  check_agree({"out = tract_extra_exp_unit_norm(x, y, axis = 0, alpha = 0.5, complex = true, "
               "skip = 1);",
               {f32({2, 1, 2}, {3, 4, 6, 8}), f32({1}, {4})}},
              {f32({2, 1, 2}, {1.5, 2, 6 / std::sqrt(7), 8 / std::sqrt(7)})});
}

TEST_CASE("operations of ONNX") {
  check_agree({"out = tract_onnx_lrn(x, size = 2, alpha = 1.0);", {f32({1, 3, 1}, {0, 1, 2})}},
              {f32({1, 3, 1}, {0, std::pow(3.5, -0.75), 2 * std::pow(3, -0.75)})});
  check_agree({"out = tract_onnx_non_zero(x);", {f32({2, 2}, {0, 1, 2, 3})}},
              {values({2, 3}, {0, 1, 1, 1, 0, 1}, DType::i64)});
}

}  // namespace
}  // namespace t2n::test
