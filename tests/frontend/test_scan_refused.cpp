// SPDX-License-Identifier: Apache-2.0
// Loops that cannot be recorded as scans.
#include <doctest/doctest.h>

#include "src/diag/error.h"
#include "tests/frontend/rolled.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

constexpr const char* kIndexFollows =
    "  why:  the argument 'index' of aten::select.int depends on the iteration number\n"
    "  help: index a tensor from outside the loop with the iteration number, or use the number as "
    "a "
    "tensor\n";

constexpr const char* kPartHelp =
    "  help: reduce the part with sum, mean, max, softmax or a product, or mask the whole axis by "
    "positions\n";

std::string rolled_error(const std::string& source, const std::vector<ir::Tensor>& inputs) {
  try {
    rolled(source, inputs);
  } catch (const Error& error) {
    return render_text(error.diagnostic());
  }
  return {};
}

/// Why a loop is refused, and what helps.
std::string reason(const std::string& body, const ir::Ints& shape = {2, 4, 3}) {
  const std::string text = rolled_error("def forward(self, x):\n" + body, {randn(shape, 1)});
  const size_t at = text.find("  why:  ");
  return at == std::string::npos ? text : text.substr(at);
}

TEST_CASE("iterations that take different numbers of parts are refused") {
  CHECK_EQ(reason(R"(
    h = x[:, 0]
    for t in range(x.size(1)):
        h = h + x.split(t + 1, 2)[0].sum([1, 2])[:, None]
    return h
)"),
           "  why:  aten::split.Tensor gives 2 tensors in iteration 1 and 1 in iteration 2\n"
           "  help: make every iteration do the same to tensors of the same shape, and move what "
           "differs before or after the loop\n");
}

TEST_CASE("the size of a result of one iteration is not known after the loop") {
  CHECK_EQ(reason(R"(
    h = x[:, 0]
    n = 0
    for t in range(x.size(1)):
        s = torch.tanh(x[:, t] + h)
        h = s * 0.5
        n = s.size(0)
    return torch.ones([n]) + h.sum(-1)
)"),
           "  why:  the size of a result of one iteration is used after the loop\n"
           "  help: use the size of a tensor that remains after the loop\n");
}

TEST_CASE("the value of a growing tensor after an iteration is not known") {
  CHECK_EQ(reason(R"(
    y = x[:, :0]
    ys = [y]
    for t in range(x.size(1)):
        y = torch.cat([y, x[:, t:t + 1] * 2.0], 1)
        ys.append(y)
    return y, ys[2] + 1.0
)"),
           "  why:  an intermediate value of a growing tensor is read after the loop\n"
           "  help: read its final value, or collect the parts in a list\n");
}

TEST_CASE("differences between iterations are refused with the reason") {
  CHECK_EQ(
      reason(R"(
    y = x[:, :1]
    for t in range(1, x.size(1)):
        y = torch.cat([y, x[:, t:t + 1]], 1)
        y = torch.relu(y)
    return y
)"),
      "  why:  the result of aten::cat is f32[2,3,3] in iteration 1 and f32[2,4,3] in iteration 2\n"
      "  help: collect the parts in a list, and torch.cat them once after the loop\n");
  CHECK_EQ(
      reason(R"(
    h = x[:, 0]
    for t in range(x.size(1)):
        if t == 2:
            h.mul_(2.0)
        h = h + x[:, t]
    return h
)"),
      "  why:  a branch in it takes another direction in some iterations, by the iteration number; "
      "it cannot become a select: the code that depends on it writes to an existing "
      "tensor\n"
      "  help: only the first iteration may differ (`if t == 0`); compute both branches and choose "
      "with torch.where\n");
  CHECK_EQ(reason(R"(
    h = x[:, 0]
    flip = True
    for t in range(x.size(1)):
        if flip:
            h = h * 2.0
        flip = not flip
        h = h + x[:, t]
    return h
)"),
           "  why:  a number that is not a tensor changes from iteration to iteration\n"
           "  help: let it grow by a constant (count += 1), or carry a tensor\n");
  CHECK_EQ(reason(R"(
    outs = []
    for t in range(x.size(1)):
        outs.append(x[:, t] * 2.0)
    return outs[1]
)"),
           "  why:  the result of iteration 1 of a loop is used on its own (mul)\n"
           "  help: only results of the first and the last iteration can be used separately; "
           "combine all results with torch.stack or torch.cat\n");
  CHECK_EQ(reason(R"(
    h = x[:, 0]
    for t in range(x.size(1)):
        h = h + x[:, t]
    return h
)",
                  {2, 2, 3}),
           "  why:  it took 2 iterations, too few to compare\n"
           "  help: give sample inputs for which it takes at least 3 iterations\n");
}

TEST_CASE("numbers of the iteration that no scan can hold are refused with their reason") {
  CHECK_EQ(reason(R"(
    out = torch.zeros([2, x.size(1), 3])
    for t in range(x.size(1)):
        out[:, t] = x[:, t] + out[:, t - 2]
    return out
)"),
           kIndexFollows);
  CHECK_EQ(reason(R"(
    h = x[:, 0]
    for t in range(x.size(1)):
        h = h + x[:, :t + 1].cumsum(1)[:, 0]
    return h
)"),
           "  why:  aten::cumsum works along an axis of which each iteration has another part\n" +
               std::string(kPartHelp));
  CHECK_EQ(reason(R"(
    h = x[:, 0]
    for t in range(x.size(1)):
        h = torch.add(h, x[:, t], alpha=t / 2)
    return h
)"),
           "  why:  the argument 'alpha' of aten::add.Tensor is computed from the number of the "
           "iteration\n"
           "  help: use the iteration number as a tensor, or only add a constant to it\n");
  CHECK_EQ(reason(R"(
    h = x[:, 0]
    for t in range(x.size(1)):
        h = h + x[:, t * t % x.size(1)]
    return h
)"),
           kIndexFollows);
  CHECK_EQ(reason(R"(
    h = x[:, 0]
    t = 0
    while h.sum() < 100.0:
        h = h + 50.0
        t += 1
    return h
)"),
           "  why:  its condition comes from aten::Bool; it cannot become a select: "
           "its maximum number of iterations is unknown\n"
           "  help: make the number of iterations a constant or a size of an input\n");
}

TEST_CASE("parts whose length changes are refused where their length or their order matters") {
  CHECK_EQ(reason(R"(
    outs = []
    for t in range(x.size(1)):
        outs.append(x[:, :t + 1] * 2.0)
    return torch.cat(outs, 1)
)"),
           "  why:  tensors whose length changes from iteration to iteration are read after the "
           "loop\n"
           "  help: reduce them in the loop, or collect tensors of one shape\n");
  CHECK_EQ(reason(R"(
    h = x[:, 0]
    for t in range(x.size(1)):
        part = x[:, :t + 1]
        if part.size(1) > 100:
            part = part * 2.0
        h = h + part.sum(1)
    return h
)"),
           "  why:  it decides by the length of a part that changes from iteration to iteration\n"
           "  help: decide by the iteration number, or choose with torch.where\n");
  CHECK_EQ(
      reason(R"(
    h = x[:, 0]
    for t in range(x.size(1)):
        h = h + (x[:, :t + 1] + x[:, x.size(1) - 1 - t:]).sum(1)
    return h
)"),
      "  why:  aten::add.Tensor combines different parts of an axis\n" + std::string(kPartHelp));
  CHECK_EQ(
      reason(R"(
    h = x[:, 0]
    for t in range(x.size(1)):
        h = h + x[:, t + 1:].mean(1)
    return h
)"),
      "  why:  in some iterations a part of an axis has no elements, or begins before the axis\n"
      "  help: read a part that begins or ends at the iteration number, and has elements\n");
  const std::string shifted =
      "  why:  it reads an index into a part that does not begin with the first element\n" +
      std::string(kPartHelp);
  for (const std::string index :
       {"x[:, t:].argmax(1)", "x[:, t:].max(1)[1]", "x[:, :t + 1].argmax()", "x[0, t:].argmax()"})
    CHECK_EQ(reason(cat("    h = x[:, 0]\n    for t in range(x.size(1)):\n        h = h + ", index,
                        " * 2\n    return h\n")),
             shifted);
  CHECK_EQ(reason(R"(
    h = x[:, 0]
    for t in range(x.size(1)):
        h = h + x[:, :t + 1].std(1)
    return h
)"),
           "  why:  aten::std.dim reads a part of an axis whose length changes from iteration to "
           "iteration\n" +
               std::string(kPartHelp));
}

TEST_CASE("the last tensor of a variable must not depend on the number of iterations") {
  CHECK_EQ(reason(R"(
    a = x[:, 0]
    b = x[:, 1]
    for t in range(x.size(1)):
        a, b = b, a
    return a
)"),
           "  why:  the tensor that a variable holds after it depends on its iteration count\n"
           "  help: choose with torch.where, or compute it in each iteration\n");
}

TEST_CASE("list elements that iterations take must be made in the same way") {
  const std::string help =
      "  help: iterate over the list (`for a in l`), or stack it and index the tensor\n";
  CHECK_EQ(
      reason(R"(
    l = [x.sum(), x.sum() * 2]
    h = x[:, 0]
    for t in range(x.size(1)):
        h = h + l[t // 12]
    return h
)"),
      "  why:  an iteration reads elements of a list that were not computed in the same way\n" +
          help);
  CHECK_EQ(
      reason(R"(
    l = [x[:, 0]] * 20
    for t in range(x.size(1)):
        l[t] = x[:, t] * 2.0
    return l[9]
)"),
      "  why:  a list of constant length is written at an index that depends on the iteration\n" +
          help);
}

}  // namespace
}  // namespace t2n::test
