// SPDX-License-Identifier: Apache-2.0
// Sizes that stay open: recurrent layers over a symbolic time, and losses.
#include <doctest/doctest.h>

#include "tests/support/dynamic.h"

namespace t2n::test::dynamic_rnn_tests {
namespace {

using ir::DType;

std::vector<std::pair<std::string, ir::Tensor>> parameters(int64_t gates) {
  std::vector<std::pair<std::string, ir::Tensor>> out;
  for (const char* side : {"", "r"}) {
    const uint64_t seed = side[0] == '\0' ? 1 : 10;
    out.emplace_back(std::string("w") + side, uniform({gates * 3, 4}, -0.5, 0.5, seed));
    out.emplace_back(std::string("u") + side, uniform({gates * 3, 3}, -0.5, 0.5, seed + 1));
    out.emplace_back(std::string("b") + side, uniform({gates * 3}, -0.5, 0.5, seed + 2));
    out.emplace_back(std::string("c") + side, uniform({gates * 3}, -0.5, 0.5, seed + 3));
  }
  return out;
}

const std::string kOne = "[self.w, self.u, self.b, self.c]";
const std::string kBoth = "[self.w, self.u, self.b, self.c, self.wr, self.ur, self.br, self.cr]";

/// A layer over [B, S, 4]: `state` gives the initial states.
std::string layer(const std::string& op, const std::string& state, bool both, bool first = true) {
  return "torch." + op + "(" + (first ? "x" : "x.transpose(0, 1)") + ", " + state + ", " +
         (both ? kBoth : kOne) + ", True, 1, 0., False, " + (both ? "True" : "False") + ", " +
         (first ? "True" : "False") + ")";
}

TEST_CASE("layers with initial zeros") {
  const std::string zeros = "torch.zeros([1, x.size(0), 3])",
                    two = "torch.zeros([2, x.size(0), 3])";
  check_open_with(parameters(4),
                  {
                      layer("lstm", "[" + zeros + ", " + zeros + "]", false) + "[0]",
                      layer("lstm", "[" + zeros + ", " + zeros + "]", false) + "[2]",
                      layer("lstm", "[" + two + ", " + two + "]", true) + "[0]",
                      layer("lstm", "[" + zeros + ", " + zeros + "]", false, false) + "[0]",
                      layer("lstm", "[" + zeros + ", " + zeros + "]", false) + "[0][:, -1]",
                  },
                  {kX}, kSizes);
  check_open_with(parameters(3),
                  {layer("gru", zeros, false) + "[0]", layer("gru", two, true) + "[1]"}, {kX},
                  kSizes);
  check_open_with(parameters(1), {layer("rnn_tanh", zeros, false) + "[0]"}, {kX}, kSizes);
}

TEST_CASE("layers with given states") {
  const OpenInput state{{"1", "B", "3"}};
  check_open_with(parameters(4), {layer("lstm", "[y, y]", false) + "[0]"}, {kX, state}, kSizes);
  check_open_with(parameters(3), {layer("gru", "y", false) + "[1]"}, {kX, state}, kSizes);
}

TEST_CASE("losses and the rest") {
  check_open(
      {
          "torch.mse_loss(x, x * 2)",
          "torch.l1_loss(x, x * 2)",
          "torch.smooth_l1_loss(x, x * 2)",
          "torch.cross_entropy_loss(x.flatten(0, 1), y.flatten())",
          "torch.cross_entropy_loss(x.transpose(1, 2), y)",
          "torch.nll_loss(torch.log_softmax(x.flatten(0, 1), -1), y.flatten())",
          "torch.binary_cross_entropy_with_logits(x, torch.sigmoid(x))",
          "torch.kl_div(x, torch.softmax(x, -1))",
          "torch.glu(x, -1)",
          "torch.gelu(x) + torch.silu(x) + torch.hardswish(x) + torch.elu(x)",
          "torch.dropout(x, 0.5, False)",
          "torch.prelu(x, torch.full([1], 0.1))",
          "torch.one_hot(y, 4)",
          "torch.bucketize(x, torch.full([1], 0.5))",
          "torch.isin(y, torch.arange(2))",
          "x.to(7).to(6)",
          "x.clamp(-1, 1).round().to(4)",
      },
      {kX, {{"B", "S"}, DType::i64, 0, 4}}, kSizes, 1e-4);
}

}  // namespace
}  // namespace t2n::test::dynamic_rnn_tests
