// SPDX-License-Identifier: Apache-2.0
// Convolutions, from the formulas of NNEF 1.0.5 §4.3.1 written out.
#include <doctest/doctest.h>

#include "tests/interp/standard.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

const ir::Tensor kSignal = values({1, 1, 5}, {1, 2, 3, 4, 5});
const ir::Tensor kFilter3 = values({1, 1, 3}, {1, 10, 100});
const ir::Tensor kFilter2 = values({1, 1, 2}, {1, 10});

/// The same in the standard, in tract, and by hand.
void check_conv(const std::string& arguments, const ir::Tensor& x, const ir::Tensor& filter,
                const ir::Tensor& expected) {
  const Statements statements = {"out = conv(x, y, " + arguments + ");", {x, filter}};
  check_standard(statements, {expected});
  check_agree(statements, {expected});
}

TEST_CASE("paddings that differ, strides, dilations") {
  check_conv("padding = [(1, 2)], stride = [2]", kSignal, kFilter3,
             values({1, 1, 3}, {210, 432, 54}));
  check_conv("padding = [(0, 0)], dilation = [2]", kSignal, kFilter3, values({1, 1, 1}, {531}));
}

TEST_CASE("no padding means one that keeps the extent, the larger half behind") {
  check_conv("stride = [2]", kSignal, kFilter2, values({1, 1, 3}, {21, 43, 5}));
  check_conv("stride = [1]", kSignal, kFilter2, values({1, 1, 5}, {21, 32, 43, 54, 5}));
}

TEST_CASE("negative padding cuts off") {
  check_standard({"out = conv(x, y, padding = [(-1, -1)]);", {kSignal, kFilter2}},
                 {values({1, 1, 2}, {32, 43})});
}

TEST_CASE("borders of convolutions") {
  const auto check = [](const std::string& border, const std::vector<double>& expected) {
    check_standard(
        {"out = conv(x, y, padding = [(2, 1)], border = '" + border + "');", {kSignal, kFilter3}},
        {values({1, 1, 6}, expected)});
  };
  check("replicate", {111, 211, 321, 432, 543, 554});
  check("reflect", {123, 212, 321, 432, 543, 454});
  check("reflect-even", {112, 211, 321, 432, 543, 554});
  check("constant", {100, 210, 321, 432, 543, 54});
}

TEST_CASE("groups, and a group for each channel") {
  const ir::Tensor x = values({1, 2, 2, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const ir::Tensor filter = values({2, 1, 2, 2}, {1, 2, 3, 4, -1, 0, 1, 2});
  const Statements grouped = {"out = conv(x, y, z, padding = [(0, 0), (0, 0)], groups = 2);",
                              {x, filter, values({1, 2}, {10, 20})}};
  check_standard(grouped, {values({1, 2, 1, 2}, {47, 57, 45, 47})});
  check_agree(grouped, {values({1, 2, 1, 2}, {47, 57, 45, 47})});
  check_conv("padding = [(0, 0), (0, 0)], groups = 0", x, filter,
             values({1, 2, 1, 2}, {37, 47, 25, 27}));
  // Two filters for each channel.
  check_standard({"out = conv(x, y, padding = [(0, 0), (0, 0)], groups = 0);",
                  {x, values({4, 1, 1, 1}, {1, 2, 3, 4})}},
                 {values({1, 4, 2, 3}, {1,  2,  3,  4,  5,  6,  2,  4,  6,  8,  10, 12,
                                        21, 24, 27, 30, 33, 36, 28, 32, 36, 40, 44, 48})});
}

TEST_CASE("three spatial axes") {
  check_conv("padding = [(0, 1), (1, 0), (0, 0)]",
             values({1, 1, 2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}),
             values({1, 1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
             values({1, 1, 2, 2, 1}, {72, 168, 32, 60}));
}

TEST_CASE("half floats are summed in f32") {
  const ir::Tensor x = values({1, 1, 3}, {2048, 1, 1}, ir::DType::f16);
  check_reference(
      {"out = conv(x, y, padding = [(0, 0)]);", {x, values({1, 1, 3}, {1, 1, 1}, ir::DType::f16)}},
      {values({1, 1, 1}, {2050}, ir::DType::f16)});
}

const ir::Tensor kThree = values({1, 1, 3}, {1, 2, 3});

TEST_CASE("deconvolutions with paddings in the larger space") {
  const auto check = [](const std::string& arguments, const std::vector<double>& expected) {
    const auto size = static_cast<int64_t>(expected.size());
    const Statements statements = {"out = deconv(x, y, " + arguments + ");", {kThree, kFilter3}};
    check_standard(statements, {values({1, 1, size}, expected)});
    check_agree(statements, {values({1, 1, size}, expected)});
  };
  check("padding = [(1, 1)], stride = [2]", {10, 102, 20, 203, 30});
  check("padding = [(1, 0)], stride = [2]", {10, 102, 20, 203, 30, 300});
  check("padding = [(0, 0)], dilation = [2]", {1, 2, 13, 20, 130, 200, 300});
}

TEST_CASE("automatic padding and shapes of deconvolutions") {
  const auto check = [](const std::string& arguments, const std::vector<double>& expected) {
    check_standard({"out = deconv(x, y, " + arguments + ");", {kThree, kFilter3}},
                   {values({1, 1, static_cast<int64_t>(expected.size())}, expected)});
  };
  check("stride = [2]", {1, 10, 102, 20, 203, 30});
  check("stride = [2], output_shape = [1, 1, 5]", {10, 102, 20, 203, 30});
  check("padding = [(1, 0)], stride = [2], output_shape = [1, 1, 6]", {10, 102, 20, 203, 30, 300});
  // Beyond the last entry there is the bias alone.
  check("1000.0, padding = [(0, -1)], stride = [2]",
        {1001, 1010, 1102, 1020, 1203, 1030, 1300, 1000});
  check_standard_refused(
      {"out = deconv(x, y, padding = [(1, 1)], stride = [2], output_shape = [1, 1, 9]);",
       {kThree, kFilter3}},
      "an output of 9 would come from 5, not from 3");
}

TEST_CASE("borders of deconvolutions lie around the input") {
  const auto check = [](const std::string& border, const std::vector<double>& expected) {
    check_standard(
        {"out = deconv(x, y, padding = [(0, 0)], stride = [2], border = '" + border + "');",
         {kThree, kFilter3}},
        {values({1, 1, 7}, expected)});
  };
  check("constant", {1, 10, 102, 20, 203, 30, 300});
  check("replicate", {101, 10, 102, 20, 203, 30, 303});
  check("reflect", {201, 10, 102, 20, 203, 30, 302});
  check("reflect-even", {101, 10, 102, 20, 203, 30, 303});
}

TEST_CASE("filters of deconvolutions: input channels first, in tract output channels") {
  const ir::Tensor x = values({1, 2, 2}, {1, 2, 3, 4});
  const ir::Tensor filter = values({2, 2, 2}, {1, 10, 2, 20, 3, 30, 4, 40});
  check_standard({"out = deconv(x, y, padding = [(0, 0)]);", {x, filter}},
                 {values({1, 2, 3}, {10, 114, 140, 14, 160, 200})});
  const ir::Tensor in_groups = values({1, 4, 3}, {1, 12, 20, 2, 24, 40, 9, 102, 120, 12, 136, 160});
  check_standard({"out = deconv(x, y, padding = [(0, 0)], groups = 2);", {x, filter}}, {in_groups});
  check_agree({"out = deconv(x, y, padding = [(0, 0)], groups = 2);",
               {x, values({4, 1, 2}, {1, 10, 2, 20, 3, 30, 4, 40})}},
              {in_groups});
  const Statements depthwise = {"out = deconv(x, y, padding = [(0, 0)], groups = 0);",
                                {x, values({2, 1, 2}, {1, 10, 2, 20})}};
  check_standard(depthwise, {values({1, 2, 3}, {1, 12, 20, 6, 68, 80})});
  check_agree(depthwise, {values({1, 2, 3}, {1, 12, 20, 6, 68, 80})});
}

TEST_CASE("what tract makes of other deconvolutions") {
  const auto check = [](const std::string& arguments, const ir::Ints& x, const ir::Ints& filter) {
    check_same({"out = deconv(x, y, " + arguments + ");", {randn(x, 1), randn(filter, 2)}});
  };
  check("padding = [(1, 2), (0, 1)], stride = [2, 3]", {2, 4, 5, 6}, {3, 4, 3, 4});
  check("padding = [(1, 1), (1, 1)], stride = [2, 2], groups = 2", {1, 4, 5, 4}, {6, 2, 3, 3});
  check("padding = [(1, 1)], stride = [2], output_shape = [10]", {1, 2, 5}, {3, 2, 3});
  check("padding = [(0, 0)], dilation = [3], groups = 0", {1, 3, 5}, {3, 1, 2});
  check("stride = [2]", {1, 2, 5}, {3, 2, 3});
}

TEST_CASE("what tract makes of other convolutions") {
  const auto check = [](const std::string& arguments, const ir::Ints& x, const ir::Ints& filter) {
    check_same({"out = conv(x, y, " + arguments + ");", {randn(x, 1), randn(filter, 2)}});
  };
  check("padding = [(1, 2), (0, 1)], stride = [2, 3]", {2, 4, 7, 8}, {3, 4, 3, 4});
  check("stride = [2, 2], dilation = [1, 2]", {2, 4, 7, 8}, {3, 4, 3, 3});
  check("stride = [3]", {1, 2, 10}, {3, 2, 2});
  check("padding = [(0, 2)], groups = 2", {1, 4, 9}, {6, 2, 3});
}

TEST_CASE("planes, then points") {
  const ir::Tensor x = values({1, 2, 3}, {1, 2, 3, 4, 5, 6});
  const ir::Tensor plane = values({2, 1, 2}, {1, 1, 1, -1});
  const ir::Tensor point = values({1, 2, 1}, {1, 10});
  check_standard({"out = separable_conv(x, y, z, 0.5, padding = [(0, 0)]);", {x, plane, point}},
                 {values({1, 1, 2}, {-6.5, -4.5})});
  check_agree({"out = separable_conv(x, y, z, 0.5, padding = [(0, 0)]);", {x, plane, point}},
              {values({1, 1, 2}, {-6.5, -4.5})});
  check_standard({"out = separable_deconv(x, y, z, padding = [(0, 0)]);",
                  {values({1, 1, 2}, {1, 2}), plane, values({1, 2, 1}, {1, 10})}},
                 {values({1, 2, 3}, {1, 3, 2, 10, 10, -20})});
}

TEST_CASE("invalid convolutions") {
  const auto refused = [](const std::string& body, const ir::Ints& filter,
                          const std::string& message) {
    check_standard_refused({body, {kSignal, randn(filter, 1)}}, message);
  };
  refused("out = conv(x, y);", {1, 2, 3}, "a filter for 2 channels, and an input of 1");
  refused("out = conv(x, y);", {1, 1, 3, 3}, "a filter of rank 4 for an input of rank 3");
  refused("out = conv(x, y, padding = [(0, 0)]);", {1, 1, 6}, "a window of 6 does not fit 5");
  refused("out = conv(x, y, stride = [0]);", {1, 1, 3}, "'stride' holds 0");
  refused("out = conv(x, y, stride = [1, 1]);", {1, 1, 3}, "'stride' has 2 items for 1 axes");
  refused("out = conv(x, y, border = 'around', padding = [(1, 1)]);", {1, 1, 3},
          "there is no border 'around'");
}

}  // namespace
}  // namespace t2n::test
