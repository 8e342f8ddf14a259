// SPDX-License-Identifier: Apache-2.0
// Documents that say the same but for names and numbers.
#include <doctest/doctest.h>

#include "src/diff/same_text.h"
#include "src/nnef/parser.h"

namespace t2n::diff {
namespace {

constexpr const char* kHead =
    "version 1.0;\n"
    "fragment f(x: tensor<scalar>) -> (y: tensor<scalar>) { y = x + 0.5; }\n";

nnef::Document document(const std::string& body, const std::string& head = kHead) {
  return nnef::parse_document(
      head + "graph g(x) -> (y) {\nx = external(shape = [2, 3]);\n" + body + "}\n", "test");
}

constexpr const char* kBody =
    "w = variable<scalar>(label = 'w', shape = [2, 3]);\n"
    "a = mul(x, w);\ny = clamp(f(a), -1.0, 6.0);\n";

/// What differs from kBody: numbers as "clamp y 6.0 7.0; ", a statement as "other: y = …", or "no".
std::string other_numbers(const std::string& body, const std::string& head = kHead) {
  const auto found = compare_text(document(kBody), document(body, head));
  if (!found) return "no";
  if (found->first_statement)
    return "other: " + found->first_statement->before + " | " + found->first_statement->after;
  std::string out;
  for (const NumberDifference& each : found->numbers)
    out += each.operation + " " + each.statement + " " + each.before + " " + each.after + "; ";
  return out;
}

TEST_CASE("names of tensors and labels may differ, one for one") {
  CHECK_EQ(other_numbers(kBody), "");
  const std::string renamed =
      "v = variable<scalar>(label = 'other', shape = [2, 3]);\n"
      "b = mul(x, v);\ny = clamp(f(b), -1.0, 6.0);\n";
  CHECK_EQ(other_numbers(renamed), "");
  const auto found = compare_text(document(kBody), document(renamed));
  REQUIRE(found);
  using Labels = std::vector<std::pair<std::string, std::string>>;
  CHECK(found->labels == Labels{{"w", "other"}});
  CHECK_EQ(other_numbers("w = variable<scalar>(label = 'w', shape = [2, 3]);\n"
                         "a = mul(w, w);\ny = clamp(f(a), -1.0, 6.0);\n"),
           "other: a = mul(x, w) | a = mul(w, w)");
}

TEST_CASE("numbers are named where they are more than roundings apart") {
  const std::string before = "w = variable<scalar>(label = 'w', shape = [2, 3]);\na = mul(x, w);\n";
  CHECK_EQ(other_numbers(before + "y = clamp(f(a), -1.0, 7.0);\n"), "clamp y 6.0 7.0; ");
  CHECK_EQ(other_numbers(before + "y = clamp(f(a), -1.0, 6.000001);\n"), "");
  CHECK_EQ(other_numbers("w = variable<scalar>(label = 'w', shape = [2, 4]);\na = mul(x, w);\n"
                         "y = clamp(f(a), -1.0, 6.0);\n"),
           "variable w [2, 3] [2, 4]; ");
  std::string head = kHead;
  CHECK_EQ(other_numbers(kBody, head.replace(head.find("0.5"), 3, "0.6")), "+ y 0.5 0.6; ");
}

TEST_CASE("the first other statement is named, whatever differs in it") {
  const std::string before = "w = variable<scalar>(label = 'w', shape = [2, 3]);\na = mul(x, w);\n";
  const std::string last = "other: y = clamp(f(a), -1.0, 6.0) | ";
  CHECK_EQ(other_numbers(before + "y = clamp(a, -1.0, 6.0);\n"), last + "y = clamp(a, -1.0, 6.0)");
  CHECK_EQ(other_numbers(before + "y = clamp(f(w), -1.0, 6.0);\n"),
           last + "y = clamp(f(w), -1.0, 6.0)");
  CHECK_EQ(other_numbers(before + "y = max(f(a), -1.0);\n"), last + "y = max(f(a), -1.0)");
  CHECK_EQ(other_numbers(before + "b = relu(a);\ny = clamp(f(b), -1.0, 6.0);\n"),
           last + "b = relu(a)");
  CHECK_EQ(other_numbers(kBody + std::string("z = relu(y);\n")), "other:  | z = relu(y)");
  std::string head = kHead;
  CHECK_EQ(other_numbers(kBody, head.replace(head.find("x + 0.5"), 7, "x - 0.5")),
           "other: y = x + 0.5 | y = x - 0.5");
}

TEST_CASE("documents of other exports are not compared") {
  CHECK_EQ(other_numbers(kBody, std::string("version 1.0;\n"
                                            "extension KHR_enable_operator_expressions;\n") +
                                    (kHead + 13)),
           "no");
  const nnef::Document wider = nnef::parse_document(
      std::string(kHead) + "graph g(x) -> (y) {\nx = external(shape = [2, 4]);\n" + kBody + "}\n",
      "test");
  CHECK_FALSE(compare_text(document(kBody), wider));
}

}  // namespace
}  // namespace t2n::diff
