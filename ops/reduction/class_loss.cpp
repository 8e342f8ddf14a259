// SPDX-License-Identifier: Apache-2.0
// Losses whose targets are classes: one class per position, or a list of them.
#include "ops/reduction/families.h"
#include "ops/reduction/loss.h"
#include "ops/structure/positions.h"
#include "ops/structure/product.h"
#include "src/diag/error.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

/// The axis of the classes: 1, or 0 of a vector.
int class_axis(const Emitter& out, Ref x) { return out.rank(x) == 1 ? 0 : 1; }

/// One value per class, shaped to broadcast with `x`.
Ref along_classes(Emitter& out, Ref per_class, Ref x) {
  Shape shape(static_cast<size_t>(out.rank(x)), Dim(1));
  const size_t axis = class_axis(out, x);
  shape[axis] = out.shape(x)[axis];
  return out.reshape(widened(out, per_class), shape);
}

Ref sum_over_classes(Emitter& out, Ref x) {
  const Ints axes = {class_axis(out, x)};
  return out.squeeze(reduce(out, "sum_reduce", x, axes), axes);
}

/// The element of each position's class. The index must be in range.
Ref at_class(Emitter& out, Ref x, Ref target) {
  const int axis = class_axis(out, x);
  const Ref index = out.unsqueeze(target, {axis});
  const Ref picked = out.call("tract_core_gather_elements", {x, index}, {{"axis", axis}},
                              out.dtype(x), out.shape(index));
  return out.squeeze(picked, {axis});
}

/// The weight of each position: that of its class, 0 if the class is ignored.
struct Targets {
  Ref classes;  ///< i64, 0 where ignored
  Ref is_ignored;
  Ref weights;
};

Targets read_targets(const OpView& op, Emitter& out, Ref x) {
  Ref target = out.cast(op.tensor("target"), DType::i64);
  // One row of classes may come with a list of one target.
  if (out.rank(x) == 1) target = out.reshape(target, {});
  const Ref zero = out.scalar(int64_t{0}, DType::i64);
  const Ref ignored = out.scalar(op.i64("ignore_index"), DType::i64);
  Targets t;
  t.is_ignored = compare(out, "eq", target, ignored);
  t.classes = select(out, t.is_ignored, zero, target);
  const auto weight = op.opt_tensor("weight");
  const Ref one = out.full(like(out, 1, x), out.shape(target));
  t.weights = weight ? take(out, flattened(out, widened(out, *weight)), t.classes, 0) : one;
  t.weights = select(out, t.is_ignored, like(out, 0, x), t.weights);
  return t;
}

/// -x[class] * weight[class] per position; x are logarithms of probabilities.
Ref nll(Emitter& out, Ref x, const Targets& t) {
  const Ref losses = neg(out, mul(out, at_class(out, x, t.classes), t.weights));
  return select(out, t.is_ignored, like(out, 0, x), losses);  // x may be infinite there
}

/// A mean is weighted.
Ref reduced_losses(Emitter& out, Ref losses, Ref weights, Reduction reduction) {
  if (reduction == Reduction::none) return losses;
  const Ref sum = total(out, losses);
  return reduction == Reduction::sum ? sum : div(out, sum, total(out, weights));
}

void nll_loss(const OpView& op, Emitter& out) {
  const Ref x = widened(out, op.tensor("self"));
  const Targets t = read_targets(op, out, x);
  const Reduction reduction = reduction_of(op);
  const Ref loss = reduced_losses(out, nll(out, x, t), t.weights, reduction);
  finish(op, out, out.reshape(loss, op.shape()));
  if (op.outputs() < 2 || !op.is_used(1)) return;
  if (reduction == Reduction::none)
    op.refuse_op(Limit::backward_output,
                 "do not read total_weight: torch does not define it without a reduction");
  finish(op, out, total(out, t.weights), 1);
}

Ref log_softmax(const OpView& op, Emitter& out, Ref x) {
  return out.elementwise(op.nnef(), {x}, {}, {{"axes", Ints{class_axis(out, x)}}});
}

/// Targets are probabilities: -sum(target * weight * log_softmax(self)) over the classes. A mean is
/// taken over positions, whatever the weights.
void entropy_of_probabilities(const OpView& op, Emitter& out, Ref log, double smoothing) {
  op.ignore("ignore_index", "there are no indices");
  Ref target = widened(out, out.cast(op.tensor("target"), out.dtype(log)));
  if (smoothing > 0) {
    const auto classes = static_cast<double>(extent(out, log, class_axis(out, log)));
    target = add(out, scaled(out, target, 1 - smoothing), like(out, smoothing / classes, log));
  }
  Ref terms = mul(out, log, target);
  if (const auto weight = op.opt_tensor("weight"))
    terms = mul(out, terms, along_classes(out, *weight, terms));
  finish_loss(op, out, neg(out, sum_over_classes(out, terms)));
}

void entropy_of_classes(const OpView& op, Emitter& out, Ref log, double smoothing) {
  const Targets t = read_targets(op, out, log);
  const Reduction reduction = reduction_of(op);
  const Ref sharp = reduced_losses(out, nll(out, log, t), t.weights, reduction);
  if (smoothing == 0) return finish(op, out, sharp);
  const auto weight = op.opt_tensor("weight");
  const Ref each = weight ? mul(out, log, along_classes(out, *weight, log)) : log;
  const Ref kept =
      select(out, t.is_ignored, like(out, 0, log), neg(out, sum_over_classes(out, each)));
  const Ref smooth = reduced_losses(out, kept, t.weights, reduction);
  const auto classes = static_cast<double>(extent(out, log, class_axis(out, log)));
  finish(op, out,
         add(out, scaled(out, sharp, 1 - smoothing), scaled(out, smooth, smoothing / classes)));
}

void cross_entropy_loss(const OpView& op, Emitter& out) {
  const Ref self = op.tensor("self"), target = op.tensor("target");
  const double smoothing = op.f64("label_smoothing");
  const Ref log = log_softmax(op, out, widened(out, self));
  const bool is_probability = ir::is_float(out.dtype(target));
  is_probability ? entropy_of_probabilities(op, out, log, smoothing)
                 : entropy_of_classes(op, out, log, smoothing);
}

/// [C] as [1, C].
Ref as_batch(Emitter& out, Ref x) { return with_rank(out, x, 2); }

/// `losses` has one entry per row; a vector has no axis of rows.
void finish_batch_loss(const OpView& op, Emitter& out, Ref losses, int input_rank) {
  finish_loss(op, out, input_rank < 2 ? out.reshape(losses, Shape{}) : losses);
}

/// sum(max(margin - self[class] + self[j], 0)^p * weight[class]) / classes, over j != class.
void multi_margin_loss(const OpView& op, Emitter& out) {
  const Ref x = as_batch(out, widened(out, op.tensor("self")));
  const int64_t classes = extent(out, x, 1);
  const Ref target = out.reshape(op.tensor("target"), {out.shape(x)[0], 1});
  const Ref own = out.unsqueeze(at_class(out, x, out.squeeze(target, {1})), {1});
  const Ref margin = like(out, op.f64("margin"), x);
  const Ref excess = maximum(out, add(out, sub(out, margin, own), x), like(out, 0, x));
  const double p = op.f64("p");
  Ref terms = p == 1 ? excess : mul(out, excess, excess);
  if (const auto weight = op.opt_tensor("weight"))
    terms = mul(out, terms, take(out, flattened(out, widened(out, *weight)), target, 0));
  const Ref is_own = compare(out, "eq", iota(out, classes, 1, 2), target);
  terms = select(out, is_own, like(out, 0, x), terms);
  const double share = 1 / static_cast<double>(classes);
  finish_batch_loss(op, out, scaled(out, sum_over_classes(out, terms), share),
                    out.rank(op.tensor("self")));
}

/// Lists of classes, one per row, each ending before the first negative one.
struct ClassLists {
  Ref classes;   ///< [N, C], 0 after the end
  Ref is_valid;  ///< [N, C]
  Ref is_among;  ///< [N, C]: whether class c is in the list
};

ClassLists read_lists(const OpView& op, Emitter& out) {
  const Ref target = as_batch(out, op.tensor("target"));
  const Dim count = out.shape(target).at(1);
  const Ref zero = out.scalar(int64_t{0}, DType::i64);
  const Ref is_end = out.unsqueeze(compare(out, "lt", target, zero), {1});
  const Ref is_before = compare(out, "le", iota(out, count, 2, 3), iota(out, count, 1, 3));
  const auto any_last = [&](Ref x) { return out.squeeze(reduce(out, "max_reduce", x, {2}), {2}); };
  ClassLists lists;
  lists.is_valid = logical_not(out, any_last(logical_and(out, is_end, is_before)));
  lists.classes = select(out, lists.is_valid, target, zero);
  const Ref is_it = compare(out, "eq", out.unsqueeze(lists.classes, {1}), iota(out, count, 1, 3));
  lists.is_among = any_last(logical_and(out, is_it, out.unsqueeze(lists.is_valid, {1})));
  return lists;
}

/// sum(max(1 - self[class] + self[i], 0)) / classes, over the listed classes and all other i.
void multilabel_margin_loss(const OpView& op, Emitter& out) {
  const Ref x = as_batch(out, widened(out, op.tensor("self")));
  const ClassLists lists = read_lists(op, out);
  const Ref own = out.call("tract_core_gather_elements", {x, lists.classes}, {{"axis", 1}},
                           out.dtype(x), out.shape(lists.classes));
  const Ref lead = sub(out, out.unsqueeze(x, {2}), out.unsqueeze(own, {1}));
  const Ref excess = maximum(out, add(out, lead, like(out, 1, x)), like(out, 0, x));
  const Ref counts = logical_and(out, out.unsqueeze(logical_not(out, lists.is_among), {2}),
                                 out.unsqueeze(lists.is_valid, {1}));
  const Ref terms = select(out, counts, excess, like(out, 0, x));
  const Ref sums = out.squeeze(reduce(out, "sum_reduce", terms, {1, 2}), {1, 2});
  const double share = 1 / static_cast<double>(extent(out, x, 1));
  finish_batch_loss(op, out, scaled(out, sums, share), out.rank(op.tensor("self")));
  if (op.outputs() > 1 && op.is_used(1))
    finish(op, out, out.reshape(out.cast(lists.is_among, op.dtype(1)), op.shape(1)), 1);
}

Shapes like_target_shapes(const ShapeView& op) { return or_number(op, op.shape("target")); }

/// A single row gives a number, whatever the shape of its class.
Shapes multi_margin_shapes(const ShapeView& op) {
  return op.first().size() < 2 ? Shapes{{}} : like_target_shapes(op);
}

Shapes per_row_shapes(const ShapeView& op) { return or_number(op, rows_of(op.first())); }

/// The second result has the target's shape.
Shapes multilabel_margin_forward_shapes(const ShapeView& op) {
  return {per_row_shapes(op)[0], op.shape("target")};
}

Shapes with_total_weight_shapes(const ShapeView& op) { return {like_target_shapes(op)[0], {}}; }

/// Targets are classes, or probabilities of all classes.
Shapes cross_entropy_shapes(const ShapeView& op) {
  const Shape &x = op.shape("self"), &target = op.shape("target");
  if (target.size() < x.size()) return like_target_shapes(op);
  return or_number(op, without(x, {x.size() == 1 ? 0 : 1}, false));
}

}  // namespace

void register_class_losses(Registry& r) {
  r.same({"aten::nll_loss", "aten::nll_loss2d", "aten::nll_loss_nd", "aten::nll_loss_forward",
          "aten::nll_loss2d_forward"},
         {"tract_core_gather_elements",
          "-self[target] * weight[target]; 0 where target is ignore_index", nll_loss});
  r.add({.op = "aten::cross_entropy_loss",
         .doc = "-log_softmax(self)[target] * weight[target], or with probabilities as target",
         .variants = {{has(Feature::log_softmax), "tract_core_log_softmax", cross_entropy_loss},
                      {any_target(), "t2n_log_softmax", cross_entropy_loss}}});
  r.same({"aten::multi_margin_loss"},
         {"tract_core_gather_elements",
          "sum over j != target of max(margin - self[target] + self[j], 0)^p * weight / classes",
          multi_margin_loss});
  r.same({"aten::multilabel_margin_loss", "aten::multilabel_margin_loss_forward"},
         {"tract_core_gather_elements",
          "sum over targets and other i of max(1 - self[target] + self[i], 0) / classes",
          multilabel_margin_loss});
  r.refuse({"aten::ctc_loss.IntList", "aten::ctc_loss.Tensor", "aten::_ctc_loss",
            "aten::_ctc_loss.Tensor"},
           "connectionist temporal classification",
           {Limit::alignments, "export the model without its loss"});
  r.shapes(like_target_shapes, "nll_loss nll_loss2d nll_loss_nd");
  r.shapes(multi_margin_shapes, "multi_margin_loss");
  r.shapes(per_row_shapes, "multilabel_margin_loss");
  r.shapes(multilabel_margin_forward_shapes, "multilabel_margin_loss_forward");
  r.shapes(with_total_weight_shapes, "nll_loss_forward nll_loss2d_forward");
  r.shapes(cross_entropy_shapes, "cross_entropy_loss");
}

}  // namespace t2n::ops
