// SPDX-License-Identifier: Apache-2.0
// In-place writes, views and their aliases come out as pure operations that compute the same.
#include "tests/frontend/replay.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

struct MethodCase {
  const char* name;
  const char* source;
};

// Every body gets x of shape [4,6] and y of shape [4,6].
constexpr MethodCase kMethodCases[] = {
    {"write on a fresh tensor",
     "def forward(self, x, y):\n  z = x + y\n  z.mul_(2)\n  z += 1\n  return z"},
    {"a cast that is no copy",
     "def forward(self, x, y):\n  z = x * 1\n  w = z.to(copy=False)\n  w.add_(1)\n  return z, w"},
    {"a view of the first of a list, whose base is written",
     "def forward(self, x, y):\n  z = x[:1] * 1\n  a, b = torch.broadcast_tensors(z, y)\n  "
     "z.add_(1)\n  return a, b"},
    {"select", "def forward(self, x, y):\n  z = x.clone()\n  z[:, 0] = y[:, 1]\n  return z"},
    {"slice with step and negative ends",
     "def forward(self, x, y):\n  z = x.clone()\n  z[-3:-1, ::2] = y[0:2, 1:4]\n  return z"},
    {"the base is read through another view",
     "def forward(self, x, y):\n  z = x * 1\n  v = z[0]\n  w = z.t()\n  v.add_(10)\n  return w * "
     "2, v, z"},
    {"a stale view of a view",
     "def forward(self, x, y):\n  z = x * 1\n  a = z[1:3]\n  b = a[:, 2]\n  z.zero_()\n  return a "
     "+ 1, b + 1"},
    {"view then strided write",
     "def forward(self, x, y):\n  z = x * 1\n  z.view(-1)[::2] = 0\n  return z"},
    {"transpose", "def forward(self, x, y):\n  z = x * 1\n  z.t()[2] = 7\n  return z"},
    {"permute of unsqueezed",
     "def forward(self, x, y):\n  z = (x * 1).unsqueeze(0)\n  z.permute(2, 0, 1)[3].mul_(5)\n  "
     "return z"},
    {"chunk",
     "def forward(self, x, y):\n  z = x * 1\n  a, b = z.chunk(2, dim=1)\n  a.mul_(3)\n  "
     "b.sub_(a)\n  return z"},
    {"split of unequal sizes",
     "def forward(self, x, y):\n  z = x * 1\n  a, b = z.split([2, 4], dim=1)\n  b.fill_(2.5)\n  "
     "return z, a + 0"},
    {"unbind",
     "def forward(self, x, y):\n  z = x * 1\n  rows = z.unbind(0)\n  rows[2].add_(1)\n  return z"},
    {"diagonal", "def forward(self, x, y):\n  z = x * 1\n  z.diagonal(1).zero_()\n  return z"},
    {"as_strided",
     "def forward(self, x, y):\n  z = x * 1\n  torch.as_strided(z, [2, 2], [7, 3], 1).add_(9)\n  "
     "return z"},
    {"unfold",
     "def forward(self, x, y):\n  z = x * 1\n  z.unfold(1, 2, 3)[:, 1].zero_()\n  return z"},
    {"expand then write",
     "def forward(self, x, y):\n  z = (x * 1).unsqueeze(1).expand(4, 1, 6)\n  z[0].add_(1)\n  "
     "return z"},
    {"squeeze and movedim",
     "def forward(self, x, y):\n  z = (x * 1).view(4, 1, 6)\n  z.squeeze(1).movedim(0, 1)[1:3] = "
     "4\n  return z"},
    {"metadata writes",
     "def forward(self, x, y):\n  z = x * 1\n  v = z.view(24)\n  z.t_()\n  z[0] = 1\n  "
     "z.unsqueeze_(0).transpose_(1, 2)\n  return z, v"},
    {"masked and indexed assignment",
     "def forward(self, x, y):\n  z = x * 1\n  z[x > 0] = -1\n  z[[0, 2], [1, 1]] += 5\n  return "
     "z"},
    {"masked_fill_, copy_, where",
     "def forward(self, x, y):\n  z = x * 1\n  z.masked_fill_(y > 0, 3.)\n  z[0].copy_(y[1])\n  "
     "return z"},
    {"copy_ broadcasts and casts",
     "def forward(self, x, y):\n  z = x * 1\n  z.copy_(torch.arange(6))\n  return z"},
    {"relu_ of a view", "def forward(self, x, y):\n  z = x * 1\n  z[1:].relu_()\n  return z"},
    {"empty memory is filled",
     "def forward(self, x, y):\n  z = torch.empty_like(x)\n  z[:2] = 1\n  z[2:] = y[2:]\n  return "
     "z"},
    {"zeros as a canvas",
     "def forward(self, x, y):\n  z = torch.zeros(4, 8)\n  z[:, 1:7] = x\n  return z"},
    {"out=",
     "def forward(self, x, y):\n  z = torch.zeros(4, 6)\n  torch.add(x, y, alpha=2, out=z)\n  "
     "return z"},
    {"index_put_, scatter_ and index_add_",
     "def forward(self, x, y):\n  z = x * 1\n  z.scatter_(1, torch.zeros([4, 1]).to(4), y)\n  "
     "z.index_add_(0, torch.tensor([1, 1]), y[:2])\n  return z"},
    {"the input itself is written", "def forward(self, x, y):\n  x[0] = 0\n  return x + y"},
    {"a write in a loop",
     "def forward(self, x, y):\n  z = torch.zeros_like(x)\n  for i in range(x.size(0)):\n    z[i] "
     "= x[i] * i\n  return z"},
    {"dropout in place",
     "def forward(self, x, y):\n  z = x * 1\n  torch.dropout_(z, 0.5, False)\n  return z"},
    {"real view of a list element",
     "def forward(self, x, y):\n  z = [x * 1, y * 1]\n  z[0].add_(1)\n  return torch.stack(z)"},
};

TEST_CASE("writes and views replay exactly") {
  for (const MethodCase& each : kMethodCases) {
    CAPTURE(each.name);
    const Replay run = replay(each.source, {randn({4, 6}, 1), randn({4, 6}, 2)});
    CHECK_EQ(replay_difference(run), "");
    for (const ir::Node& node : run.traced.graph.nodes) {
      CAPTURE(ir::op_name(node.op));
      CHECK_EQ(ir::op_name(node.op).find("_."), std::string_view::npos);
      CHECK(!ir::op_name(node.op).ends_with("_"));
    }
  }
}

TEST_CASE("a write without a reader leaves no node") {
  const Replay run = replay("def forward(self, x, y):\n  z = x + y\n  z.relu_()\n  return z",
                            {randn({2, 2}, 1), randn({2, 2}, 2)});
  CHECK_EQ(live_operations(run), "aten::add.Tensor aten::relu");
}

TEST_CASE("a write becomes the overload that takes a tensor where it does") {
  const Replay run =
      replay("def forward(self, x):\n  z = x * 1\n  z.pow_(-0.5)\n  z.pow_(x)\n  return z",
             {values({3}, {0.5, 1, 4})});
  CHECK_EQ(live_operations(run),
           "aten::mul.Scalar aten::pow.Tensor_Scalar aten::pow.Tensor_Tensor");
  CHECK_EQ(replay_difference(run), "");
}

TEST_CASE("an operation that returns its operand is not recorded") {
  const Replay run =
      replay("def forward(self, x):\n  return torch.dropout(x.contiguous(), 0.5, False).to(6) + 1",
             {randn({2, 2}, 1)});
  CHECK_EQ(live_operations(run), "aten::add.Scalar");
}

TEST_CASE("writes without a functional form are refused") {
  CHECK_EQ(trace_error("def forward(self, x):\n  z = x * 1\n  z.resize_([1])\n  return z",
                       {randn({4}, 1)}),
           "unsupported-inplace: the in-place operator 'aten::resize_' cannot be exported");
}

}  // namespace
}  // namespace t2n::test
