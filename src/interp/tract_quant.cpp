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

bool is_quantised(const at::Tensor& tensor) { return at::isQIntType(tensor.scalar_type()); }

bool is_quantised(const Value& value) {
  const auto* tensor = value.get<at::Tensor>();
  return tensor != nullptr && is_quantised(*tensor);
}

template <size_t count>
bool is_among(const std::string& name, const std::array<const char*, count>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Sums of products have the product of the scales, and 32 bits.
constexpr std::array kProducts = {"conv", "deconv", "matmul", "linear", "tract_core_einsum"};
constexpr std::array kOfCodes = {"pad", "tract_core_einsum_q", "tract_core_qmatmul",
                                 "tract_core_qconv"};
constexpr std::array kArithmetic = {"add", "sub", "mul", "div", "min", "max"};
/// What tract refuses, or gets wrong: it has to be made real first.
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

at::ScalarType code_type(const at::Tensor& tensor) {
  const at::ScalarType type = tensor.scalar_type();
  return type == at::kQInt8 ? at::kChar : type == at::kQUInt8 ? at::kByte : at::kInt;
}

/// Half to even, saturating.
at::Tensor quantised(const at::Tensor& reals, double scale, int64_t zero_point,
                     at::ScalarType codes) {
  const double low = codes == at::kChar ? -128 : codes == at::kByte ? 0 : -0x1p31;
  const double high = codes == at::kChar ? 127 : codes == at::kByte ? 255 : 0x1p31 - 1;
  const at::Tensor rounded = reals.to(at::kDouble).div(scale).round().add(zero_point);
  return at::_make_per_tensor_quantized_tensor(rounded.clamp(low, high).to(codes).contiguous(),
                                               scale, zero_point);
}

struct Parameters {
  double scale = 1;
  int64_t zero_point = 0;
  at::ScalarType codes = at::kChar;
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

/// tract has 8 bits, and 32 with a sign; linear_quantize is always of 8 bits with a sign.
Parameters parameters(const nnef::QuantEntry& entry) {
  const std::string& how = entry.invocation.text;
  const auto bits = static_cast<int64_t>(number(entry, "bits"));
  if (how == "linear_quantize") {
    const double min = number(entry, "min"), max = number(entry, "max");
    const double scale = (max - min) / 255;
    return {scale, static_cast<int64_t>(-(min + max) / 2 / scale), at::kChar};
  }
  if (how != "zero_point_linear_quantize") fail(cat("tract knows no ", quoted(how)));
  const bool has_sign = number(entry, "signed") != 0;
  if (bits != 8 && (bits != 32 || !has_sign))
    fail(cat("tract quantises to 8 bits, or 32 with a sign, not to ", bits));
  return {number(entry, "scale"), static_cast<int64_t>(number(entry, "zero_point")),
          bits == 32 ? at::kInt
          : has_sign ? at::kChar
                     : at::kByte};
}

/// Raw codes, as they are, or reals.
Value casted(const Value& input, const Value* to) {
  const at::Tensor& tensor = *input.get<at::Tensor>();
  const at::ScalarType dtype = dtype_named(to_string(*to));
  if (at::isFloatingType(dtype)) return {tensor.dequantize().to(dtype), input.constant};
  if (dtype == code_type(tensor) || dtype == at::kInt)
    return {tensor.int_repr().to(dtype), input.constant};
  fail(cat("tract casts no quantised tensor to ", dtype_text(dtype)));
}

Value with_codes(const Value& value) {
  if (is_quantised(value)) return {value.get<at::Tensor>()->int_repr(), value.constant};
  const auto* items = value.get<Values>();
  if (items == nullptr) return value;
  Values out;
  for (const Value& item : *items) out.push_back(with_codes(item));
  return {out, value.constant};
}

Value with_reals(const Value& value, at::ScalarType dtype) {
  if (is_quantised(value)) return {value.get<at::Tensor>()->dequantize().to(dtype), value.constant};
  const auto* items = value.get<Values>();
  if (items == nullptr) return value;
  Values out;
  for (const Value& item : *items) out.push_back(with_reals(item, dtype));
  return {out, value.constant};
}

/// The quantised tensors among the values, arrays included.
std::vector<at::Tensor> quantised_tensors(const Values& values) {
  std::vector<at::Tensor> out;
  for (const Value& value : values) {
    if (is_quantised(value)) out.push_back(*value.get<at::Tensor>());
    if (const auto* items = value.get<Values>()) {
      const std::vector<at::Tensor> inner = quantised_tensors(*items);
      out.insert(out.end(), inner.begin(), inner.end());
    }
  }
  return out;
}

}  // namespace

bool has_quantised(const Values& values) { return !quantised_tensors(values).empty(); }

at::Tensor dequantised(const at::Tensor& tensor) {
  return is_quantised(tensor) ? tensor.dequantize() : tensor;
}

Value tract_quantised(const nnef::QuantEntry& entry, const Value& value) {
  const Parameters to = parameters(entry);
  const at::Tensor tensor = to_tensor(value);
  if (tensor.scalar_type() == to.codes)
    return {at::_make_per_tensor_quantized_tensor(tensor.contiguous(), to.scale, to.zero_point),
            value.constant};
  if (!is_quantised(tensor) && !tensor.is_floating_point())
    fail(cat("a tensor of ", dtype_text(tensor.scalar_type()), " cannot be quantised"));
  return {quantised(dequantised(tensor), to.scale, to.zero_point, to.codes), value.constant};
}

QuantisedCall::QuantisedCall(const nnef::Fragment& declaration, Values arguments)
    : arguments_(std::move(arguments)) {
  const std::string& name = declaration.name;
  if (is_among(name, kRefused))
    fail(cat("tract does not run ", name, " on quantised tensors"), "",
         "cast to f32 before, and quantise the result");
  const at::Tensor first = quantised_tensors(arguments_).front();
  scale_ = first.q_scale();
  zero_point_ = first.q_zero_point();
  codes_ = code_type(first);
  if (name == "tract_core_cast") {
    known_ = casted(arguments_[0], &arguments_[1]);
  } else if (name == "copy") {
    known_ = arguments_[0];
  } else if (is_among(name, kOfCodes)) {
    take_codes(declaration);
  } else {
    take_reals(declaration);
  }
}

/// pad fills up with the code 0, whatever it stands for.
void QuantisedCall::take_codes(const nnef::Fragment& declaration) {
  of_codes_ = true;
  for (size_t i = 0; i < arguments_.size(); ++i) {
    arguments_[i] = with_codes(arguments_[i]);
    if (declaration.name == "pad" && declaration.parameters[i].name == "value")
      arguments_[i] = Value(0.0);
  }
}

void QuantisedCall::take_reals(const nnef::Fragment& declaration) {
  const bool is_product = is_among(declaration.name, kProducts);
  const bool is_arithmetic = is_among(declaration.name, kArithmetic);
  const std::vector<at::Tensor> tensors = quantised_tensors(arguments_);
  if (is_product) {
    if (tensors.size() < 2) fail(cat(declaration.name, " needs two quantised operands"));
    scale_ = tensors[0].q_scale() * tensors[1].q_scale();
    zero_point_ = 0;
    codes_ = at::kInt;
  }
  for (size_t i = 0; i < arguments_.size(); ++i) {
    Value& argument = arguments_[i];
    const bool is_bias = is_product && declaration.parameters[i].name == "bias";
    if (!is_quantised(argument) && is_bias) {
      // A bias without parameters of its own counts in the scale of the products.
      argument = {to_tensor(argument).to(at::kDouble).mul(scale_), argument.constant};
    } else if (!is_quantised(argument) && is_arithmetic) {
      const at::Tensor literal = to_tensor(argument).to(at::kFloat);
      argument = {quantised(literal, scale_, zero_point_, codes_).dequantize(), argument.constant};
    } else {
      argument = with_reals(argument, is_product ? at::kDouble : at::kFloat);
    }
    if (declaration.parameters[i].name == "acc") argument = std::string("f64");
  }
}

Value QuantisedCall::rounded(const Value& result) const {
  const auto* tensor = result.get<at::Tensor>();
  if (const auto* items = result.get<Values>()) {
    Values out;
    for (const Value& item : *items) out.push_back(rounded(item));
    return {out, result.constant};
  }
  if (tensor == nullptr || is_quantised(*tensor)) return result;
  if (of_codes_)
    return {at::_make_per_tensor_quantized_tensor(tensor->contiguous(), scale_, zero_point_),
            result.constant};
  if (!tensor->is_floating_point()) return result;
  return {quantised(*tensor, scale_, zero_point_, codes_), result.constant};
}

}  // namespace t2n::interp
