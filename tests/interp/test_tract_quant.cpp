// SPDX-License-Identifier: Apache-2.0
// Quantised tensors of tract, against values worked out by hand.
#include <doctest/doctest.h>

#include "tests/interp/agree.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

using ir::DType;

std::string entry(const std::string& name, const std::string& zero_point, const std::string& scale,
                  const std::string& rest = "bits = 8, signed = false") {
  return "\"" + name + "\": zero_point_linear_quantize(zero_point = " + zero_point +
         ", scale = " + scale + ", " + rest + ");\n";
}

const ir::Tensor kX = vec({-6, -1, 0.25, 0.75, 1, 300});
/// codes 0, 8, 10, 12, 12, 255
const std::string kStart = "q = tract_core_cast(x, to = 'u8');\n  ";

void check_quantised(const std::string& body, const ir::Tensor& expected,
                     const std::string& more = "") {
  check_agree({kStart + body, {kX}, "", entry("q", "10", "0.5") + more}, {expected});
}

TEST_CASE("reals become codes, half to even, and back") {
  check_quantised("out = tract_core_cast(q, to = 'u8');", vec({0, 8, 10, 12, 12, 255}, DType::u8));
  check_quantised("out = tract_core_cast(q, to = 'i32');",
                  vec({0, 8, 10, 12, 12, 255}, DType::i32));
  check_quantised("out = tract_core_cast(q, to = 'f32');", vec({-5, -1, 0, 1, 1, 122.5}));
  check_refused(
      {kStart + "out = tract_core_cast(q, to = 'i64');", {kX}, "", entry("q", "10", "0.5")},
      "tract cannot cast a quantised tensor to i64");
  check_agree({"q = copy(x);\n  out = tract_core_cast(q, to = 'f32');",
               {vec({10, 11, 0}, DType::u8)},
               "",
               entry("q", "10", "0.5")},
              {vec({0, 0.5, -5})});
  check_agree({"q = tract_core_cast(x, to = 'i8');\n  out = tract_core_cast(q, to = 'f32');",
               {vec({-300, -1, 0.3, 300})},
               "",
               "\"q\": linear_quantize(min = -5.0, max = 122.5, bits = 8);\n"},
              {vec({-5.5, -1, 0.5, 122})}, 1e-5);
}

TEST_CASE("a cast that does not say to what follows graph.quant") {
  const std::string back = "\n  out = tract_core_cast(q, to = 'f32');";
  check_agree({"q = tract_core_cast(x);" + back, {kX}, "", entry("q", "10", "0.5")},
              {vec({-5, -1, 0, 1, 1, 122.5})});
  check_quantised("r = tract_core_cast(q);\n  out = tract_core_cast(r, to = 'f32');",
                  vec({0, 0, 0, 1, 1, 122}), entry("r", "0", "1.0"));
  check_refused({"out = tract_core_cast(x);", {kX}}, "'to' is missing");
}

TEST_CASE("whole numbers that are written out are codes, reals are rounded to them") {
  const std::string body = ";\n  out = x + tract_core_cast(w, to = 'f32');";
  const std::string quant = entry("w", "1", "0.5");
  const ir::Tensor x = values({1, 3}, {0, 0, 0});
  check_agree({"w = [[1, 2, 3]]" + body, {x}, "", quant}, {values({1, 3}, {0, 0.5, 1})});
  check_agree({"w = [[1.0, 2.0, 3.2]]" + body, {x}, "", quant}, {values({1, 3}, {1, 2, 3})});
  check_refused_here({"w = [[1, 2, 300]]" + body, {x}, "", quant},
                     "a tensor of i64 cannot be quantised");
}

TEST_CASE("a result without an entry keeps the parameters of its operand") {
  const std::string back = "\n  out = tract_core_cast(r, to = 'f32');";
  check_quantised("r = relu(q);" + back, vec({0, 0, 0, 1, 1, 122.5}));
  check_quantised("r = q + q;" + back, vec({-5, -2, 0, 2, 2, 122.5}));
  check_quantised("r = q * q;" + back, vec({25, 1, 0, 1, 1, 122.5}));
  check_quantised("r = q + 2.0;" + back, vec({-3, 1, 2, 3, 3, 122.5}));
  check_quantised("r = slice(q, axes = [0], begin = [1], end = [3]);" + back, vec({-1, 0}));
  check_quantised("r = pad(q, padding = [(1, 0)], border = 'constant', value = 0.0);" + back,
                  vec({-5, -5, -1, 0, 1, 1, 122.5}));
  check_quantised("r = concat([q, q], axis = 0);" + back,
                  vec({-5, -1, 0, 1, 1, 122.5, -5, -1, 0, 1, 1, 122.5}));
}

TEST_CASE("a named result is rounded once") {
  check_quantised("r = q + q;\n  out = tract_core_cast(r, to = 'f32');",
                  vec({-10, -2, 0, 2, 2, 244}), entry("r", "10", "2.0"));
}

TEST_CASE("products of quantised matrices have 32 bits") {
  const std::string body =
      "a = tract_core_cast(x, to = 'i8');\n  b = tract_core_cast(y, to = 'i8');\n  "
      "r = matmul(a, b);\n  out = tract_core_cast(r, to = 'f32');";
  const std::string quant = entry("a", "2", "0.5", "bits = 8, signed = true") +
                            entry("b", "-1", "0.25", "bits = 8, signed = true");
  const ir::Tensor x = values({1, 2}, {1.5, -2}), y = values({2, 1}, {10, 3.75});
  check_agree({body, {x, y}, "", quant}, {values({1, 1}, {7.5})});
}

TEST_CASE("quantised convolutions") {
  const std::string quant =
      entry("a", "2", "0.5") + entry("w", "0", "0.25", "bits = 8, signed = true");
  const std::string body =
      "a = tract_core_cast(x, to = 'u8');\n  w = tract_core_cast(y, to = 'i8');\n  "
      "r = conv(a, w, border = 'constant', padding = [(0, 0)], stride = [1], dilation = [1], "
      "groups "
      "= 1);\n  out = tract_core_cast(r, to = 'f32');";
  const ir::Tensor x = values({1, 1, 3}, {1, 2, 4}), y = values({1, 1, 2}, {0.5, -1});
  check_agree({body, {x, y}, "", quant + entry("r", "20", "0.5")}, {values({1, 1, 2}, {-1.5, -3})});
}

TEST_CASE("operations that tract does not run quantised are refused") {
  for (const char* call : {"softmax(q, axes = [0])", "lt(q, q)", "mean_reduce(q, axes = [0])"})
    check_refused_here({kStart + "out = " + call + ";", {kX}, "", entry("q", "10", "0.5")},
                       "on quantised tensors");
  check_refused_here(
      {kStart + "out = relu(q);", {kX}, "", entry("q", "10", "0.5", "bits = 4, signed = false")},
      "tract quantises to 8 bits");
}

}  // namespace
}  // namespace t2n::test
