// SPDX-License-Identifier: Apache-2.0
// What becomes f16, what stays in f32, and the casts between both.
#include <doctest/doctest.h>

#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

std::string narrowed(std::string_view text, const PassContext& context = {}) {
  std::string out = after("narrow-floats", text, context);
  ir::verify(ir::parse(out), "test");
  return out;
}

TEST_CASE("layers compute in f16, softmax in f32; inputs and outputs keep their dtypes") {
  CHECK(narrowed(R"(graph m(%x: f32[2,2]) -> (%s as "y") {
    const %w: f32[2,2] = {1.0, 2.0, 3.0, 4.0}
    %a: f32[2,2] = aten::linear(input=%x, weight=%w, bias=none) in f32
    %b: f32[2,2] = aten::relu(self=%a)
    %s: f32[2,2] = aten::softmax.int(self=%b, dim=1, dtype=none)
  })") == R"(graph m(%x: f32[2,2]) -> (%s as "y") {
  const %w_as_f16: f32[2,2] = {1.0, 2.0, 3.0, 4.0}
  %x_as_f16: f16[2,2] = t2n::cast(self=%x, dtype=f16) as cast_0
  %w: f16[2,2] = t2n::cast(self=%w_as_f16, dtype=f16) as cast_1
  %a: f16[2,2] = aten::linear(input=%x_as_f16, weight=%w, bias=none) as linear_0 in f16
  %b: f16[2,2] = aten::relu(self=%a) as relu_0
  %b_as_f32: f32[2,2] = t2n::cast(self=%b, dtype=f32) as cast_2
  %s: f32[2,2] = aten::softmax.int(self=%b_as_f32, dim=1, dtype=none) as softmax_0
}
)");
}

TEST_CASE("numbers that f16 does not hold keep an operation in f32") {
  const std::string text = narrowed(R"(graph m(%x: f32[2], %m: bool[2]) -> (%d as "y") {
    const %w: f32[2,2] = {1.0, 2.0, 3.0, 4.0}
    %a: f32[2] = aten::linear(input=%x, weight=%w, bias=none) in f32
    %b: f32[2] = aten::masked_fill.Scalar(self=%a, mask=%m, value=-1e9)
    %c: f32[2] = aten::add.Scalar(self=%b, other=1e-12, alpha=1) in f32
    %d: f32[2] = aten::relu(self=%c)
  })");
  CHECK(text.find("%a: f16[2]") != std::string::npos);
  CHECK(text.find("%b: f32[2] = aten::masked_fill.Scalar(self=%a_as_f32") != std::string::npos);
  CHECK(text.find("%d: f32[2] = aten::relu(self=%c)") != std::string::npos);
}

TEST_CASE("a sum of both widths is in f32; comparisons compute in that of their operands") {
  const std::string text = narrowed(R"(graph m(%x: f32[2]) -> (%c as "y", %d as "z") {
    const %w: f32[2,2] = {1.0, 2.0, 3.0, 4.0}
    %a: f32[2] = aten::linear(input=%x, weight=%w, bias=none) in f32
    %b: f32[2] = aten::exp(self=%a)
    %c: f32[2] = aten::add.Tensor(self=%a, other=%b, alpha=1) in f32
    %d: bool[2] = aten::lt.Tensor(self=%a, other=%x) in f32
  })");
  CHECK(text.find("%b: f32[2] = aten::exp(self=%a_as_f32)") != std::string::npos);
  CHECK(text.find("%c: f32[2] = aten::add.Tensor(self=%a_as_f32, other=%b") != std::string::npos);
  CHECK(text.find("%d: bool[2] = aten::lt.Tensor(self=%a, other=%x_as_f16) as lt_0 in f16") !=
        std::string::npos);
}

TEST_CASE("what the caller keeps, f64, integers and complex numbers stay as they are") {
  PassContext context;
  context.keeps_f32 = [](const ir::Graph&, const ir::Node& node) {
    return ir::op_short_name(node.op) == "relu";
  };
  const std::string kept = narrowed(R"(graph m(%x: f32[2]) -> (%a as "y") {
    %a: f32[2] = aten::relu(self=%x)
  })",
                                    context);
  CHECK(kept.find("f16") == std::string::npos);
  const std::string others = narrowed(R"(graph m(%x: f64[2], %i: i64[2]) -> (%a as "y", %b as "z") {
    %a: f64[2] = aten::relu(self=%x)
    %b: i64[2] = aten::relu(self=%i)
  })");
  CHECK(others.find("f16") == std::string::npos);
}

TEST_CASE("tables of positions and decisions on inputs stay in f32") {
  const std::string text = narrowed(R"(graph m(%x: f32[2]) -> (%s as "s", %i as "i") {
    const %p: f32[2] = {2049.0, 3001.0}
    const %w: f32[2] = {0.5, 0.25}
    %a: f32[2] = aten::mul.Tensor(self=%p, other=%w) in f32
    %s: f32[2] = aten::sin(self=%a) in f32
    %i: i64[] = aten::argmax(self=%x, dim=none, keepdim=false)
  })");
  CHECK(text.find("f16") == std::string::npos);
}

TEST_CASE("integers that take part in arithmetic are not rounded to f16") {
  const std::string text = narrowed(R"(graph m(%x: f32[2], %i: i64[2]) -> (%p as "p", %q as "q",
                                     %r as "r", %f as "f") {
    const %w: f32[2] = {0.5, 0.25}
    %p: f32[2] = aten::mul.Tensor(self=%i, other=%w) in f32
    %q: f32[2] = aten::div.Tensor(self=%i, other=%i) in f32
    %r: f32[3] = aten::arange(end=3.0, dtype=none, layout=none, device=none, pin_memory=none)
    %f: f32[2] = aten::full_like(self=%x, fill_value=-100000, dtype=none, layout=none, device=none, pin_memory=none, memory_format=none)
  })");
  CHECK(text.find("f16") == std::string::npos);
}

}  // namespace
}  // namespace t2n::passes
