// SPDX-License-Identifier: Apache-2.0
#include "src/interp/quant.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>

#include "src/diag/error.h"
#include "src/interp/kernels.h"
#include "src/interp/operands.h"
#include "src/interp/program.h"

namespace t2n::interp {
namespace {

/// The range of integers.
struct IntegerRange {
  int64_t bits = 8;
  bool is_signed = false;
  bool symmetric = false;

  double power() const { return std::ldexp(1.0, static_cast<int>(is_signed ? bits - 1 : bits)); }
  double highest() const { return power() - 1; }
  double lowest() const { return is_signed ? (symmetric ? 1 : 0) - power() : 0; }
};

void require_bits(const IntegerRange& integers) {
  if (integers.bits < 1 || integers.bits > 64)
    fail(cat("a quantisation to ", integers.bits, " bits"));
}

/// floor(x + 0.5), like the standard's round.
at::Tensor rounded(const at::Tensor& x) { return at::floor(x + 0.5); }

at::Tensor clamped(const at::Tensor& x, const at::Tensor& low, const at::Tensor& high) {
  return at::maximum(at::minimum(x, high), low);
}

/// The tensor, with the parameters in its rank.
struct Aligned {
  at::Tensor x;
  at::Tensor first;
  at::Tensor second;
};

Aligned aligned(const at::Tensor& x, const at::Tensor& first, const at::Tensor& second) {
  const Tensors all = same_rank({x, first, second});
  return {all[0].to(at::kFloat), all[1].to(at::kFloat), all[2].to(at::kFloat)};
}

struct ZeroPoint {
  at::Tensor zero_point;
  at::Tensor scale;
  IntegerRange integers;

  at::Tensor dequantise(const at::Tensor& stored) const {
    const Aligned all = aligned(stored, zero_point, scale);
    return (all.x - all.first) * all.second;
  }
  at::Tensor fake_quantise(const at::Tensor& x) const {
    const Aligned all = aligned(x, zero_point, scale);
    const at::Tensor integer =
        at::clamp(rounded(all.x / all.second) + all.first, integers.lowest(), integers.highest());
    return (integer - all.first) * all.second;
  }
};

struct MinMax {
  at::Tensor min;
  at::Tensor max;
  IntegerRange integers;

  double steps() const { return integers.highest() - integers.lowest(); }
  at::Tensor dequantise(const at::Tensor& stored) const {
    const Aligned all = aligned(stored, min, max);
    return (all.x - integers.lowest()) / steps() * (all.second - all.first) + all.first;
  }
  at::Tensor fake_quantise(const at::Tensor& x) const {
    const Aligned all = aligned(x, min, max);
    const at::Tensor range = all.second - all.first;
    const at::Tensor inside = clamped(all.x, all.first, all.second) - all.first;
    return rounded(inside / range * steps()) / steps() * range + all.first;
  }
};

at::Tensor logarithmic(const at::Tensor& x, const at::Tensor& max, int64_t bits) {
  const Aligned all = aligned(x, max, max);
  const at::Tensor top = at::ceil(at::log2(all.first));
  const at::Tensor low = top - (std::ldexp(1.0, static_cast<int>(bits)) - 1);
  const at::Tensor power = rounded(clamped(at::log2(at::abs(all.x)), low, top));
  return at::sign(all.x) * at::exp2(power);
}

Tensors zero_point_kernel(const KernelCall& call) {
  const IntegerRange integers = {call.i64("bits"), call.boolean("signed"),
                                 call.boolean("symmetric")};
  require_bits(integers);
  const ZeroPoint scheme = {call.tensor("zero_point"), call.tensor("scale"), integers};
  return {scheme.fake_quantise(call.tensor("x"))};
}

Tensors min_max_kernel(const KernelCall& call) {
  const IntegerRange integers = {call.i64("bits"), call.boolean("signed"),
                                 call.boolean("symmetric")};
  require_bits(integers);
  return {MinMax{call.tensor("min"), call.tensor("max"), integers}.fake_quantise(call.tensor("x"))};
}

/// min_max_linear_quantize without signs.
Tensors linear_kernel(const KernelCall& call) {
  const IntegerRange integers = {.bits = call.i64("bits")};
  require_bits(integers);
  return {MinMax{call.tensor("min"), call.tensor("max"), integers}.fake_quantise(call.tensor("x"))};
}

Tensors logarithmic_kernel(const KernelCall& call) {
  require_bits({.bits = call.i64("bits")});
  return {logarithmic(call.tensor("x"), call.tensor("max"), call.i64("bits"))};
}

/// A literal of graph.quant, arrays of arrays included.
at::Tensor literal(const nnef::Value& value) {
  switch (value.kind) {
    case nnef::Kind::integer: return at::scalar_tensor(value.integer, at::kLong);
    case nnef::Kind::scalar: return at::scalar_tensor(value.number, at::kFloat);
    case nnef::Kind::logical: return at::scalar_tensor(value.logical, at::kBool);
    case nnef::Kind::array: break;
    default: fail("a quantisation has literals as arguments");
  }
  Tensors items;
  for (const nnef::Value& item : value.items) items.push_back(literal(item));
  if (items.empty()) fail("a quantisation has an empty array as argument");
  return at::stack(items);
}

at::Tensor argument(const nnef::QuantEntry& entry, std::string_view name) {
  const nnef::Value* const value = nnef::find_argument(entry.invocation, name);
  if (value == nullptr) fail(cat("the quantisation of ", quoted(entry.name), " lacks ", name));
  return literal(*value);
}

bool flag(const nnef::QuantEntry& entry, std::string_view name) {
  const bool is_present = nnef::find_argument(entry.invocation, name) != nullptr;
  return is_present && argument(entry, name).item<bool>();
}

template <typename Scheme>
at::Tensor applied(const Scheme& scheme, const at::Tensor& x) {
  require_bits(scheme.integers);
  return at::isFloatingType(x.scalar_type()) ? scheme.fake_quantise(x) : scheme.dequantise(x);
}

}  // namespace

Value quantised(const nnef::QuantEntry& entry, const Value& value) {
  const at::Tensor x = to_tensor(value);
  const std::string& method = entry.invocation.text;
  const IntegerRange integers = {argument(entry, "bits").item<int64_t>(), flag(entry, "signed"),
                                 flag(entry, "symmetric")};
  if (method == "zero_point_linear_quantize")
    return {
        applied(ZeroPoint{argument(entry, "zero_point"), argument(entry, "scale"), integers}, x),
        value.constant};
  if (method == "min_max_linear_quantize" || method == "linear_quantize")
    return {applied(MinMax{argument(entry, "min"), argument(entry, "max"), integers}, x),
            value.constant};
  if (method == "logarithmic_quantize" && at::isFloatingType(x.scalar_type()))
    return {logarithmic(x, argument(entry, "max"), integers.bits), value.constant};
  fail(cat("the quantisation ", quoted(method), " of ", described(value)));
}

void register_quant(Kernels& kernels) {
  kernels.add("zero_point_linear_quantize", zero_point_kernel);
  kernels.add("min_max_linear_quantize", min_max_kernel);
  kernels.add("linear_quantize", linear_kernel);
  kernels.add("logarithmic_quantize", logarithmic_kernel);
}

}  // namespace t2n::interp
