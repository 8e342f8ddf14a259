// SPDX-License-Identifier: Apache-2.0
// Which linear layers are sums of integers, and the near misses.
#include <doctest/doctest.h>

#include "src/passes/integer_products.h"
#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

struct Layer {
  std::string whole = "aten::round(self=%x)";
  std::string steps = "aten::clamp(self=%r, min=-3.0, max=252.0)";
  std::string weight = "i8[2,4] = {1, -2, 3, 4, 5, 6, -128, 127}";
  std::string bias = "none";
  int64_t least = 4;
};

std::string rewritten(const Layer& layer) {
  ir::Graph graph = ir::parse(
      cat("graph m(%x: f32[3,4], %p: f32[]) -> (%y as \"y\") {\n  const %w: ", layer.weight,
          "\n  %c: f32[2,4] = t2n::cast(self=%w, dtype=f32)\n  %r: f32[3,4] = ", layer.whole,
          "\n  %s: f32[3,4] = ", layer.steps,
          "\n  %y: f32[3,2] = aten::linear(input=%s, weight=%c, bias=", layer.bias, ")\n}\n"));
  if (layer.least > 0) graph.attributes[kIntegerProducts] = IntegerProducts{layer.least, false};
  run_pipeline(graph, {"integer-products"}, {});
  return ir::print(graph);
}

bool is_found(const Layer& layer) {
  return rewritten(layer).find("t2n::integer_linear") != std::string::npos;
}

TEST_CASE("steps move into 8 bits, and the weights' sums bring them back") {
  const std::string text = rewritten({});
  CAPTURE(text);
  for (const char* part :
       {"= {125.0}", "aten::sub.Tensor(self=%s, other=", "dtype=i8)", "weight=%w)",
        "aten::sum.dim_IntList(self=%c, dim=[1], keepdim=false, dtype=none)", "dtype=i32)",
        "%y: f32[3,2] = t2n::cast(self="})
    CHECK(text.find(part) != std::string::npos);
  // Nothing to bring back.
  const std::string centred = rewritten({.steps = "aten::clamp(self=%r, min=-128.0, max=127.0)"});
  CHECK(centred.find("t2n::integer_linear") != std::string::npos);
  CHECK(centred.find("aten::sum") == std::string::npos);
}

TEST_CASE("inputs that are proven to be whole numbers of 8 bits") {
  CHECK(is_found({.whole = "aten::floor(self=%x)"}));
  CHECK(is_found({.steps = "aten::clamp(self=%r, min=0.0, max=255.0)"}));
  CHECK_FALSE(is_found({.whole = "aten::relu(self=%x)"}));
  CHECK_FALSE(is_found({.steps = "aten::relu(self=%r)"}));
  CHECK_FALSE(is_found({.steps = "aten::clamp(self=%r, min=0.0, max=256.0)"}));
  CHECK_FALSE(is_found({.steps = "aten::clamp(self=%r, min=0.5, max=255.0)"}));
  CHECK_FALSE(is_found({.steps = "aten::clamp(self=%r, min=0.0, max=none)"}));
  CHECK_FALSE(is_found({.whole = "aten::mul.Tensor(self=%x, other=%x)"}));
}

TEST_CASE("layers that stay: few products, other weights, a bias, other targets") {
  CHECK(is_found({.least = 4}));
  CHECK_FALSE(is_found({.least = 5}));
  CHECK_FALSE(is_found({.least = 0}));
  CHECK_FALSE(is_found({.weight = "u8[2,4] = {1, 2, 3, 4, 5, 6, 7, 8}"}));
}

TEST_CASE("sums that f32 may round are those of wide integers") {
  const auto text = [](int64_t weight, double low, double high) {
    ir::Graph graph = ir::parse(
        cat("graph m(%x: f32[3,4]) -> (%y as \"y\") {\n  const %w: i8[1,4] = {", weight, ", ",
            weight, ", ", weight, ", ", weight,
            "}\n  %c: f32[1,4] = t2n::cast(self=%w, dtype=f32)\n"
            "  %r: f32[3,4] = aten::round(self=%x)\n  %s: f32[3,4] = aten::clamp(self=%r, "
            "min=",
            low, ".0, max=", high,
            ".0)\n  %y: f32[3,1] = aten::linear(input=%s, weight=%c, bias=none)\n}\n"));
    graph.attributes[kIntegerProducts] = IntegerProducts{0, true};
    run_pipeline(graph, {"integer-products"}, {});
    return ir::print(graph);
  };
  // 4 * 127 * 33025 = 16776700, just below 2^24.
  CHECK(text(127, 32770, 33025).find("t2n::integer_linear") == std::string::npos);
  const std::string wide = text(127, 32780, 33035);
  CHECK(wide.find("t2n::integer_linear") != std::string::npos);
  CHECK(wide.find("dtype=i8") == std::string::npos);
  CHECK(text(-127, -33035, -32780).find("t2n::integer_linear") != std::string::npos);
  CHECK(text(-127, -33025, -32770).find("t2n::integer_linear") == std::string::npos);
}

TEST_CASE("a zero point that follows from data is taken from the sums") {
  const std::string text = [] {
    ir::Graph graph = ir::parse(R"(graph m(%x: f32[3,4]) -> (%y as "y") {
      const %w: i8[2,4] = {1, -2, 3, 4, 5, 6, -128, 127}
      %c: f32[2,4] = t2n::cast(self=%w, dtype=f32)
      %m: f32[] = aten::min(self=%x)
      %n: f32[] = aten::round(self=%m)
      %p: f32[] = aten::clamp(self=%n, min=0.0, max=255.0)
      %r: f32[3,4] = aten::round(self=%x)
      %a: f32[3,4] = aten::add.Tensor(self=%r, other=%p, alpha=1)
      %q: f32[3,4] = aten::clamp(self=%a, min=0.0, max=255.0)
      %s: f32[3,4] = aten::sub.Tensor(self=%q, other=%p, alpha=1)
      %y: f32[3,2] = aten::linear(input=%s, weight=%c, bias=none)
    })");
    graph.attributes[kIntegerProducts] = IntegerProducts{4, false};
    run_pipeline(graph, {"integer-products"}, {});
    return ir::print(graph);
  }();
  CAPTURE(text);
  CHECK(text.find("t2n::integer_linear") != std::string::npos);
  CHECK(text.find("aten::sub.Tensor(self=%q, other=") != std::string::npos);
  CHECK(text.find("other=%p, alpha=1)") != std::string::npos);
}

}  // namespace
}  // namespace t2n::passes
