// SPDX-License-Identifier: Apache-2.0
// Products of complex tensors: matrices, vectors, convolutions. They are linear in each operand, so
// that they are sums of real products of the parts.
#include <optional>
#include <unordered_map>

#include "src/complex/rules.h"

namespace t2n::complex {
namespace {

/// The two operands of a product, in either form of schema.
struct Factors {
  std::string_view first;
  std::string_view second;  ///< empty: a list of tensors under `first`
};

const std::unordered_map<std::string_view, Factors>& products() {
  static const std::unordered_map<std::string_view, Factors> table = {
      {"bmm", {"self", "mat2"}},       {"conv1d", {"input", "weight"}},
      {"conv2d", {"input", "weight"}}, {"conv3d", {"input", "weight"}},
      {"dot", {"self", "tensor"}},     {"einsum", {"tensors", ""}},
      {"ger", {"self", "vec2"}},       {"inner", {"self", "other"}},
      {"linear", {"input", "weight"}}, {"matmul", {"self", "other"}},
      {"mm", {"self", "mat2"}},        {"mv", {"self", "vec"}},
      {"outer", {"self", "vec2"}},     {"tensordot", {"self", "other"}},
      {"vdot", {"self", "other"}},
  };
  return table;
}

Complex read_factor(PairBuilder& b, ValueId id) {
  const ValueId now = b.resolve(id);
  if (!b.is_complex(id)) return {b.cast(now, b.component())};
  const Complex both = b.parts(now);
  return {b.cast(both.re, b.component()), b.cast(both.im, b.component())};
}

/// One real product: the node with other operands and without a bias.
ValueId real_product(PairBuilder& b, const Factors& names, const std::vector<ValueId>& factors) {
  std::vector<ir::Argument> args = b.node().args;
  for (ir::Argument& arg : args) {
    if (arg.name == names.first)
      arg.value = names.second.empty() ? Attr(ir::TensorRefs{factors}) : TensorRef{factors[0]};
    else if (arg.name == names.second)
      arg.value = TensorRef{factors[1]};
    else if (arg.name == "bias")
      arg.value = ir::None{};
  }
  if (b.base_name() == "vdot")
    return b.emit("aten::dot", {{"self", TensorRef{factors[0]}}, {"tensor", TensorRef{factors[1]}}},
                  b.component(), b.output_shape());
  return b.emit(ir::op_name(b.node().op), std::move(args), b.component(), b.output_shape());
}

std::optional<Complex> combined(PairBuilder& b, const Factors& names,
                                const std::vector<Complex>& x) {
  const auto real = [&](std::vector<ValueId> factors) { return real_product(b, names, factors); };
  if (x.size() == 1) return Complex{real({x[0].re}), real({x[0].im})};
  if (x.size() != 2) return {};
  if (x[1].is_real()) return Complex{real({x[0].re, x[1].re}), real({x[0].im, x[1].re})};
  if (x[0].is_real()) return Complex{real({x[0].re, x[1].re}), real({x[0].re, x[1].im})};
  return Complex{b.binary("aten::sub.Tensor", real({x[0].re, x[1].re}), real({x[0].im, x[1].im})),
                 b.binary("aten::add.Tensor", real({x[0].re, x[1].im}), real({x[0].im, x[1].re}))};
}

/// The bias [O], shaped to broadcast with [N, O, k…], or along the last axis.
Complex shaped_bias(PairBuilder& b) {
  Complex bias = b.operand("bias");
  if (b.base_name() == "linear") return bias;
  const int spatial = b.rank(b.operand("weight").re) - 2;
  for (ValueId* part : {&bias.re, &bias.im})
    for (int i = 0; i < spatial && *part != ir::kNoValue; ++i)
      *part = b.unsqueeze(*part, b.rank(*part));
  return bias;
}

void product_rule(PairBuilder& b) {
  const Factors& names = products().at(b.base_name());
  std::vector<Complex> factors;
  for (const ir::Argument& arg : b.node().args)
    if (arg.name == names.first || arg.name == names.second)
      ir::for_each_ref(arg.value, [&](ValueId id) { factors.push_back(read_factor(b, id)); });
  if (b.base_name() == "vdot" && !factors.at(0).is_real())
    factors[0].im = b.unary("aten::neg", factors[0].im);
  const auto y = combined(b, names, factors);
  if (!y)
    return b.refuse("complex tensors are multiplied two at a time",
                    "write it as products of two tensors");
  const bool has_bias = b.has("bias") && !b.is_none("bias");
  b.define(has_bias ? add(b, *y, shaped_bias(b)) : *y);
}

/// beta * self + alpha * (first . second)
void scaled_product_rule(PairBuilder& b) {
  const std::string_view name = b.base_name();
  const bool is_batch = name == "baddbmm", is_vector = name == "addmv";
  const std::string_view first = is_batch ? "batch1" : is_vector ? "mat" : "mat1";
  const std::string_view second = is_batch ? "batch2" : is_vector ? "vec" : "mat2";
  const Complex x = b.operand(first), y = b.operand(second);
  const auto real = [&](ValueId p, ValueId q) {
    return b.emit("aten::matmul", {{"self", TensorRef{p}}, {"other", TensorRef{q}}}, b.component(),
                  b.output_shape());
  };
  Complex out{real(x.re, y.re)};
  if (!x.is_real() && !y.is_real()) out.re = b.binary("aten::sub.Tensor", out.re, real(x.im, y.im));
  if (!x.is_real()) out.im = real(x.im, y.re);
  if (!y.is_real()) {
    const ValueId cross = real(x.re, y.im);
    out.im = x.is_real() ? cross : b.binary("aten::add.Tensor", out.im, cross);
  }
  if (b.number_of("alpha") != 1.0) out = mul(b, b.operand("alpha"), out);
  if (b.number_of("beta") == 0.0) return b.define(out);
  Complex start = b.operand("self");
  if (b.number_of("beta") != 1.0) start = mul(b, b.operand("beta"), start);
  b.define(add(b, start, out));
}

const PairRules& scaled_products() {
  static const PairRules table = {
      {"addmm", scaled_product_rule},
      {"addmv", scaled_product_rule},
      {"baddbmm", scaled_product_rule},
  };
  return table;
}

}  // namespace

PairRule find_product_rule(std::string_view name) {
  if (products().contains(name)) return product_rule;
  return rule_in(scaled_products(), name);
}

}  // namespace t2n::complex
