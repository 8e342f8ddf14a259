// SPDX-License-Identifier: Apache-2.0
// Marks stay with numbers in torch's own containers, and on containers by identity.
#include <ATen/core/Dict.h>
#include <ATen/core/List.h>
#include <doctest/doctest.h>

#include "src/diag/error.h"
#include "src/frontend/numbers/marks.h"

namespace t2n::test {
namespace {

using ir::Dim;
using trace::Mark;
using trace::Marks;

const Mark& size() {
  static const Mark mark = trace::size_mark(Dim::symbol(ir::Symbol::AxisSize{"x", 0}));
  return mark;
}

const Mark& data() {
  static const Mark mark = trace::data_mark("aten::item (model.py:8)");
  return mark;
}

c10::IValue list_of(std::vector<c10::IValue> elements, const c10::TypePtr& type) {
  c10::impl::GenericList list(type);
  for (c10::IValue& each : elements) list.push_back(std::move(each));
  return list;
}

c10::IValue integers(std::vector<c10::IValue> elements) {
  return list_of(std::move(elements), c10::IntType::get());
}

TEST_CASE("a marked number is the number, with its mark") {
  for (const c10::IValue& number : {c10::IValue(4), c10::IValue(0.5), c10::IValue(true)}) {
    const c10::IValue marked = trace::marked(number, size());
    CHECK(trace::is_number(marked));
    CHECK(trace::mark_of(marked) == size());
    CHECK(trace::are_identical(trace::unmarked(marked), number));
    CHECK(trace::mark_of(trace::marked(marked, nullptr)) == nullptr);
  }
  CHECK_FALSE(trace::are_identical(0.0, -0.0));
}

TEST_CASE("numbers that torch's own code reads are noticed") {
  const c10::IValue number = trace::marked(4, size());
  const trace::ReadMarks read;
  CHECK(number.toInt() == 4);
  CHECK(trace::sizes_of(read.seen()) == trace::sizes_of(size()));
}

TEST_CASE("a copy without marks keeps aliases, and the original its marks") {
  const Marks marks;
  const c10::IValue inner = integers({trace::marked(4, size()), 5});
  const c10::IValue outer = list_of({inner, inner}, c10::ListType::ofInts());
  CHECK(marks.reach(outer) != nullptr);
  const c10::IValue copy = marks.without(outer);
  CHECK(marks.reach(copy) == nullptr);
  CHECK(copy.toListRef()[0].is(copy.toListRef()[1]));
  CHECK(trace::mark_of(inner.toListRef()[0]) == size());
  const c10::IValue plain = integers({4, 5});
  CHECK(marks.without(plain).is(plain));
}

TEST_CASE("lengths have marks and layouts by identity") {
  Marks marks;
  const c10::IValue list = integers({1, 2, 3}), same = integers({1, 2, 3});
  const Dim n = trace::sizes_of(size());
  marks.set(list, size());
  marks.set_list_layout(list, {{n - Dim(1), 2}, {1, 1}});
  CHECK(marks.of(list) == size());
  CHECK(marks.of(same) == nullptr);
  CHECK(trace::length_of(marks.list_layout(list)) == n);
  CHECK(trace::length_of(marks.list_layout(same)) == Dim(3));
  list.toList().push_back(4);  // by an operation that does not maintain layouts
  CHECK(marks.list_layout(list).empty());
  marks.set(list, nullptr);
  CHECK(trace::length_of(marks.list_layout(list)) == Dim(4));
}

TEST_CASE("what an index read from data selects is data, or refused") {
  Marks marks;
  const c10::IValue number = marks.picked(trace::marked(4, size()), data(), "an element");
  CHECK(trace::is_data(trace::mark_of(number)));
  CHECK(trace::is_data(marks.of(marks.picked("text", data(), "an element"))));
  const c10::IValue literal = "text";
  marks.tainted(literal, size(), "an element");
  CHECK(marks.of(literal) == nullptr);  // it may be a literal of the program
  CHECK_THROWS_WITH_AS(
      marks.picked(integers({1}), data(), "an element"),
      doctest::Contains("the list given by an element depends on the values of a tensor"), Error);
  CHECK_THROWS_WITH_AS(
      marks.tainted(list_of({at::Tensor()}, c10::TensorType::get()), data(), "a slice"),
      doctest::Contains("the tensor given by a slice depends on the values of a tensor"), Error);
}

TEST_CASE("after an iteration, its number is no longer known by an expression") {
  const Marks marks;
  const Dim turn = Dim::symbol(ir::Symbol::Iteration{0});
  const c10::IValue list =
      integers({trace::marked(0, trace::size_mark(turn)), trace::marked(4, size())});
  const c10::IValue after = marks.after_iteration(list);
  const Mark number = trace::mark_of(after.toListRef()[0]);
  CHECK(trace::is_opaque(number));
  CHECK(trace::depends_on_iteration(number));
  CHECK(trace::mark_of(after.toListRef()[1]) == size());
}

}  // namespace
}  // namespace t2n::test
