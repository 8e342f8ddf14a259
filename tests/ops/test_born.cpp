// SPDX-License-Identifier: Apache-2.0
// Sizes that follow from the values of tensors: one export, run on values of which other ones
// follow, none and all among them.
#include <doctest/doctest.h>

#include "tests/ops/expressions.h"
#include "tests/support/dynamic.h"
#include "tests/support/example.h"

namespace t2n::test::born_tests {
namespace {

using Inputs = std::vector<std::vector<ir::Tensor>>;

/// Of twelve numbers 5, 3, all, none and 1 are positive; of four rows 2, 1, all, none and 1 begin
/// so.
const Inputs kSigns = {
    {values({4, 3}, {1, -1, 2, -3, 1, -2, 2, 3, -1, -2, -1, -1})},
    {values({4, 3}, {-1, 2, -2, -3, -1, 3, -2, -4, -5, 1, -6, -7})},
    {values({4, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})},
    {values({4, 3}, {-1, -2, -3, -4, -5, -6, -7, -8, -9, -1, -2, -3})},
    {values({4, 3}, {-1, -2, -3, -4, -5, -6, 7, -8, -9, -1, -2, -3})},
};

ir::Tensor counts(const std::vector<double>& data) {
  return values({static_cast<int64_t>(data.size())}, data, ir::DType::i64);
}

const Inputs kCounts = {{counts({3, 1, 4, 2})},
                        {counts({1, 1, 1, 1})},
                        {counts({0, 5, 5, 0})},
                        {counts({2, 2, 2, 4})},
                        {counts({0, 0, 0, 0})}};

TEST_CASE("positions of nonzero elements") {
  check_unbacked({"torch.nonzero(x > 0)", "torch.argwhere(x)", "torch.where(x[0] > 0)[0]",
                  "torch.stack(torch.where(x > 0))", "torch.nonzero_numpy(x > 0)[1]"},
                 kSigns);
}

TEST_CASE("elements that a mask takes") {
  check_unbacked(
      {"x[x > 0]", "x[x[:, 0] > 0]", "x[:, x.sum(0) > 0]", "torch.masked_select(x, x > 0)",
       "torch.masked_select(x, x[:, :1] > 0)", "x[x > 0].sum()", "x[x[:, 0] > 0].mean(1)",
       "x[(x > 0).to(0)]", "x[x[:, 0] > 0][:, 1:]"},
      kSigns);
}

TEST_CASE("reductions of no elements, along whichever axis the engine puts last") {
  check_unbacked({"torch.nonzero(x > 0).to(6).mean(0)", "torch.nonzero(x > 0).to(6).sum(0)",
                  "x.t()[:, x[:, 0] > 0].t().mean(0)", "x.t()[:, x[:, 0] > 0].t().sum(0)",
                  "torch.stack([x[x > 0], x[x > 0] * 2], -1).mean(0)",
                  "torch.stack([x[x > 0], x[x > 0] * 2], -1).t().sum(1)"},
                 kSigns);
}

TEST_CASE("running extremes, rotations and borders of what may have no rows") {
  check_unbacked(
      {"torch.cummax(x[x[:, 0] > 0], 0)[0]", "torch.cummax(x[x > 0], 0)[1]",
       "torch.cummin(x[x > 0], 0)[0]", "torch.cummin(x[x[:, 0] > 0], 0)[1]",
       "torch.logcumsumexp(x[x > 0], 0)", "torch.cumprod(x[x > 0], 0)",
       "torch.roll(x[x[:, 0] > 0], 1, 0)", "torch.roll(x[x > 0], -3, 0)", "torch.roll(x[x > 0], 7)",
       "torch.constant_pad_nd(x[x[:, 0] > 0], [0, 0, 0, x[x[:, 1] > 0].size(0) + 1])",
       "torch.constant_pad_nd(x[x[:, 0] > 0], [1, x[x[:, 1] > 0].size(0) + 1, 0, "
       "x[x[:, 1] > 0].size(0) + 2], 2.5)"},
      kSigns);
}

TEST_CASE("equal masks have one size, wherever they are computed") {
  check_unbacked({"x[x > 0] + x[x > 0] * 2", "x[x[:, 0] > 0] @ x[torch.where(x[:, 0] > 0)[0]].t()",
                  "torch.cat([x[x > 0], x[x < 0.5], x[0]])"},
                 kSigns);
}

/// As many rows as columns are taken: 2, 3, none and 1.
const Inputs kPairs = {
    {values({3, 3}, {1, 1, -1, 1, -1, 2, -1, 3, 4})},
    {values({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9})},
    {values({3, 3}, {-1, -1, -1, -2, 1, 2, -3, 3, 4})},
    {values({3, 3}, {1, -1, -1, -2, 1, 2, -3, 3, 4})},
};

TEST_CASE("masks beside others and beside places") {
  check_unbacked(
      {"x[x[:, 0] > 0, x[0] > 0]", "x[x[:, 0] > 0, torch.where(x[0] > 0)[0]]",
       "x.unsqueeze(0)[:, x[:, 0] > 0, x[0] > 0]", "x.unsqueeze(1)[x[:, 0] > 0, :, x[0] > 0]",
       "torch.index_put(x, [x[:, 0] > 0, x[0] > 0], torch.ones([]))",
       "torch.index_put(x, [x[:, 0] > 0, x[0] > 0], x[x[:, 0] > 0, x[0] > 0] * 2, True)",
       "torch.index_put(x, [(x[:, 0] > 0).to(0), (x[0] > 0).to(0)], x[0, :1])"},
      kPairs);
  check_unbacked({"x[x[:, 0] > 0, torch.arange(1)]", "x.t()[torch.arange(1), x[:, 0] > 0]",
                  "torch.index_put(x, [x[:, 0] > 0, torch.arange(1)], x[x[:, 0] > 0, 1], True)",
                  "torch.index_put(x, [x[:, 0] > 0, torch.arange(1) - 1], torch.ones([]))"},
                 kSigns);
}

TEST_CASE("masks that take other numbers of elements do not go together") {
  OpenExample example =
      unbacked_example(expression_script("x[x[:, 0] > 0, x[0] > 0]", 1), {kPairs[0], kPairs[1]});
  CHECK_EQ(ir::runtime_assertions(example.graph).size(), 1);
  // Three rows and two columns, at which torch fails.
  example.runs.push_back(
      {{}, {values({3, 3}, {1, 2, -3, 4, 5, 6, 7, 8, 9})}, {values({2}, {1, 5})}});
  CHECK(open_differences(example, newest_target(), rel(1e-5)).find("engine-failed") !=
        std::string::npos);
}

TEST_CASE("a size from values, used as a number") {
  check_unbacked({"x[x > 0].sum() / (x[x > 0].size(0) + 1)", "torch.arange(x[x > 0].size(0))",
                  "torch.zeros([x[x > 0].size(0), 2]) + 1", "x[:x[x[:, 0] > 0].size(0)]",
                  "x[x[x[:, 0] > 0].size(0):]", "x[0].expand([x[x[:, 0] > 0].size(0), 3])",
                  "torch.full([x[x > 0].numel(), 2], 3.5)"},
                 kSigns);
}

TEST_CASE("shapes that follow from sizes from values") {
  check_unbacked(
      {"x[x[:, 0] > 0].view([-1])", "x[x[:, 0] > 0].t()", "x[x[:, 0] > 0].unsqueeze(1) - x",
       "x[x[:, 0] > 0].softmax(0)", "torch.cdist(x[x[:, 0] > 0], x)",
       "torch.linear(x[x[:, 0] > 0], x)", "x[x > 0].sort()[0]", "x[x[:, 0] > 0].repeat([2, 1])"},
      kSigns);
}

TEST_CASE("rows are put back where they came from") {
  check_unbacked(
      {"torch.zeros_like(x).index_add(0, torch.where(x[:, 0] > 0)[0], x[x[:, 0] > 0])",
       "x.index_put([x > 0], x[x > 0].exp())", "x.index_put([x[:, 0] > 0], x[x[:, 0] > 0] * 2)",
       "x.index_put([x[:, 0] > 0], x[x[:, 0] > 0] * 2, True)",
       "x.index_put([torch.where(x[:, 0] > 0)[0]], x[x[:, 0] > 0] * 2)",
       "x.masked_scatter(x > 0, x[x > 0] * 2)"},
      kSigns);
}

TEST_CASE("runtime assertions on sizes that no engine knows at start") {
  const ir::Tensor three = values({2, 3}, {1, -1, 2, -2, 3, -3});
  const ir::Tensor two = values({2, 3}, {1, -1, 0, -2, 3, 0});
  OpenExample example =
      unbacked_example(expression_script("x[x > 0] + x[x < 0]", 1), {{three}, {two}});
  CHECK_EQ(ir::runtime_assertions(example.graph).size(), 1);
  CHECK_EQ(open_differences(example, newest_target(), rel(1e-5)), "");
  // One and two: torch repeats the one, which is another program.
  example.runs.push_back({{}, {values({2, 3}, {1, -1, 0, -2, 0, 0})}, {values({2}, {0, -1})}});
  CHECK(open_differences(example, newest_target(), rel(1e-5)).find("engine-failed") !=
        std::string::npos);
}

TEST_CASE("masks of elements that masks selected") {
  check_unbacked({"x[x[:, 0] > 0][x[x[:, 0] > 0][:, 1] > 0]"}, kSigns);
}

TEST_CASE("distinct values and counts") {
  check_unbacked(
      {"torch.unique_consecutive(x)[0]", "torch.unique_consecutive(x, True)[1]",
       "torch.unique_consecutive(x, False, True)[2]", "torch._unique2(x)[0]",
       "torch._unique2(x, True, True)[1]", "torch._unique2(x, True, False, True)[2]",
       "torch._unique(x)[0]", "torch._unique(x, False)[0]", "torch._unique(x, True, True)[1]",
       "torch._unique2(x, False)[0]", "torch.bincount(x)", "torch.bincount(x, None, 3)",
       "torch.bincount(x, x * 0.5)", "torch.one_hot(x)"},
      kCounts);
}

/// Three columns, of which rows and columns are alike in several ways: all, none, some.
const Inputs kSlices = {
    {values({4, 3}, {1, 0, 1, 0, 5, 0, 1, 0, 1, 1, 0, 1})},
    {values({4, 3}, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2})},
    {values({4, 3}, {4, 1, 2, 3, 9, 2, 3, 8, 2, -1, 0, 5})},
    {values({4, 3}, {1, 2, 1, 1, 2, 1, 1, -2, 1, 1, 2, 1})},
    {values({4, 3}, {0, 0, -0.0, -0.0, 0, 0, 1, 0, 0, 1, -0.0, 0})},
};

TEST_CASE("distinct slices") {
  for (const char* dim : {"0", "1", "-1"})
    for (const char* result : {"0", "1", "2"})
      check_unbacked({cat("torch.unique_dim(x, ", dim, ", True, True, True)[", result, "]"),
                      cat("torch.unique_dim(x, ", dim, ", False)[", result, "]"),
                      cat("torch.unique_dim_consecutive(x, ", dim, ", True, True)[", result, "]"),
                      cat("torch.unique_consecutive(x, True, True, ", dim, ")[", result, "]")},
                     kSlices);
  check_unbacked({"torch.unique_dim(x.view([2, 2, 3]), 1)[0]", "torch.unique_dim(x.to(4), 0)[0]",
                  "torch.unique_dim(x > 0, 1)[0]", "torch.unique_dim(x[0], 0)[0]",
                  "torch.unique_consecutive(x.view([2, 2, 3]), False, False, 1)[0]"},
                 kSlices);
}

TEST_CASE("slices of too many elements are refused") {
  check_unbacked_refused("torch.unique_dim(x.repeat([1, 100]), 0)[0]", kSlices, "too many");
}

/// The refusal by an engine, rendered.
std::string refusal(const std::string& expression, const Inputs& inputs, const char* engine) {
  return open_error(unbacked_example(expression_script(expression, 1), inputs),
                    target::parse_target(engine));
}

TEST_CASE("engines that cannot count name the version that can, once") {
  for (const char* engine : {"khronos", "tract@0.21.19", "tract@0.23.4"}) {
    CAPTURE(engine);
    const auto check = [&](const char* expression, const Inputs& inputs, const char* op,
                           const char* since) {
      CAPTURE(expression);
      const std::string text = refusal(expression, inputs, engine);
      CAPTURE(text);
      CHECK(text.starts_with(cat("error[unsupported-op]: ", op, " has no translation for ")));
      CHECK(text.find("the size of its result depends on the data") != std::string::npos);
      CHECK(text.find(cat("export for tract ", since, " or newer")) != std::string::npos);
    };
    check("torch.nonzero(x > 0)", kSigns, "aten::nonzero", "0.23.5");
    check("torch.where(x > 0)[0] * 2", kSigns, "aten::where", "0.23.5");
    check("torch.argwhere(x).sum(1)", kSigns, "aten::argwhere", "0.23.5");
    check("torch.bincount(x)", kCounts, "aten::bincount", "0.23.9");
    check("torch.arange(int(x.sum()))", kCounts, "aten::item", "0.23.9");
    check("torch.repeat_interleave(x * 2, x)", kCounts, "aten::repeat_interleave.self_Tensor",
          "0.23.9");
    for (const char* expression : {"x[x > 0].sort()[0]", "x.masked_select(x > 0).cumsum(0)",
                                   "x[x[:, 0] > 0][1:] - x[x[:, 0] > 0][:-1]"}) {
      const std::string text = refusal(expression, kSigns, engine);
      CAPTURE(text);
      CHECK(text.starts_with("error[unsupported-argument]: "));
      CHECK(text.find("export for tract 0.23.5 or newer") != std::string::npos);
      CHECK(text.find("in the body of a loop") == std::string::npos);
    }
  }
}

TEST_CASE("positions in a tensor without axes are refused as such") {
  const std::string text = refusal("torch.nonzero(x.sum())", kSigns, "tract");
  CHECK(text.find("give it a tensor with axes") != std::string::npos);
  CHECK(text.find("loop") == std::string::npos);
}

TEST_CASE("repetitions that tensors count") {
  check_unbacked({"torch.repeat_interleave(x)", "torch.repeat_interleave(x * 2, x)",
                  "torch.repeat_interleave(x.view([2, 2]), x[:2], 0)",
                  "torch.repeat_interleave(x.view([2, 2]), x[:1], 1)"},
                 kCounts);
}

TEST_CASE("tensors that hold such sizes") {
  check_unbacked({"x * torch._shape_as_tensor(x[x > 0])[0]",
                  "torch.ones([int(torch._shape_as_tensor(x[x > 0])[-1])])",
                  "torch.ones([int(torch.max(torch.cat([torch.tensor([2]), "
                  "torch._shape_as_tensor(x[x[:, 0] > 0])])))])",
                  "torch.topk(x[x > 0], int(torch.min(torch.stack([torch.tensor(2), "
                  "torch._shape_as_tensor(x[x > 0])[0]]))))[0]",
                  "x * torch.ones_like(x[x > 0]).sum()"},
                 kSigns);
  // Not followed through floats and sums, and never the sample's.
  for (const char* number : {"torch._shape_as_tensor(x[x > 0]).to(6)", "torch.ones_like(x[x > 0])"})
    check_unbacked_refused(cat("torch.ones([int(", number, ".sum())])"), kSigns,
                           "cannot be expressed in the dynamic axes");
}

TEST_CASE("numbers that are read from tensors") {
  check_unbacked({"torch.arange(int(x.max()))", "torch.zeros([int(x.sum()), 2]) + int(x.sum())",
                  "torch.arange(int(x.max())).unsqueeze(0) < x.unsqueeze(1)", "x * int(x.max())",
                  "torch.ones([8])[:int(x.max())] * torch.arange(int(x.max()))"},
                 kCounts);
}

}  // namespace
}  // namespace t2n::test::born_tests
