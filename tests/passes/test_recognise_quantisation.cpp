// SPDX-License-Identifier: Apache-2.0
// Weights behind quantisers, as the integers that they are.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "ops/all.h"
#include "src/translate/registry.h"
#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

using ir::Tensor;

/// What a tensor or number gives, for `count` results: one for all, one per row, or one for each.
std::vector<double> numbers(const ir::Node& node, const char* name, const ir::Operand& operand,
                            int64_t count) {
  const ir::Attr* attr = node.find(name);
  const auto* ref = attr == nullptr ? nullptr : std::get_if<ir::TensorRef>(attr);
  std::vector<double> given;
  if (ref != nullptr)
    given = ir::to_f64(operand(ref->id));
  else if (attr != nullptr)
    given = {std::get<double>(*attr)};
  std::vector<double> out(static_cast<size_t>(count));
  for (size_t i = 0; i < out.size() && !given.empty(); ++i)
    out[i] = given[i * given.size() / out.size()];
  return out;
}

double element_result(std::string_view word, double a, double b, double low, double high) {
  if (word == "round") return std::nearbyint(a);
  if (word == "clamp") return std::clamp(a, low, high);
  if (word == "div") return a / b;
  if (word == "mul") return a * b;
  if (word == "add") return a + b;
  if (word == "ge") return a >= b ? 1 : 0;
  REQUIRE(word == "sub");
  return a - b;
}

/// Arithmetic in f32; `cat` of two, `cast`, and `slice` from the first element.
std::vector<Tensor> evaluate_grid(const ir::Node& node, const ir::Operand& operand) {
  const std::string_view word = ir::op_short_name(node.op);
  if (word == "cat") {
    const auto& parts = std::get<ir::TensorRefs>(*node.find("tensors")).ids;
    std::vector<double> all = ir::to_f64(operand(parts.at(0)));
    const std::vector<double> second = ir::to_f64(operand(parts.at(1)));
    all.insert(all.end(), second.begin(), second.end());
    return {ir::tensor_of(ir::DType::f32, {static_cast<int64_t>(all.size())}, all)};
  }
  const Tensor self = operand(std::get<ir::TensorRef>(*node.find("self")).id);
  std::vector<double> a = ir::to_f64(self);
  if (word == "slice") {
    a.resize(static_cast<size_t>(std::get<ir::Dim>(*node.find("end")).value()));
    return {ir::tensor_of(ir::DType::f32, {static_cast<int64_t>(a.size())}, a)};
  }
  if (word == "cast")
    return {ir::tensor_of(std::get<ir::DType>(*node.find("dtype")), self.shape, a)};
  const auto of = [&](const char* name) { return numbers(node, name, operand, self.elements()); };
  const std::vector<double> b = of("other");
  const std::vector<double> low = of("min");
  const std::vector<double> high = of("max");
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = element_result(word, a[i], b[i], low[i], high[i]);
    a[i] = static_cast<double>(static_cast<float>(a[i]));
  }
  return {ir::tensor_of(word == "ge" ? ir::DType::boolean : ir::DType::f32, self.shape, a)};
}

PassContext grid_context() {
  PassContext out;
  out.evaluate = evaluate_grid;
  out.operators = &ops::registry().table();
  return out;
}

std::string recognised(std::string_view text) {
  const std::string out = after("recognise-quantisation", text, grid_context());
  CHECK(after("recognise-quantisation", out, grid_context()) == out);  // nothing is left to do
  return out;
}

void check_floats(std::string_view text) {
  check_unchanged("recognise-quantisation", text, grid_context());
}

TEST_CASE("a weight that was rounded, times a scale, is integers; the scale is a number") {
  CHECK(recognised(R"(graph m(%x: f32[1,6]) -> (%y as "y") {
    const %w: f32[6] = {0.9, -0.4, 1.6, -1.1, 0.2, 0.0}
    const %n: f32[] = {0.5}
    %s: f32[] = aten::mul.Tensor(self=%n, other=%n)
    %a: f32[6] = aten::div.Tensor(self=%w, other=%s)
    %b: f32[6] = aten::clamp(self=%a, min=-8.0, max=7.0)
    %r: f32[6] = aten::round(self=%b)
    %q: f32[6] = aten::mul.Tensor(self=%r, other=%s)
    %y: f32[1,6] = aten::mul.Tensor(self=%x, other=%q)
  })") == R"(graph m(%x: f32[1,6]) -> (%y as "y") {
  const %s: f32[] = {0.25}
  const %w: i8[6] quant(scales=[1.0], zero_points=[0], axis=0, bits=4, signed=true, narrow_range=true) = {4, -2, 6, -4, 1, 0}
  %r: f32[6] = t2n::cast(self=%w, dtype=f32) as cast_0
  %q: f32[6] = aten::mul.Tensor(self=%r, other=%s) as mul_1
  %y: f32[1,6] = aten::mul.Tensor(self=%x, other=%q) as mul_2
}
)");
}

TEST_CASE("integers without a sign keep their zero point") {
  CHECK(recognised(R"(graph m(%x: f32[6]) -> (%y as "y") {
    const %w: f32[6] = {0.0, 254.0, 16.2, 101.1, 0.2, 255.0}
    const %z: f32[] = {3.5}
    const %s: f32[] = {0.5}
    %r: f32[6] = aten::round(self=%w)
    %d: f32[6] = aten::sub.Tensor(self=%r, other=%z, alpha=1)
    %q: f32[6] = aten::mul.Tensor(self=%d, other=%s)
    %y: f32[6] = aten::mul.Tensor(self=%x, other=%q)
  })") == R"(graph m(%x: f32[6]) -> (%y as "y") {
  const %z: f32[] = {3.5}
  const %s: f32[] = {0.5}
  const %w: u8[6] quant(scales=[1.0], zero_points=[0], axis=0, bits=8, signed=false, narrow_range=false) = {0, 254, 16, 101, 0, 255}
  %r: f32[6] = t2n::cast(self=%w, dtype=f32) as cast_0
  %d: f32[6] = aten::sub.Tensor(self=%r, other=%z, alpha=1) as sub_0
  %q: f32[6] = aten::mul.Tensor(self=%d, other=%s) as mul_0
  %y: f32[6] = aten::mul.Tensor(self=%x, other=%q) as mul_1
}
)");
}

TEST_CASE("signs are integers, one quantiser of two layers stays one, joined weights are both") {
  CHECK(recognised(R"(graph m(%x: f32[10]) -> (%y as "y", %z as "z") {
    const %w: f32[5] = {0.9, -0.4, 1.6, -1.1, 0.2}
    const %v: f32[5] = {1.0, 2.2, -3.9, 4.0, 5.0}
    const %s: f32[] = {0.5}
    const %h: f32[] = {0.5}
    %g: bool[5] = aten::ge.Scalar(self=%w, other=0.0)
    %c: f32[5] = t2n::cast(self=%g, dtype=f32)
    %a: f32[5] = aten::sub.Tensor(self=%c, other=%h, alpha=1)
    %r: f32[5] = aten::round(self=%v)
    %b: f32[5] = aten::mul.Tensor(self=%r, other=%s)
    %q: f32[10] = aten::cat(tensors=[%a, %b], dim=0)
    %y: f32[10] = aten::mul.Tensor(self=%x, other=%q)
    %z: f32[10] = aten::add.Tensor(self=%x, other=%q, alpha=1)
  })") == R"(graph m(%x: f32[10]) -> (%y as "y", %z as "z") {
  const %s: f32[] = {0.5}
  const %h: f32[] = {0.5}
  const %w: u8[5] quant(scales=[1.0], zero_points=[0], axis=0, bits=1, signed=false, narrow_range=false) = {1, 0, 1, 0, 1}
  const %v: i8[5] quant(scales=[1.0], zero_points=[0], axis=0, bits=4, signed=true, narrow_range=true) = {1, 2, -4, 4, 5}
  %c: f32[5] = t2n::cast(self=%w, dtype=f32) as cast_1
  %a: f32[5] = aten::sub.Tensor(self=%c, other=%h, alpha=1) as sub_0
  %r: f32[5] = t2n::cast(self=%v, dtype=f32) as cast_2
  %b: f32[5] = aten::mul.Tensor(self=%r, other=%s) as mul_0
  %q: f32[10] = aten::cat(tensors=[%a, %b], dim=0) as cat_0
  %y: f32[10] = aten::mul.Tensor(self=%x, other=%q) as mul_1
  %z: f32[10] = aten::add.Tensor(self=%x, other=%q, alpha=1) as add_0
}
)");
}

TEST_CASE("a part of a quantised weight is a part of its integers") {
  CHECK(recognised(R"(graph m(%x: f32[6]) -> (%y as "y") {
    const %w: f32[8] = {0.9, 0.4, 1.6, -1.1, 0.2, 3.0, 4.0, -5.0}
    const %s: f32[] = {0.3}
    %r: f32[8] = aten::round(self=%w)
    %q: f32[8] = aten::mul.Tensor(self=%r, other=%s)
    %p: f32[6] = aten::slice.Tensor(self=%q, dim=0, start=0, end=6, step=1)
    %y: f32[6] = aten::mul.Tensor(self=%x, other=%p)
  })") == R"(graph m(%x: f32[6]) -> (%y as "y") {
  const %s: f32[] = {0.3}
  const %w: i8[8] quant(scales=[1.0], zero_points=[0], axis=0, bits=4, signed=true, narrow_range=true) = {1, 0, 2, -1, 0, 3, 4, -5}
  %r: f32[8] = t2n::cast(self=%w, dtype=f32) as cast_0
  %q: f32[8] = aten::mul.Tensor(self=%r, other=%s) as mul_0
  %p: f32[6] = aten::slice.Tensor(self=%q, dim=0, start=0, end=6, step=1) as slice_0
  %y: f32[6] = aten::mul.Tensor(self=%x, other=%p) as mul_1
}
)");
}

TEST_CASE("a weight that is also read as floats stays as well") {
  CHECK(recognised(R"(graph m(%x: f32[5]) -> (%y as "y", %z as "z") {
    const %w: f32[5] = {0.9, 0.4, 1.6, -1.1, 0.2}
    %r: f32[5] = aten::round(self=%w)
    %y: f32[5] = aten::mul.Tensor(self=%x, other=%r)
    %z: f32[5] = aten::mul.Tensor(self=%x, other=%w)
  })") == R"(graph m(%x: f32[5]) -> (%y as "y", %z as "z") {
  const %w: f32[5] = {0.9, 0.4, 1.6, -1.1, 0.2}
  const %w_2: i8[5] quant(scales=[1.0], zero_points=[0], axis=0, bits=3, signed=true, narrow_range=true) = {1, 0, 2, -1, 0}
  %r: f32[5] = t2n::cast(self=%w_2, dtype=f32) as cast_0
  %y: f32[5] = aten::mul.Tensor(self=%x, other=%r) as mul_0
  %z: f32[5] = aten::mul.Tensor(self=%x, other=%w) as mul_1
}
)");
}

TEST_CASE("weights that are nearly integers, or need more bits, stay floats") {
  check_floats(R"(graph m(%x: f32[5]) -> (%y as "y") {
    const %w: f32[5] = {0.9, 0.4, 1.6, -1.1, 0.2}
    const %s: f32[] = {0.1}
    %a: f32[5] = aten::div.Tensor(self=%w, other=%s)
    %r: f32[5] = aten::round(self=%a)
    %q: f32[5] = aten::mul.Tensor(self=%r, other=%s)
    %d: f32[5] = aten::sub.Tensor(self=%q, other=%w, alpha=1)
    %e: f32[5] = aten::add.Tensor(self=%w, other=%d, alpha=1)
    %y: f32[5] = aten::mul.Tensor(self=%x, other=%e)
  })");
  check_floats(R"(graph m(%x: f32[5]) -> (%y as "y") {
    const %w: f32[5] = {300.4, 0.4, 1.6, -1.1, 0.2}
    %r: f32[5] = aten::round(self=%w)
    %y: f32[5] = aten::mul.Tensor(self=%x, other=%r)
  })");
}

TEST_CASE("the quantiser of an input stays as it is, and so does one by a scale that is an input") {
  check_floats(R"(graph m(%x: f32[5], %s: f32[]) -> (%y as "y") {
    const %w: f32[5] = {0.9, 0.4, 1.6, -1.1, 0.2}
    %a: f32[5] = aten::div.Tensor(self=%w, other=%s)
    %r: f32[5] = aten::round(self=%a)
    %b: f32[5] = aten::round(self=%x)
    %y: f32[5] = aten::mul.Tensor(self=%b, other=%r)
  })");
}

TEST_CASE("small tables and masks of constants are no weights") {
  check_floats(R"(graph m(%x: f32[2,3]) -> (%y as "y") {
    const %w: f32[2] = {0.9, 0.4}
    %g: f32[2] = aten::round(self=%w)
    %y: f32[2,3] = aten::mul.Tensor(self=%x, other=%g)
  })");
}

/// The one note that the pass gives.
Diagnostic note_on(const char* text) {
  ir::Graph graph = ir::parse(text);
  PassContext with_report = grid_context();
  DiagnosticList list;
  with_report.report = list.report();
  run_pipeline(graph, {"recognise-quantisation"}, with_report);
  REQUIRE(list.items.size() == 1);
  return list.items[0];
}

TEST_CASE("the note counts stored weights with their bits, and the others") {
  const Diagnostic note = note_on(R"(graph m(%x: f32[5]) -> (%y as "y") {
    const %w: f32[5] = {0.9, 0.4, 1.6, -1.1, 0.2}
    const %v: f32[5] = {300.9, 0.4, 1.6, -1.1, 0.2}
    %r: f32[5] = aten::round(self=%w)
    %s: f32[5] = aten::round(self=%v)
    %a: f32[5] = aten::round(self=%x)
    %z: f32[5] = aten::mul.Tensor(self=%a, other=%s)
    %y: f32[5] = aten::mul.Tensor(self=%z, other=%r)
  })");
  CHECK(note.id == "quantised-weights");
  CHECK(note.message == "1 of 2 weights with quantisers stored as integers");
  const std::vector<std::string> details = {
      "1 weight of 3 bits", "1 rounding of activations",
      "v stays in floats: its quantiser does not produce 8-bit integers times a scale"};
  CHECK(note.details == details);
}

TEST_CASE("the note names weights that stay floats also where no other is stored") {
  const Diagnostic note = note_on(R"(graph m(%x: f32[5]) -> (%y as "y") {
    const %v: f32[5] = {300.9, 0.4, 1.6, -1.1, 0.2}
    %s: f32[5] = aten::round(self=%v)
    %y: f32[5] = aten::mul.Tensor(self=%x, other=%s)
  })");
  CHECK(note.message == "0 of 1 weight with quantisers stored as integers");
  const std::vector<std::string> details = {
      "v stays in floats: its quantiser does not produce 8-bit integers times a scale"};
  CHECK(note.details == details);
}

/// A weight with a zero below zero, rounded, times a scale, and what reads it.
std::string rounded_below_zero(const std::string& reader) {
  return R"(graph m(%x: f32[1,6]) -> (%y as "y") {
    const %w: f32[1,6] = {0.9, -0.4, 1.6, -1.1, 0.2, 0.0}
    const %s: f32[] = {0.25}
    %r: f32[1,6] = aten::round(self=%w)
    %q: f32[1,6] = aten::mul.Tensor(self=%r, other=%s)
    )" + reader +
         "\n  }";
}

TEST_CASE("integers have no -0.0: only sums of products do not show the sign") {
  const auto is_stored = [](const std::string& reader) {
    return after("recognise-quantisation", rounded_below_zero(reader), grid_context())
               .find("i8[") != std::string::npos;
  };
  const std::string linear = "aten::linear(input=%x, weight=";
  CHECK(is_stored("%y: f32[1,1] = " + linear + "%q, bias=none)"));
  CHECK(is_stored("%t: f32[6,1] = aten::mul.Tensor(self=%q, other=%x)\n %y: f32[1,1] = " + linear +
                  "%t, bias=none)"));
  CHECK(is_stored("%y: bool[1,6] = aten::lt.Tensor(self=%q, other=%x)"));
  CHECK_FALSE(is_stored("%y: f32[1,6] = aten::mul.Tensor(self=%x, other=%q)"));
  CHECK_FALSE(is_stored("%y: f32[1,6] = aten::atan2(self=%q, other=%x)"));
  CHECK_FALSE(is_stored("%y: f32[1,6] = aten::copysign.Tensor(self=%x, other=%q)"));
  CHECK_FALSE(is_stored("%d: f32[1,6] = aten::div.Tensor(self=%x, other=%q)\n %y: f32[1,1] = " +
                        linear + "%d, bias=none)"));
}

TEST_CASE("formulas in numbers of 16 bits stay folded") {
  check_floats(R"(graph m(%x: f32[1,6]) -> (%y as "y") {
    const %w: f32[6] = {0.9, 0.4, 1.6, -1.1, 0.2, 0.0}
    const %s: f32[] = {0.25}
    %r: f32[6] = aten::round(self=%w)
    %q: f32[6] = aten::mul.Tensor(self=%r, other=%s)
    %h: f16[6] = t2n::cast(self=%q, dtype=f16)
    %f: f32[6] = t2n::cast(self=%h, dtype=f32)
    %y: f32[1,6] = aten::mul.Tensor(self=%x, other=%f)
  })");
}

}  // namespace
}  // namespace t2n::passes
