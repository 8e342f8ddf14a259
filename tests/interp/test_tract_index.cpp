// SPDX-License-Identifier: Apache-2.0
// Gathers, scatters, top-k and slices, against values worked out by hand.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/interp/agree.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

using ir::DType;

ir::Tensor i64(const ir::Ints& shape, const std::vector<double>& data) {
  return values(shape, data, DType::i64);
}

TEST_CASE("gather puts the shape of the indices where the axis was") {
  const ir::Tensor x = f32({2, 3}, {0, 1, 2, 10, 11, 12});
  check_agree({"out = tract_core_gather(x, y, axis = 1);", {x, i64({2, 2}, {0, 2, -1, 1})}},
              {f32({2, 2, 2}, {0, 2, 2, 1, 10, 12, 12, 11})});
  check_agree({"out = tract_core_gather(x, y, axis = 0);", {x, i64({}, {1})}},
              {f32({3}, {10, 11, 12})});
  check_agree({"out = tract_core_gather(x, y, axis = 0);", {x, i64({0}, {})}}, {f32({0, 3}, {})});
  check_agree({"out = tract_core_gather(x, [1, 0], axis = 0);", {x}},
              {f32({2, 3}, {10, 11, 12, 0, 1, 2})});
  for (const DType dtype : {DType::i32, DType::u8})
    check_agree({"out = tract_core_gather(x, y, axis = 0);", {x, values({1}, {1}, dtype)}},
                {f32({1, 3}, {10, 11, 12})});
  for (const DType dtype : {DType::boolean, DType::u8, DType::i64, DType::f16, DType::f64})
    check_agree({"out = tract_core_gather(x, y, axis = 0);",
                 {values({3}, {0, 1, 1}, dtype), i64({2}, {2, 0})}},
                {values({2}, {1, 0}, dtype)});
  check_refused({"out = tract_core_gather(x, y, axis = 1);", {x, i64({1}, {3})}},
                "index 3 is out of range");
  check_refused_here({"out = tract_core_gather(x, y, axis = -1);", {x, i64({1}, {0})}},
                     "there is no axis -1");
}

TEST_CASE("gather_elements picks one entry for each index") {
  const ir::Tensor x = f32({2, 3}, {0, 1, 2, 10, 11, 12});
  check_agree(
      {"out = tract_core_gather_elements(x, y, axis = 1);", {x, i64({2, 2}, {2, 0, -1, 1})}},
      {f32({2, 2}, {2, 0, 12, 11})});
  check_agree({"out = tract_core_gather_elements(x, y, axis = 0);", {x, i64({1, 2}, {1, 0})}},
              {f32({1, 2}, {10, 1})});
}

TEST_CASE("reals are indices up to their fraction, literal or computed") {
  const ir::Tensor x = values({2, 3}, {1, 2, 3, 4, 5, 6});
  const ir::Tensor y = values({2, 2}, {0.9, -1.5, 2, 1});
  check_agree({"i = [[0.0, 1.5], [-1.0, 2.0]];\n  out = tract_core_gather(x, i, axis = 1);", {x}},
              {values({2, 2, 2}, {1, 2, 3, 3, 4, 5, 6, 6})});
  check_agree({"i = transpose([[0.0, -1.0], [1.0, 2.0]], axes = [1, 0]);\n"
               "  out = tract_core_gather_elements(x, i, axis = 1);",
               {x}},
              {values({2, 2}, {1, 2, 6, 6})});
  check_agree({"out = tract_core_gather_elements(x, y, axis = 1);", {x, y}},
              {values({2, 2}, {1, 3, 6, 5})});
  check_agree({"out = tract_core_scatter_elements(x, y, y, axis = 1);", {x, y}},
              {values({2, 3}, {0.9, 2, -1.5, 4, 1, 2})});
  check_agree(
      {"out = tract_core_gather_nd(x, y, batch_dims = 0);", {x, values({2, 2}, {1.2, 0.7, 0, 2})}},
      {values({2}, {4, 3})});
  check_agree({"out = tract_core_one_hot(y, axis = 1, dim = 3, value_off = 0.0, value_on = 1.0);",
               {x, values({2}, {2.7, 0})}},
              {values({2, 3}, {0, 0, 1, 1, 0, 0})});
}

TEST_CASE("gather_nd picks by tuples") {
  const ir::Tensor x = f32({2, 3, 2}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
  check_agree({"out = tract_core_gather_nd(x, y, batch_dims = 0);", {x, i64({2, 2}, {0, 1, 1, 2})}},
              {f32({2, 2}, {2, 3, 10, 11})});
  check_agree({"out = tract_core_gather_nd(x, y, batch_dims = 0);", {x, i64({1, 3}, {1, 0, 1})}},
              {f32({1}, {7})});
  check_agree(
      {"out = tract_core_gather_nd(x, y, batch_dims = 1);", {x, i64({2, 2, 1}, {0, 2, 1, 1})}},
      {f32({2, 2, 2}, {0, 1, 4, 5, 8, 9, 8, 9})});
  check_refused({"out = tract_core_gather_nd(x, y, batch_dims = 0);", {x, i64({1, 1}, {-1})}},
                "negative indices");
}

TEST_CASE("scatter_elements writes, or joins with what is there") {
  const ir::Tensor x = f32({4}, {10, 20, 30, 40}), at = i64({3}, {1, -1, 1}),
                   y = f32({3}, {2, 3, 4});
  const auto scattered = [&](const std::string& reduction, const std::vector<double>& expected) {
    check_agree(
        {"out = tract_core_scatter_elements(x, y, z, axis = 0" + reduction + ");", {x, at, y}},
        {f32({4}, expected)});
  };
  scattered("", {10, 4, 30, 3});
  scattered(", reduction = 'none'", {10, 4, 30, 3});
  scattered(", reduction = 'add'", {10, 26, 30, 43});
  scattered(", reduction = 'mul'", {10, 160, 30, 120});
  scattered(", reduction = 'min'", {10, 2, 30, 3});
  scattered(", reduction = 'max'", {10, 20, 30, 40});
  check_refused(
      {"out = tract_core_scatter_elements(x, y, z, axis = 0, reduction = 'mean');", {x, at, y}},
      "there is no reduction 'mean'");
}

TEST_CASE("scatter_elements keeps whole numbers exact and takes other axes") {
  check_agree(
      {"out = tract_core_scatter_elements(x, y, z, axis = 1, reduction = 'add');",
       {i64({2, 2}, {1, 2, 3, 4}), i64({2, 1}, {1, 0}), i64({2, 1}, {9007199254740992, 5})}},
      {i64({2, 2}, {1, 9007199254740994, 8, 4})});
  check_agree(
      {"out = tract_core_scatter_elements(x, y, z, axis = 0);",
       {values({3}, {1, 0, 1}, DType::boolean), i64({1}, {1}), values({1}, {1}, DType::boolean)}},
      {values({3}, {1, 1, 1}, DType::boolean)});
}

TEST_CASE("scatter_nd writes slices") {
  const ir::Tensor x = f32({3, 2}, {1, 2, 3, 4, 5, 6});
  const auto scattered = [&](const std::string& reduction, const std::vector<double>& expected) {
    check_agree({"out = tract_core_scatter_nd(x, y, z" + reduction + ");",
                 {x, i64({2, 1}, {2, 0}), f32({2, 2}, {10, 20, 30, 0})}},
                {f32({3, 2}, expected)});
  };
  scattered("", {30, 0, 3, 4, 10, 20});
  scattered(", reduction = 'add'", {31, 2, 3, 4, 15, 26});
  scattered(", reduction = 'mul'", {30, 0, 3, 4, 50, 120});
  scattered(", reduction = 'min'", {1, 0, 3, 4, 5, 6});
  scattered(", reduction = 'max'", {30, 2, 3, 4, 10, 20});
  check_agree({"out = tract_core_scatter_nd(x, y, z, reduction = 'add');",
               {f32({4}, {0, 0, 0, 0}), i64({3, 1}, {0, 0, 3}), f32({3}, {1, 2, 3})}},
              {f32({4}, {3, 0, 0, 3})});
  check_agree(
      {"out = tract_core_scatter_nd(x, y, z);", {x, i64({1, 1, 2}, {1, 1}), f32({1, 1}, {9})}},
      {f32({3, 2}, {1, 2, 3, 9, 5, 6})});
}

TEST_CASE("topk sorts, equal values in the order of their indices") {
  const ir::Tensor x = f32({2, 4}, {3, 1, 3, 2, 0, 5, 5, 9});
  check_agree({"(out, out2) = tract_core_topk(x, 2, axis = 1, largest = true);", {x}},
              {f32({2, 2}, {3, 3, 9, 5}), i64({2, 2}, {0, 2, 3, 1})});
  check_agree({"(out, out2) = tract_core_topk(x, 1, axis = 0, largest = false);", {x}},
              {f32({1, 4}, {0, 1, 3, 2}), i64({1, 4}, {1, 0, 0, 0})});
  check_agree({"(out, out2) = tract_core_topk(x, 3, axis = 0, largest = false);",
               {values({3}, {-1, 5, -7}, DType::i32)}},
              {values({3}, {-7, -1, 5}, DType::i32), i64({3}, {2, 0, 1})});
  check_refused_here({"(out, out2) = tract_core_topk(x, 5, axis = 1, largest = true);", {x}},
                     "there are no 5 largest of 4 entries");
}

TEST_CASE("one_hot has the type of its literals") {
  const ir::Tensor x = i64({2}, {0, -1});
  check_agree({"out = tract_core_one_hot(x, axis = 1, dim = 3);", {x}},
              {f32({2, 3}, {1, 0, 0, 0, 0, 1})});
  check_agree({"out = tract_core_one_hot(x, axis = 0, dim = 3, value_off = 0, value_on = 5);", {x}},
              {values({3, 2}, {5, 0, 0, 0, 0, 5}, DType::i32)});
  check_agree(
      {"out = tract_core_one_hot(x, axis = 1, dim = 2, value_off = false, value_on = true);", {x}},
      {values({2, 2}, {1, 0, 0, 1}, DType::boolean)});
}

TEST_CASE("trilu keeps a triangle of the last two axes") {
  const ir::Tensor x = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  check_agree({"out = tract_core_trilu(x, k = 0, upper = true);", {x}},
              {f32({2, 3}, {1, 2, 3, 0, 5, 6})});
  check_agree({"out = tract_core_trilu(x, k = 1, upper = false);", {x}},
              {f32({2, 3}, {1, 2, 0, 4, 5, 6})});
  check_agree({"out = tract_core_trilu(x, k = -1, upper = false);", {x}},
              {f32({2, 3}, {0, 0, 0, 4, 0, 0})});
  check_agree({"out = tract_core_trilu(x, k = 0, upper = false);",
               {values({2, 2}, {1, 1, 1, 1}, DType::boolean)}},
              {values({2, 2}, {1, 0, 1, 1}, DType::boolean)});
}

TEST_CASE("slices by wires, and every n-th entry") {
  const ir::Tensor x = f32({5}, {0, 1, 2, 3, 4});
  check_agree(
      {"out = tract_core_dyn_slice(x, y, z, len = 2, axis = 0);", {x, i64({}, {1}), i64({}, {3})}},
      {f32({2}, {1, 2})});
  check_refused(
      {"out = tract_core_dyn_slice(x, y, z, len = 3, axis = 0);", {x, i64({}, {1}), i64({}, {3})}},
      "len is 3, but end - start is 2");
  check_agree({"out = tract_core_downsample(x, axis = 0, stride = 2);", {x}},
              {f32({3}, {0, 2, 4})});
  check_agree({"out = tract_core_downsample(x, axis = 0, stride = 2, modulo = 1);", {x}},
              {f32({2}, {1, 3})});
  check_agree({"out = tract_core_downsample(x, axis = 0, stride = -2);", {x}},
              {f32({3}, {4, 2, 0})});
}

}  // namespace
}  // namespace t2n::test
