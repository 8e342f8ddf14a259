// SPDX-License-Identifier: Apache-2.0
// Quantised graphs as plain ones.
#include <doctest/doctest.h>

#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

/// The pass's text; U and S in it stand for what types of 8 bits say of their integers.
std::string expanded(std::string text) {
  const std::vector<std::pair<std::string, std::string>> words = {
      {"@U",
       "quant(scales=[0.5], zero_points=[3], axis=0, bits=8, signed=false, narrow_range=false)"},
      {"@S",
       "quant(scales=[0.25], zero_points=[0], axis=0, bits=8, signed=true, narrow_range=false)"}};
  for (const auto& [word, meaning] : words)
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word))
      text.replace(at, word.size(), meaning);
  std::string out = after("expand-quantised", text);
  CHECK(after("expand-quantised", out) == out);  // nothing is left to do
  return out;
}

TEST_CASE("graphs without quantised tensors stay as they are") {
  check_unchanged("expand-quantised", R"(graph m(%x: f32[2]) -> (%y as "y") {
    %y: f32[2] = aten::neg(self=%x)
  })");
}

TEST_CASE("operators that move elements move steps; an output is integers") {
  CHECK(expanded(R"(graph m(%x: u8[2]) -> (%r as "r") {
    %q: u8[2] @U = aten::_make_per_tensor_quantized_tensor(self=%x, scale=0.5, zero_point=3)
    %r: u8[1,2] @U = aten::unsqueeze(self=%q, dim=0)
  })") == R"(graph m(%x: u8[2]) -> (%r_unsqueeze_cast as "r") {
  const %q_const: f32[] = {-3.0}
  const %r_unsqueeze_const: f32[] = {3.0}
  %q_cast: f32[2] = t2n::cast(self=%x, dtype=f32) as cast_0
  %q: f32[2] = aten::add.Tensor(self=%q_cast, other=%q_const, alpha=1) as add_0
  %r: f32[1,2] = aten::unsqueeze(self=%q, dim=0) as unsqueeze_1
  %r_unsqueeze_add: f32[1,2] = aten::add.Tensor(self=%r, other=%r_unsqueeze_const, alpha=1) as add_1
  %r_unsqueeze_cast: u8[1,2] = t2n::cast(self=%r_unsqueeze_add, dtype=u8) as cast_1
}
)");
}

TEST_CASE("writes to an operand with other uses are refused") {
  const std::string text = R"(graph m(%x: u8[2]) -> (%r as "r", %s as "s") {
    %q: u8[2] @U = aten::_make_per_tensor_quantized_tensor(self=%x, scale=0.5, zero_point=3)
    %p: u8[2] @U = quantized::relu6(qx=%q, inplace=true)
    %r: f32[2] = aten::dequantize.self(self=%p)
    %s: f32[2] = aten::dequantize.self(self=%q)
  })";
  CHECK_NE(expanded(text).find("it writes to its operand, which is used elsewhere, too"),
           std::string::npos);
}

TEST_CASE("a layer is sums of integers, in units, with its bias, divided, rounded and cut off") {
  CHECK(expanded(R"(graph m(%x: u8[1,2]) -> (%r as "r") {
    const %w: i8[1,2] @S = {3, -5}
    const %b: f32[1] = {0.5}
    %q: u8[1,2] @U = aten::_make_per_tensor_quantized_tensor(self=%x, scale=0.5, zero_point=3)
    %y: u8[1,1] @U = quantized::linear(X=%q, weight=%w, bias=%b, Y_scale_i=0.5, Y_zero_point_i=3)
    %r: f32[1,1] = aten::dequantize.self(self=%y)
  })") == R"(graph m(%x: u8[1,2]) -> (%r as "r") {
  const %w: i8[1,2] = {3, -5}
  const %b: f32[1] = {0.5}
  const %q_const: f32[] = {-3.0}
  const %y_const: f32[] = {0.125}
  const %y_const_2: f32[] = {0.25}
  const %r_const: f32[] = {0.5}
  %q_cast: f32[1,2] = t2n::cast(self=%x, dtype=f32) as cast_0
  %q: f32[1,2] = aten::add.Tensor(self=%q_cast, other=%q_const, alpha=1) as add_0
  %y_cast: f32[1,2] = t2n::cast(self=%w, dtype=f32) as cast_1
  %y_linear: f32[1,1] = aten::linear(input=%q, weight=%y_cast, bias=none) as linear_1
  %y_div: f32[1] = aten::div.Tensor(self=%b, other=%y_const) as div_0
  %y_add: f32[1,1] = aten::add.Tensor(self=%y_linear, other=%y_div, alpha=1) as add_1
  %y_mul: f32[1,1] = aten::mul.Tensor(self=%y_add, other=%y_const_2) as mul_0
  %y_round: f32[1,1] = aten::round(self=%y_mul) as round_0
  %y: f32[1,1] = aten::clamp(self=%y_round, min=-3.0, max=252.0) as clamp_0
  %r: f32[1,1] = aten::mul.Tensor(self=%y, other=%r_const) as mul_1
}
)");
}

TEST_CASE("fake quantisation is rounded, cut off around its zero point and scaled") {
  CHECK(expanded(R"(graph m(%x: f32[2]) -> (%r as "r") {
    %r: f32[2] = aten::fake_quantize_per_tensor_affine(self=%x, scale=0.5, zero_point=3, quant_min=0, quant_max=15)
  })") == R"(graph m(%x: f32[2]) -> (%r as "r") {
  const %r_const: f32[] = {0.5}
  %r_reciprocal: f32[] = aten::reciprocal(self=%r_const) as reciprocal_0
  %r_mul: f32[2] = aten::mul.Tensor(self=%x, other=%r_reciprocal) as mul_0
  %r_round: f32[2] = aten::round(self=%r_mul) as round_0
  %r_clamp: f32[2] = aten::clamp(self=%r_round, min=-3.0, max=12.0) as clamp_0
  %r: f32[2] = aten::mul.Tensor(self=%r_clamp, other=%r_const) as mul_1
}
)");
}

TEST_CASE("fake quantisation by channels adds its zero points after it rounds") {
  CHECK(expanded(R"(graph m(%x: f16[2,3]) -> (%r as "r") {
    const %s: f32[2] = {0.5, 0.25}
    const %z: i32[2] = {0, 3}
    %r: f16[2,3] = aten::fake_quantize_per_channel_affine(self=%x, scale=%s, zero_point=%z, axis=0, quant_min=-8, quant_max=7)
  })") == R"(graph m(%x: f16[2,3]) -> (%r as "r") {
  const %s: f32[2] = {0.5, 0.25}
  const %z: i32[2] = {0, 3}
  %r_reshape: f32[2,1] = aten::reshape(self=%s, shape=[2, 1]) as reshape_0
  %r_cast: f32[2] = t2n::cast(self=%z, dtype=f32) as cast_0
  %r_reshape_2: f32[2,1] = aten::reshape(self=%r_cast, shape=[2, 1]) as reshape_1
  %r_cast_2: f32[2,3] = t2n::cast(self=%x, dtype=f32) as cast_1
  %r_reciprocal: f32[2,1] = aten::reciprocal(self=%r_reshape) as reciprocal_0
  %r_mul: f32[2,3] = aten::mul.Tensor(self=%r_cast_2, other=%r_reciprocal) as mul_0
  %r_round: f32[2,3] = aten::round(self=%r_mul) as round_0
  %r_add: f32[2,3] = aten::add.Tensor(self=%r_round, other=%r_reshape_2, alpha=1) as add_0
  %r_clamp: f32[2,3] = aten::clamp(self=%r_add, min=-8.0, max=7.0) as clamp_0
  %r_sub: f32[2,3] = aten::sub.Tensor(self=%r_clamp, other=%r_reshape_2, alpha=1) as sub_0
  %r_mul_2: f32[2,3] = aten::mul.Tensor(self=%r_sub, other=%r_reshape) as mul_1
  %r: f16[2,3] = t2n::cast(self=%r_mul_2, dtype=f16) as cast_2
}
)");
}

TEST_CASE("an observer that is off quantises by what it has seen") {
  CHECK(expanded(R"(graph m(%x: f32[2]) -> (%r as "r") {
    const %on: u8[1] = {0}
    const %q: u8[1] = {1}
    const %low: f32[1] = {-1.0}
    const %high: f32[1] = {3.0}
    const %s: f32[1] = {1.0}
    const %z: i32[1] = {0}
    %r: f32[2] = aten::fused_moving_avg_obs_fake_quant(self=%x, observer_on=%on, fake_quant_on=%q, running_min=%low, running_max=%high, scale=%s, zero_point=%z, averaging_const=0.01, quant_min=0, quant_max=128, ch_axis=-1, per_row_fake_quant=false, symmetric_quant=false)
  })") == R"(graph m(%x: f32[2]) -> (%r as "r") {
  const %r_const: f32[1] = {0.03125}
  %r_reshape: f32[] = aten::reshape(self=%r_const, shape=[]) as reshape_0
  %r_reciprocal: f32[] = aten::reciprocal(self=%r_reshape) as reciprocal_0
  %r_mul: f32[2] = aten::mul.Tensor(self=%x, other=%r_reciprocal) as mul_0
  %r_round: f32[2] = aten::round(self=%r_mul) as round_0
  %r_clamp: f32[2] = aten::clamp(self=%r_round, min=-32.0, max=96.0) as clamp_0
  %r: f32[2] = aten::mul.Tensor(self=%r_clamp, other=%r_reshape) as mul_1
}
)");
}

TEST_CASE("integers that were stored with a QuantInfo become integers with a cast") {
  CHECK(expanded(R"(graph m(%x: f32[2]) -> (%r as "r") {
    const %w: i8[2] @S = {1, 2}
    %c: f32[2] = t2n::cast(self=%w, dtype=f32)
    %r: f32[2] = aten::mul.Tensor(self=%x, other=%c)
  })") == R"(graph m(%x: f32[2]) -> (%r as "r") {
  const %w: i8[2] = {1, 2}
  %c: f32[2] = t2n::cast(self=%w, dtype=f32) as cast_1
  %r: f32[2] = aten::mul.Tensor(self=%x, other=%c) as mul_0
}
)");
}

TEST_CASE("operators without a plain form leave a mark if their result is needed") {
  CHECK(expanded(R"(graph m(%x: u8[2]) -> (%r as "r") {
    %q: u8[2] @U = aten::_make_per_tensor_quantized_tensor(self=%x, scale=0.5, zero_point=3)
    %s: u8[2] @U = aten::cumsum(self=%q, dim=0, dtype=None)
    %r: f32[2] = aten::dequantize.self(self=%s)
  })") == R"(graph m(%x: u8[2]) -> (%r as "r") {
  const %r_const: f32[] = {0.5}
  %s: f32[2] = t2n::refused(op="aten::cumsum", of="quantised tensors", why="it has no implementation for quantised tensors", help="dequantize() its operands") as refused_0
  %r: f32[2] = aten::mul.Tensor(self=%s, other=%r_const) as mul_0
}
)");
}

TEST_CASE("a bag of one size sums the rows that it takes, each with its own scale") {
  CHECK(expanded(R"(graph m(%i: i64[4,3]) -> (%r as "r") {
    const %w: u8[2,1] = {3, 5}
    const %s: f32[2] = {0.5, 0.25}
    const %l: f32[2] = {-1.0, -2.0}
    %r: f32[4,1] = quantized::embedding_bag_byte(weight=%w, scales=%s, least=%l, indices=%i, offsets=none, scale_grad_by_freq=false, mode=0, pruned_weights=false, per_sample_weights=none, compressed_indices_mapping=none, include_last_offset=false)
  })") == R"(graph m(%i: i64[4,3]) -> (%r as "r") {
  const %w: u8[2,1] = {3, 5}
  const %s: f32[2] = {0.5, 0.25}
  const %l: f32[2] = {-1.0, -2.0}
  %r_embedding: u8[4,3,1] = aten::embedding(weight=%w, indices=%i, padding_idx=-1, scale_grad_by_freq=false, sparse=false) as embedding_0
  %r_reshape: f32[2,1] = aten::reshape(self=%s, shape=[2, 1]) as reshape_0
  %r_embedding_2: f32[4,3,1] = aten::embedding(weight=%r_reshape, indices=%i, padding_idx=-1, scale_grad_by_freq=false, sparse=false) as embedding_1
  %r_reshape_2: f32[2,1] = aten::reshape(self=%l, shape=[2, 1]) as reshape_1
  %r_embedding_3: f32[4,3,1] = aten::embedding(weight=%r_reshape_2, indices=%i, padding_idx=-1, scale_grad_by_freq=false, sparse=false) as embedding_2
  %r_cast: f32[4,3,1] = t2n::cast(self=%r_embedding, dtype=f32) as cast_0
  %r_mul: f32[4,3,1] = aten::mul.Tensor(self=%r_cast, other=%r_embedding_2) as mul_0
  %r_add: f32[4,3,1] = aten::add.Tensor(self=%r_mul, other=%r_embedding_3, alpha=1) as add_0
  %r: f32[4,1] = aten::sum.dim_IntList(self=%r_add, dim=[1], keepdim=false, dtype=none) as sum_0
}
)");
}

TEST_CASE("an offset for the end takes the last bag away, no mode changes a sum") {
  CHECK_NE(
      expanded(R"(graph m(%i: i64[4,3]) -> (%r as "r") {
    const %w: u8[2,1] = {3, 5}
    const %s: f32[2] = {0.5, 0.25}
    const %l: f32[2] = {-1.0, -2.0}
    %r: f32[3,1] = quantized::embedding_bag_byte(weight=%w, scales=%s, least=%l, indices=%i, offsets=none, scale_grad_by_freq=false, mode=1, pruned_weights=false, per_sample_weights=none, compressed_indices_mapping=none, include_last_offset=true)
  })")
          .find("%r: f32[3,1] = aten::slice.Tensor(self=%r_sum, dim=0, start=0, end=3, step=1)"),
      std::string::npos);
}

/// What the pass says to the text, as an error.
std::string failed(const std::string& text) {
  try {
    expanded(text);
  } catch (const Error& error) {
    return std::string(render_text(error.diagnostic()));
  }
  return "";
}

TEST_CASE("a view of a tensor with a scale for each channel is one of integers") {
  const std::string all =
      "quant(scales=[0.5, 0.25], zero_points=[3, -1], axis=0, bits=8, signed=true, "
      "narrow_range=false)";
  const std::string one =
      "quant(scales=[0.25], zero_points=[-1], axis=0, bits=8, signed=true, narrow_range=false)";
  CHECK(expanded(R"(graph m(%x: f32[3]) -> (%r as "r") {
    const %q: i8[2,3] )" +
                 all + R"( = {1, 2, 3, 4, 5, 6}
    %v: i8[3] )" +
                 one +
                 R"( = aten::select.int(self=%q, dim=0, index=1)
    %d: f32[3] = aten::dequantize.self(self=%v)
    %r: f32[3] = aten::mul.Tensor(self=%d, other=%x)
  })") == R"(graph m(%x: f32[3]) -> (%r as "r") {
  const %q: i8[2,3] = {1, 2, 3, 4, 5, 6}
  const %v_const: f32[] = {1.0}
  const %d_const: f32[] = {0.25}
  %v_cast: f32[2,3] = t2n::cast(self=%q, dtype=f32) as cast_0
  %v_select: f32[3] = aten::select.int(self=%v_cast, dim=0, index=1) as select_1
  %v: f32[3] = aten::add.Tensor(self=%v_select, other=%v_const, alpha=1) as add_0
  %d: f32[3] = aten::mul.Tensor(self=%v, other=%d_const) as mul_1
  %r: f32[3] = aten::mul.Tensor(self=%d, other=%x) as mul_0
}
)");
}

TEST_CASE("a loop that reads a tensor whose scale follows from data is refused") {
  CHECK_NE(expanded(R"(graph m(%x: f32[4,2]) -> (%r as "r") {
    %q: u8[4,2] @U = aten::quantize_per_tensor_dynamic(self=%x, dtype=u8, reduce_range=false)
    %r: f32[4,2] = t2n::scan(length=4, scanned=[%x], scanned_axes=[0], scanned_reversed=[false], initial=tensors[], captured=[%q], stacked_axes=[0], stacked_reversed=[false]) body graph turn(%n: i64[], %i: f32[2], %c: u8[4,2] @U) -> (%o as "o") {
      %d: f32[4,2] = aten::dequantize.self(self=%c)
      %s: f32[2] = aten::select.int(self=%d, dim=0, index=0)
      %o: f32[2] = aten::mul.Tensor(self=%s, other=%i)
    }
  })")
               .find("a loop reads a quantised tensor with a data-dependent scale"),
           std::string::npos);
}

TEST_CASE("numbers that follow from sizes are refused with the operator") {
  const std::string said = failed(R"(graph m(%x: f32[N]) -> (%r as "r") {
    %r: f32[N] = aten::fake_quantize_per_tensor_affine(self=%x, scale=0.5, zero_point=N, quant_min=0, quant_max=15)
  })");
  CHECK_NE(said.find("error[unsupported-argument]: aten::fake_quantize_per_tensor_affine: "
                     "'zero_point' depends on sizes or data"),
           std::string::npos);
}

TEST_CASE("rules read all arguments, and no unknown ones") {
  CHECK_NE(failed(R"(graph m(%x: f32[2]) -> (%r as "r") {
    %r: f32[2] = aten::fake_quantize_per_tensor_affine(self=%x, scale=0.5, zero_point=3, quant_max=15)
  })")
               .find("there is no argument 'quant_min'"),
           std::string::npos);
  CHECK_NE(failed(R"(graph m(%x: f32[2]) -> (%r as "r") {
    %r: f32[2] = aten::fake_quantize_per_tensor_affine(self=%x, scale=0.5, zero_point=3, quant_min=0, quant_max=15, odd=1)
  })")
               .find("aten::fake_quantize_per_tensor_affine: 'odd' was never read"),
           std::string::npos);
}

TEST_CASE("integers of 32 bits that f32 holds are computed as those of 8 bits") {
  const auto of = [](const std::string& number) {
    std::string out = expanded(cat(
        "graph m() -> (%r as \"r\") {\n  const %q: i32[2] quant(scales=[0.5], zero_points=[0], "
        "axis=0, bits=32, signed=true, narrow_range=false) = {",
        number,
        ", 3}\n  %p: i32[1,2] quant(scales=[0.5], zero_points=[0], axis=0, bits=32, signed=true, "
        "narrow_range=false) = aten::unsqueeze(self=%q, dim=0)\n"
        "  %r: f32[1,2] = aten::dequantize.self(self=%p)\n}"));
    const size_t at = out.find(number);
    return at == std::string::npos ? out : out.replace(at, number.size(), "N");
  };
  CHECK_EQ(of("16777216"), of("16777215"));
}

}  // namespace
}  // namespace t2n::passes
