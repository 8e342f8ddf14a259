// SPDX-License-Identifier: Apache-2.0
// Every way to write a form that is recognised, and the near misses.
#include <doctest/doctest.h>

#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

constexpr const char* kActivationsPass = "canonical-activations";

/// A graph x -> y around these lines; `$` stands for the type of everything.
std::string graph_text(std::string_view lines) {
  std::string out = "graph m(%x: $) -> (%y as \"y\") {\n  const %root2: f32[] = {1.4142135}\n" +
                    std::string(lines) + "}\n";
  for (size_t at = out.find('$'); at != out.npos; at = out.find('$', at))
    out.replace(at, 1, "f32[2,8]");
  return out;
}

/// What is left: the lines after the header.
std::string result(std::string_view lines, const PassContext& context = {}) {
  const std::string text = after(kActivationsPass, graph_text(lines), context);
  return text.substr(text.find('\n') + 1);
}

void check_kept(std::string_view lines) { check_unchanged(kActivationsPass, graph_text(lines)); }

constexpr std::string_view kGelu =
    "  %y: f32[2,8] = aten::gelu(self=%x, approximate=\"none\") as gelu_0 in f32\n}\n";
constexpr std::string_view kGeluTanh =
    "  %y: f32[2,8] = aten::gelu(self=%x, approximate=\"tanh\") as gelu_0 in f32\n}\n";

TEST_CASE("silu, in both orders") {
  for (const char* last : {"self=%x, other=%a", "self=%a, other=%x"})
    CHECK(result(cat("%a: $ = aten::sigmoid(self=%x)\n%y: $ = aten::mul.Tensor(", last, ")\n")) ==
          "  %y: f32[2,8] = aten::silu(self=%x) as silu_0 in f32\n}\n");
}

TEST_CASE("gelu: x * 0.5 * (1 + erf(x / sqrt(2)))") {
  CHECK(result("%a: $ = aten::mul.Tensor(self=%x, other=0.5)\n"
               "%b: $ = aten::div.Tensor(self=%x, other=%root2)\n"
               "%c: $ = aten::erf(self=%b)\n"
               "%d: $ = aten::add.Scalar(self=%c, other=1, alpha=1)\n"
               "%y: $ = aten::mul.Tensor(self=%a, other=%d)\n") == kGelu);
}

TEST_CASE("gelu: 0.5 * (x * (1 + erf(x * 0.7071…)))") {
  CHECK(result("%b: $ = aten::mul.Scalar(self=%x, other=0.7071067811865476)\n"
               "%c: $ = aten::erf(self=%b)\n"
               "%d: $ = aten::rsub.Scalar(self=%c, other=1.0, alpha=-1)\n"
               "%e: $ = aten::mul.Tensor(self=%d, other=%x)\n"
               "%y: $ = aten::div.Scalar(self=%e, other=2)\n") == kGelu);
}

TEST_CASE("gelu: x * (0.5 + 0.5 * erf(…))") {
  CHECK(result("%b: $ = aten::div.Tensor(self=%x, other=%root2)\n"
               "%c: $ = aten::erf(self=%b)\n"
               "%d: $ = aten::mul.Scalar(self=%c, other=0.5)\n"
               "%e: $ = aten::add.Scalar(self=%d, other=0.5, alpha=1)\n"
               "%y: $ = aten::mul.Tensor(self=%x, other=%e)\n") == kGelu);
}

TEST_CASE("tanh gelu with pow(x, 3)") {
  CHECK(result("%a: $ = aten::mul.Tensor(self=%x, other=0.5)\n"
               "%b: $ = aten::pow.Tensor_Scalar(self=%x, exponent=3.0)\n"
               "%c: $ = aten::mul.Tensor(self=%b, other=0.044715)\n"
               "%d: $ = aten::add.Tensor(self=%x, other=%c, alpha=1)\n"
               "%e: $ = aten::mul.Tensor(self=%d, other=0.7978845608028654)\n"
               "%f: $ = aten::tanh(self=%e)\n"
               "%g: $ = aten::add.Tensor(self=%f, other=1.0, alpha=1)\n"
               "%y: $ = aten::mul.Tensor(self=%a, other=%g)\n") == kGeluTanh);
}

TEST_CASE("tanh gelu with x * x * x, factored differently") {
  CHECK(result("%a: $ = aten::mul.Tensor(self=%x, other=0.044715)\n"
               "%b: $ = aten::mul.Tensor(self=%a, other=%x)\n"
               "%c: $ = aten::add.Tensor(self=%b, other=1, alpha=1)\n"
               "%d: $ = aten::mul.Tensor(self=%x, other=0.7978845608)\n"
               "%e: $ = aten::mul.Tensor(self=%d, other=%c)\n"
               "%f: $ = aten::tanh(self=%e)\n"
               "%g: $ = aten::add.Tensor(self=%f, other=1.0, alpha=1)\n"
               "%h: $ = aten::mul.Tensor(self=%g, other=%x)\n"
               "%y: $ = aten::mul.Tensor(self=%h, other=0.5)\n") == kGeluTanh);
}

TEST_CASE("hardswish with relu6, hardtanh and clamp") {
  for (const char* middle :
       {"aten::relu6(self=%a)", "aten::hardtanh(self=%a, min_val=0.0, max_val=6.0)",
        "aten::clamp(self=%a, min=0, max=6)"})
    CHECK(result(cat("%a: $ = aten::add.Scalar(self=%x, other=3, alpha=1)\n%b: $ = ", middle,
                     "\n%c: $ = aten::mul.Tensor(self=%x, other=%b)\n"
                     "%y: $ = aten::div.Scalar(self=%c, other=6)\n")) ==
          "  %y: f32[2,8] = aten::hardswish(self=%x) as hardswish_0 in f32\n}\n");
  for (const char* middle :
       {"aten::hardtanh(self=%a, min_val=0.0, max_val=5.0)", "aten::clamp(self=%a, min=1, max=6)"})
    check_kept(cat("%a: $ = aten::add.Scalar(self=%x, other=3, alpha=1)\n%b: $ = ", middle,
                   "\n%c: $ = aten::mul.Tensor(self=%x, other=%b)\n"
                   "%y: $ = aten::div.Scalar(self=%c, other=6)\n"));
}

constexpr std::string_view kMeanSquare =
    "%w: f32[8] = aten::relu(self=%x)\n"  // any tensor of the size of the last axis
    "%a: $ = aten::pow.Tensor_Scalar(self=%x, exponent=2)\n"
    "%b: f32[2,1] = aten::mean.dim(self=%a, dim=[-1], keepdim=true, dtype=none)\n"
    "%c: f32[2,1] = aten::add.Scalar(self=%b, other=1e-06, alpha=1)\n";

TEST_CASE("rms_norm, with and without a weight") {
  CHECK(
      result(cat(kMeanSquare,
                 "%d: f32[2,1] = aten::rsqrt(self=%c)\n"
                 "%y: $ = aten::mul.Tensor(self=%x, other=%d)\n")) ==
      "  %y: f32[2,8] = aten::rms_norm(input=%x, normalized_shape=[8], weight=none, eps=1e-06) as "
      "rms_norm_0 in f32\n}\n");
  CHECK(result(cat(kMeanSquare,
                   "%d: f32[2,1] = aten::rsqrt(self=%c)\n"
                   "%e: $ = aten::mul.Tensor(self=%x, other=%d)\n"
                   "%y: $ = aten::mul.Tensor(self=%w, other=%e)\n")) ==
        "  %w: f32[8] = aten::relu(self=%x) as relu_0\n"
        "  %y: f32[2,8] = aten::rms_norm(input=%x, normalized_shape=[8], weight=%w, eps=1e-06) as "
        "rms_norm_0 in f32\n}\n");
}

TEST_CASE("rms_norm as a division by the root") {
  CHECK(
      result(cat(kMeanSquare,
                 "%d: f32[2,1] = aten::sqrt(self=%c)\n"
                 "%y: $ = aten::div.Tensor(self=%x, other=%d)\n")) ==
      "  %y: f32[2,8] = aten::rms_norm(input=%x, normalized_shape=[8], weight=none, eps=1e-06) as "
      "rms_norm_0 in f32\n}\n");
}

TEST_CASE("other axes, no keepdim and swapped divisions are not rms_norm") {
  const auto written = [](std::string_view mean, std::string_view last) {
    return cat(
        "%a: $ = aten::mul.Tensor(self=%x, other=%x)\n%b: f32[2,1] = aten::mean.dim(self=%a, ",
        mean, ", dtype=none)\n%c: f32[2,1] = aten::add.Scalar(self=%b, other=1e-06, alpha=1)\n",
        last);
  };
  const std::string_view rsqrt =
      "%d: f32[2,1] = aten::rsqrt(self=%c)\n%y: $ = aten::mul.Tensor(self=%x, other=%d)\n";
  check_kept(written("dim=[0], keepdim=true", rsqrt));
  check_kept(written("dim=[-1], keepdim=false", rsqrt));
  check_kept(
      written("dim=[-1], keepdim=true",
              "%d: f32[2,1] = aten::sqrt(self=%c)\n%y: $ = aten::div.Tensor(self=%d, other=%x)\n"));
}

TEST_CASE("a formula with another reader of an intermediate value is not replaced") {
  check_unchanged(kActivationsPass, R"(graph m(%x: f32[2]) -> (%y as "y", %a as "a") {
    %a: f32[2] = aten::sigmoid(self=%x)
    %y: f32[2] = aten::mul.Tensor(self=%x, other=%a)
  })");
}

TEST_CASE("formulas with other numbers, shapes or dtypes are not replaced") {
  check_kept(
      "%a: $ = aten::mul.Scalar(self=%x, other=1.702)\n"
      "%b: $ = aten::sigmoid(self=%a)\n"
      "%y: $ = aten::mul.Tensor(self=%x, other=%b)\n");
  check_kept(
      "%b: $ = aten::mul.Scalar(self=%x, other=0.7071)\n"
      "%c: $ = aten::erf(self=%b)\n"
      "%d: $ = aten::add.Scalar(self=%c, other=1, alpha=1)\n"
      "%e: $ = aten::mul.Tensor(self=%d, other=%x)\n"
      "%y: $ = aten::mul.Scalar(self=%e, other=0.5)\n");
  check_kept(
      "%a: f32[2,1] = aten::sigmoid(self=%x)\n%y: $ = aten::mul.Tensor(self=%x, other=%a)\n");
  check_kept(
      "%a: $ = aten::sigmoid(self=%x)\n%y: f64[2,8] = aten::mul.Tensor(self=%x, other=%a)\n");
}

TEST_CASE("a sum with anything but a polynomial of x is not replaced") {
  for (const char* operands : {"self=%x, other=%p", "self=%p, other=%x"})
    check_kept(cat(
        "%p: $ = aten::pow.Tensor_Scalar(self=%x, exponent=5)\n%q: $ = aten::add.Tensor(", operands,
        ", alpha=1)\n%t: $ = aten::tanh(self=%q)\n"
        "%u: $ = aten::add.Scalar(self=%t, other=1, alpha=1)\n"
        "%v: $ = aten::mul.Tensor(self=%x, other=%u)\n"
        "%y: $ = aten::mul.Scalar(self=%v, other=0.5)\n"));
}

TEST_CASE("activations that the target lacks stay formulas") {
  PassContext context;
  context.native = ir::all_operators_but({ir::op_id("aten::silu")});
  check_unchanged(kActivationsPass,
                  graph_text("%a: $ = aten::sigmoid(self=%x)\n"
                             "%y: $ = aten::mul.Tensor(self=%x, other=%a)\n"),
                  context);
}

TEST_CASE("the operation takes the place, scope, source and a free call number of the last one") {
  CHECK(after(kActivationsPass, R"(graph m(%x: f32[2]) -> (%c as "y") {
    @Net/SiLU[act]:
    %a: f32[2] = aten::silu(self=%x)
    %b: f32[2] = aten::sigmoid(self=%a)
    %c: f32[2] = aten::mul.Tensor(self=%a, other=%b) !0
    source !0 = model.py:9
  })") == R"(graph m(%x: f32[2]) -> (%c as "y") {

@Net/SiLU[act]:
  %a: f32[2] = aten::silu(self=%x) as silu_0
  %c: f32[2] = aten::silu(self=%a) as silu_1 in f32 !0  # model.py:9

  source !0 = model.py:9
}
)");
}

}  // namespace
}  // namespace t2n::passes
