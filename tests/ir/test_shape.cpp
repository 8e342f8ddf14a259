// Symbolic sizes: canonical form, Python's division, text and back.
#include <doctest/doctest.h>

#include <map>

#include "tests/ir/support.h"

namespace t2n::ir {
namespace {

const Dim S = Dim::symbol("S");
const Dim T = Dim::symbol("T");

TEST_CASE("integers stay integers") {
  CHECK((Dim(3) + Dim(4)).value() == 7);
  CHECK((Dim(3) - Dim(4)).value() == -1);
  CHECK(floor_div(Dim(-7), Dim(2)).value() == -4);
  CHECK(floor_mod(Dim(-7), Dim(2)).value() == 1);
  CHECK(min(Dim(3), Dim(4)).value() == 3);
  CHECK(max(Dim(3), Dim(4)).value() == 4);
}

TEST_CASE("equal polynomials are equal, however they were built") {
  CHECK((S + 1) * (S - 1) == S * S - 1);
  CHECK(S + T == T + S);
  CHECK((S - S).is_constant());
  CHECK(2 * S - S == S);
  CHECK_FALSE(S == T);
  CHECK_FALSE(S == Dim(1));
}

TEST_CASE("divisions that come out even vanish") {
  CHECK(floor_div(4 * S + 2, Dim(2)) == 2 * S + 1);
  CHECK(floor_mod(4 * S, Dim(2)) == Dim(0));
  CHECK(floor_div(S, S) == Dim(1));
  CHECK(max(S, S) == S);
}

TEST_CASE("text and back") {
  const std::map<std::string, Dim> cases = {{"3", 3},
                                            {"-3", -3},
                                            {"S", S},
                                            {"2*S + 1", 2 * S + 1},
                                            {"-S + 1", 1 - S},
                                            {"S*S - T", S * S - T},
                                            {"((S + 1) // (2))", floor_div(S + 1, 2)},
                                            {"2*((S) % (3)) + 1", 2 * floor_mod(S, 3) + 1},
                                            {"max(S, 4)", max(S, 4)},
                                            {"min(S + 1, T)", min(S + 1, T)}};
  for (const auto& [text, dim] : cases) {
    CAPTURE(text);
    CHECK(dim.str() == text);
    CHECK(parse_dim(text) == dim);
  }
}

TEST_CASE("text is read like Python's") {
  CHECK(parse_dim("(S + 1) // 2") == floor_div(S + 1, 2));
  CHECK(parse_dim("S - 1 - 1") == S - 2);
  CHECK(parse_dim(" 7 // 2 * 2 ").value() == 6);
}

TEST_CASE("what is no size expression is refused") {
  for (const char* text : {"", "S +", "(S", "1.5", "$", "S T", "99999999999999999999"}) {
    CAPTURE(text);
    CHECK(diagnostic_of([&] { parse_dim(text); }).id == "ir-syntax");
  }
}

TEST_CASE("symbols are replaced inside every operation") {
  const Dim expression = max(floor_div(S + T, 2), floor_mod(S, 4)) * T + min(S, 100);
  CHECK(expression.symbols() == std::vector<std::string>{"T", "S"});
  const auto value = [](std::string_view name) -> std::optional<Dim> {
    return name == "S" ? std::optional<Dim>(7) : std::nullopt;
  };
  CHECK(expression.substitute(value) == max(floor_div(T + 7, 2), 3) * T + 7);
}

TEST_CASE("a symbolic size where an integer is needed is a bug of ours") {
  CHECK(diagnostic_of([] { (S + 1).value(); }).message.find("'S + 1' is symbolic") !=
        std::string::npos);
  CHECK(diagnostic_of([] { floor_div(S, 0); }).id == "internal");
}

TEST_CASE("shapes") {
  CHECK(shape_str({}) == "[]");
  CHECK(shape_str({1, S, 2 * S}) == "[1,S,2*S]");
  CHECK(static_shape({1, 2}) == Ints{1, 2});
  CHECK(element_count({}) == 1);
  CHECK(element_count({2, 3}) == 6);
}

}  // namespace
}  // namespace t2n::ir
