// SPDX-License-Identifier: Apache-2.0
// Delta debugging over lists, and parts of graphs.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

#include "src/reduce/minimise.h"
#include "src/reduce/part.h"

namespace t2n::reduce::test {
namespace {

Items numbers(size_t count) {
  Items out(count);
  std::iota(out.begin(), out.end(), size_t{0});
  return out;
}

bool has_all(const Items& items, const Items& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](size_t each) {
    return std::find(items.begin(), items.end(), each) != items.end();
  });
}

/// A chain of four operations, of which the third reads the first as well.
constexpr const char* kChain =
    "graph Chain(%x: f32[2]) -> (%d as \"y\") {\n"
    "  const %w: f32[2] = {1.0, 2.0}\n"
    "  %a: f32[2] = aten::relu(self=%x) as relu_0\n"
    "  %b: f32[2] = aten::mul.Tensor(self=%a, other=%w) as mul_0\n"
    "  %c: f32[2] = aten::mul.Tensor(self=%a, other=%b) as mul_1\n"
    "  %d: f32[2] = aten::relu(self=%c) as relu_1\n"
    "}\n";

}  // namespace

TEST_CASE("every set of needed items remains, and nothing else") {
  for (const Items& wanted : {Items{0}, Items{499}, Items{250}, Items{3, 4}, Items{1, 250, 498},
                              Items{10, 11, 12, 13, 400}}) {
    size_t tests = 0;
    const auto fails = [&](const Items& items) {
      ++tests;
      return has_all(items, wanted);
    };
    CHECK(minimise(numbers(500), fails, [] { return false; }) == wanted);
    CHECK_LE(tests, 40 * wanted.size() * wanted.size());
  }
}

TEST_CASE("the search ends at once, with what is known to fail") {
  size_t tests = 0;
  const auto fails = [&](const Items& items) {
    ++tests;
    return has_all(items, {100});
  };
  const Items out = minimise(numbers(500), fails, [&] { return tests >= 3; });
  CHECK_EQ(tests, 3);
  CHECK(has_all(out, {100}));
  CHECK_LT(out.size(), 500);
  CHECK(minimise({7}, fails, [] { return false; }) == Items{7});
}

TEST_CASE("a part reads what other operations compute as inputs") {
  const Subject subject(ir::parse(kChain), {}, {}, {});
  const std::optional<Part> part = subject.part({2, 3});
  REQUIRE(part);
  ir::verify(part->graph, "test");
  CHECK(ir::input_names(part->graph) == std::vector<std::string>{"a", "b"});
  CHECK(part->graph.output_names == std::vector<std::string>{"y"});
  CHECK(part->graph.constants.empty());
  CHECK_EQ(operations(part->graph), 2);
  // A result that only others read is an output; one that the part reads, too, is none.
  const std::optional<Part> first = subject.part({0, 1});
  REQUIRE(first);
  ir::verify(first->graph, "test");
  CHECK(ir::input_names(first->graph) == std::vector<std::string>{"x"});
  CHECK(first->graph.output_names == std::vector<std::string>{"b"});
  CHECK_EQ(first->graph.constants.size(), 1);
  CHECK_FALSE(subject.part({}));
}

}  // namespace t2n::reduce::test
