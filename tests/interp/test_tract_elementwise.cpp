// SPDX-License-Identifier: Apache-2.0
// Elementwise operations, bits, casts and ranges of tract, against values worked out by hand.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/interp/agree.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

using ir::DType;

TEST_CASE("functions of f16 and f32") {
  for (const DType dtype : {DType::f32, DType::f16}) {
    const double tolerance = dtype == DType::f32 ? 1e-6 : 1e-3;
    const ir::Tensor x = vec({-4, -1, 0, 0.5, 2}, dtype);
    const auto check = [&](const std::string& call, const std::vector<double>& expected) {
      check_tract_call(call, x, vec(expected, dtype), tolerance);
    };
    check("tract_core_erf(x)", {-0.9999999846, -0.8427007929, 0, 0.5204998778, 0.9953222650});
    check("tract_core_hard_swish(x)", {0, -1.0 / 3, 0, 0.5 * 3.5 / 6, 2 * 5.0 / 6});
    for (const char* name : {"tract_core_silu(x)", "tract_transformers_silu(x)"})
      check(name, {-0.0719448398, -0.2689414214, 0, 0.3112296656, 1.7615941560});
    for (const char* name : {"tract_core_gelu_approx", "tract_transformers_gelu_approx"})
      check(std::string(name) + "(x, fast_impl = false)",
            {-0.0000702460, -0.1588080094, 0, 0.3457140238, 1.9545976557});
    check("tract_core_round_even(x)", {-4, -1, 0, 0, 2});
  }
  check_tract_call("tract_core_gelu_approx(x, fast_impl = true)", vec({1}), vec({0.8411919908}));
  check_tract_call("tract_core_round_even(x)", vec({0.5, 1.5, 2.5, -0.5, -1.5, -2.5}),
                   vec({0, 2, 2, -0.0, -2, -2}));
  check_tract_call("tract_core_pow_const(x, exponent = 1.5)", vec({0, 4, 9, -1}),
                   vec({0, 8, 27, kNaN}));
  check_refused({"out = tract_core_erf(x);", {vec({1}, DType::f64)}},
                "unsupported element type f64");
}

TEST_CASE("NaN and infinity") {
  const ir::Tensor x = vec({1, kNaN, kInf, -kInf});
  const auto marks = [](const std::vector<double>& data) { return vec(data, DType::boolean); };
  check_tract_call("tract_core_is_nan(x)", x, marks({0, 1, 0, 0}));
  check_tract_call("tract_core_is_inf(x)", x, marks({0, 0, 1, 1}));
  check_tract_call("tract_core_is_inf(x, detect_positive = false)", x, marks({0, 0, 0, 1}));
  check_tract_call("tract_core_is_inf(x, detect_negative = false)", x, marks({0, 0, 1, 0}));
}

TEST_CASE("bits of integers and logicals") {
  for (const DType dtype : {DType::u8, DType::i8, DType::i32, DType::i64}) {
    const ir::Tensor x = vec({12, 7, 0}, dtype), y = vec({10, 2, 3}, dtype);
    check_agree({"out = tract_core_bitand(x, y);", {x, y}}, {vec({8, 2, 0}, dtype)});
    check_agree({"out = tract_core_bitor(x, y);", {x, y}}, {vec({14, 7, 3}, dtype)});
    check_agree({"out = tract_core_bitxor(x, y);", {x, y}}, {vec({6, 5, 3}, dtype)});
  }
  const ir::Tensor x = vec({1, 1, 0}, DType::boolean), y = vec({1, 0, 0}, DType::boolean);
  check_agree({"out = tract_core_xor(x, y);", {x, y}}, {vec({0, 1, 0}, DType::boolean)});
  check_agree({"out = tract_core_bitand(x, y);", {x, y}}, {vec({1, 0, 0}, DType::boolean)});
  check_tract_call("tract_core_bitnot(x)", x, vec({0, 0, 1}, DType::boolean));
  check_tract_call("tract_core_bitnot(x)", vec({0, -1, 5}, DType::i64),
                   vec({-1, 0, -6}, DType::i64));
  check_tract_call("tract_core_bitnot(x)", vec({0, 255}, DType::u8), vec({255, 0}, DType::u8));
  check_agree({"out = tract_core_bitand(x, y);",
               {values({2, 2}, {1, 2, 3, 7}, DType::i64), vec({1, 6}, DType::i64)}},
              {values({2, 2}, {1, 0, 2, 6}, DType::i64)});
  check_refused({"out = tract_core_bitand(x, 6);", {vec({255}, DType::i64)}},
                "tract treats an integer literal as a dimension");
}

TEST_CASE("shifts are arithmetic, and by their amount modulo the width") {
  const auto shifted = [](const std::string& name, const ir::Tensor& x, const ir::Tensor& y,
                          const ir::Tensor& expected) {
    check_agree({"out = " + name + "(x, y);", {x, y}}, {expected});
  };
  const auto i64 = [](const std::vector<double>& data) { return vec(data, DType::i64); };
  shifted("tract_shl", i64({1, -5, 3}), i64({3, 1, 0}), i64({8, -10, 3}));
  shifted("tract_shr", i64({1, -5, 1024}), i64({1, 1, 3}), i64({0, -3, 128}));
  shifted("tract_shr", i64({1, -5}), i64({64, 70}), i64({1, -1}));
  shifted("tract_shl", vec({100, 3}, DType::i8), vec({1, 2}, DType::i8), vec({-56, 12}, DType::i8));
  shifted("tract_shr", vec({200, 3}, DType::u8), vec({1, 1}, DType::u8), vec({100, 1}, DType::u8));
  check_agree({"out = tract_shl(x, tract_core_cast(4, to = 'i64'));", {i64({1, 2})}},
              {i64({16, 32})});
}

TEST_CASE("casts cut off, saturate and wrap around") {
  const auto cast = [](const ir::Tensor& x, DType to, const std::vector<double>& expected) {
    check_tract_call(cat("tract_core_cast(x, to = '", ir::dtype_name(to), "')"), x,
                     vec(expected, to));
  };
  const ir::Tensor reals = vec({1.9, -2.7, kNaN, 3e10, -3e10, kInf});
  cast(reals, DType::i32, {1, -2, 0, 2147483647, -2147483648.0, 2147483647});
  cast(reals, DType::i8, {1, -2, 0, 127, -128, 127});
  cast(reals, DType::u8, {1, 0, 0, 255, 0, 255});
  cast(vec({0, -0.0, 0.5, kNaN}), DType::boolean, {0, 0, 1, 1});
  cast(vec({300, -129, 1099511627779}, DType::i64), DType::i8, {44, 127, 3});
  cast(vec({300, -1}, DType::i64), DType::u8, {44, 255});
  cast(vec({1, 0}, DType::boolean), DType::i32, {1, 0});
  cast(vec({1, 0}, DType::boolean), DType::f32, {1, 0});
  cast(vec({1e9, 0.1, 65520}), DType::f16, {kInf, 0.0999755859375, kInf});
  cast(vec({0.1}, DType::f16), DType::f64, {0.0999755859375});
  const ir::Tensor limits = ir::tensor_of<int64_t>(
      DType::i64, {2}, {std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()});
  check_agree({"out = tract_core_cast(x, to = 'I64');", {vec({1e19, -1e19})}}, {limits});
}

TEST_CASE("ranges exclude their end") {
  const auto range = [](const std::string& start, const std::string& end, const std::string& step,
                        const std::string& to, const ir::Tensor& expected) {
    const auto number = [&](const std::string& text) {
      return "tract_core_cast(" + text + ", to = '" + to + "')";
    };
    check_agree({"out = tract_core_range(" + number(start) + ", " + number(end) + ", " +
                 number(step) + ");"},
                {expected});
  };
  range("2", "7", "2", "i64", vec({2, 4, 6}, DType::i64));
  range("5", "0", "-2", "i64", vec({5, 3, 1}, DType::i64));
  range("5", "3", "1", "i64", vec({}, DType::i64));
  range("0.5", "2.0", "0.5", "f32", vec({0.5, 1, 1.5}));
  range("1", "4", "1", "i32", vec({1, 2, 3}, DType::i32));
  check_agree({"out = tract_core_range(0, 3, 1);"}, {vec({0, 1, 2}, DType::i64)});
}

TEST_CASE("shapes, and broadcasts from the last axis on") {
  const ir::Tensor x = values({3, 1}, {1, 2, 3});
  check_agree({"out = tract_core_cast(tract_core_shape_of(x), to = 'i64');", {x}},
              {vec({3, 1}, DType::i64)});
  check_agree({"out = tract_core_broadcast(x, shape = [2, 3, 2]);", {x}},
              {values({2, 3, 2}, {1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3})});
  check_agree({"out = tract_core_broadcast(x, shape = [2]);", {values({}, {7})}}, {vec({7, 7})});
  check_refused({"out = tract_core_broadcast(x, shape = [2, 2]);", {x}},
                "[3,1] cannot be broadcast to [2,2]");
}

TEST_CASE("the gated unit of large mixtures of experts") {
  check_agree({"out = tract_core_clamped_swiglu(x, y, alpha = 1.7, limit = 2.0);",
               {vec({1, -5, 5}), vec({1, -3, 3})}},
              {vec({1.6910696, 0.0010171349, 5.8062277})});
}

}  // namespace
}  // namespace t2n::test
