// SPDX-License-Identifier: Apache-2.0
// What the sizes of inputs say of symbols, and which sizes may not be given together.
#include <doctest/doctest.h>

#include "src/diag/error.h"
#include "src/nnef/parser.h"
#include "src/spec/input_sizes.h"
#include "tests/spec/documents.h"

namespace t2n::spec {
namespace {

struct SizesCase {
  std::vector<std::string> shapes;  ///< of the inputs x, y, z
  std::vector<std::string> assertions;
};

nnef::Document sizes_document(const SizesCase& given) {
  return document_of({"extension tract_symbol S;\n", given.shapes, given.assertions});
}

ir::Sizes values(const SizesCase& given, const std::vector<ir::Ints>& shapes) {
  return bind_sizes(size_rules(sizes_document(given)), shapes);
}

/// The refusal, without the help that all of them share; "" if there is none.
std::string refusal(const SizesCase& given, const std::vector<ir::Ints>& shapes) {
  try {
    values(given, shapes);
    return "";
  } catch (const Error& error) {
    const std::string text = render_text(error.diagnostic());
    const std::string help =
        "  help: give inputs of other sizes; `t2nnef inspect` shows the expected ones\n";
    REQUIRE(text.ends_with(help));
    REQUIRE(text.starts_with("error[input-sizes]: "));
    return text.substr(20, text.size() - 20 - help.size());
  }
}

TEST_CASE("inputs are declared in the standard's way and in tract's") {
  const auto facts = input_facts(
      nnef::parse_document("version 1.0;\nextension tract_registry tract_core;\n"
                           "graph g(x, y) -> (x) {\n"
                           "  y = tract_core_external(shape = [S, 3], datum_type = 'i64');\n"
                           "  x = external<logical>(shape = [2]);\n}\n",
                           "graph"));
  REQUIRE_EQ(facts.size(), 2);
  CHECK_EQ(facts[0].name, "x");
  CHECK(facts[0].dtype == ir::DType::boolean);
  CHECK_EQ(facts[0].sizes.size(), 1);
  CHECK_EQ(facts[1].name, "y");
  CHECK(facts[1].dtype == ir::DType::i64);
  CHECK_EQ(facts[1].sizes.size(), 2);
}

TEST_CASE("sizes determine symbols through expressions") {
  CHECK_EQ(values({{"S, T"}, {}}, {{2, 7}}), ir::Sizes{{"S", 2}, {"T", 7}});
  CHECK_EQ(values({{"2*S + 1"}, {}}, {{7}}), ir::Sizes{{"S", 3}});
  CHECK_EQ(values({{"S + T", "4 - T"}, {}}, {{9}, {1}}), ir::Sizes{{"S", 6}, {"T", 3}});
  CHECK_EQ(values({{"S*T", "T"}, {}}, {{12}, {4}}), ir::Sizes{{"S", 3}, {"T", 4}});
  CHECK_EQ(values({{"S"}, {"S == 4*P"}}, {{12}}), ir::Sizes{{"P", 3}, {"S", 12}});
  CHECK_EQ(values({{"S", "min(S, 4)", "max(S, 4)"}, {}}, {{3}, {3}, {4}}), ir::Sizes{{"S", 3}});
  CHECK_EQ(values({{"S", "(S - 5)/2", "S*3/2"}, {}}, {{2}, {-1}, {3}}), ir::Sizes{{"S", 2}});
}

TEST_CASE("sizes that do not determine a symbol are accepted") {
  CHECK_EQ(values({{"S/2"}, {}}, {{3}}), ir::Sizes{});
  CHECK_EQ(values({{"S/2", "S/3"}, {}}, {{3}, {3}}), ir::Sizes{});
  CHECK_EQ(values({{"S*S"}, {"S <= 2"}}, {{9}}), ir::Sizes{});
  CHECK_EQ(values({{"S + T"}, {"S < T"}}, {{9}}), ir::Sizes{});
  CHECK_EQ(values({{"S"}, {"S # 3 == 4", "S <= 1 <= 2", "S/T == 7"}}, {{9}}), ir::Sizes{{"S", 9}});
  CHECK_EQ(values({{"S, f(S)"}, {}}, {{9, 9}}), ir::Sizes{{"S", 9}});
  CHECK_EQ(values({{"S"}, {"S*S*S*S*S <= 4"}}, {{1000000}}), ir::Sizes{{"S", 1000000}});
  CHECK_EQ(values({{"S, 9000000000000000000*3"}, {}}, {{2, 3}}), ir::Sizes{{"S", 2}});
}

TEST_CASE("axes that share a symbol agree") {
  CHECK_EQ(refusal({{"S, 3", "S, 3"}, {}}, {{4, 3}, {5, 3}}),
           "the sizes of 'x' and 'y' are incompatible\n"
           "   'x', axis 0: S = 4\n"
           "   'y', axis 0: S = 5\n"
           "  why:  the last of them would have to be 4\n");
  CHECK_EQ(refusal({{"S, S"}, {}}, {{2, 7}}),
           "the sizes of 'x' are incompatible\n"
           "   'x', axis 0: S = 2\n"
           "   'x', axis 1: S = 7\n"
           "  why:  the last of them would have to be 2\n");
  CHECK_EQ(refusal({{"2*S + T", "S", "T"}, {}}, {{9}, {2}, {6}}),
           "the sizes of 'y', 'z' and 'x' are incompatible\n"
           "   'y', axis 0: S = 2\n"
           "   'z', axis 0: T = 6\n"
           "   'x', axis 0: 2*S + T = 9\n"
           "  why:  the last of them would have to be 10\n");
  CHECK_EQ(refusal({{"S/2", "S/2"}, {}}, {{3}, {4}}),
           "the sizes of 'x' and 'y' are incompatible\n"
           "   'x', axis 0: S/2 = 3\n"
           "   'y', axis 0: S/2 = 4\n"
           "  why:  axes of equal expressions have equal sizes\n");
}

TEST_CASE("sizes that no value of a symbol gives") {
  CHECK_EQ(refusal({{"2*S + 1"}, {}}, {{6}}),
           "the size 6 of the input 'x' fits no value of 'S'\n"
           "   'x', axis 0: 2*S + 1 = 6\n"
           "  why:  'S' must be an integer, 0 or more\n");
  CHECK_EQ(refusal({{"P", "P + S"}, {}}, {{7}, {3}}),
           "the size 3 of the input 'y' fits no value of 'S'\n"
           "   'x', axis 0: P = 7\n"
           "   'y', axis 0: P + S = 3\n"
           "  why:  'S' must be an integer, 0 or more\n");
  CHECK_EQ(refusal({{"S"}, {"S == 4*P"}}, {{6}}),
           "the sizes of 'x' violate the assertion S == 4*P\n"
           "   'x', axis 0: S = 6\n"
           "  why:  'P' must be an integer, 0 or more\n");
}

TEST_CASE("sizes that are numbers, and ranks") {
  CHECK_EQ(refusal({{"S, 2*3"}, {}}, {{1, 5}}),
           "the input 'x' has the size 5 along axis 1\n"
           "  why:  the artefact takes 6\n");
  CHECK_EQ(refusal({{"S, 3"}, {}}, {{1}}),
           "the input 'x' has the shape [1]\n"
           "  why:  the artefact takes [S,3]\n");
}

constexpr const char* kTaken =
    "  why:  tract assumes that assertions hold: otherwise results are wrong\n";

TEST_CASE("assertions hold of the sizes") {
  for (const char* holds : {"S <= 5", "S>=5", "S < 6", "S > 4", "S == 5", "2*S - 1 + 3 == 12",
                            "S*3/2 == 5", "(S*3)/2 == 7", "-S + 6 > 0", "max(S, 3) == 5",
                            "floor(S/2) == 2", "dot.0 >= 7", "7 - S - 1 == 1"})
    CHECK_MESSAGE(refusal({{"S"}, {holds}}, {{5}}) == "", holds);
  CHECK_EQ(refusal({{"S"}, {"S >= 1", "S <= 4"}}, {{5}}),
           cat("the sizes of 'x' violate the assertion S <= 4\n"
               "   'x', axis 0: S = 5\n",
               kTaken));
  CHECK_EQ(refusal({{"S", "2*T"}, {"S + 1 < T"}}, {{5}, {12}}),
           cat("the sizes of 'x' and 'y' violate the assertion S + 1 < T\n"
               "   'x', axis 0: S = 5\n"
               "   'y', axis 0: 2*T = 12\n",
               kTaken));
  CHECK_EQ(refusal({{"B", "P"}, {"B == 2*P"}}, {{5}, {2}}),
           cat("the sizes of 'x' and 'y' violate the assertion B == 2*P\n"
               "   'x', axis 0: B = 5\n"
               "   'y', axis 0: P = 2\n",
               kTaken));
  CHECK_EQ(refusal({{"3"}, {"4 <= 3"}}, {{3}}),
           cat("the sizes of the inputs violate the assertion 4 <= 3\n", kTaken));
}

TEST_CASE("one scenario or more holds of the sizes") {
  const SizesCase given{{"S", "P"}, {"tg: S == 1", "pp: P == 0", "tg: P >= 1"}};
  CHECK_EQ(refusal(given, {{1}, {5}}), "");
  CHECK_EQ(refusal(given, {{7}, {0}}), "");
  CHECK_EQ(refusal({{"S"}, {"a: S == 1", "b: T == 2"}}, {{7}}), "");
  CHECK_EQ(refusal(given, {{7}, {5}}),
           "the sizes of 'y' and 'x' fit none of the artefact's scenarios\n"
           "   'y', axis 0: P = 5\n"
           "   'x', axis 0: S = 7\n"
           "   pp: P == 0 does not hold\n"
           "   tg: S == 1 does not hold\n"
           "  why:  the sizes must satisfy all assertions of at least one scenario\n");
}

TEST_CASE("a long chain of symbols is solved in one go") {
  SizeRules rules;
  std::vector<ir::Ints> shapes;
  constexpr int kLength = 20000;
  for (int i = 0; i < kLength; ++i) {
    const ir::Dim dim = ir::Dim::symbol(cat("S", i)) +
                        (i + 1 == kLength ? ir::Dim(0) : ir::Dim::symbol(cat("S", i + 1)));
    rules.inputs.push_back({cat("x", i), ir::DType::f32, {{dim.str(), std::nullopt, dim}}});
    shapes.push_back({i + 1 == kLength ? 1 : 2});
  }
  CHECK_EQ(bind_sizes(rules, shapes).at("S0"), 1);
}

}  // namespace
}  // namespace t2n::spec
