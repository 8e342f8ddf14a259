// SPDX-License-Identifier: Apache-2.0
// Reductions, running sums, softmaxes and norms of tract, against values worked out by hand.
#include <doctest/doctest.h>

#include "tests/interp/agree.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

using ir::DType;

TEST_CASE("products keep their axes, and wrap around") {
  const ir::Tensor x = values({2, 3}, {1, 2, 3, 4, 5, 6});
  check_tract_call("tract_core_product_reduce(x, axes = [1])", x, values({2, 1}, {6, 120}));
  check_tract_call("tract_core_product_reduce(x, axes = [0, 1])", x, values({1, 1}, {720}));
  check_tract_call("tract_core_product_reduce(x, axes = [0])", values({2}, {100, 3}, DType::i8),
                   values({1}, {44}, DType::i8));
  check_tract_call("tract_core_product_reduce(x, axes = [0])",
                   values({2}, {3037000500, 3037000500}, DType::i64),
                   ir::tensor_of<int64_t>(DType::i64, {1}, {-9223372036709301616}));
}

TEST_CASE("the last of several winners") {
  const ir::Tensor x = values({2, 3}, {1, 5, 5, 7, 0, 7});
  check_tract_call("tract_core_argmax_reduce_last(x, axes = [1])", x,
                   values({2, 1}, {2, 2}, DType::i64));
  check_tract_call("tract_core_argmin_reduce_last(x, axes = [0])", values({3, 1}, {4, 0, 0}),
                   values({1, 1}, {2}, DType::i64));
  check_tract_call("tract_core_argmax_reduce_last(x, axes = [0, 1])", x,
                   values({1, 1}, {5}, DType::i64));
}

TEST_CASE("running sums, with and without their own entry, from either end") {
  const ir::Tensor x = values({2, 3}, {1, 2, 3, 10, 20, 30});
  const auto check = [&](const std::string& flags, const std::vector<double>& expected) {
    check_tract_call("tract_core_cumsum(x, axis = 1, " + flags + ")", x, values({2, 3}, expected));
  };
  check("exclusive = false, reverse = false", {1, 3, 6, 10, 30, 60});
  check("exclusive = true, reverse = false", {0, 1, 3, 0, 10, 30});
  check("exclusive = false, reverse = true", {6, 5, 3, 60, 50, 30});
  check("exclusive = true, reverse = true", {5, 3, 0, 50, 30, 0});
  check_tract_call("tract_core_cumsum(x, axis = 0, exclusive = false, reverse = false)",
                   values({3}, {100, 100, 100}, DType::i8), values({3}, {100, -56, 44}, DType::i8));
}

TEST_CASE("softmax over one axis or several") {
  const ir::Tensor x = values({1, 3}, {0, 0.6931471806, 1.0986122887});
  check_tract_call("tract_core_softmax(x, axes = [1], exp = 'libc')", x,
                   values({1, 3}, {1.0 / 6, 2.0 / 6, 3.0 / 6}));
  check_tract_call("tract_core_log_softmax(x, axes = [1])", x,
                   values({1, 3}, {-1.7917594692, -1.0986122887, -0.6931471806}));
  check_tract_call("tract_core_softmax(x, axes = [0, 1])", values({2, 2}, {500, 500, 500, 500}),
                   values({2, 2}, {0.25, 0.25, 0.25, 0.25}));
  check_tract_call("tract_core_softmax(x, axes = [0])", values({2}, {1000, 0}, DType::f16),
                   values({2}, {1, 0}, DType::f16));
}

TEST_CASE("root mean square norms") {
  const ir::Tensor x = values({1, 2}, {3, 4});  // mean of squares 12.5
  const std::vector<double> normed = {0.8485281374, 1.1313708499};
  for (const char* name : {"tract_core_rms_norm", "tract_transformers_rms_norm"})
    check_tract_call(std::string(name) + "(x, axis = 1, eps = 0.0)", x, values({1, 2}, normed));
  check_tract_call("tract_core_rms_norm(x, axis = 0, eps = 7.0)", values({2, 1}, {3, 3}),
                   values({2, 1}, {0.75, 0.75}));
  check_tract_call("tract_core_rms_norm(x, axis = 0)", values({1}, {0}), values({1}, {0}));
  check_tract_call("tract_core_rms_norm(x, axis = 0, eps = 0.0)",
                   values({2}, {300, 400}, DType::f16), values({2}, normed, DType::f16), 1e-3);
  check_agree(
      {"out = tract_core_scaled_rms_norm(x, y, axis = 1, eps = 0.0);", {x, values({2}, {2, 10})}},
      {values({1, 2}, {1.6970562748, 11.313708499})});
  check_agree({"out = tract_core_scaled_rms_norm(x, y, axis = 1, eps = 0.0, out_dt = 'f16');",
               {x, values({2}, {2, 10})}},
              {values({1, 2}, {1.697265625, 11.3125}, DType::f16)}, 1e-3);
}

}  // namespace
}  // namespace t2n::test
