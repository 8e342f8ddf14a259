// SPDX-License-Identifier: Apache-2.0
// Which layers are equalised, and to what. Values of forms are compared in
// tests/export/test_pass_steps.cpp.
#include <doctest/doctest.h>

#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

constexpr const char* kEqualisePass = "equalise";

/// Channels of the first layer reach 16 and 1, those of the second 1 and 4.
std::string two_layers_text(std::string_view between, std::string_view more = {},
                            std::string_view outputs = {}) {
  return cat("graph m(%x: f32[1,2]) -> (%y as \"y\"", outputs, ") {\n",
             "  const %a.weight: f32[2,2] = {16.0, 8.0, 1.0, 0.5}\n"
             "  const %a.bias: f32[2] = {32.0, 1.0}\n"
             "  const %b.weight: f32[1,2] = {1.0, 4.0}\n"
             "  %h: f32[1,2] = aten::linear(input=%x, weight=%a.weight, bias=%a.bias)\n",
             between, "  %y: f32[1,1] = aten::linear(input=%r, weight=%b.weight, bias=none)\n",
             more, "}\n");
}

constexpr std::string_view kRelu = "  %r: f32[1,2] = aten::relu(self=%h)\n";

TEST_CASE("weights on both sides of a relu become equally large, channel by channel") {
  // s is sqrt(16 / 1) and sqrt(1 / 4).
  const std::string out = after(kEqualisePass, two_layers_text(kRelu));
  CHECK(out.find("%a.weight: f32[2,2] = {4.0, 2.0, 2.0, 1.0}\n") != out.npos);
  CHECK(out.find("%a.bias: f32[2] = {8.0, 2.0}\n") != out.npos);
  CHECK(out.find("%b.weight: f32[1,2] = {4.0, 2.0}\n") != out.npos);
  CHECK(after(kEqualisePass, out) == out);  // there is nothing left to do
}

TEST_CASE("several homogeneous operations may stand between, or none") {
  CHECK(after(kEqualisePass,
              two_layers_text("  %g: f32[1,2] = aten::leaky_relu(self=%h, "
                              "negative_slope=0.01)\n  %r: f32[1,2] = aten::relu(self=%g)\n"))
            .find("{4.0, 2.0, 2.0, 1.0}") != std::string::npos);
}

TEST_CASE("other activations, and chains that somebody else reads, stay") {
  for (const char* between : {"  %r: f32[1,2] = aten::relu6(self=%h)\n",
                              "  %r: f32[1,2] = aten::gelu(self=%h, "
                              "approximate=\"none\")\n",
                              "  %r: f32[1,2] = aten::sigmoid(self=%h)\n"})
    check_unchanged(kEqualisePass, two_layers_text(between));
  check_unchanged(kEqualisePass, two_layers_text(kRelu, {}, ", %h as \"h\""));
  check_unchanged(kEqualisePass, two_layers_text(kRelu, {}, ", %r as \"r\""));
}

/// Two convolutions over one axis, with a pool between them whose windows are `window` large.
std::string pooled_text(const char* pool, const char* window, const char* rest) {
  return cat(
      "graph m(%x: f32[1,1,4]) -> (%y as \"y\") {\n"
      "  const %a.weight: f32[2,1,1] = {16.0, 1.0}\n"
      "  const %b.weight: f32[1,2,1] = {1.0, 4.0}\n"
      "  %h: f32[1,2,4] = aten::conv1d(input=%x, weight=%a.weight, bias=none, stride=[1], "
      "padding=[0], dilation=[1], groups=1)\n"
      "  %r: f32[1,2,4] = aten::",
      pool, "(self=%h, kernel_size=", window, ", stride=", window, rest,
      "  %y: f32[1,1,4] = aten::conv1d(input=%r, weight=%b.weight, bias=none, "
      "stride=[1], padding=[0], dilation=[1], groups=1)\n}\n");
}

TEST_CASE("a pool that takes the channels for one of its axes stays") {
  constexpr const char* kRest1d = ", padding=[0], ceil_mode=false, count_include_pad=true)\n";
  constexpr const char* kRest2d =
      ", padding=[0,0], ceil_mode=false, count_include_pad=true, divisor_override=none)\n";
  const std::string out = after(kEqualisePass, pooled_text("avg_pool1d", "[1]", kRest1d));
  CHECK(out.find("%a.weight: f32[2,1,1] = {4.0, 2.0}") != out.npos);
  check_unchanged(kEqualisePass, pooled_text("avg_pool2d", "[1,1]", kRest2d));
}

TEST_CASE("weights that somebody else reads stay") {
  check_unchanged(
      kEqualisePass,
      two_layers_text(kRelu, "  %u: f32[2,2] = aten::relu(self=%a.weight)\n", ", %u as \"u\""));
  check_unchanged(kEqualisePass, two_layers_text(kRelu, "  %u: f32[2] = aten::relu(self=%a.bias)\n",
                                                 ", %u as \"u\""));
}

TEST_CASE("a channel that nobody reads, and weights that are not loaded, stay") {
  const std::string silent = after(kEqualisePass, R"(graph m(%x: f32[1,1]) -> (%y as "y") {
    const %a: f32[2,1] = {4.0, 16.0}
    const %b: f32[1,2] = {0.0, 1.0}
    %h: f32[1,2] = aten::linear(input=%x, weight=%a, bias=none)
    %r: f32[1,2] = aten::relu(self=%h)
    %y: f32[1,1] = aten::linear(input=%r, weight=%b, bias=none)
  })");
  CHECK(silent.find("%a: f32[2,1] = {4.0, 4.0}\n") != silent.npos);
  CHECK(silent.find("%b: f32[1,2] = {0.0, 4.0}\n") != silent.npos);
  check_unchanged(kEqualisePass, R"(graph m(%x: f32[1,16]) -> (%y as "y") {
    const %a: f32[2,16] = bytes=128
    const %b: f32[1,2] = {0.0, 1.0}
    %h: f32[1,2] = aten::linear(input=%x, weight=%a, bias=none)
    %r: f32[1,2] = aten::relu(self=%h)
    %y: f32[1,1] = aten::linear(input=%r, weight=%b, bias=none)
  })");
}

}  // namespace
}  // namespace t2n::passes
