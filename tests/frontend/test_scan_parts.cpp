// SPDX-License-Identifier: Apache-2.0
// Loops of which each iteration reads another part of an axis.
#include <doctest/doctest.h>

#include <limits>

#include "src/diag/error.h"
#include "tests/frontend/rolled.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

/// Rolls a loop that adds up `expression` over all iterations, and compares what it computes.
void check_sum(const std::string& expression, const ir::Tensor& x) {
  CAPTURE(expression);
  const std::string text = rolled_text(cat(R"(
def forward(self, x):
    outs = []
    for t in range(x.size(1)):
        outs.append()",
                                           expression, R"()
    return torch.stack(outs, 1)
)"),
                                       {x});
  CHECK_NE(text.find("t2n::scan"), std::string::npos);
}

constexpr const char* kParts[] = {"x[:, :t + 1]", "x[:, t:]", "x.narrow(1, 0, t + 1)",
                                  "x[:, max(0, t - 1):t + 1]", "x[:, t:min(t + 2, x.size(1))]"};

TEST_CASE("reductions of parts of an axis") {
  const std::vector<std::string> reductions = {".sum(1)",
                                               ".mean(1)",
                                               ".mean(1, keepdim=True)[:, 0]",
                                               ".prod(1)",
                                               ".amax(1)",
                                               ".amin(1)",
                                               ".max(1)[0]",
                                               ".min(1)[0]",
                                               ".logsumexp(1)",
                                               ".softmax(1).sum(1)",
                                               ".log_softmax(1).amax(1)",
                                               ".sum([0, 1])[None]",
                                               ".mean()[None, None]",
                                               ".mean([1, 2], keepdim=True)[:, 0]",
                                               ".transpose(1, 2).exp().sum(-1)",
                                               ".permute(2, 0, 1).amax(2).t()",
                                               ".unsqueeze(0).sum(2)[0]",
                                               "[:, :, 0].sum(1)[:, None]"};
  for (const std::string part : kParts)
    for (const std::string& reduction : reductions)
      check_sum(part + reduction, randn({2, 5, 3}, 1));
}

TEST_CASE("products over parts of an axis") {
  const std::string weights = "torch.softmax(x[:, t:t + 1] @ PART.transpose(1, 2) / 1.5, -1)";
  const std::vector<std::string> products = {
      "(" + weights + " @ PART)[:, 0]",
      "torch.bmm(" + weights + ", PART).squeeze(1)",
      "torch.einsum('bt,btd->bd', torch.einsum('bd,btd->bt', x[:, t], PART).tanh(), PART)",
      "(torch.softmax(PART @ PART.transpose(1, 2), -1) @ PART).sum(1)",
      "torch.scaled_dot_product_attention(x[:, t:t + 1], PART, PART)[:, 0]",
  };
  for (const std::string part : kParts)
    for (std::string product : products) {
      for (size_t at = product.find("PART"); at != std::string::npos; at = product.find("PART"))
        product.replace(at, 4, part);
      check_sum(product, randn({2, 5, 3}, 1));
    }
}

TEST_CASE("elements outside of a part change nothing, whatever they are") {
  const double infinity = std::numeric_limits<double>::infinity(), nan = infinity - infinity;
  const ir::Tensor x = values({1, 5, 1}, {1.0, 2.0, infinity, nan, 3.0});
  for (const char* const expression :
       {"x[:, :t + 1].sum(1)", "x[:, t:].sum(1)", "x[:, :t + 1].amax(1)", "x[:, t:].mean(1)",
        "(torch.softmax(x[:, :t + 1].transpose(1, 2), -1) @ x[:, :t + 1])[:, 0]"})
    check_sum(expression, x);
}

TEST_CASE("integer results of parts, their length, and parts without elements") {
  for (const char* const expression :
       {"x[:, :t + 1][:, -1]", "x[:, :t + 1][:, 0] + 1.0", "(x[:, :t + 1] * 2.0)[:, -1]",
        "x[:, :t + 1].argmax(1)", "(x[:, :t + 1] > 0).any(1)", "(x[:, t:] > 0).all(1)",
        "(x[:, :t + 1] > 0).sum(1)", "x[:, :t].sum(1)", "x[:, :t].mean(1)",
        "x[:, :t + 1].sum(1) / x[:, :t + 1].size(1)", "x[:, :t + 1].sum(1) * (t + 1)"})
    check_sum(expression, randn({2, 5, 3}, 2));
}

TEST_CASE("a part of the tensor that the loop writes") {
  rolled_text(R"(
def forward(self, x):
    y = x.clone()
    for t in range(1, x.size(1)):
        y[:, t] = x[:, t] + y[:, :t].mean(1)
    return y
)",
              {randn({2, 5, 3}, 1)});
}

TEST_CASE("pieces of a split whose last one is shorter") {
  const char* const kLoops[] = {
      "h = torch.tanh(h + c.mean(1))\n    return h",
      "h = h + c[:, -1] * c.amax(1)\n        outs.append(torch.relu(c) + h[:, None])\n"
      "    return torch.cat(outs, 1)",
      "outs.append(torch.softmax(c @ c.transpose(1, 2), -1) @ c)\n    return torch.cat(outs, 1)",
      "h = h + (c * c).sum(1)\n        outs.append(h)\n    return torch.stack(outs, 1)",
  };
  for (const int64_t length : {5, 6, 7})
    for (const char* const loop : kLoops) {
      CAPTURE(length);
      CAPTURE(loop);
      rolled_text(cat("def forward(self, x):\n    h = torch.zeros([2, 3])\n    outs = []\n"
                      "    for c in x.split(2, 1):\n        ",
                      loop, "\n"),
                  {randn({2, length, 3}, 1)});
    }
}

}  // namespace
}  // namespace t2n::test
