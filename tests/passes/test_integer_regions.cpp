// SPDX-License-Identifier: Apache-2.0
// From fake quantisation to quantised regions: integers, moved by what moves reals, and layers
// between them.
#include <doctest/doctest.h>

#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

/// Q and W in a text stand for what integers of activations and of weights say.
std::string spelled(std::string text) {
  const std::vector<std::pair<std::string, std::string>> words = {
      {"@Q",
       "quant(scales=[0.5], zero_points=[3], axis=0, bits=8, signed=false, narrow_range=false)"},
      {"@W",
       "quant(scales=[0.25], zero_points=[0], axis=0, bits=8, signed=true, narrow_range=true)"}};
  for (const auto& [word, meaning] : words)
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word))
      text.replace(at, word.size(), meaning);
  return text;
}

std::string made(const std::string& pass, std::string_view text, const PassContext& context = {}) {
  const std::string out = after(pass, spelled(std::string(text)), context);
  CHECK(after(pass, out, context) == out);  // nothing is left to do
  return out;
}

void check_left(const std::string& pass, std::string_view text, const PassContext& context = {}) {
  check_unchanged(pass, spelled(std::string(text)), context);
}

TEST_CASE("an activation rounded to all integers of 8 bits becomes them") {
  CHECK(made("expand-fake-quant", R"(graph m(%x: f32[2]) -> (%r as "r") {
    %r: f32[2] = aten::fake_quantize_per_tensor_affine(self=%x, scale=0.5, zero_point=3, quant_min=0, quant_max=255)
  })") == spelled(R"(graph m(%x: f32[2]) -> (%r as "r") {
  %r_quantize_per_tensor: u8[2] @Q = aten::quantize_per_tensor(self=%x, scale=0.5, zero_point=3, dtype=u8) as quantize_per_tensor_0
  %r: f32[2] = aten::dequantize.self(self=%r_quantize_per_tensor) as dequantize_0
}
)"));
}

TEST_CASE("scales in constants count, signed integers are signed") {
  const std::string out = made("expand-fake-quant", R"(graph m(%x: f32[2]) -> (%r as "r") {
    const %s: f32[1] = {0.5}
    const %z: i32[1] = {-7}
    const %on: i64[1] = {1}
    %r: f32[2] = aten::fake_quantize_per_tensor_affine.tensor_qparams(self=%x, scale=%s, zero_point=%z, quant_min=-128, quant_max=127)
  })");
  CHECK(out.find("i8[2] quant(scales=[0.5], zero_points=[-7], axis=0, bits=8, signed=true, "
                 "narrow_range=false) = aten::quantize_per_tensor(self=%x, scale=0.5, "
                 "zero_point=-7, dtype=i8)") != std::string::npos);
}

TEST_CASE("fewer integers, other dtypes, channels and weights stay fake quantised") {
  check_left(
      "expand-fake-quant",
      R"(graph m(%x: f32[2], %h: f16[2]) -> (%a as "a", %b as "b", %c as "c", %d as "d", %e as "e") {
    const %w: f32[2] = {1.0, 2.0}
    const %s: f32[2] = {0.5, 0.25}
    const %z: i32[2] = {0, 0}
    %a: f32[2] = aten::fake_quantize_per_tensor_affine(self=%x, scale=0.5, zero_point=3, quant_min=0, quant_max=127)
    %b: f32[2] = aten::fake_quantize_per_tensor_affine(self=%x, scale=0.5, zero_point=0, quant_min=-127, quant_max=127)
    %c: f16[2] = aten::fake_quantize_per_tensor_affine(self=%h, scale=0.5, zero_point=3, quant_min=0, quant_max=255)
    %d: f32[2] = aten::fake_quantize_per_channel_affine(self=%x, scale=%s, zero_point=%z, axis=0, quant_min=-128, quant_max=127)
    %e: f32[2] = aten::fake_quantize_per_tensor_affine(self=%w, scale=0.5, zero_point=3, quant_min=0, quant_max=255)
  })");
}

TEST_CASE("moving and requantising with the same parameters moves the integers") {
  CHECK(made("propagate-qparams", R"(graph m(%x: f32[2,3]) -> (%r as "r") {
    %q: u8[2,3] @Q = aten::quantize_per_tensor(self=%x, scale=0.5, zero_point=3, dtype=u8)
    %a: f32[2,3] = aten::dequantize.self(self=%q)
    %b: f32[3,2] = aten::transpose.int(self=%a, dim0=0, dim1=1)
    %c: f32[6] = aten::reshape(self=%b, shape=[6])
    %d: u8[6] @Q = aten::quantize_per_tensor(self=%c, scale=0.5, zero_point=3, dtype=u8)
    %r: f32[6] = aten::dequantize.self(self=%d)
  })") == spelled(R"(graph m(%x: f32[2,3]) -> (%r as "r") {
  %q: u8[2,3] @Q = aten::quantize_per_tensor(self=%x, scale=0.5, zero_point=3, dtype=u8) as quantize_per_tensor_0
  %b_transpose: u8[3,2] @Q = aten::transpose.int(self=%q, dim0=0, dim1=1) as transpose_1
  %c_reshape: u8[6] @Q = aten::reshape(self=%b_transpose, shape=[6]) as reshape_1
  %r: f32[6] = aten::dequantize.self(self=%c_reshape) as dequantize_1
}
)"));
}

TEST_CASE("tensors of the same parameters are joined as integers, others as reals") {
  const std::string text = R"(graph m(%x: u8[2], %y: u8[2]) -> (%r as "r") {
    %p: u8[2] @Q = aten::_make_per_tensor_quantized_tensor(self=%x, scale=0.5, zero_point=3)
    %q: u8[2] @? = aten::_make_per_tensor_quantized_tensor(self=%y, scale=0.5, zero_point=3)
    %a: f32[2] = aten::dequantize.self(self=%p)
    %b: f32[2] = aten::dequantize.self(self=%q)
    %r: f32[4] = aten::cat(tensors=[%a, %b], dim=0)
  })";
  const auto with = [&](const std::string& second) {
    std::string out = text;
    return out.replace(out.find("@?"), 2, second);
  };
  const std::string joined = made("propagate-qparams", with("@Q"));
  CHECK(joined.find(spelled("u8[4] @Q = aten::cat(tensors=[%p, %q], dim=0)")) != std::string::npos);
  check_left("propagate-qparams",
             with("quant(scales=[0.5], zero_points=[4], axis=0, bits=8, signed=false, "
                  "narrow_range=false)"));
}

TEST_CASE("padding with zeros acts on integers, with other numbers on reals; dropout is skipped") {
  const std::string text = R"(graph m(%x: u8[2]) -> (%r as "r") {
    %q: u8[2] @Q = aten::_make_per_tensor_quantized_tensor(self=%x, scale=0.5, zero_point=3)
    %a: f32[2] = aten::dequantize.self(self=%q)
    %b: f32[2] = aten::dropout(input=%a, p=0.1, train=false)
    %r: f32[4] = aten::constant_pad_nd(self=%b, pad=[1, 1], value=0)
  })";
  const std::string out = made("propagate-qparams", text);
  CHECK(out.find(spelled("u8[4] @Q = aten::constant_pad_nd(self=%q, pad=[1, 1], value=0)")) !=
        std::string::npos);
  check_left("propagate-qparams", R"(graph m(%x: u8[2]) -> (%r as "r") {
    %q: u8[2] @Q = aten::_make_per_tensor_quantized_tensor(self=%x, scale=0.5, zero_point=3)
    %a: f32[2] = aten::dequantize.self(self=%q)
    %r: f32[4] = aten::constant_pad_nd(self=%a, pad=[1, 1], value=0.5)
  })");
}

TEST_CASE("several parts of integers, and reals that are read as such") {
  const std::string out =
      made("propagate-qparams", R"(graph m(%x: u8[4]) -> (%r as "r", %s as "s") {
    %q: u8[4] @Q = aten::_make_per_tensor_quantized_tensor(self=%x, scale=0.5, zero_point=3)
    %a: f32[4] = aten::dequantize.self(self=%q)
    %b: f32[2], %c: f32[2] = aten::split.Tensor(self=%a, split_size=2, dim=0)
    %d: f32[2] = aten::relu(self=%b)
    %r: f32[2] = aten::add.Tensor(self=%c, other=%d, alpha=1)
    %s: f32[4] = aten::neg(self=%a)
  })");
  CHECK(out == spelled(R"(graph m(%x: u8[4]) -> (%r as "r", %s as "s") {
  %q: u8[4] @Q = aten::_make_per_tensor_quantized_tensor(self=%x, scale=0.5, zero_point=3) as _make_per_tensor_quantized_tensor_0
  %a: f32[4] = aten::dequantize.self(self=%q) as dequantize_0
  %b_split: u8[2] @Q, %b_split_2: u8[2] @Q = aten::split.Tensor(self=%q, split_size=2, dim=0) as split_1
  %c: f32[2] = aten::dequantize.self(self=%b_split_2) as dequantize_2
  %d_relu: u8[2] @Q = aten::relu(self=%b_split) as relu_1
  %d: f32[2] = aten::dequantize.self(self=%d_relu) as dequantize_3
  %r: f32[2] = aten::add.Tensor(self=%c, other=%d, alpha=1) as add_0
  %s: f32[4] = aten::neg(self=%a) as neg_0
}
)"));
}

TEST_CASE("scales that follow from data are of one run: nothing joins them") {
  check_left("propagate-qparams", R"(graph m(%x: f32[2]) -> (%r as "r") {
    %q: u8[2] @Q = aten::quantize_per_tensor_dynamic(self=%x, dtype=u8, reduce_range=false)
    %a: f32[2] = aten::dequantize.self(self=%q)
    %d: u8[2] @Q = aten::quantize_per_tensor(self=%a, scale=0.5, zero_point=3, dtype=u8)
    %r: f32[2] = aten::dequantize.self(self=%d)
  })");
}

/// Linear, ReLU, view, quantised: the view is of integers then.
constexpr const char* kHoist = R"(graph m(%x: f32[1,2]) -> (%r as "r") {
    const %w: f32[2,2] = {1.0, 2.0, 3.0, 4.0}
    %a: f32[1,2] = aten::linear(input=%x, weight=%w, bias=none)
    %b: f32[1,2] = aten::relu(self=%a)
    %c: f32[2] = aten::view(self=%b, size=[2])
    %q: u8[2] @Q = aten::quantize_per_tensor(self=%c, scale=0.5, zero_point=3, dtype=u8)
    %r: f32[2] = aten::dequantize.self(self=%q)
  })";

TEST_CASE("quantisation rises to the layer that it can be joined with") {
  CHECK(made("propagate-qparams", kHoist) == spelled(R"(graph m(%x: f32[1,2]) -> (%r as "r") {
  const %w: f32[2,2] = {1.0, 2.0, 3.0, 4.0}
  %a: f32[1,2] = aten::linear(input=%x, weight=%w, bias=none) as linear_0
  %b: f32[1,2] = aten::relu(self=%a) as relu_0
  %c: u8[1,2] @Q = aten::quantize_per_tensor(self=%b, scale=0.5, zero_point=3, dtype=u8) as quantize_per_tensor_0
  %q: u8[2] @Q = aten::view(self=%c, size=[2]) as view_0
  %r: f32[2] = aten::dequantize.self(self=%q) as dequantize_0
}
)"));
  PassContext without;
  without.native = {};
  check_left("propagate-qparams", kHoist, without);
}

std::string layer(const std::string& between, const std::string& bias = "%b") {
  std::string out = R"(graph m(%x: u8[1,2]) -> (%r as "r"OUT) {
    const %w: i8[1,2] @W = {3, -5}
    const %b: f32[1] = {0.5}
    %p: u8[1,2] @Q = aten::_make_per_tensor_quantized_tensor(self=%x, scale=0.5, zero_point=3)
    %a: f32[1,2] = aten::dequantize.self(self=%p)
    %v: f32[1,2] = aten::dequantize.self(self=%w)
    %l: f32[1,1] = aten::linear(input=%a, weight=%v, bias=BIAS)
    BETWEEN
    %r: f32[1,1] = aten::dequantize.self(self=%q)
  })";
  const auto put = [&](const std::string& word, const std::string& text) {
    out.replace(out.find(word), word.size(), text);
  };
  put("OUT", between.find("OUTPUT") == std::string::npos ? "" : ", %l as \"l\"");
  put("BIAS", bias);
  put("BETWEEN", between.substr(0, between.find("OUTPUT")));
  return out;
}
const std::string kQuantised =
    "%q: u8[1,1] @Q = aten::quantize_per_tensor(self=%l, scale=0.5, zero_point=3, dtype=u8)";
const std::string kRectified =
    "%f: f32[1,1] = aten::relu(self=%l)\n"
    "%q: u8[1,1] @Q = aten::quantize_per_tensor(self=%f, scale=0.5, zero_point=3, dtype=u8)";

TEST_CASE("a linear layer between integers is torch's quantised one") {
  CHECK(made("fuse-quantised", layer(kQuantised)) ==
        spelled(R"(graph m(%x: u8[1,2]) -> (%r as "r") {
  const %w: i8[1,2] @W = {3, -5}
  const %b: f32[1] = {0.5}
  %p: u8[1,2] @Q = aten::_make_per_tensor_quantized_tensor(self=%x, scale=0.5, zero_point=3) as _make_per_tensor_quantized_tensor_0
  %q: u8[1,1] @Q = quantized::linear(X=%p, weight=%w, bias=%b, Y_scale_i=0.5, Y_zero_point_i=3) as linear_1
  %r: f32[1,1] = aten::dequantize.self(self=%q) as dequantize_2
}
)"));
}

TEST_CASE("a ReLU goes with it, a bias need not be") {
  const std::string out = made("fuse-quantised", layer(kRectified, "none"));
  CHECK(out.find("quantized::linear_relu(X=%p, weight=%w, bias=none, Y_scale_i=0.5, "
                 "Y_zero_point_i=3)") != std::string::npos);
}

TEST_CASE("a layer whose intermediate value has another reader stays") {
  check_left("fuse-quantised", layer(kQuantised + "OUTPUT"));
  check_left("fuse-quantised", layer(kRectified + "OUTPUT"));
}

TEST_CASE("the target says whether it has the layer") {
  PassContext context;
  context.native = {{ir::op_id("quantized::linear")}};
  CHECK(made("fuse-quantised", layer(kQuantised), context).find("quantized::linear(") !=
        std::string::npos);
  check_left("fuse-quantised", layer(kRectified), context);
}

TEST_CASE("biases that are not constant, and integers with a sign, are not torch's") {
  check_left("fuse-quantised", R"(graph m(%x: u8[1,2], %b: f32[1]) -> (%r as "r") {
    const %w: i8[1,2] @W = {3, -5}
    %p: u8[1,2] @Q = aten::_make_per_tensor_quantized_tensor(self=%x, scale=0.5, zero_point=3)
    %a: f32[1,2] = aten::dequantize.self(self=%p)
    %v: f32[1,2] = aten::dequantize.self(self=%w)
    %l: f32[1,1] = aten::linear(input=%a, weight=%v, bias=%b)
    %q: u8[1,1] @Q = aten::quantize_per_tensor(self=%l, scale=0.5, zero_point=3, dtype=u8)
    %r: f32[1,1] = aten::dequantize.self(self=%q)
  })");
  check_left("fuse-quantised", R"(graph m(%x: i8[1,2]) -> (%r as "r") {
    const %w: i8[1,2] @W = {3, -5}
    %p: i8[1,2] @W = aten::_make_per_tensor_quantized_tensor(self=%x, scale=0.25, zero_point=0)
    %a: f32[1,2] = aten::dequantize.self(self=%p)
    %v: f32[1,2] = aten::dequantize.self(self=%w)
    %l: f32[1,1] = aten::linear(input=%a, weight=%v, bias=none)
    %q: u8[1,1] @Q = aten::quantize_per_tensor(self=%l, scale=0.5, zero_point=3, dtype=u8)
    %r: f32[1,1] = aten::dequantize.self(self=%q)
  })");
}

TEST_CASE("a conv1d has the parameters of a conv2d of height 1") {
  const std::string out = made("fuse-quantised", R"(graph m(%x: u8[1,1,3]) -> (%r as "r") {
    const %w: i8[1,1,2] @W = {3, -5}
    %p: u8[1,1,3] @Q = aten::_make_per_tensor_quantized_tensor(self=%x, scale=0.5, zero_point=3)
    %a: f32[1,1,3] = aten::dequantize.self(self=%p)
    %v: f32[1,1,2] = aten::dequantize.self(self=%w)
    %l: f32[1,1,1] = aten::conv1d(input=%a, weight=%v, bias=none, stride=[2], padding=[0], dilation=[1], groups=1)
    %q: u8[1,1,1] @Q = aten::quantize_per_tensor(self=%l, scale=0.5, zero_point=3, dtype=u8)
    %r: f32[1,1,1] = aten::dequantize.self(self=%q)
  })");
  CHECK(out.find(spelled("const %w: i8[1,1,1,2] @W = {3, -5}")) != std::string::npos);
  CHECK(out.find("quantized::conv1d(qx=%p, weight=%w, bias=none, stride=[1, 2], padding=[0, 0], "
                 "dilation=[1, 1], transposed=false, output_padding=[0, 0], groups=1, "
                 "output_scale=0.5, output_zero_point=3)") != std::string::npos);
}

TEST_CASE("fused layers expand to plain operations") {
  ir::Graph graph = ir::parse(spelled(layer(kRectified)));
  run_pipeline(graph, {"fuse-quantised", "expand-quantised"}, {});
  for (const ir::Node& node : graph.nodes) CHECK(ir::op_name(node.op) != "t2n::refused");
  for (const ir::Value& value : graph.values) CHECK(!value.quant);
}

}  // namespace
}  // namespace t2n::passes
