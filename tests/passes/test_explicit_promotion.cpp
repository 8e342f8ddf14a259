// SPDX-License-Identifier: Apache-2.0
// Casts in front of operands, and behind results that torch stored in another dtype.
#include <doctest/doctest.h>

#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

std::string promoted(std::string_view text) {
  ir::OpTable operators;
  operators.set("test::sqrt", ir::Promotion::to_float, "here");
  for (const char* name : {"test::add", "test::lt", "test::where", "test::cat"})
    operators.set(name, ir::Promotion::operands, "here");
  PassContext context;
  context.operators = &operators;
  std::string out = after("explicit-promotion", text, context);
  CHECK(after("explicit-promotion", out) == out);  // nothing is left to do
  return out;
}

void check_untouched(std::string_view text) { CHECK(promoted(text) == ir::print(ir::parse(text))); }

TEST_CASE("operands of another dtype are cast, once each") {
  CHECK(promoted(R"(graph m(%x: f32[2], %i: i64[2]) -> (%b as "y") {
    @Net:
    %a: f32[2] = test::add(self=%x, other=%i) in f32 !0
    %b: f32[2] = test::add(self=%i, other=%a) in f32
    source !0 = model.py:3
  })") == R"(graph m(%x: f32[2], %i: i64[2]) -> (%b as "y") {

@Net:
  %i_as_f32: f32[2] = t2n::cast(self=%i, dtype=f32) as cast_0 !0  # model.py:3
  %a: f32[2] = test::add(self=%x, other=%i_as_f32) as add_0 in f32 !0  # model.py:3
  %b: f32[2] = test::add(self=%i_as_f32, other=%a) as add_1 in f32

  source !0 = model.py:3
}
)");
}

TEST_CASE("lists of tensors are cast too; names and call numbers stay unique") {
  CHECK(promoted(R"(graph m(%x: f32[2], %x_as_f32: f16[2], %y: f16[2]) -> (%c as "y") {
    %z: i32[2] = t2n::cast(self=%x, dtype=i32)
    %c: f32[4] = test::cat(tensors=[%x, none, %y, %x_as_f32], other=%z) in f32
  })") == R"(graph m(%x: f32[2], %x_as_f32: f16[2], %y: f16[2]) -> (%c as "y") {
  %z: i32[2] = t2n::cast(self=%x, dtype=i32) as cast_0
  %y_as_f32: f32[2] = t2n::cast(self=%y, dtype=f32) as cast_1
  %x_as_f32_as_f32: f32[2] = t2n::cast(self=%x_as_f32, dtype=f32) as cast_2
  %z_as_f32: f32[2] = t2n::cast(self=%z, dtype=f32) as cast_3
  %c: f32[4] = test::cat(tensors=[%x, none, %y_as_f32, %x_as_f32_as_f32], other=%z_as_f32) as cat_0 in f32
}
)");
}

TEST_CASE("comparisons compute in the common dtype and answer with booleans") {
  CHECK(promoted(R"(graph m(%x: f32[2], %i: i64[2]) -> (%a as "y") {
    %a: bool[2] = test::lt(self=%x, other=%i) in f32
  })") == R"(graph m(%x: f32[2], %i: i64[2]) -> (%a as "y") {
  %i_as_f32: f32[2] = t2n::cast(self=%i, dtype=f32) as cast_0
  %a: bool[2] = test::lt(self=%x, other=%i_as_f32) as lt_0 in f32
}
)");
}

TEST_CASE("a comparison in place stores its booleans as numbers") {
  CHECK(promoted(R"(graph m(%x: f32[2]) -> (%a as "y") {
    %a: f32[2] = test::lt(self=%x, other=0.0) in f32
  })") == R"(graph m(%x: f32[2]) -> (%a as "y") {
  %a_wide: bool[2] = test::lt(self=%x, other=0.0) as lt_0 in f32
  %a: f32[2] = t2n::cast(self=%a_wide, dtype=f32) as cast_0
}
)");
}

TEST_CASE("a result that torch stored in a narrower dtype is cast visibly") {
  CHECK(promoted(R"(graph m(%x: f32[2], %w: f64[2]) -> (%a as "y") {
    %a: f32[2] = test::add(self=%x, other=%w) in f64
  })") == R"(graph m(%x: f32[2], %w: f64[2]) -> (%a as "y") {
  %x_as_f64: f64[2] = t2n::cast(self=%x, dtype=f64) as cast_0
  %a_wide: f64[2] = test::add(self=%x_as_f64, other=%w) as add_0 in f64
  %a: f32[2] = t2n::cast(self=%a_wide, dtype=f32) as cast_1
}
)");
}

TEST_CASE("products and quotients of f16 take a number that f16 does not hold in f32") {
  const auto of = [](const std::string& other, const std::string& op = "aten::mul.Scalar") {
    ir::OpTable operators;
    operators.set(op, ir::Promotion::operands, "here");
    PassContext context;
    context.operators = &operators;
    return after("explicit-promotion",
                 cat("graph m(%x: f16[2], %s: f32[], %v: f32[1]) -> (%a as \"y\") {\n"
                     "  %a: f16[2] = ",
                     op, "(self=%x, other=", other, ") in f16\n}"),
                 context);
  };
  const auto has = [](const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  };
  const auto is_wide = [&](const auto&... asked) {
    const std::string text = of(asked...);
    const bool casts = has(text, "%a: f16[2] = t2n::cast(self=%a_wide, dtype=f16)");
    CHECK_EQ(casts, has(text, "%x_as_f32: f32[2] = t2n::cast(self=%x, dtype=f32)"));
    return casts;
  };
  for (const char* number : {"100000.0", "100000", "1e-08", "0.1", "S"})
    CHECK_MESSAGE(is_wide(number), number);
  for (const char* number : {"0.125", "0.0", "-65504.0", "8", "true"})
    CHECK_FALSE_MESSAGE(is_wide(number), number);
  CHECK(is_wide("%s", "aten::div.Tensor"));
  CHECK_FALSE(is_wide("%v", "aten::div.Tensor"));  // which is no number
  CHECK_FALSE(is_wide("100000.0", "aten::add.Scalar"));
  CHECK(is_wide("0.1", "aten::floor_divide.Scalar"));
  CHECK_FALSE(is_wide("0.5", "aten::floor_divide.Scalar"));
}

TEST_CASE("operations that leave the integers compute in the dtype of their result") {
  CHECK(promoted(R"(graph m(%i: i64[2]) -> (%b as "y") {
    %a: f32[2] = test::sqrt(self=%i) in i64
    %b: f64[2] = test::add(self=%i, other=%i) in i64
  })") == R"(graph m(%i: i64[2]) -> (%b as "y") {
  %i_as_f32: f32[2] = t2n::cast(self=%i, dtype=f32) as cast_0
  %a: f32[2] = test::sqrt(self=%i_as_f32) as sqrt_0 in f32
  %i_as_f64: f64[2] = t2n::cast(self=%i, dtype=f64) as cast_1
  %b: f64[2] = test::add(self=%i_as_f64, other=%i_as_f64) as add_0 in f64
}
)");
}

TEST_CASE("conditions are booleans, never the dtype computed in") {
  CHECK(promoted(R"(graph m(%c: bool[2], %u: u8[2], %x: f32[2], %h: f16[2]) -> (%b as "y") {
    %a: f32[2] = test::where(condition=%c, self=%x, other=%h) in f32
    %b: f32[2] = test::where(condition=%u, self=%a, other=%x) in f32
  })") == R"(graph m(%c: bool[2], %u: u8[2], %x: f32[2], %h: f16[2]) -> (%b as "y") {
  %h_as_f32: f32[2] = t2n::cast(self=%h, dtype=f32) as cast_0
  %a: f32[2] = test::where(condition=%c, self=%x, other=%h_as_f32) as where_0 in f32
  %u_as_bool: bool[2] = t2n::cast(self=%u, dtype=bool) as cast_1
  %b: f32[2] = test::where(condition=%u_as_bool, self=%a, other=%x) as where_1 in f32
}
)");
}

TEST_CASE("half types compute in themselves; unknown operations are left alone") {
  check_untouched(R"(graph m(%x: f16[2], %b: bf16[2], %i: i64[2]) -> (%a as "y") {
    %a: f16[2] = test::sqrt(self=%x) in f16
    %c: bf16[2] = test::add(self=%b, other=2.5) in bf16
    %d: f16[2] = test::index(self=%x, index=%i) in f32
    %e: f16[2] = test::add(self=%x, other=%i)
  })");
}

}  // namespace
}  // namespace t2n::passes
