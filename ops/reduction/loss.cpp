// SPDX-License-Identifier: Apache-2.0
// Losses that compare element by element, or vector by vector, in the forms that torch computes.
#include "ops/reduction/loss.h"

#include <numbers>

#include "ops/reduction/families.h"
#include "ops/reduction/reduce.h"
#include "src/diag/error.h"
#include "src/translate/quotient.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

using ir::Promotion;

Ref wide(const OpView& op, Emitter& out, std::string_view name) {
  return widened(out, op.tensor(name));
}

Ref difference(const OpView& op, Emitter& out) {
  return sub(out, wide(op, out, "self"), wide(op, out, "target"));
}

Ref clamped_below(Emitter& out, Ref x, double least) {
  return maximum(out, x, like(out, least, x));
}

Ref scaled_by(Emitter& out, Ref x, double factor) { return mul(out, x, like(out, factor, x)); }

/// `x` where the target is not `value`, else 0.
Ref unless_target(Emitter& out, Ref target, double value, Ref x) {
  return select(out, compare(out, "ne", target, like(out, value, target)), x, like(out, 0, x));
}

void l1_loss(const OpView& op, Emitter& out) {
  finish_loss(op, out, magnitude(out, difference(op, out)));
}

void mse_loss(const OpView& op, Emitter& out) {
  const Ref d = difference(op, out);
  finish_loss(op, out, mul(out, d, d));
}

/// A parabola below `edge`, a line of slope `slope` above it.
Ref bent(Emitter& out, Ref d, double edge, double slope) {
  const Ref z = magnitude(out, d);
  const Ref parabola = scaled_by(out, mul(out, z, z), 0.5 * slope / edge);
  const Ref line = scaled_by(out, sub(out, z, like(out, 0.5 * edge, z)), slope);
  return select(out, compare(out, "lt", z, like(out, edge, z)), parabola, line);
}

void smooth_l1_loss(const OpView& op, Emitter& out) {
  const double beta = op.f64("beta");
  const Ref d = difference(op, out);
  finish_loss(op, out, beta == 0 ? magnitude(out, d) : bent(out, d, beta, 1));
}

void huber_loss(const OpView& op, Emitter& out) {
  const double delta = op.f64("delta");
  finish_loss(op, out, bent(out, difference(op, out), delta, delta));
}

Ref weighted(const OpView& op, Emitter& out, Ref losses) {
  const auto weight = op.opt_tensor("weight");
  return weight ? mul(out, losses, widened(out, *weight)) : losses;
}

/// torch keeps both logarithms above -100.
void binary_cross_entropy(const OpView& op, Emitter& out) {
  const Ref x = wide(op, out, "self"), target = wide(op, out, "target");
  const Ref if_true = clamped_below(out, out.elementwise("log", {x}), -100);
  const Ref if_false = clamped_below(out, out.elementwise("t2n_log1p", {neg(out, x)}), -100);
  const Ref others = sub(out, target, like(out, 1, target));
  const Ref losses = sub(out, mul(out, others, if_false), mul(out, target, if_true));
  finish_loss(op, out, weighted(op, out, losses));
}

/// (1 - target) * self - (1 + (pos_weight - 1) * target) * log_sigmoid(self)
void binary_cross_entropy_with_logits(const OpView& op, Emitter& out) {
  const Ref x = wide(op, out, "self"), target = wide(op, out, "target");
  const Ref one = like(out, 1, target);
  Ref log_sigmoid = out.elementwise("t2n_log_sigmoid", {x});
  if (const auto pos_weight = op.opt_tensor("pos_weight")) {
    const Ref more = sub(out, widened(out, *pos_weight), one);
    log_sigmoid = mul(out, log_sigmoid, add(out, mul(out, more, target), one));
  }
  const Ref losses = sub(out, mul(out, sub(out, one, target), x), log_sigmoid);
  finish_loss(op, out, weighted(op, out, losses));
}

/// target * (log(target) - self), 0 where target is 0.
void kl_div(const OpView& op, Emitter& out) {
  const Ref x = wide(op, out, "self"), target = wide(op, out, "target");
  if (op.boolean("log_target"))
    return finish_loss(op, out, mul(out, out.elementwise("exp", {target}), sub(out, target, x)));
  const Ref own = unless_target(out, target, 0, mul(out, target, out.elementwise("log", {target})));
  finish_loss(op, out, sub(out, own, mul(out, target, x)));
}

void hinge_embedding_loss(const OpView& op, Emitter& out) {
  const Ref x = wide(op, out, "self"), target = wide(op, out, "target");
  const Ref excess = clamped_below(out, sub(out, like(out, op.f64("margin"), x), x), 0);
  finish_loss(op, out,
              add(out, unless_target(out, target, 1, excess), unless_target(out, target, -1, x)));
}

void soft_margin_loss(const OpView& op, Emitter& out) {
  const Ref product = mul(out, neg(out, wide(op, out, "target")), wide(op, out, "self"));
  const Ref odds = out.elementwise("exp", {product});
  finish_loss(op, out, out.elementwise("t2n_log1p", {odds}));
}

void margin_ranking_loss(const OpView& op, Emitter& out) {
  const Ref d = sub(out, wide(op, out, "input1"), wide(op, out, "input2"));
  const Ref order = mul(out, neg(out, wide(op, out, "target")), d);
  finish_loss(op, out, clamped_below(out, add(out, order, like(out, op.f64("margin"), d)), 0));
}

/// Stirling's approximation of log(target!), 0 up to 1.
Ref stirling(Emitter& out, Ref target) {
  const Ref log = out.elementwise("log", {target});
  const Ref two_pi = out.elementwise("log", {scaled_by(out, target, 2 * std::numbers::pi)});
  const Ref sum = add(out, sub(out, mul(out, target, log), target), scaled_by(out, two_pi, 0.5));
  const Ref is_small = compare(out, "le", target, like(out, 1, target));
  return select(out, is_small, like(out, 0, target), sum);
}

void poisson_nll_loss(const OpView& op, Emitter& out) {
  const Ref x = wide(op, out, "input"), target = wide(op, out, "target");
  const double eps = op.f64("eps");
  Ref losses;
  if (op.boolean("log_input")) {
    losses = sub(out, out.elementwise("exp", {x}), mul(out, target, x));
  } else {
    const Ref log = out.elementwise("log", {add(out, x, like(out, eps, x))});
    losses = sub(out, x, mul(out, target, log));
  }
  if (op.boolean("full")) losses = add(out, losses, stirling(out, target));
  finish_loss(op, out, losses);
}

/// 1 - cos for targets of 1, max(cos - margin, 0) for -1, 0 for others.
void cosine_embedding_loss(const OpView& op, Emitter& out) {
  const Ref a = wide(op, out, "input1"), b = wide(op, out, "input2");
  const Ref target = wide(op, out, "target");
  const Ints axes = {out.rank(target)};
  const auto dot = [&](Ref x, Ref y) {
    return out.squeeze(reduce(out, "sum_reduce", mul(out, x, y), axes), axes);
  };
  const auto square = [&](Ref x) { return add(out, dot(x, x), like(out, 1e-12, x)); };
  const Ref size = out.elementwise("sqrt", {mul(out, square(a), square(b))});
  const Ref cosine = div(out, dot(a, b), size);
  const Ref zero = like(out, 0, cosine);
  const auto is = [&](double value) {
    return compare(out, "eq", target, like(out, value, target));
  };
  const Ref near = sub(out, like(out, 1, cosine), cosine);
  const Ref far = clamped_below(out, sub(out, cosine, like(out, op.f64("margin"), cosine)), 0);
  finish_loss(op, out, select(out, is(1), near, select(out, is(-1), far, zero)));
}

/// max(margin + |anchor - positive| - |anchor - negative|, 0); eps is added to each difference.
void triplet_margin_loss(const OpView& op, Emitter& out) {
  const double p = op.f64("p"), eps = op.f64("eps");
  const auto distance = [&](std::string_view from, std::string_view to) {
    const Ref d = at_least_1d(out, widened(out, sub(out, op.tensor(from), op.tensor(to))));
    const Ints axes = {out.rank(d) - 1};
    return out.squeeze(vector_norm(out, add(out, d, like(out, eps, d)), p, axes), axes);
  };
  const Ref near = distance("anchor", "positive");
  Ref far = distance("anchor", "negative");
  if (op.boolean("swap")) far = minimum(out, far, distance("positive", "negative"));
  const Ref excess = sub(out, add(out, near, like(out, op.f64("margin"), near)), far);
  finish_loss(op, out, clamped_below(out, excess, 0));
}

Shapes element_loss_shapes(const ShapeView& op) {
  return or_number(op, op.broadcast(op.operands()));
}

/// Pairs of vectors.
Shapes cosine_embedding_shapes(const ShapeView& op) {
  const Shape both = op.broadcast(op.shape("input1"), op.shape("input2"));
  const Shape rows = without(both, {both.size() == 1 ? 0 : 1}, false);
  return or_number(op, op.broadcast(rows, op.shape("target")));
}

Shapes triplet_margin_shapes(const ShapeView& op) {
  return or_number(op, rows_of(op.broadcast(op.operands())));
}

}  // namespace

Shapes or_number(const ShapeView& op, const Shape& shape) {
  const int64_t reduction = op.i64("reduction");
  constexpr int64_t kNone = 0, kMean = 1, kSum = 2;
  if (reduction != kNone && reduction != kMean && reduction != kSum)
    op.unknown("torch treats other reductions inconsistently");
  return {reduction == kNone ? shape : Shape{}};
}

/// All axes but the last; a number counts as a row of one.
Shape rows_of(const Shape& shape) { return shape.empty() ? shape : all_but_last(shape, 1); }

Reduction reduction_of(const OpView& op) {
  switch (op.within("reduction", 0, 2)) {
    case 0: return Reduction::none;
    case 1: return Reduction::mean;
    default: return Reduction::sum;
  }
}

Ref total(Emitter& out, Ref x) {
  if (out.rank(x) == 0) return x;
  const Ints axes = all_axes(out.rank(x));
  return out.squeeze(reduce(out, "sum_reduce", x, axes), axes);
}

void finish_loss(const OpView& op, Emitter& out, Ref losses) {
  const Reduction reduction = reduction_of(op);
  const Ints axes = all_axes(out.rank(losses));
  if (reduction == Reduction::none || axes.empty()) return finish(op, out, losses);
  if (reduction == Reduction::sum) return finish(op, out, total(out, losses));
  finish(op, out, out.squeeze(mean(op, out, losses, axes), axes));
}

void register_loss(Registry& r) {
  r.same({"aten::l1_loss"}, {"abs", "|self - target|", l1_loss, Promotion::operands});
  r.same({"aten::mse_loss"}, {"mul", "(self - target)^2", mse_loss, Promotion::operands});
  r.same({"aten::smooth_l1_loss"},
         {"select", "d^2 / (2 beta) below beta, else d - beta / 2; d = |self - target|",
          smooth_l1_loss, Promotion::operands});
  r.same({"aten::huber_loss"},
         {"select", "d^2 / 2 below delta, else delta * (d - delta / 2); d = |self - target|",
          huber_loss, Promotion::operands});
  r.same({"aten::binary_cross_entropy"},
         {"log",
          "-weight * (target * log(self) + (1 - target) * log(1 - self)), logarithms above -100",
          binary_cross_entropy, Promotion::operands});
  r.same({"aten::binary_cross_entropy_with_logits"},
         {"t2n_log_sigmoid", "binary cross entropy of sigmoid(self), without overflow",
          binary_cross_entropy_with_logits, Promotion::operands});
  r.same({"aten::kl_div"}, {"log", "target * (log(target) - self)", kl_div, Promotion::operands});
  r.same({"aten::hinge_embedding_loss"},
         {"select", "self where target is 1, max(margin - self, 0) where it is -1",
          hinge_embedding_loss, Promotion::operands});
  r.same({"aten::soft_margin_loss"},
         {"t2n_log1p", "log(1 + exp(-target * self))", soft_margin_loss, Promotion::operands});
  r.same({"aten::margin_ranking_loss"}, {"max", "max(margin - target * (input1 - input2), 0)",
                                         margin_ranking_loss, Promotion::operands});
  r.same({"aten::poisson_nll_loss"},
         {"exp", "exp(input) - target * input, and Stirling's log(target!)", poisson_nll_loss,
          Promotion::operands});
  r.same({"aten::cosine_embedding_loss"},
         {"sum_reduce", "1 - cos where target is 1, max(cos - margin, 0) where it is -1",
          cosine_embedding_loss, Promotion::operands});
  r.same({"aten::triplet_margin_loss"},
         {"sum_reduce", "max(margin + |anchor - positive| - |anchor - negative|, 0)",
          triplet_margin_loss, Promotion::operands});
  r.shapes(element_loss_shapes,
           "binary_cross_entropy binary_cross_entropy_with_logits hinge_embedding_loss "
           "huber_loss kl_div l1_loss margin_ranking_loss mse_loss poisson_nll_loss "
           "smooth_l1_loss soft_margin_loss");
  r.shapes(cosine_embedding_shapes, "cosine_embedding_loss");
  r.shapes(triplet_margin_shapes, "triplet_margin_loss");
}

}  // namespace t2n::ops
