// SPDX-License-Identifier: Apache-2.0
// Documents that tract refuses, or never finishes loading, for reasons other than shapes.
#include <doctest/doctest.h>

#include "src/lint/tract.h"
#include "tests/lint/lint_case.h"

namespace t2n::spec {
namespace {

TEST_CASE("joined tensors times a packed weight") {
  nnef::Document given = document({{"2, 32", "2, 32"},
                                   "w = variable(shape = [8, 64], label = 'w');\n"
                                   "a = concat([x, y], axis = 1);\n"
                                   "b = matmul(a, w, transposeB = true);"});
  CHECK_FALSE(lint_tract(given));
  given.blobs.push_back({.label = "w", .shape = {8, 64}, .parts = {}, .q4_0 = true});
  const auto found = lint_tract(given);
  REQUIRE(found);
  CHECK_EQ(
      found->problem,
      "'b': 'matmul' of concatenated tensors and a packed weight, which the engine would split");
}

TEST_CASE("one matrix times many whose axes were joined") {
  const auto found = [](const std::string& shape, const std::string& body) {
    const auto finding = lint_tract(document({{shape, "1, 2, 4"}, body}));
    return finding ? finding->problem : "";
  };
  const std::string joined =
      "'b': 'matmul' of one matrix and many whose axes were joined by 'a', which the engine would "
      "split";
  const std::string join = "a = reshape(x, shape = [3*B, 4, 5]);\n", product = "b = matmul(y, a);";
  CHECK_EQ(found("B, 3, 4, 5", join + product), joined);
  CHECK_EQ(found("B, 3, 4, 5", join + "b = matmul(a, y, transposeA = true, transposeB = true);"),
           joined);
  CHECK_EQ(found("B, 3, 1, 4, 5", join + product), joined);
  // All of these load.
  CHECK_EQ(found("B, 3, 2, 2, 5", join + product), "");
  CHECK_EQ(found("B, 3, 4, 5", join + "c = relu(a);\nb = matmul(y, c);"), "");
  CHECK_EQ(found("B, 1, 4, 5", "a = reshape(x, shape = [B, 4, 5]);\n" + product), "");
  CHECK_EQ(found("B, 3, 4, 5",
                 "a = reshape(x, shape = [B, 3, 20]);\n"
                 "b = matmul(a, slice(a, axes = [1], begin = [0], end = [1]), "
                 "transposeB = true);"),
           "");
}

/// Products of x and `count` integers from `first` on, and their sum.
std::string multiples(int count, int first) {
  std::string out = "s0 = abs(x);\n";
  for (int i = 0; i < count; ++i)
    out += cat("m", i, " = mul(x, tract_core_cast(", first + i, ", to = 'i64'));\ns", i + 1,
               " = add(s", i, ", m", i, ");\n");
  return out;
}

TEST_CASE("many integer factors of one tensor") {
  const auto found = [](const std::string& body) {
    const auto finding = lint_tract(document({{"B, 3"}, body}));
    return finding ? finding->problem : "";
  };
  const std::string endless =
      "'x': the engine does not finish loading, as it takes unions of the many integer factors of "
      "this tensor";
  CHECK_EQ(found(multiples(30, 101)), endless);
  CHECK_EQ(found(multiples(22, 1000001)), endless);
  // All of these load.
  CHECK_EQ(found(multiples(20, 101)), "");
  CHECK_EQ(found(multiples(18, 1000001)), "");
  CHECK_EQ(found(multiples(30, 3)), "");
  std::string floats = "s0 = abs(x);\n";
  for (int i = 0; i < 40; ++i) floats += cat("s", i + 1, " = mul(s0, ", 101 + i, ".0);\n");
  CHECK_EQ(found(floats), "");
}

TEST_CASE("states that the engine drops on one side only") {
  /// `output` and `next`: a result and the next state; `used`: which result is read.
  const auto found = [](const std::string& output, const std::string& next,
                        const std::string& used) {
    const std::string step = cat(
        "fragment step( v: tensor<scalar>, h: tensor<scalar>, g: tensor<scalar> )\n"
        "-> ( o: tensor<scalar>, nh: tensor<scalar>, ng: tensor<scalar> )\n{\nnh = h + v;\nng = ",
        next, ";\no = ", output, ";\n}\n");
    const std::string scan = cat(
        "(o, h, g) = tract_core_scan(body = 'step', scan = [('v', x, 0, 1)], full = [], state = "
        "[('h', y, 'nh'), ('g', z, 'ng')], output = [('o', 'full', 0, 1), ('nh', 'last', 0, 1), "
        "('ng', 'last', 0, 1)], reset_every_turn = 1);\na = ",
        used, " * 2.0;");
    nnef::Document given = document({{"B, 3", "1, 3", "1, 3"}, scan, {}, step});
    given.graph.results = {"a"};
    const auto finding = lint_tract(given);
    return finding ? finding->problem : "";
  };
  const std::string dropped =
      "'o': no state and no result that is read needs 'g' of 'step', and the engine drops it on "
      "one side only";
  const std::string slice = "slice(concat([g, v], axis = 0), axes = [0], begin = [1], end = [2])";
  CHECK_EQ(found("h * 2.0", "v * 2.0", "o"), dropped);
  CHECK_EQ(found("h * 2.0", "v * 2.0", "g"), dropped);
  CHECK_EQ(found("h * g", "v * 2.0", "h"), dropped);
  CHECK_EQ(found("h * 2.0", slice, "o"), dropped);
  CHECK_EQ(found("h * g", slice, "h"), dropped);
  // All of these load.
  CHECK_EQ(found("h * g", "v * 2.0", "o"), "");
  CHECK_EQ(found("h * g", slice, "o"), "");
  CHECK_EQ(found("h * 2.0", "g * 2.0 + v", "h"), "");
}

}  // namespace
}  // namespace t2n::spec
