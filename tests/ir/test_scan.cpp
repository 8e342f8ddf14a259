// SPDX-License-Identifier: Apache-2.0
// t2n::scan: what verify refuses, and what running it gives.
#include "ir/scan.h"
#include "tests/ir/support.h"

namespace t2n::ir {
namespace {

/// Two scanned tensors, one from its end; a state, a captured tensor, two stacked outputs.
constexpr const char* kText =
    R"(graph m(%x: f32[2,3], %z: f32[3], %h: f32[2], %w: f32[2]) -> (%all as "all", %ts as "ts", %last as "last") {
  %all: f32[2,3], %ts: f32[3,2], %last: f32[2] = t2n::scan(length=3, scanned=[%x, %z], scanned_axes=[1, 0], scanned_reversed=[false, true], initial=[%h], captured=[%w], stacked_axes=[1, 0], stacked_reversed=[false, true]) as scan_0 body graph iteration(%t: i64[], %v: f32[2], %s: f32[], %h: f32[2], %w: f32[2]) -> (%n as "all", %m as "ts", %n as "h") {
    %p: f32[2] = add(self=%h, other=%v) as add_0
    %q: f32[2] = mul(self=%p, other=%w) as mul_0
    %n: f32[2] = add(self=%q, other=%s) as add_1
    %m: f32[2] = mul(self=%n, other=%t) as mul_1
  }
}
)";

/// add and mul with numpy's rules for rank 0.
std::vector<Tensor> evaluate(const Node& node, const Operand& operand) {
  const Tensor a = operand(std::get<TensorRef>(*node.find("self")).id);
  const Tensor b = operand(std::get<TensorRef>(*node.find("other")).id);
  std::vector<double> out;
  for (int64_t i = 0; i < a.elements(); ++i) {
    const double x = element_f64(a, i), y = element_f64(b, b.elements() == 1 ? 0 : i);
    out.push_back(op_name(node.op) == "add" ? x + y : x * y);
  }
  return {tensor_of(DType::f32, a.shape, out)};
}

TEST_CASE("a scan prints, parses and verifies") { check_round_trip(kText); }

TEST_CASE("a scan runs iteration after iteration") {
  const std::vector<Tensor> out = run_graph(
      parse(kText),
      {tensor_of<double>(DType::f32, {2, 3}, {1, 2, 3, 4, 5, 6}),
       tensor_of<double>(DType::f32, {3}, {10, 20, 30}), tensor_of<double>(DType::f32, {2}, {0, 1}),
       tensor_of<double>(DType::f32, {2}, {1, 2})},
      evaluate);
  // h: (0, 1) -> (0 + 1) * 1 + 30, (1 + 4) * 2 + 30 -> …
  CHECK(to_f64(out[0]) == std::vector<double>{31, 53, 66, 40, 110, 242});
  CHECK(to_f64(out[1]) == std::vector<double>{132, 484, 53, 110, 0, 0});
  CHECK(to_f64(out[2]) == std::vector<double>{66, 242});
}

struct BrokenScan {
  std::string problem;
  std::string from;
  std::string to;
};

const std::vector<BrokenScan> kBrokenScans = {
    {"the argument 'length' is missing or has the wrong type", "length=3", "length=true"},
    {"the argument 'initial' is missing or has the wrong type", "initial=", "first="},
    {"'scanned_axes' contains a symbolic size", "scanned_axes=[1, 0]", "scanned_axes=[1, S]"},
    {"every scanned tensor needs an axis and a direction", "scanned_axes=[1, 0]",
     "scanned_axes=[1]"},
    {"every stacked output needs an axis and a direction", "stacked_reversed=[false, true]",
     "stacked_reversed=[true]"},
    {"the body has 5 inputs, the scan passes 4", "captured=[%w]", "captured=tensors[]"},
    {"the body has 3 outputs, the scan needs 2 and has 3",
     "stacked_axes=[1, 0], stacked_reversed=[false, true]",
     "stacked_axes=[1], stacked_reversed=[true]"},
    {"the scan has -1 iterations", "length=3", "length=-1"},
    {"'%x' has the size 3 along axis 1 of a scan of 4 iterations", "length=3", "length=4"},
    {"'%z' has no axis 1", "scanned_axes=[1, 0]", "scanned_axes=[1, 1]"},
    {"'%t' of the body is f32[] where the iteration is i64[]", "%t: i64[]", "%t: f32[]"},
    {"'%v' of the body is f32[3] where the scanned slice is f32[2]", "%v: f32[2]", "%v: f32[3]"},
    {"'%h' of the body is f32[3] where the initial state is f32[2]", "%s: f32[], %h: f32[2]",
     "%s: f32[], %h: f32[3]"},
    {"'%w' of the body is f64[2] where the captured value is f32[2]",
     "%h: f32[2], %w: f32[2]) -> (%n", "%h: f32[2], %w: f64[2]) -> (%n"},
    {"'%m' of the body is f32[5] where a slice of the output is f32[2]", "%m: f32[2]",
     "%m: f32[5]"},
    {"'%q' of the body is f32[4] where the state is f32[2]",
     "%n as \"h\") {\n    %p: f32[2] = add(self=%h, other=%v) as add_0\n    %q: f32[2]",
     "%q as \"h\") {\n    %p: f32[2] = add(self=%h, other=%v) as add_0\n    %q: f32[4]"},
    {"'%n' of the body is f32[2] where the last state is f32[9]", "%last: f32[2]", "%last: f32[9]"},
};

TEST_CASE("every rule of a scan is checked") {
  for (const BrokenScan& broken : kBrokenScans) {
    std::string text = kText;
    const size_t at = text.find(broken.from);
    REQUIRE(at != std::string::npos);
    text.replace(at, broken.from.size(), broken.to);
    CHECK(diagnostic_of([&] { verify(parse(text), "a-pass"); }).message ==
          "/scan_0: " + broken.problem);
  }
}

TEST_CASE("symbolic sizes need not be known to be equal") {
  std::string text = kText;
  text.replace(text.find("length=3"), 8, "length=S");
  CHECK_NOTHROW(verify(parse(text), "a-pass"));
}

}  // namespace
}  // namespace t2n::ir
