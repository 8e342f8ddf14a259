// SPDX-License-Identifier: Apache-2.0
// Products of integers without a QuantInfo: their scales are separate operands.
#include "src/quant/layers.h"
#include "src/quant/rules.h"

namespace t2n::quant {
namespace {

ValueId matrix_product(QuantBuilder& b, ValueId x, ValueId y) {
  return b.emit("aten::mm", {{"self", TensorRef{x}}, {"mat2", TensorRef{y}}}, b.dtype(x),
                b.output().shape);
}

/// 8-bit integers; the sums have 32 bits.
void int_mm(QuantBuilder& b) {
  b.define(matrix_product(b, b.cast(b.tensor("self"), DType::i32),
                          b.cast(b.tensor("mat2"), DType::i32)));
}

/// LibTorch computes in f32, whatever the operands are, and rounds the result.
void define_linear(QuantBuilder& b, ValueId weight) {
  const ValueId x = b.cast(b.tensor("self"), DType::f32);
  b.define(b.cast(linear(b, x, weight), b.output().dtype));
}

/// A scale for each row of the weight.
void int8_mm(QuantBuilder& b) {
  const ValueId codes = b.cast(b.tensor("mat2"), DType::f32);
  const ValueId scales = b.cast(b.tensor("scales"), DType::f32);
  define_linear(b, mul(b, codes, b.reshape(scales, {b.shape(codes).at(0), Dim(1)})));
}

/// Codes from 0 to 15, minus 8.
ValueId signed_codes(QuantBuilder& b) {
  return sub(b, b.cast(b.tensor("weight"), DType::f32), b.number(8, DType::f32));
}

/// Rows in groups of columns.
ValueId in_groups(QuantBuilder& b, ValueId codes, int64_t group) {
  const ir::Shape& shape = b.shape(codes);
  return b.reshape(codes, {shape.at(0), Dim(shape.at(1).value() / group), Dim(group)});
}

bool refuse_variable_weight(QuantBuilder& b) {
  if (b.has("weight")) return false;
  b.refuse("its weight depends on inputs, and is in LibTorch's internal layout",
           "pack a constant of the model");
  return true;
}

/// A scale and a zero for each group of columns in each row.
void int4_mm(QuantBuilder& b) {
  if (refuse_variable_weight(b)) return;
  const ValueId codes = signed_codes(b);
  const ir::Shape shape = b.shape(codes);
  const ValueId params = b.cast(b.tensor("qScaleAndZeros"), DType::f32);
  const auto part = [&](int64_t index) {
    return b.unsqueeze(b.permute(b.select(params, 2, index), {1, 0}), 2);
  };
  const ValueId scaled = mul(b, in_groups(b, codes, b.integer("qGroupSize", 32)), part(0));
  define_linear(b, b.reshape(add(b, scaled, part(1)), shape));
}

/// Each row's minimum or maximum, zero included.
ValueId end_of_rows(QuantBuilder& b, ValueId x, std::string_view extreme,
                    std::string_view combine) {
  ir::Shape shape = b.shape(x);
  shape.back() = Dim(1);
  const ValueId end = b.emit(
      extreme, {{"self", TensorRef{x}}, {"dim", std::vector<Dim>{Dim(-1)}}, {"keepdim", true}},
      DType::f32, shape);
  return b.binary(combine, end, b.number(0, DType::f32));
}

/// The zero point, computed from the end of the range that is further from its integer.
ValueId computed_zero_point(QuantBuilder& b, ValueId low, ValueId high) {
  const auto number = [&](double value) { return b.number(value, DType::f32); };
  const ValueId missed = add(b, add(b, number(-128), low), add(b, number(127), high));
  const ValueId is_low = b.binary("aten::gt.Tensor", missed, number(0));
  const ValueId point = b.where(is_low, sub(b, number(-128), low), sub(b, number(127), high));
  return b.rounded(b.clamped(point, -128, 127));
}

/// std::round: halves away from zero.
ValueId rounded_away(QuantBuilder& b, ValueId x) {
  const ValueId truncated = b.unary("aten::trunc", x);
  const ValueId fraction = sub(b, x, truncated);
  const ValueId is_half =
      b.binary("aten::ge.Tensor", b.unary("aten::abs", fraction), b.number(0.5, DType::f32));
  return add(b, truncated,
             b.where(is_half, b.unary("aten::sign", fraction), b.number(0, DType::f32)));
}

/// The product of centred integers, times the scale.
void dynamic_4bit(QuantBuilder& b) {
  if (refuse_variable_weight(b)) return;
  b.ignore({"in_features", "out_features"}, "the codes have these sizes");
  const ValueId x = b.tensor("inp");
  const ValueId low = end_of_rows(b, x, "aten::amin", "aten::minimum");
  const ValueId high = end_of_rows(b, x, "aten::amax", "aten::maximum");
  const ValueId one = b.number(1, DType::f32);
  const ValueId width =
      b.where(b.binary("aten::eq.Tensor", low, high), b.number(255, DType::f32), sub(b, high, low));
  const ValueId inverse = b.binary("aten::div.Tensor", b.number(255, DType::f32), width);
  const ValueId point = computed_zero_point(b, mul(b, low, inverse), mul(b, high, inverse));
  const ValueId q = b.clamped(add(b, rounded_away(b, mul(b, x, inverse)), point), -128, 127);
  const ValueId centred = sub(b, q, point);
  const ValueId scale = b.binary("aten::div.Tensor", one, inverse);
  const ValueId codes = signed_codes(b);
  const ValueId scales = b.tensor("scales");
  const int64_t block = b.integer("block_size", 32);
  ValueId y;
  if (b.shape(codes).at(1) == Dim(block)) {
    y = mul(b, linear(b, centred, codes), b.reshape(scales, {b.shape(codes).at(0)}));
  } else {
    const ValueId scaled = mul(b, in_groups(b, codes, block), b.unsqueeze(scales, 2));
    y = linear(b, centred, b.reshape(scaled, b.shape(codes)));
  }
  y = mul(b, y, scale);
  b.define(b.is_none("bias") ? y : add(b, y, b.tensor("bias")));
}

}  // namespace

const QuantRules& integer_rules() {
  static const QuantRules rules = {{"_int_mm", int_mm},
                                   {"_weight_int8pack_mm", int8_mm},
                                   {"_weight_int4pack_mm_for_cpu", int4_mm},
                                   {"_dyn_quant_matmul_4bit", dynamic_4bit}};
  return rules;
}

}  // namespace t2n::quant
