// SPDX-License-Identifier: Apache-2.0
// Boxes, pools and resampling, from the formulas of NNEF 1.0.5 §4.3 written out.
#include <doctest/doctest.h>

#include "tests/interp/standard.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

using ir::DType;

const ir::Tensor kNine = values({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
const ir::Tensor kBelow = values({1, 1, 3, 3}, {-1, -2, -3, -4, -5, -6, -7, -8, -9});
const std::string kCorner = "size = [1, 1, 2, 2], padding = [(0, 0), (0, 0), (1, 0), (0, 1)]";

ir::Tensor nine(const std::vector<double>& data, DType dtype = DType::f32) {
  return values({1, 1, 3, 3}, data, dtype);
}

void check_box(const std::string& border, bool normalize, const std::vector<double>& expected) {
  check_call("box(x, " + kCorner + ", border = '" + border +
                 "', normalize = " + (normalize ? "true)" : "false)"),
             kNine, nine(expected));
}

TEST_CASE("boxes over every border") {
  check_box("ignore", false, {3, 5, 3, 12, 16, 9, 24, 28, 15});
  check_box("ignore", true, {1.5, 2.5, 3, 3, 4, 4.5, 6, 7, 7.5});
  check_box("constant", false, {3, 5, 3, 12, 16, 9, 24, 28, 15});
  check_box("constant", true, {0.75, 1.25, 0.75, 3, 4, 2.25, 6, 7, 3.75});
  check_box("replicate", false, {6, 10, 12, 12, 16, 18, 24, 28, 30});
  check_box("reflect", true, {3, 4, 4, 3, 4, 4, 6, 7, 7});
  check_box("reflect-even", false, {6, 10, 12, 12, 16, 18, 24, 28, 30});
}

TEST_CASE("boxes of tract: 'constant' counts the padding, 'ignore' does not") {
  check_everywhere("box(x, " + kCorner + ", border = 'ignore', normalize = true)", kNine,
                   nine({1.5, 2.5, 3, 3, 4, 4.5, 6, 7, 7.5}));
  check_everywhere("box(x, " + kCorner + ", border = 'constant', normalize = true)", kNine,
                   nine({0.75, 1.25, 0.75, 3, 4, 2.25, 6, 7, 3.75}));
  check_everywhere("box(x, " + kCorner + ")", kNine, nine({3, 5, 3, 12, 16, 9, 24, 28, 15}));
  check_everywhere("avg_pool(x, " + kCorner + ", border = 'ignore')", kNine,
                   nine({1.5, 2.5, 3, 3, 4, 4.5, 6, 7, 7.5}));
}

TEST_CASE("boxes with strides, dilations, automatic padding, and over channels") {
  check_everywhere("box(x, size = [1, 1, 2, 2], stride = [1, 1, 2, 2])", kNine,
                   values({1, 1, 2, 2}, {12, 9, 15, 9}));
  check_everywhere(
      "box(x, size = [1, 1, 2, 2], dilation = [1, 1, 2, 2], padding = [(0, 0), (0, 0), (0, 0), "
      "(0, 0)])",
      kNine, values({1, 1, 1, 1}, {20}));
  check_call("box(x, size = [1, 3, 1], padding = [(0, 0), (1, 1), (0, 0)])",
             values({1, 3, 2}, {1, 2, 3, 4, 5, 6}), values({1, 3, 2}, {4, 6, 9, 12, 8, 10}));
}

TEST_CASE("boxes backwards") {
  const ir::Tensor x = values({1, 1, 3}, {1, 2, 3});
  check_call("debox(x, size = [1, 1, 3], stride = [1, 1, 2], padding = [(0, 0), (0, 0), (1, 1)])",
             x, values({1, 1, 5}, {1, 3, 2, 5, 3}));
  check_call("debox(x, size = [1, 1, 2], stride = [1, 1, 2], normalize = true)", x,
             values({1, 1, 6}, {0.5, 0.5, 1, 1, 1.5, 1.5}));
  check_call(
      "debox(x, size = [1, 1, 2], padding = [(0, 0), (0, 0), (0, 0)], border = 'ignore', "
      "normalize = true)",
      x, values({1, 1, 4}, {1, 1.5, 2.5, 3}));
  check_call("debox(x, size = [1, 1, 3], stride = [1, 1, 2], output_shape = [1, 1, 5])", x,
             values({1, 1, 5}, {1, 3, 2, 5, 3}));
}

void check_max(const std::string& border, const std::vector<double>& maxima,
               const std::vector<double>& places) {
  const std::string arguments = kCorner + ", border = '" + border + "'";
  check_call("max_pool(x, " + arguments + ")", kBelow, nine(maxima));
  check_call("argmax_pool(x, " + arguments + ")", kBelow, nine(places, DType::i64));
  check_standard({"(out, out2) = max_pool_with_index(x, " + arguments + ");", {kBelow}},
                 {nine(maxima), nine(places, DType::i64)});
}

TEST_CASE("largest values and their places within the window") {
  check_max("ignore", {-1, -2, -3, -1, -2, -3, -4, -5, -6}, {2, 2, 2, 0, 0, 0, 0, 0, 0});
  check_max("constant", {0, 0, 0, -1, -2, 0, -4, -5, 0}, {0, 0, 0, 0, 0, 1, 0, 0, 1});
  check_max("replicate", {-1, -2, -3, -1, -2, -3, -4, -5, -6}, {0, 0, 0, 0, 0, 0, 0, 0, 0});
  check_max("reflect", {-1, -2, -2, -1, -2, -2, -4, -5, -5}, {2, 2, 3, 0, 0, 1, 0, 0, 1});
}

TEST_CASE("the first of equal values") {
  const ir::Tensor x = values({1, 1, 4}, {3, 3, 1, 3});
  check_standard({"(out, out2) = max_pool_with_index(x, size = [1, 1, 3], padding = [(0, 0), (0, "
                  "0), (1, 1)], border = 'ignore');",
                  {x}},
                 {values({1, 1, 4}, {3, 3, 3, 3}), values({1, 1, 4}, {1, 0, 0, 1}, DType::i64)});
}

TEST_CASE("tract pads with less than everything and counts in the plane") {
  const std::string arguments = kCorner + ", stride = [1, 1, 2, 1]";
  check_agree({"out = max_pool(x, " + kCorner + ", border = 'constant');", {kBelow}},
              {nine({-1, -2, -3, -1, -2, -3, -4, -5, -6})});
  check_agree({"(out, out2) = max_pool_with_index(x, " + arguments + ");", {kBelow}},
              {values({1, 1, 2, 3}, {-1, -2, -3, -4, -5, -6}),
               values({1, 1, 2, 3}, {0, 1, 2, 3, 4, 5}, DType::i64)});
  check_same({"(out, out2) = max_pool_with_index(x, size = [1, 1, 3, 2], stride = [1, 1, 2, 3], "
              "dilation = [1, 1, 1, 2], padding = [(0, 0), (0, 0), (1, 0), (2, 1)]);",
              {randn({2, 3, 7, 8}, 5)}},
             2);
}

TEST_CASE("pools that tract and the standard share") {
  check_everywhere(
      "max_pool(x, size = [1, 1, 2, 2], border = 'ignore', dilation = [1, 1, 2, 1], "
      "padding = [(0, 0), (0, 0), (0, 0), (0, 0)])",
      kNine, values({1, 1, 1, 2}, {8, 9}));
  check_everywhere(
      "rms_pool(x, size = [1, 1, 2], border = 'ignore', padding = [(0, 0), (0, 0), "
      "(0, 1)])",
      values({1, 3, 2}, {1, 2, 3, 4, 5, 6}),
      values({1, 3, 2}, {1.581139, 2, 3.535534, 4, 5.522681, 6}));
  check_same({"out = max_pool(x, size = [1, 1, 3], stride = [1, 1, 2]);", {randn({2, 2, 8}, 1)}});
  check_same({"out = box(x, size = [1, 1, 3, 3], stride = [1, 1, 2, 2], normalize = true);",
              {randn({1, 2, 8, 5}, 1)}});
}

TEST_CASE("samples are fetched and put back") {
  const ir::Tensor x = values({1, 1, 6}, {1, 5, 2, 8, 3, 7});
  const ir::Tensor index = values({1, 1, 3}, {1, 1, 0}, DType::i64);
  const std::string window = "size = [1, 1, 2], stride = [1, 1, 2], padding = [(0, 0), (0, 0), ";
  check_standard({"out = sample(x, y, " + window + "(0, 0)]);", {x, index}},
                 {values({1, 1, 3}, {5, 8, 3})});
  check_standard({"out = sample(x, y, " + window + "(1, 1)], border = 'replicate');",
                  {x, values({1, 1, 4}, {0, 1, 0, 1}, DType::i64)}},
                 {values({1, 1, 4}, {1, 2, 8, 7})});
  check_standard(
      {"out = desample(x, y, " + window + "(0, 0)]);", {values({1, 1, 3}, {5, 8, 3}), index}},
      {values({1, 1, 6}, {0, 5, 0, 8, 3, 0})});
  // Windows that overlap add up.
  check_standard({"out = desample(x, y, size = [1, 1, 2], padding = [(0, 0), (0, 0), (0, 0)]);",
                  {values({1, 1, 2}, {5, 8}), values({1, 1, 2}, {1, 0}, DType::i64)}},
                 {values({1, 1, 3}, {0, 13, 0})});
  check_standard_refused(
      {"out = sample(x, y, " + window + "(0, 0)]);", {x, values({1, 1, 3}, {1, 2, 0}, DType::i64)}},
      "an index lies outside the window");
}

TEST_CASE("smaller and larger by whole factors") {
  const ir::Tensor x = values({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  check_call("nearest_downsample(x, factor = [1, 2])", x, values({1, 1, 2, 2}, {1, 3, 5, 7}));
  check_call("area_downsample(x, factor = [2, 2])", x, values({1, 1, 1, 2}, {3.5, 5.5}));
  check_everywhere("nearest_upsample(x, factor = [2, 1])", values({1, 1, 2, 2}, {1, 2, 3, 4}),
                   values({1, 1, 4, 2}, {1, 2, 1, 2, 3, 4, 3, 4}));
  check_standard_refused({"out = nearest_upsample(x, factor = [2]);", {x}},
                         "1 factors for a tensor of rank 4");
}

TEST_CASE("linear upsampling by every method and border") {
  const auto check = [](const std::string& method, const std::string& border,
                        const std::vector<double>& expected) {
    check_call("multilinear_upsample(x, factor = [2], method = '" + method + "', border = '" +
                   border + "')",
               values({1, 1, 3}, {1, 3, 9}), values({1, 1, 6}, expected));
  };
  check("symmetric", "replicate", {1, 1.5, 2.5, 4.5, 7.5, 9});
  check("symmetric", "constant", {0.75, 1.5, 2.5, 4.5, 7.5, 6.75});
  check("symmetric", "reflect", {1.5, 1.5, 2.5, 4.5, 7.5, 7.5});
  check("symmetric", "reflect-even", {1, 1.5, 2.5, 4.5, 7.5, 9});
  check("asymmetric", "replicate", {1, 2, 3, 6, 9, 9});
  check("asymmetric", "constant", {1, 2, 3, 6, 9, 4.5});
  check("asymmetric", "reflect", {1, 2, 3, 6, 9, 6});
  check("aligned", "replicate", {1, 1.8, 2.6, 4.2, 6.6, 9});
  const ir::Tensor two = values({1, 1, 2}, {0, 3});
  check_call("multilinear_upsample(x, factor = [3])", two, values({1, 1, 6}, {0, 0, 1, 2, 3, 3}));
}

TEST_CASE("linear upsampling in tract") {
  for (const std::string method : {"symmetric", "asymmetric", "aligned"})
    check_same({"out = multilinear_upsample(x, factor = [2, 3], method = '" + method +
                    "', border = 'replicate');",
                {randn({2, 2, 3, 4}, 3)}});
}

TEST_CASE("invalid windows") {
  check_standard_refused({"out = box(x, size = [2, 2]);", {kNine}},
                         "'size' has 2 items for a tensor of rank 4");
  check_refused_here({"out = box(x, size = [1, 1, 2, 2], border = 'replicate');", {kNine}},
                     "tract has no border 'replicate' here");
}

}  // namespace
}  // namespace t2n::test
