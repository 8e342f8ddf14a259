// SPDX-License-Identifier: Apache-2.0
// Each form that only tract needs has its reason in docs/engine_bugs.md.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "src/target/target.h"
#include "src/tract_forms/broadcast_axes.h"
#include "src/tract_forms/factors.h"
#include "src/tract_forms/size_barriers.h"
#include "src/tract_forms/uniform.h"

namespace t2n::tract_forms {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream file(std::string(std::getenv("T2NNEF_SOURCE_DIR")) + "/" + path);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

/// A draft with a tensor `x` of three rows.
struct Example {
  TractDraft draft{target::parse_target("tract@0.23.9"), /*is_body_in=*/false};
  Ref x = draft.add_identifier("x", DType::f32, {3, 4});

  Ref result(std::string_view op, const Refs& operands, const Shape& shape,
             const Attributes& attributes = {}) {
    const Ref out = draft.add_identifier("y", DType::f32, shape);
    note_call(draft, op, operands, attributes, out);
    return out;
  }
  Ref number(double value) {
    return draft.add_constant(ir::scalar_tensor(value, DType::f32), "const", 1, true);
  }
};

TEST_CASE("each cause has an entry in the page of engine bugs, and a file that avoids it") {
  const std::string page = text_of("docs/engine_bugs.md");
  REQUIRE_FALSE(page.empty());
  size_t next = 0;
  for (const CauseRow& row : causes()) {
    CAPTURE(row.entry);
    CHECK(static_cast<size_t>(row.cause) == next++);
    const bool is_case = page.find(". " + std::string(row.entry) + "\n") != std::string::npos;
    const bool is_avoided = page.find("- **" + std::string(row.entry) + ".**") != std::string::npos;
    CHECK((is_case || is_avoided));
    CHECK_FALSE(text_of("src/tract_forms/" + std::string(row.file)).empty());
  }
}

TEST_CASE("a factor that repeats needs a barrier unless another factor has the axis") {
  Example e;
  const Ref row = e.draft.add_identifier("row", DType::f32, {1, 4});
  const Ref rows = e.result("tract_core_broadcast", {row}, {3, 4});
  CHECK(e.draft.facts(rows).broadcast_axes == Ints{0});
  const Barriers found = broadcast_barriers(e.draft, "matmul", {rows, e.x}, {{"transposeB", true}});
  REQUIRE(found.size() == 1);
  CHECK(found[0].operand == 0);
  CHECK(found[0].cause == Cause::broadcast_factor);
  CHECK(broadcast_barriers(e.draft, "matmul", {e.x, e.x}, {{"transposeB", true}}).empty());
  CHECK(broadcast_barriers(e.draft, "add", {rows, e.x}, {}).empty());
  CHECK(needs_broadcast_barrier(e.draft, rows));
  CHECK_FALSE(needs_broadcast_barrier(e.draft, e.x));
}

TEST_CASE("a tensor of one known number needs a barrier in products") {
  Example e;
  const Ref zeros = e.draft.add_identifier("zeros", DType::f32, {3, 4});
  note_elementwise(e.draft, "mul", {e.x, e.number(0)}, zeros);
  CHECK(e.draft.facts(zeros).elements == Facts::Elements::number);
  CHECK(e.draft.facts(zeros).broadcast_axes == Ints{0, 1});
  const Barriers found = number_barriers(e.draft, "mul", {e.x, zeros});
  REQUIRE(found.size() == 1);
  CHECK(found[0].operand == 1);
  CHECK(found[0].cause == Cause::number_everywhere);
  CHECK(number_barriers(e.draft, "add", {e.x, zeros}).empty());
}

TEST_CASE("constants that scale a tensor twice are wrong where their product overflows") {
  Example e;
  const Ref factor = e.number(0x1p20), other = e.number(3), power = e.number(2);
  const Ref y = e.draft.add_identifier("y", DType::f32, {3, 4});
  note_elementwise(e.draft, "mul", {e.x, factor}, y);
  CHECK(folding_of(e.draft, "mul", {e.x, factor}, 0) == Folding::harmless);
  CHECK(folding_of(e.draft, "mul", {y, factor}, 0) == Folding::wrong);
  CHECK(folding_of(e.draft, "mul", {y, power}, 0) == Folding::harmless);
  const Ref z = e.draft.add_identifier("z", DType::f32, {3, 4});
  note_elementwise(e.draft, "mul", {e.x, other}, z);
  CHECK(folding_of(e.draft, "mul", {z, other}, 0) == Folding::inexact);
}

TEST_CASE("a number computed from sizes gets one barrier") {
  Example e;
  const Ref size = e.draft.add_identifier("size", DType::f32, {});
  e.draft.facts(size).from_sizes = true;
  CHECK(are_sizes(e.draft, {size, e.number(2)}));
  CHECK_FALSE(are_sizes(e.draft, {e.number(2)}));
  const Refs first = with_size_barriers(e.draft, "mul", {e.x, size}, {3, 4});
  CHECK(first[1].id != size.id);
  CHECK(with_size_barriers(e.draft, "mul", {e.x, size}, {3, 4})[1].id == first[1].id);
  CHECK(with_size_barriers(e.draft, "add", {e.x, size}, {3, 4})[1].id == size.id);
}

}  // namespace
}  // namespace t2n::tract_forms
