// SPDX-License-Identifier: Apache-2.0
// Symbolic sizes: canonical form, Python's division, text and back.
#include <doctest/doctest.h>

#include <map>

#include "ir/readable.h"
#include "tests/ir/support.h"

namespace t2n::ir {
namespace {

const Dim kS = Dim::symbol("S");
const Dim kT = Dim::symbol("T");

TEST_CASE("integers stay integers") {
  CHECK((Dim(3) + Dim(4)).value() == 7);
  CHECK((Dim(3) - Dim(4)).value() == -1);
  CHECK(floor_div(Dim(-7), Dim(2)).value() == -4);
  CHECK(floor_mod(Dim(-7), Dim(2)).value() == 1);
  CHECK(min(Dim(3), Dim(4)).value() == 3);
  CHECK(max(Dim(3), Dim(4)).value() == 4);
}

TEST_CASE("equal polynomials are equal, however they were built") {
  CHECK((kS + 1) * (kS - 1) == kS * kS - 1);
  CHECK(kS + kT == kT + kS);
  CHECK((kS - kS).is_constant());
  CHECK(2 * kS - kS == kS);
  CHECK_FALSE(kS == kT);
  CHECK_FALSE(kS == Dim(1));
}

TEST_CASE("divisions that come out even vanish") {
  CHECK(floor_div(4 * kS + 2, Dim(2)) == 2 * kS + 1);
  CHECK(floor_mod(4 * kS, Dim(2)) == Dim(0));
  CHECK(floor_div(kS, kS) == Dim(1));
  CHECK(max(kS, kS) == kS);
}

TEST_CASE("remainders of divisions stay non-negative, and divisions do not nest") {
  CHECK(floor_div(2 * kS + 1, 2) == kS);
  CHECK(floor_div(kS - 3, 2).str() == "((S + 1) // (2)) - 2");
  CHECK((-1 * floor_div(-1 * kS, 2)).str() == "((S + 1) // (2))");
  CHECK(floor_div(floor_div(kS + 1, 2) + 1, 2) == floor_div(kS + 3, 4));
  CHECK(floor_div(kS - floor_div(kS, 2), 2) == floor_div(kS + 1, 4));
  CHECK(floor_div(4 * kS + 3, 6) == floor_div(2 * kS + 1, 3));
  CHECK(floor_div(kS, -2) == floor_div(-1 * kS, 2));
  for (int64_t s = -9; s < 9; ++s)
    for (const int64_t b : {-3, -2, 2, 3, 4}) {
      const Sizes at = {{"S", s}};
      for (const Dim& a : {3 * kS - 7, 5 - 2 * kS, floor_div(kS + 5, 3) + 4})
        CHECK(floor_div(a, b).substitute(at) == floor_div(a.substitute(at), b));
    }
}

TEST_CASE("polynomials divide polynomials") {
  CHECK(floor_div(kS * kT * 8, kT * 4) == 2 * kS);
  CHECK(floor_div(kS * kT + kT, kS + 1) == kT);
  CHECK(floor_div(kS * kS - 1, kS - 1) == kS + 1);
  CHECK(floor_div(kS * kT + 1, kT).str() == "((S*T + 1) // (T))");
  CHECK(floor_div(kS * kT - 1, kT) == kS - 1);
  CHECK(floor_div(kS * kT - 2, kT).str() == "((S*T - 2) // (T))");
  CHECK(floor_div(kS * kT + 3 * kS + 2, kT + 3) == kS);
  CHECK(floor_div(kS * kT - kS + 1, kT - 1).str() == "((-S + S*T + 1) // (T - 1))");
}

TEST_CASE("expressions can be matched") {
  const Dim dim = 2 * kT * max(kS, 4) - 3;
  REQUIRE(dim.terms().size() == 1);
  const Term& term = dim.terms()[0];
  CHECK(dim.constant_part() == -3);
  CHECK(term.factor == 2);
  CHECK(std::get<Symbol>(term.atoms.at(0)) == Symbol("T"));
  CHECK(std::get<Max>(term.atoms.at(1)) == Max{kS, 4});
  CHECK(*kS.as_symbol() == Symbol("S"));
  CHECK((kS + 1).as_symbol() == nullptr);
}

TEST_CASE("symbols are typed, and read back as what they are") {
  const std::vector<Symbol> all = {"S", Symbol::AxisSize{"layer.0.x", 1}, Symbol::Iteration{2},
                                   Symbol::Unbacked{"N_where"}};
  CHECK(all[1].str() == "size.layer.0.x.1");
  CHECK(all[2].str() == "iteration.2");
  CHECK(all[3].str() == "born.N_where");
  for (const Symbol& symbol : all) CHECK(parse_symbol(symbol.str()) == symbol);
  CHECK(parse_dim("2*size.layer.0.x.1 + 1") == 2 * Dim::symbol(all[1]) + 1);
  for (const char* name : {"size.x.y", "size..1", "iteration.x", "iteration.1.2", "a.1"})
    CHECK(parse_symbol(name) == Symbol(name));
}

TEST_CASE("numbers that do not fit into 64 bits are refused") {
  const Dim big = Dim(INT64_MAX) * kS;
  CHECK(diagnostic_of([&] { 2 * big; }).id == "unsupported-argument");
  CHECK(diagnostic_of([&] { big + kS; }).id == "unsupported-argument");
  CHECK(diagnostic_of([&] { element_count({INT64_MAX, 2}); }).id == "unsupported-argument");
  CHECK(Dim(INT64_MIN).str() == "-9223372036854775808");
}

TEST_CASE("size expressions to text and back") {
  const std::map<std::string, Dim> cases = {{"3", 3},
                                            {"-3", -3},
                                            {"S", kS},
                                            {"2*S + 1", 2 * kS + 1},
                                            {"-S + 1", 1 - kS},
                                            {"S*S - T", kS * kS - kT},
                                            {"((S + 1) // (2))", floor_div(kS + 1, 2)},
                                            {"2*((S) % (3)) + 1", 2 * floor_mod(kS, 3) + 1},
                                            {"max(S, 4)", max(kS, 4)},
                                            {"min(S + 1, T)", min(kS + 1, kT)}};
  for (const auto& entry : cases) {
    CAPTURE(entry.first);
    CHECK(entry.second.str() == entry.first);
    CHECK(parse_dim(entry.first) == entry.second);
  }
}

TEST_CASE("people read sizes with few parentheses, and the text means the same") {
  const std::map<std::string, Dim> cases = {{"S//64 - 1", floor_div(kS, 64) - 1},
                                            {"(S + 1)//2", floor_div(kS + 1, 2)},
                                            {"2*(S%3) + 1", 2 * floor_mod(kS, 3) + 1},
                                            {"-(S//2) + 4", 4 - floor_div(kS, 2)},
                                            {"(S//3)//T", floor_div(floor_div(kS, 3), kT)},
                                            {"S//(T + 1)", floor_div(kS, kT + 1)},
                                            {"min((S + 1)//2, T)", min(floor_div(kS + 1, 2), kT)},
                                            {"-7", -7},
                                            {"-2*S*T - 1", -2 * kS * kT - 1}};
  for (const auto& entry : cases) {
    CAPTURE(entry.first);
    CHECK_EQ(readable(entry.second), entry.first);
    CHECK(parse_dim(entry.first) == entry.second);
  }
  CHECK_EQ(readable(Shape{1, floor_div(kS, 64) - 1, 4}), "[1,S//64 - 1,4]");
  CHECK_EQ(readable(Comparison{floor_div(kS, 64), Relation::ge, 2}), "S//64 >= 2");
}

TEST_CASE("text is read like Python's") {
  CHECK(parse_dim("(S + 1) // 2") == floor_div(kS + 1, 2));
  CHECK(parse_dim("S - 1 - 1") == kS - 2);
  CHECK(parse_dim(" 7 // 2 * 2 ").value() == 6);
}

TEST_CASE("text that is not a size expression is refused") {
  for (const char* text : {"", "S +", "(S", "1.5", "$", "S T", "99999999999999999999"}) {
    CAPTURE(text);
    CHECK(diagnostic_of([&] { parse_dim(text); }).id == "ir-syntax");
  }
}

TEST_CASE("symbols are replaced inside every operation") {
  const Dim expression = max(floor_div(kS + kT, 2), floor_mod(kS, 4)) * kT + min(kS, 100);
  CHECK(expression.symbols() == std::vector<Symbol>{"T", "S"});
  CHECK(expression.substitute(Sizes{{"S", 7}}) == max(floor_div(kT + 7, 2), 3) * kT + 7);
}

TEST_CASE("a symbolic size where an integer is needed is refused") {
  const Diagnostic refusal = diagnostic_of([] { (kS + 1).value(); });
  CHECK_EQ(refusal.id, "dynamic-size");
  CHECK_EQ(refusal.message, "the size 'S + 1' is dynamic where an integer is needed");
}

TEST_CASE("a size is divided by what becomes zero") {
  const Dim quotient = floor_div(kS, kT), rest = floor_mod(kS, kT);
  const Sizes zero{{"T", 0}};
  CHECK(diagnostic_of([&] { quotient.substitute(zero); }).id == "dynamic-size");
  CHECK(diagnostic_of([&] { rest.substitute(zero); }).id == "dynamic-size");
}

TEST_CASE("shapes") {
  CHECK(shape_str({}) == "[]");
  CHECK(shape_str({1, kS, 2 * kS}) == "[1,S,2*S]");
  CHECK(static_shape({1, 2}) == Ints{1, 2});
  CHECK(element_count({}) == 1);
  CHECK(element_count({2, 3}) == 6);
}

}  // namespace
}  // namespace t2n::ir
