// SPDX-License-Identifier: Apache-2.0
// The same values under other indices, and parts of tensors: NNEF 1.0.5 §4.5, and tract's ways.
#include <doctest/doctest.h>

#include "tests/interp/standard.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

using ir::DType;

const ir::Tensor kSix = values({2, 3}, {1, 2, 3, 4, 5, 6});

TEST_CASE("reshape keeps, infers, and takes some axes") {
  const ir::Tensor x = randn({2, 3, 4}, 1);
  const auto shaped = [&](const ir::Ints& shape) {
    ir::Tensor out = x;
    out.shape = shape;
    out.strides = ir::contiguous_strides(shape);
    return out;
  };
  check_everywhere("reshape(x, shape = [6, 4])", x, shaped({6, 4}));
  check_everywhere("reshape(x, shape = [0, -1])", x, shaped({2, 12}));
  check_everywhere("reshape(x, shape = [-1])", x, shaped({24}));
  check_everywhere("reshape(x, shape = [2, -1], axis_start = 2, axis_count = 1)", x,
                   shaped({2, 3, 2, 2}));
  check_call("reshape(x, shape = [0, 2, -1], axis_start = 1)", x, shaped({2, 3, 2, 2}));
  check_call("reshape(x, shape = [12], axis_start = 1)", x, shaped({2, 12}));
  check_call("reshape(x, shape = [])", values({1, 1}, {5}), values({}, {5}));
  check_standard_refused({"out = reshape(x, shape = [5, -1]);", {x}},
                         "[2,3,4] does not divide by 5");
  check_standard_refused({"out = reshape(x, shape = [5, 5]);", {x}},
                         "a tensor of [2,3,4] has no shape [5,5]");
}

TEST_CASE("the shape of tract's reshape may hold arrays of sizes") {
  const ir::Tensor x = values({2, 3}, {1, 2, 3, 4, 5, 6});
  check_agree({"a = [1, 3];\n  out = reshape(x, shape = [a, 2, [1]]);", {x}},
              {values({1, 3, 2, 1}, {1, 2, 3, 4, 5, 6})});
  check_refused({"out = tract_core_broadcast(unsqueeze(x, axes = [0]), shape = [[2, 2], 3]);", {x}},
                "expected an integer, found an array of 2");
}

TEST_CASE("axes of size 1 are added and removed") {
  const ir::Tensor x = values({1, 2, 1}, {1, 2});
  check_everywhere("squeeze(x, axes = [0, 2])", x, values({2}, {1, 2}));
  check_everywhere("unsqueeze(x, axes = [0, 2])", values({2}, {1, 2}), values({1, 2, 1}, {1, 2}));
  check_call("unsqueeze(x, axes = [2, 0])", values({2}, {1, 2}), values({1, 2, 1}, {1, 2}));
  check_everywhere("unsqueeze(x, axes = [0])", values({}, {5}), values({1}, {5}));
  check_standard_refused({"out = squeeze(x, axes = [1]);", {x}}, "axis 1 has size 2");
}

TEST_CASE("transpose; axes behind the listed ones stay") {
  check_everywhere("transpose(x, axes = [1, 0])", kSix, values({3, 2}, {1, 4, 2, 5, 3, 6}));
  check_everywhere("transpose(x, axes = [2, 0, 1])", values({1, 2, 3}, {1, 2, 3, 4, 5, 6}),
                   values({3, 1, 2}, {1, 4, 2, 5, 3, 6}));
  check_call("transpose(x, axes = [1, 0])", values({1, 2, 3}, {1, 2, 3, 4, 5, 6}),
             values({2, 1, 3}, {1, 2, 3, 4, 5, 6}));
  check_standard_refused({"out = transpose(x, axes = [1, 1]);", {kSix}},
                         "'axes' names an axis twice");
}

TEST_CASE("concat, stack, split and unstack") {
  const Statements concat = {"out = concat([x, y], axis = 1);", {kSix, values({2, 1}, {7, 8})}};
  check_standard(concat, {values({2, 4}, {1, 2, 3, 7, 4, 5, 6, 8})});
  check_agree(concat, {values({2, 4}, {1, 2, 3, 7, 4, 5, 6, 8})});
  const Statements stack = {"out = stack([x, y], axis = 1);",
                            {values({2}, {1, 2}, DType::i64), values({2}, {3, 4}, DType::i64)}};
  check_standard(stack, {values({2, 2}, {1, 3, 2, 4}, DType::i64)});
  check_agree(stack, {values({2, 2}, {1, 3, 2, 4}, DType::i64)});
  const Statements unstack = {"[out, out2] = unstack(x, axis = 0);", {kSix}};
  check_standard(unstack, {values({3}, {1, 2, 3}), values({3}, {4, 5, 6})});
  check_agree(unstack, {values({3}, {1, 2, 3}), values({3}, {4, 5, 6})});
  check_standard({"[out, out2] = split(x, axis = 0, ratios = [1, 2]);",
                  {values({6}, {1, 2, 3, 4, 5, 6}, DType::i64)}},
                 {values({2}, {1, 2}, DType::i64), values({4}, {3, 4, 5, 6}, DType::i64)});
  check_standard_refused({"[out, out2] = split(x, axis = 1, ratios = [1, 1]);", {kSix}},
                         "the ratios sum up to 2, which does not divide 3");
  check_standard_refused({"[out, out2] = split(x, axis = 1, ratios = [1, 1, 1]);", {kSix}},
                         "there are 2 names for 3 values");
}

TEST_CASE("tile") {
  check_everywhere("tile(x, repeats = [2, 1])", values({1, 2}, {1, 2}),
                   values({2, 2}, {1, 2, 1, 2}));
  check_everywhere("tile(x, repeats = [3])", values({2}, {1, 0}, DType::boolean),
                   values({6}, {1, 0, 1, 0, 1, 0}, DType::boolean));
  check_standard_refused({"out = tile(x, repeats = [2]);", {kSix}},
                         "1 repeats for a tensor of rank 2");
}

const ir::Tensor kRow = values({5}, {0, 1, 2, 3, 4});

void check_slice(const std::string& arguments, const std::vector<double>& expected) {
  check_call("slice(x, axes = [0], " + arguments + ")", kRow,
             values({static_cast<int64_t>(expected.size())}, expected));
}

TEST_CASE("slices count from either end and are cut to the extent") {
  check_slice("begin = [1], end = [3]", {1, 2});
  check_slice("begin = [-2], end = [9]", {3, 4});
  check_slice("begin = [1], end = [-1]", {1, 2, 3});
  check_slice("begin = [2], end = [0]", {2, 3, 4});
  check_slice("begin = [-9], end = [2]", {0, 1});
}

TEST_CASE("slices with steps, also backwards") {
  check_slice("begin = [0], end = [5], stride = [2]", {0, 2, 4});
  check_slice("begin = [1], end = [5], stride = [3]", {1, 4});
  check_slice("begin = [-1], end = [-6], stride = [-1]", {4, 3, 2, 1, 0});
  check_slice("begin = [3], end = [0], stride = [-2]", {3, 1});
  check_slice("begin = [9], end = [1], stride = [-1]", {4, 3, 2});
}

TEST_CASE("slices over several axes") {
  const Statements both = {"out = slice(x, axes = [1, 0], begin = [1, 0], end = [3, 1]);", {kSix}};
  check_standard(both, {values({1, 2}, {2, 3})});
  check_agree(both, {values({1, 2}, {2, 3})});
}

TEST_CASE("slices of tract go backwards from the end of the range") {
  check_agree({"out = slice(x, axes = [0], begin = [0], end = [5], stride = [-1]);", {kRow}},
              {values({5}, {4, 3, 2, 1, 0})});
  check_agree({"out = slice(x, axes = [0], begin = [1], end = [5], stride = [-2]);", {kRow}},
              {values({2}, {4, 2})});
  check_agree({"out = slice(x, axes = [0], begin = [0], end = [5], stride = [2]);", {kRow}},
              {values({3}, {0, 2, 4})});
  check_agree({"out = slice(x, axes = [0], begin = [2], end = [0]);", {kRow}},
              {values({3}, {2, 3, 4})});
  check_agree({"out = slice(x, axes = [0], begin = [1], end = [-1]);", {kRow}},
              {values({3}, {1, 2, 3})});
}

TEST_CASE("gather replaces an axis by those of the indices") {
  const ir::Tensor indices = values({2, 2}, {2, 0, 1, 1}, DType::i64);
  check_standard({"out = gather(x, y, axis = 1);", {kSix, indices}},
                 {values({2, 2, 2}, {3, 1, 2, 2, 6, 4, 5, 5})});
  check_standard({"out = gather(x, y);", {kRow, values({}, {3}, DType::i64)}}, {values({}, {3})});
  check_standard_refused({"out = gather(x, y);", {kRow, values({1}, {-1}, DType::i64)}},
                         "an index is negative");
  check_standard_refused({"out = gather(x, y);", {kRow, values({1}, {5}, DType::i64)}},
                         "index out of range");
}

void check_pad(const std::string& arguments, const std::vector<double>& expected) {
  check_call("pad(x, " + arguments + ")", values({3}, {1, 2, 3}),
             values({static_cast<int64_t>(expected.size())}, expected));
}

TEST_CASE("pads") {
  check_pad("padding = [(1, 2)], value = 9.0", {9, 1, 2, 3, 9, 9});
  check_pad("padding = [(1, 2)], border = 'replicate'", {1, 1, 2, 3, 3, 3});
  check_pad("padding = [(1, 2)], border = 'reflect'", {2, 1, 2, 3, 2, 1});
  check_pad("padding = [(1, 2)], border = 'reflect-even'", {1, 1, 2, 3, 3, 2});
  check_pad("padding = [(-1, 1)]", {2, 3, 0});
  check_pad("padding = [(-1, 1)], border = 'replicate'", {2, 3, 3});
  check_standard_refused({"out = pad(x, padding = [(1, 0)]);", {kSix}},
                         "paddings of 1 axes for a tensor of rank 2");
  check_standard_refused(
      {"out = pad(x, padding = [(3, 0)], border = 'reflect');", {values({3}, {1, 2, 3})}},
      "a border of 3 is too wide for size 3");
}

TEST_CASE("pads of tract") {
  const ir::Tensor x = values({1, 3}, {1, 2, 3});
  check_agree({"out = pad(x, padding = [(0, 0), (1, 2)], value = 9.0);", {x}},
              {values({1, 6}, {9, 1, 2, 3, 9, 9})});
  check_agree({"out = pad(x, padding = [(0, 0), (1, 2)], border = 'replicated');", {x}},
              {values({1, 6}, {1, 1, 2, 3, 3, 3})});
  check_agree({"out = pad(x, padding = [(0, 0), (1, 2)], border = 'reflect');", {x}},
              {values({1, 6}, {2, 1, 2, 3, 2, 1})});
  check_agree({"out = pad(x, padding = [(1, 0)], value = 2.0);", {values({1}, {5}, DType::i64)}},
              {values({2}, {2, 5}, DType::i64)});
}

TEST_CASE("constants: a value for each place, or one for all") {
  check_standard({"out = constant(shape = [2, 2], value = [1.0, 2.0, 3.0, 4.0]);"},
                 {values({2, 2}, {1, 2, 3, 4})});
  check_standard({"out = constant<integer>(shape = [1, 3], value = [7]);"},
                 {values({1, 3}, {7, 7, 7}, DType::i64)});
  check_standard({"out = constant<logical>(shape = [2], value = [true, false]);"},
                 {values({2}, {1, 0}, DType::boolean)});
  check_standard_refused({"out = constant(shape = [3], value = [1.0, 2.0]);"},
                         "2 values for the shape [3]");
}

TEST_CASE("casts") {
  check_call("cast<integer>(x)", values({4}, {-1.5, -0.5, 0.5, 2}),
             values({4}, {-2, -1, 0, 2}, DType::i64));
  check_call("cast<logical>(x)", values({3}, {0, 0.5, -1}), values({3}, {0, 1, 1}, DType::boolean));
  check_call("cast<scalar>(x)", values({2}, {1, 0}, DType::boolean), values({2}, {1, 0}));
  check_call("cast<scalar>(x)", values({2}, {-3, 4}, DType::i64), values({2}, {-3, 4}));
}

}  // namespace
}  // namespace t2n::test
