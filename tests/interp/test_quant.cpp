// SPDX-License-Identifier: Apache-2.0
// Quantisation, in the graph and beside it: NNEF 1.0.5 §4.9.5 and §7; regions of interest (§4.6).
#include <doctest/doctest.h>

#include "src/diag/error.h"
#include "tests/interp/standard.h"
#include "tests/support/example.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

using ir::DType;

const ir::Tensor kReals = values({7}, {-300, -1.25, -0.25, 0.24, 0.25, 3.3, 300});

TEST_CASE("reals that pass through few bits") {
  check_call("zero_point_linear_quantize(x, 10, 0.5, bits = 8, signed = false, symmetric = false)",
             kReals, values({7}, {-5, -1, 0, 0, 0.5, 3.5, 122.5}));
  check_call("zero_point_linear_quantize(x, -3, 0.5, bits = 8, signed = true, symmetric = false)",
             kReals, values({7}, {-62.5, -1, 0, 0, 0.5, 3.5, 65}));
  check_call("zero_point_linear_quantize(x, 0, 0.5, bits = 4, signed = true, symmetric = true)",
             kReals, values({7}, {-3.5, -1, 0, 0, 0.5, 3.5, 3.5}));
  check_call("min_max_linear_quantize(x, -1.5, 1.5, bits = 2, signed = false, symmetric = false)",
             kReals, values({7}, {-1.5, -1.5, -0.5, 0.5, 0.5, 1.5, 1.5}));
  check_call("min_max_linear_quantize(x, -1.0, 1.0, bits = 2, signed = true, symmetric = true)",
             kReals, values({7}, {-1, -1, 0, 0, 0, 1, 1}));
  check_call("linear_quantize(x, -1.5, 1.5, bits = 2)", kReals,
             values({7}, {-1.5, -1.5, -0.5, 0.5, 0.5, 1.5, 1.5}));
  check_call("logarithmic_quantize(x, 8.0, bits = 2)", values({6}, {-5, 0, 0.3, 1, 1.5, 100}),
             values({6}, {-4, 0, 1, 1, 2, 8}));
}

const std::string kLinearGraph =
    "version 1.0; graph g(x) -> (y) { x = external(shape = [1, 2]); "
    "w = variable(shape = [2, 2], label = 'w'); y = linear(x, w); }";

TEST_CASE("codes in files stand for reals, with parameters by row") {
  const auto out = run_standard(
      kLinearGraph, {values({1, 2}, {1, 10})}, {{"w", values({2, 2}, {3, 4, 5, -5}, DType::i8)}},
      "\"w\": zero_point_linear_quantize(zero_point = [1, 0], scale = [0.5, 2.0], bits = 8, "
      "signed = true, symmetric = false);");
  CHECK_EQ(ir::to_f64(out[0]), std::vector<double>{1 + 15, 10 - 100});
  const auto unsigned_codes = run_standard(
      kLinearGraph, {values({1, 2}, {1, 10})}, {{"w", values({2, 2}, {0, 255, 51, 0}, DType::u8)}},
      "\"w\": min_max_linear_quantize(min = -1.0, max = 4.0, bits = 8, signed = false, symmetric = "
      "false);");
  CHECK_EQ(ir::to_f64(unsigned_codes[0])[0], doctest::Approx(-1 + 40));
  CHECK_EQ(ir::to_f64(unsigned_codes[0])[1], doctest::Approx(0 - 10));
}

TEST_CASE("activations and stored reals are rounded where the file says so") {
  const auto out = run_standard(
      kLinearGraph, {values({1, 2}, {1.2, 10})}, {{"w", values({2, 2}, {1, 0, 0, 0.6})}},
      "\"x\": zero_point_linear_quantize(zero_point = 0, scale = 0.5, bits = 8, signed = true, "
      "symmetric = false);\n\"y\": linear_quantize(min = 0.0, max = 5.1, bits = 8);");
  CHECK_EQ(ir::to_f64(out[0])[0], doctest::Approx(1.0));
  CHECK_EQ(ir::to_f64(out[0])[1], doctest::Approx(5.1));
}

TEST_CASE("codes without parameters do not represent reals") {
  const std::string said = error_of([] {
    run_standard(kLinearGraph, {values({1, 2}, {1, 2})},
                 {{"w", values({2, 2}, {1, 2, 3, 4}, DType::i8)}});
  });
  CHECK(said.find("the tensor 'w' of this scalar variable holds a tensor of i8 [2,2]") !=
        std::string::npos);
}

const ir::Tensor kImage =
    values({1, 1, 4, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});

void check_roi(const std::string& call, const std::vector<double>& region,
               const ir::Tensor& expected) {
  check_standard(
      {"out = " + call + ";", {kImage, values({1, 4}, region), values({1, 1}, {0}, DType::i64)}},
      {expected});
}

TEST_CASE("pools over regions of interest, whose corners are rounded") {
  check_roi("max_roi_pool(x, y, z, output_size = [2, 2])", {0, 0.6, 4, 2.9},
            values({1, 1, 2, 2}, {5, 6, 13, 14}));
  check_roi("avg_roi_pool(x, y, z, output_size = [1, 2])", {1, 0, 3, 4},
            values({1, 1, 1, 2}, {6.5, 8.5}));
  // Three rows in two cells: both are two rows high, one apart.
  check_roi("max_roi_pool(x, y, z, output_size = [2, 1])", {0, 0, 3, 1},
            values({1, 1, 2, 1}, {4, 8}));
}

TEST_CASE("regions that are resampled") {
  check_roi("roi_resample(x, y, z, output_size = [2, 2])", {0, 0, 2, 2},
            values({1, 1, 2, 2}, {0, 1, 4, 5}));
  check_roi("roi_resample(x, y, z, output_size = [1, 4])", {1, 0, 2, 2},
            values({1, 1, 1, 4}, {4, 4.25, 4.75, 5.25}));
  check_roi("roi_resample(x, y, z, output_size = [2, 2], method = 'aligned')", {0, 0, 4, 4},
            values({1, 1, 2, 2}, {0, 3, 12, 15}));
  check_roi("avg_roi_align(x, y, z, output_size = [1, 1], sampling_rate = [2, 2])", {0, 0, 2, 2},
            values({1, 1, 1, 1}, {2.5}));
  check_roi("max_roi_align(x, y, z, output_size = [1, 2], sampling_rate = [2, 1])", {0, 0, 2, 2},
            values({1, 1, 1, 2}, {4, 5}));
}

}  // namespace
}  // namespace t2n::test
