// SPDX-License-Identifier: Apache-2.0
// Operators of torchvision, whose reference is ours; tests/values compares it with a definition in
// Python.
#include <doctest/doctest.h>

#include <limits>

#include "tests/ops/expressions.h"
#include "tests/support/dynamic.h"

namespace t2n::test::vision_tests {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// Rows of one height: the first covers 9, 5, 5 and 1 tenths of each, the last is apart.
const std::vector<double> kRows = {0, 0, 10, 1, 0, 0, 9, 1, 0,  0, 5,  1,
                                   5, 0, 10, 1, 0, 0, 1, 1, 20, 0, 21, 1};
const std::vector<double> kSame = {1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2,
                                   1, 1, 2, 2, 1, 1, 2, 2, 1, 1, 2, 2};
const std::vector<double> kEmpty(24, 0);
const std::vector<double> kOdd = {0, 0, kNan, 1, 0, 0,     9, 1, 0,  0, kInf, 1,
                                  5, 0, -10,  1, 0, -kInf, 1, 1, 20, 0, 21,   1};

std::vector<ir::Tensor> scored(const std::vector<double>& boxes, const std::vector<double>& scores,
                               ir::DType dtype) {
  return {values({6, 4}, boxes, dtype), values({6}, scores, dtype)};
}

std::vector<std::vector<ir::Tensor>> detections(ir::DType dtype) {
  return {scored(kRows, {6, 5, 4, 3, 2, 1}, dtype),
          scored(kRows, {1, 2, 3, 4, 5, 6}, dtype),
          scored(kRows, {1, 1, 1, 1, 1, 1}, dtype),
          scored(kRows, {0, -0.0, 0, -0.0, 1, -0.0}, dtype),
          scored(kRows, {kInf, kNan, 1, kNan, kInf, -kInf}, dtype),
          scored(kSame, {1, 2, 3, 3, 2, 1}, dtype),
          scored(kEmpty, {1, 2, 3, 4, 5, 6}, dtype),
          scored(kOdd, {6, 5, 4, 3, 2, 1}, dtype)};
}

TEST_CASE("boxes that no better one lies over") {
  for (const ir::DType dtype : {ir::DType::f32, ir::DType::f64})
    check_unbacked({"ops.torchvision.nms(x, y, 0.5)", "ops.torchvision.nms(x, y, 0.1)",
                    "ops.torchvision.nms(x, y, 0.9)", "ops.torchvision.nms(x, y, -1.)",
                    "ops.torchvision.nms(x, y, 1.)", "ops.torchvision.nms(x, y, 0.3)[:2]",
                    "x[ops.torchvision.nms(x, y, 0.5)]"},
                   detections(dtype));
}

TEST_CASE("boxes that a mask takes") {
  check_unbacked({"ops.torchvision.nms(x[y > 1], y[y > 1], 0.4)"}, detections(ir::DType::f32));
}

}  // namespace
}  // namespace t2n::test::vision_tests
