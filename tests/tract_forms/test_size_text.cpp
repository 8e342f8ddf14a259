// SPDX-License-Identifier: Apache-2.0
// Sizes in tract's spelling mean what they are, though its division truncates.
#include <doctest/doctest.h>

#include <algorithm>

#include "src/diag/error.h"
#include "src/nnef/parser.h"
#include "src/tract_forms/sizes/size_text.h"
#include "tests/ir/draw.h"

namespace t2n::tract_forms {
namespace {

using ir::Dim;
using nnef::Kind;
using nnef::Value;

/// As tract computes it.
int64_t computed(const Value& value, const ir::Sizes& sizes) {
  if (value.kind == Kind::integer) return value.integer;
  if (value.kind == Kind::identifier) return sizes.at(value.text);
  const bool is_call = value.kind == Kind::invocation;
  REQUIRE((is_call || value.kind == Kind::binary));
  const int64_t a = computed(is_call ? value.arguments.at(0).value : value.items.at(0), sizes);
  const int64_t b = computed(is_call ? value.arguments.at(1).value : value.items.at(1), sizes);
  if (value.text == "+") return a + b;
  if (value.text == "-") return a - b;
  if (value.text == "*") return a * b;
  if (value.text == "/") return a / b;
  return value.text == "min" ? std::min(a, b) : std::max(a, b);
}

TEST_CASE("a size that has a form in NNEF is computed as it is") {
  int forms = 0;
  const bool passed = rc::check([&] {
    Dim dim = test::drawn_dim(3, {"B", "S"});
    if (*rc::gen::inRange(0, 4) == 0) dim = ir::max(dim, Dim(0) - dim);
    std::string text;
    try {
      text = tract_forms::size_text(dim);
    } catch (const Error& error) {
      RC_ASSERT(error.diagnostic().id == "unsupported-argument");
      return;
    }
    ++forms;
    RC_ASSERT(text.front() != '-' || dim.is_constant());
    const Value value = nnef::parse_value(text);
    for (int64_t b = 0; b < 8; ++b)
      for (int64_t s = 0; s < 8; ++s) {
        const ir::Sizes sizes = {{"B", b}, {"S", s}};
        RC_ASSERT(computed(value, sizes) == dim.substitute(sizes).value());
      }
  });
  CHECK(passed);
  CHECK(forms > 20);
}

TEST_CASE("sums that tract would join into one quotient are refused, or written as one") {
  const auto text = [](const char* dim) {
    return tract_forms::has_size_text(ir::parse_dim(dim))
               ? tract_forms::size_text(ir::parse_dim(dim))
               : "refused";
  };
  CHECK_EQ(text("S - (S // 2)"), "((S + 1)/2)");
  CHECK_EQ(text("((3*S + 2) // 4) - 5"), "refused");
  CHECK_EQ(text("((3*S + 1) // 4) - 5"), "((3*S + 1)/4) - 5");
  CHECK_EQ(text("2*((3*S + 2) // 4) - 10"), "refused");
  CHECK_EQ(text("S + ((S + 1) // 4) - 9"), "refused");
  CHECK_EQ(text("3*((S + 2) // 4) - 6*S - 2"), "refused");
  CHECK_EQ(text("((S + 2) // 3) - B"), "refused");
  CHECK_EQ(text("S - (S // 4) - 1"), "((6*S + 7)/8) - 1");
  CHECK_EQ(text("S - (S // 3) - (S // 4)"), "((4*S + 5)/6) - ((S)/4)");
  CHECK_EQ(text("2*S - B - ((3*S) // 4)"), "refused");  // joined to S - B + S/4
}

TEST_CASE("quotients of sums with a common factor have a form that tract keeps") {
  const auto text = [](const char* dim) { return tract_forms::size_text(ir::parse_dim(dim)); };
  CHECK_EQ(text("B - (B // 3)"), "((4*B + 5)/6)");
  CHECK_EQ(text("(2*B + 2*S) // 3"), "((4*B + 4*S + 1)/6)");
  CHECK_EQ(text("(4*B + 6) // 7"), "((8*B + 13)/14)");
  CHECK_EQ(text("(15*B + 12) // 16"), "((45*B + 37)/48)");
  CHECK_EQ(text("(2*B) // 3"), "((2*B)/3)");
  CHECK_EQ(text("(2*B + 2) // 4"), "((B + 1)/2)");
}

TEST_CASE("a power is at least its base") {
  const auto text = [](const char* dim) {
    return tract_forms::has_size_text(ir::parse_dim(dim))
               ? tract_forms::size_text(ir::parse_dim(dim))
               : "refused";
  };
  CHECK_EQ(text("(T*T - T) // 2"), "((T*T - T)/2)");
  CHECK_EQ(text("(B*T*T - B*T) // 2"), "((B*T*T - B*T)/2)");
  CHECK_EQ(text("(B*T - T) // 2"), "refused");  // B may be 0
  CHECK_EQ(text("(T*T - 2*T) // 2"), "refused");
}

TEST_CASE("maxima of sums with a common factor have a form that tract keeps") {
  const auto text = [](const char* dim) { return tract_forms::size_text(ir::parse_dim(dim)); };
  CHECK_EQ(text("max(T + 1, 2*S + 2)"), "(max(T - 1, 2*S) + 2)");
  CHECK_EQ(text("3*min(2*S - 4, T)"), "3*(min(2*S, T + 4) - 4)");
  CHECK_EQ(text("max(2*S + 2*B, T)"), "(max(B + 2*S, T - B) + B)");
  CHECK_EQ(text("max(2*S, T + 1)"), "max(2*S, T + 1)");
}

TEST_CASE("halves that round up are written as one quotient, in products and of each other") {
  const auto text = [](const char* dim) { return tract_forms::size_text(ir::parse_dim(dim)); };
  CHECK_EQ(text("(H - (H // 2))*(W - (W // 2))"), "((H + 1)/2)*((W + 1)/2)");
  CHECK_EQ(text("T + (T % 2)"), "2*((T + 1)/2)");
  CHECK_EQ(text("(T - (T // 2)) - ((T + 1) // 4)"), "((T + 3)/4)");
  CHECK_EQ(text("((T + 1) // 2) - (T // 2)"), "T - 2*((T)/2)");
  CHECK_EQ(text("(T // 2) - 2*(T // 4)"), "((T)/2) - 2*((T)/4)");  // never negative
}

TEST_CASE("tract finds sizes equal that are one polynomial of the same quotients") {
  const auto are_equal = [](const char* a, const char* b) {
    return tract_forms::parsed_form(ir::parse_dim(a)) == tract_forms::parsed_form(ir::parse_dim(b));
  };
  CHECK(are_equal("S - (S // 2)", "(S + 1) // 2"));
  CHECK(are_equal("T + (T % 2)", "2*((T + 1) // 2)"));
  // As it is written: a quotient, and no difference.
  CHECK_FALSE(tract_forms::parsed_form(ir::parse_dim("S - (S // 3)")) ==
              ir::parse_dim("S - (S // 3)"));
}

TEST_CASE("quotients of quotients are refused before tract is busy with them for ever") {
  ir::Dim size = ir::Dim::symbol({"S"});
  for (int64_t i = 2; i < 8; ++i) size = size + floor_div(size, i);
  CHECK(tract_forms::has_size_text(size));  // 63 of them
  size = size + floor_div(size, 9);
  CHECK_FALSE(tract_forms::has_size_text(size));
  CHECK_THROWS_AS(tract_forms::refuse_many_quotients(size), Error);
}

}  // namespace
}  // namespace t2n::tract_forms
