// Loops that cannot be recorded as scans.
#include <doctest/doctest.h>

#include "src/diag/error.h"
#include "tests/support/script.h"
#include "tests/trace/rolled.h"

namespace t2n::test {
namespace {

constexpr const char* kIndexFollows =
    "  why:  the argument 'index' of aten::select.int follows from the number of the iteration\n"
    "  help: index a tensor of outside of the loop with the iteration, or compute with the "
    "iteration "
    "as a tensor\n";

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
  CHECK_EQ(
      reason(R"(
    h = x[:, 0]
    for t in range(x.size(1)):
        h = h + x.split(t + 1, 2)[0].sum([1, 2])[:, None]
    return h
)"),
      "  why:  aten::split.Tensor gives 2 tensors in iteration 1 and 1 in iteration 2\n"
      "  help: let every iteration do the same to tensors of the same shape; what differs in one "
      "iteration can come before or after the loop\n");
}

TEST_CASE("the size of what one iteration computed is not known after the loop") {
  CHECK_EQ(reason(R"(
    h = x[:, 0]
    n = 0
    for t in range(x.size(1)):
        s = torch.tanh(x[:, t] + h)
        h = s * 0.5
        n = s.size(0)
    return torch.ones([n]) + h.sum(-1)
)"),
           "  why:  the size of what one iteration computed is used after the loop\n"
           "  help: take the size of a tensor that the loop leaves, once it has ended\n");
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
           "  why:  what a tensor has grown to in a loop is read after it\n"
           "  help: read what it is when the loop has ended, or join parts of a list\n");
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
      "  why:  a branch in it goes another way in some iterations, by the number of the iteration; "
      "no select stands for it, since one of its ways writes to a tensor "
      "that was there before\n"
      "  help: only the first iteration may differ (`if t == 0`); compute both ways and choose "
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
           "  why:  a number changes from iteration to iteration, and is no tensor\n"
           "  help: let it grow by a constant (count += 1), or carry a tensor\n");
  CHECK_EQ(reason(R"(
    outs = []
    for t in range(x.size(1)):
        outs.append(x[:, t] * 2.0)
    return outs[1]
)"),
           "  why:  what iteration 1 of a loop computed is used by itself (mul)\n"
           "  help: only the first and the last iteration can be told apart; join all of them with "
           "torch.stack or torch.cat\n");
  CHECK_EQ(reason(R"(
    h = x[:, 0]
    for t in range(x.size(1)):
        h = h + x[:, t]
    return h
)",
                  {2, 2, 3}),
           "  why:  it took 2 iterations, too few to compare\n"
           "  help: give sample inputs for which it takes 3 or more\n");
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
        h = h + x[:, :t + 1].sum(1)
    return h
)"),
           "  why:  the result of aten::slice.Tensor is f32[2,2,3] in iteration 1 and f32[2,3,3] "
           "in iteration 2\n"
           "  help: let every iteration do the same to tensors of the same shape; what differs in "
           "one iteration "
           "can come before or after the loop\n");
  CHECK_EQ(reason(R"(
    h = x[:, 0]
    for t in range(x.size(1)):
        h = torch.add(h, x[:, t], alpha=t / 2)
    return h
)"),
           "  why:  the argument 'alpha' of aten::add.Tensor is computed from the number of the "
           "iteration\n"
           "  help: compute with the iteration as a tensor, or let it be a sum of the iteration "
           "and a constant\n");
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
           "  why:  its condition comes from aten::Bool; no select stands for it, since "
           "nothing says how many iterations it takes at most\n"
           "  help: make the number of iterations a constant or a size of an input\n");
}

TEST_CASE("the last tensor of a variable must not depend on the number of iterations") {
  CHECK_EQ(
      reason(R"(
    a = x[:, 0]
    b = x[:, 1]
    for t in range(x.size(1)):
        a, b = b, a
    return a
)"),
      "  why:  which tensor a variable holds after it follows from the number of its iterations\n"
      "  help: choose with torch.where, or compute it in each iteration\n");
}

TEST_CASE("list elements that iterations take must be made in the same way") {
  const std::string help =
      "  help: walk the list element by element (`for a in l`), or stack it and index the tensor\n";
  CHECK_EQ(
      reason(R"(
    l = [x.sum(), x.sum() * 2]
    h = x[:, 0]
    for t in range(x.size(1)):
        h = h + l[t // 12]
    return h
)"),
      "  why:  elements of a list that were made in different ways are taken by the iteration\n" +
          help);
  CHECK_EQ(
      reason(R"(
    l = [x[:, 0]] * 20
    for t in range(x.size(1)):
        l[t] = x[:, t] * 2.0
    return l[9]
)"),
      "  why:  a list of constant length is written at a place that follows from the iteration\n" +
          help);
}

}  // namespace
}  // namespace t2n::test
