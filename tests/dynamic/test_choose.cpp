// SPDX-License-Identifier: Apache-2.0
// The sizes that a model is tried and checked at.
#include <doctest/doctest.h>

#include <set>

#include "src/dynamic/choose.h"
#include "src/dynamic/same.h"

namespace t2n::test {
namespace {

using dynamic::Chooser;
using dynamic::Sizes;

ir::Comparison relation(const char* text) { return dynamic::parse_comparison(text); }

TEST_CASE("further sizes are primes that nothing else in the model equals") {
  Chooser chooser({{"B", 2}, {"S", 10}}, {}, {2, 3, 10, 11, 8});
  const auto first = chooser.next({"B", "S"});
  CHECK_EQ(dynamic::sizes_str(*first), dynamic::sizes_str(Sizes{{"B", 5}, {"S", 13}}));
  const auto second = chooser.next({"B", "S"});
  CHECK_EQ(dynamic::sizes_str(*second), dynamic::sizes_str(Sizes{{"B", 7}, {"S", 17}}));
  CHECK_EQ(dynamic::sizes_str(*chooser.next({"S"})),
           dynamic::sizes_str(Sizes{{"B", 2}, {"S", 19}}));
  Chooser down({{"S", 10}}, {}, {3, 10});
  CHECK_EQ(dynamic::sizes_str(*down.next({"S"}, false)), dynamic::sizes_str(Sizes{{"S", 7}}));
  CHECK_EQ(dynamic::sizes_str(*down.next({"S"}, false)), dynamic::sizes_str(Sizes{{"S", 5}}));
}

TEST_CASE("large sizes move by more than a patch") {
  Chooser image({{"H", 224}}, {}, {224});
  CHECK_EQ(dynamic::sizes_str(*image.next({"H"})), dynamic::sizes_str(Sizes{{"H", 257}}));
  CHECK_EQ(dynamic::sizes_str(*image.next({"H"}, false)), dynamic::sizes_str(Sizes{{"H", 191}}));
}

TEST_CASE("sizes respect assertions, multiples and bounds") {
  Chooser chooser({{"P", 4}, {"S", 8}}, {relation("P + S <= 16"), relation("S >= 3")}, {4, 8});
  for (int i = 0; i < 2; ++i) {
    const auto sizes = chooser.next({"P", "S"});
    REQUIRE(sizes);
    CHECK_LE(sizes->at("P") + sizes->at("S"), 16);
    CHECK_GE(sizes->at("S"), 3);
  }
  Chooser multiples({{"S", 12}}, {}, {12});
  multiples.limit("S", {4, 40});
  CHECK_EQ(dynamic::sizes_str(*multiples.next({"S"})), dynamic::sizes_str(Sizes{{"S", 20}}));
  CHECK_EQ(dynamic::sizes_str(*multiples.next({"S"})), dynamic::sizes_str(Sizes{{"S", 28}}));
  CHECK_EQ(dynamic::sizes_str(*multiples.smallest()), dynamic::sizes_str(Sizes{{"S", 4}}));

  Chooser fixed({{"S", 12}}, {relation("S == 12")}, {});
  CHECK(!fixed.next({"S"}));
}

TEST_CASE("few sizes that fit are tried, and no others") {
  Chooser few({{"S", 4}}, {relation("S <= 5")}, {4});
  std::set<int64_t> tried;
  for (int i = 0; i < 8; ++i)
    if (const auto sizes = few.next({"S"})) tried.insert(sizes->at("S"));
  CHECK_EQ(tried, std::set<int64_t>{1, 2, 3, 5});
}

TEST_CASE("the smallest sizes are 1 unless something is asserted") {
  CHECK_EQ(dynamic::sizes_str(*Chooser({{"P", 3}}, {relation("P >= 0")}, {}).smallest()),
           dynamic::sizes_str(Sizes{{"P", 0}}));
  CHECK_EQ(dynamic::sizes_str(*Chooser({{"B", 3}, {"S", 9}}, {}, {1}).smallest()),
           dynamic::sizes_str(Sizes{{"B", 1}, {"S", 1}}));
  CHECK_EQ(
      dynamic::sizes_str(*Chooser({{"B", 8}, {"P", 4}}, {relation("B == 2*P")}, {}).smallest()),
      dynamic::sizes_str(Sizes{{"B", 2}, {"P", 1}}));
  CHECK_EQ(dynamic::sizes_str(*Chooser({{"S", 9}}, {relation("S > 4")}, {}).smallest()),
           dynamic::sizes_str(Sizes{{"S", 5}}));
}

}  // namespace
}  // namespace t2n::test
