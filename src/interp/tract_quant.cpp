// SPDX-License-Identifier: Apache-2.0
#include "src/interp/tract_quant.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <array>
#include <limits>

#include "src/diag/error.h"
#include "src/interp/kernel.h"
#include "src/interp/tract_support.h"

namespace t2n::interp {
namespace {

bool is_quantised(const Value& value) { return value.quantisation.has_value(); }

template <size_t count>
bool is_among(const std::string& name, const std::array<const char*, count>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Operations with 32-bit sums whose scale is the product of the operands' scales.
constexpr std::array kProducts = {"conv", "deconv", "matmul", "linear", "tract_core_einsum"};
constexpr std::array kOnIntegers = {"pad"};
constexpr std::array kArithmetic = {"add", "sub", "mul", "div", "min", "max"};
/// Operations that tract refuses or computes incorrectly on quantised operands.
constexpr std::array kRefused = {"lt",
                                 "gt",
                                 "le",
                                 "ge",
                                 "eq",
                                 "ne",
                                 "mean_reduce",
                                 "softmax",
                                 "leaky_relu",
                                 "tract_core_silu",
                                 "nearest_upsample",
                                 "tract_core_hard_swish"};

/// Half to even, saturating.
Value quantised_value(const at::Tensor& values, const Quantisation& to, at::ScalarType dtype,
                      bool constant) {
  const double low = dtype == at::kChar ? -128 : dtype == at::kByte ? 0 : -0x1p31;
  const double high = dtype == at::kChar ? 127 : dtype == at::kByte ? 255 : 0x1p31 - 1;
  const at::Tensor rounded = values.to(at::kDouble).div(to.scale).round().add(to.zero_point);
  Value out(rounded.clamp(low, high).to(dtype), constant);
  out.quantisation = to;
  return out;
}

at::Tensor dequantised_f64(const Value& value) {
  const Quantisation& from = *value.quantisation;
  return to_tensor(value).to(at::kDouble).sub(from.zero_point).mul(from.scale);
}

struct Parameters {
  Quantisation to;
  at::ScalarType dtype = at::kChar;
};

double number(const nnef::QuantEntry& entry, std::string_view name) {
  for (const nnef::Argument& argument : entry.invocation.arguments) {
    if (argument.name != name) continue;
    if (argument.value.kind == nnef::Kind::integer)
      return static_cast<double>(argument.value.integer);
    return argument.value.kind == nnef::Kind::logical ? argument.value.logical
                                                      : argument.value.number;
  }
  fail(cat("the quantisation of ", quoted(entry.name), " lacks ", name));
}

/// tract supports 8 bits, and 32 bits with a sign; linear_quantize always has 8 bits with a sign.
Parameters parameters(const nnef::QuantEntry& entry) {
  const std::string& method = entry.invocation.text;
  const auto bits = static_cast<int64_t>(number(entry, "bits"));
  if (method == "linear_quantize") {
    const double min = number(entry, "min"), max = number(entry, "max");
    const double scale = (max - min) / 255;
    return {{scale, static_cast<int64_t>(-(min + max) / 2 / scale)}, at::kChar};
  }
  if (method != "zero_point_linear_quantize") fail(cat("tract does not support ", quoted(method)));
  const bool has_sign = number(entry, "signed") != 0;
  if (bits != 8 && (bits != 32 || !has_sign))
    fail(cat("tract quantises to 8 bits, or 32 with a sign, not to ", bits));
  return {{number(entry, "scale"), static_cast<int64_t>(number(entry, "zero_point"))},
          bits == 32 ? at::kInt
          : has_sign ? at::kChar
                     : at::kByte};
}

/// The integers unchanged, or floats. Without a dtype, graph.quant describes the result.
Value casted(const Value& input, const Value& to) {
  if (to.is_absent()) return input;
  const at::Tensor integers = to_tensor(input);
  const at::ScalarType dtype = dtype_named(to_string(to));
  if (at::isFloatingType(dtype)) return {dequantised_f64(input).to(dtype), input.constant};
  if (dtype == integers.scalar_type() || dtype == at::kInt)
    return {integers.to(dtype), input.constant};
  fail(cat("tract cannot cast a quantised tensor to ", dtype_text(dtype)));
}

/// Applies `change` to each tensor, in arrays as well.
template <typename Change>
Value changed(const Value& value, const Change& change) {
  if (is_quantised(value)) return change(value);
  const auto* items = value.get<Values>();
  if (items == nullptr) return value;
  Values out;
  for (const Value& item : *items) out.push_back(changed(item, change));
  return {out, value.constant};
}

Value with_integers(const Value& value) {
  return changed(value, [](const Value& each) { return Value(to_tensor(each), each.constant); });
}

Value with_floats(const Value& value, at::ScalarType dtype) {
  return changed(value, [&](const Value& each) {
    return Value(dequantised_f64(each).to(dtype), each.constant);
  });
}

/// The quantised tensors among the values, arrays included.
Values quantised_values(const Values& values) {
  Values out;
  for (const Value& value : values) {
    if (is_quantised(value)) out.push_back(value);
    if (const auto* items = value.get<Values>())
      for (Value& item : quantised_values(*items)) out.push_back(std::move(item));
  }
  return out;
}

}  // namespace

bool has_quantised(const Values& values) { return !quantised_values(values).empty(); }

at::Tensor dequantised(const Value& value) {
  return is_quantised(value) ? dequantised_f64(value).to(at::kFloat) : to_tensor(value);
}

Value tract_quantised(const nnef::QuantEntry& entry, const Value& value) {
  const auto [to, dtype] = parameters(entry);
  if (is_quantised(value))
    return quantised_value(dequantised_f64(value), to, dtype, value.constant);
  const at::Tensor tensor = to_tensor(value);
  if (tensor.is_floating_point()) return quantised_value(tensor, to, dtype, value.constant);
  // Integer literals are quantised integers.
  if (!value.is_tensor() && at::equal(tensor, tensor.to(dtype).to(tensor.scalar_type()))) {
    Value out(tensor.to(dtype), value.constant);
    out.quantisation = to;
    return out;
  }
  if (tensor.scalar_type() != dtype)
    fail(cat("a tensor of ", dtype_text(tensor.scalar_type()), " cannot be quantised"));
  Value out = value;
  out.quantisation = to;
  return out;
}

bool is_quantised_as(const nnef::QuantEntry& entry, const Value& value) {
  const auto [to, dtype] = parameters(entry);
  return value.quantisation->scale == to.scale && value.quantisation->zero_point == to.zero_point &&
         to_tensor(value).scalar_type() == dtype;
}

QuantisedCall::QuantisedCall(const nnef::Fragment& declaration, Values arguments)
    : arguments_(std::move(arguments)) {
  const std::string& name = declaration.name;
  if (is_among(name, kRefused))
    fail(cat("tract does not run ", name, " on quantised tensors"), "",
         "cast to f32 first, and quantise the result");
  const Value first = quantised_values(arguments_).front();
  to_ = *first.quantisation;
  dtype_ = to_tensor(first).scalar_type();
  if (name == "tract_core_cast") {
    known_ = casted(arguments_[0], arguments_[1]);
  } else if (name == "copy") {
    known_ = arguments_[0];
  } else if (is_among(name, kOnIntegers)) {
    use_integers(declaration);
  } else {
    use_floats(declaration);
  }
}

/// pad fills with the integer 0, regardless of its dequantised value.
void QuantisedCall::use_integers(const nnef::Fragment& declaration) {
  on_integers_ = true;
  for (size_t i = 0; i < arguments_.size(); ++i) {
    arguments_[i] = with_integers(arguments_[i]);
    if (declaration.name == "pad" && declaration.parameters[i].name == "value")
      arguments_[i] = Value(0.0);
  }
}

void QuantisedCall::use_floats(const nnef::Fragment& declaration) {
  const bool is_product = is_among(declaration.name, kProducts);
  const bool is_arithmetic = is_among(declaration.name, kArithmetic);
  const Values operands = quantised_values(arguments_);
  if (is_product) {
    if (operands.size() < 2) fail(cat(declaration.name, " needs two quantised operands"));
    to_ = {operands[0].quantisation->scale * operands[1].quantisation->scale, 0};
    dtype_ = at::kInt;
  }
  for (size_t i = 0; i < arguments_.size(); ++i) {
    Value& argument = arguments_[i];
    const bool is_bias = is_product && declaration.parameters[i].name == "bias";
    if (!is_quantised(argument) && is_bias) {
      // A bias without its own parameters has the scale of the products.
      argument = {to_tensor(argument).to(at::kDouble).mul(to_.scale), argument.constant};
    } else if (!is_quantised(argument) && is_arithmetic) {
      const at::Tensor literal = to_tensor(argument).to(at::kFloat);
      argument = {dequantised(quantised_value(literal, to_, dtype_, true)), argument.constant};
    } else {
      argument = with_floats(argument, is_product ? at::kDouble : at::kFloat);
    }
    if (declaration.parameters[i].name == "acc") argument = std::string("f64");
  }
}

Value QuantisedCall::rounded(const Value& result) const {
  if (const auto* items = result.get<Values>()) {
    Values out;
    for (const Value& item : *items) out.push_back(rounded(item));
    return {out, result.constant};
  }
  const at::Tensor tensor = to_tensor(result);
  if (tensor.is_floating_point()) return quantised_value(tensor, to_, dtype_, result.constant);
  Value out = result;
  if (on_integers_) out.quantisation = to_;
  return out;
}

}  // namespace t2n::interp
