// SPDX-License-Identifier: Apache-2.0
// The standard's operations on tract's other element types, beside tract itself.
#include <doctest/doctest.h>

#include "tests/interp/agree.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

using ir::DType;
void check_calls(const std::vector<std::string>& calls, const std::vector<ir::Tensor>& inputs,
                 double tolerance = 1e-5) {
  for (const std::string& call : calls) check_same({"out = " + call + ";", inputs}, 1, tolerance);
}

TEST_CASE("half and double floats") {
  for (const DType dtype : {DType::f16, DType::f64}) {
    const double tolerance = dtype == DType::f16 ? 4e-3 : 1e-6;
    const ir::Tensor x = randn({1, 2, 4, 4}, 1, dtype);
    check_calls({"conv(x, y, padding = [(1, 0), (0, 1)])",
                 "deconv(x, y, padding = [(1, 0), (0, 1)], stride = [2, 2])"},
                {x, randn({2, 2, 3, 3}, 2, dtype)}, tolerance * 4);
    check_calls(
        {"max_pool(x, size = [1, 1, 2, 2], padding = [(0, 0), (0, 0), (1, 0), (0, 1)])",
         "box(x, size = [1, 1, 2, 2], padding = [(0, 0), (0, 0), (1, 0), (0, 1)], "
         "normalize = true, border = 'ignore')",
         "sum_reduce(x, axes = [1, 2])", "max_reduce(x, axes = [3])",
         "argmin_reduce(x, axes = [3])", "softmax(x, axes = [1])", "sqr(x)", "clamp(x, -0.5, 0.25)",
         "relu(x)", "exp(x)", "pad(x, padding = [(0, 0), (0, 0), (1, 0), (0, 1)], value = 0.5)",
         "x * 0.1", "round(x)", "sign(x)", "concat([x, x], axis = 2)"},
        {x}, tolerance);
    check_calls({"matmul(x, y, transposeB = true)"},
                {randn({2, 3, 4}, 3, dtype), randn({2, 5, 4}, 4, dtype)}, tolerance * 4);
  }
}

TEST_CASE("whole numbers of every width") {
  for (const DType dtype : {DType::i8, DType::u8, DType::i16, DType::i32, DType::i64}) {
    const ir::Tensor x = randint({2, 3}, 1, 60, 1, dtype);
    const ir::Tensor y = randint({2, 3}, 1, 60, 2, dtype);
    check_calls({"add(x, y)", "sub(x, y)", "mul(x, y)", "div(x, y)", "min(x, y)", "max(x, y)",
                 "lt(x, y)", "eq(x, y)", "select(lt(x, y), x, y)", "concat([x, y], axis = 1)",
                 "stack([x, y], axis = 2)"},
                {x, y});
    check_calls({"sum_reduce(x, axes = [1])", "max_reduce(x, axes = [0, 1])",
                 "min_reduce(x, axes = [1])", "argmax_reduce(x, axes = [1])", "relu(x)", "abs(x)",
                 "tile(x, repeats = [2, 1])", "clamp(x, 10.0, 20.0)", "add(x, 2.5)",
                 "slice(x, axes = [1], begin = [0], end = [3], stride = [-2])",
                 "pad(x, padding = [(1, 0), (0, 1)], value = 7.0)", "floor(x)", "copy(x)"},
                {x});
  }
}

TEST_CASE("products of bytes") {
  const ir::Tensor x = randint({1, 2, 4}, -9, 9, 1, DType::i8);
  const ir::Tensor y = randint({3, 2, 2}, -9, 9, 2, DType::i8);
  check_calls({"conv(x, y, padding = [(1, 0)])"}, {x, y});
  check_calls({"matmul(x, y)"},
              {randint({2, 3}, -9, 9, 1, DType::i8), randint({3, 2}, -9, 9, 2, DType::i8)});
}

TEST_CASE("types that meet in a list take the first one's") {
  check_calls({"concat([x, y], axis = 0)"},
              {values({2}, {1, 2}, DType::f16), values({2}, {1.5, 2.25}, DType::f32)});
  check_calls({"concat([x, y], axis = 0)"},
              {values({1}, {1}, DType::i64), values({1}, {3}, DType::i32)});
}

TEST_CASE("values that are not finite, in tract") {
  const ir::Tensor x = values({1, 6}, {kNaN, kInf, -kInf, 0, -0.0, 3});
  check_calls({"relu(x)", "max(x, 1.0)", "min(x, 1.0)", "clamp(x, -1.0, 1.0)", "abs(x)", "exp(x)",
               "leaky_relu(x, alpha = 0.5)", "floor(x)", "round(x)", "gt(x, 0.0)", "eq(x, x)",
               "ne(x, x)", "div(1.0, x)", "sqr(x)", "sub(x, x)", "select(gt(x, 0.0), x, 0.0)"},
              {x});
}

TEST_CASE("rank 0 and empty tensors") {
  check_calls({"add(x, x)", "relu(x)", "unsqueeze(x, axes = [0])", "sum_reduce(x, axes = [])"},
              {values({}, {2})});
  check_calls({"add(x, 1.0)", "sum_reduce(x, axes = [1])", "transpose(x, axes = [1, 0])"},
              {values({0, 3}, {})});
}

}  // namespace
}  // namespace t2n::test
