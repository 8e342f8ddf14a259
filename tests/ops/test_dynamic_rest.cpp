// Sizes that stay open: windows, diagonals, and what is refused.
#include <doctest/doctest.h>

#include "tests/support/dynamic.h"

namespace t2n::test {
namespace {

using ir::DType;

TEST_CASE("windows and diagonals") {
  check_open(
      {
          "x.unfold(1, 2, 1)",
          "x.unfold(1, 3, 2)",
          "x[:, :, 0].unfold(1, 2, 2).mean(-1)",
          "torch.trapezoid(x, dim=1)",
          "torch.histc(x, 4, -2, 2)",
          "x.diagonal(0, 0, 1)",
          "(x @ x.transpose(1, 2)).diagonal(0, 1, 2)",
          "(x @ x.transpose(1, 2)).diagonal(1, 1, 2)",
          "torch.diag(x[0, :, 0])",
          "torch.diag_embed(x[:, :, 0])",
          "torch.diag(x[0] @ x[0].t())",
      },
      {kX}, kLong, 1e-4);
}

TEST_CASE("quotients of sizes are no whole numbers") {
  check_open(
      {
          "x * (torch.tensor(x.size(1)) / torch.tensor(2 * x.size(1)))",
          "torch.upsample_nearest1d(x.transpose(1, 2), [3 * x.size(1)])",
      },
      {kX}, kLong);
}

TEST_CASE("operators that need a known size refuse a symbolic one") {
  const std::string why = "known at export";
  check_open_refused("torch.quantile(x, 0.5, 1)", {kX}, kLong, why);
  check_open_refused("torch.upsample_bicubic2d(x.unsqueeze(1), None, False, [2., 2.])", {kX}, kLong,
                     why);
  check_open_refused("torch.im2col(x.unsqueeze(1), [2, 2], [1, 1], [0, 0], [1, 1])", {kX}, kLong,
                     why);
  check_open_refused("torch.adaptive_max_pool1d(x.transpose(1, 2), 2)[1]", {kX}, kLong, why);
  check_open_refused("torch.max_pool1d(x.transpose(1, 2), 2, 3, ceil_mode=True)", {kX}, kLong, why);
}

}  // namespace
}  // namespace t2n::test
