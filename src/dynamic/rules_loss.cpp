// Losses: a number, or, with reduction "none", one for each element, row or pixel.
#include "src/diag/error.h"
#include "src/dynamic/shape_rule.h"

namespace t2n::dynamic {
namespace {

using ir::Shape;

Shapes or_number(const ShapeView& op, const Shape& shape) {
  const int64_t reduction = op.i64("reduction");
  constexpr int64_t kNone = 0, kMean = 1, kSum = 2;
  if (reduction != kNone && reduction != kMean && reduction != kSum)
    op.unknown("torch treats other reductions inconsistently");
  return {reduction == kNone ? shape : Shape{}};
}

Shapes elementwise(const ShapeView& op) { return or_number(op, op.broadcast(op.operands())); }

Shapes like_target(const ShapeView& op) { return or_number(op, op.shape("target")); }

/// A single row gives a number, whatever the shape of its class.
Shapes multi_margin(const ShapeView& op) {
  return op.first().size() < 2 ? Shapes{{}} : like_target(op);
}

/// All axes but the last; a number counts as a row of one.
Shape rows_of(const Shape& shape) { return shape.empty() ? shape : all_but_last(shape, 1); }

Shapes per_row(const ShapeView& op) { return or_number(op, rows_of(op.first())); }

/// The second result has the target's shape.
Shapes multilabel_margin_forward(const ShapeView& op) {
  return {per_row(op)[0], op.shape("target")};
}

Shapes with_total_weight(const ShapeView& op) { return {like_target(op)[0], {}}; }

/// Targets are classes, or probabilities of all classes.
Shapes cross_entropy(const ShapeView& op) {
  const Shape &x = op.shape("self"), &target = op.shape("target");
  if (target.size() < x.size()) return like_target(op);
  return or_number(op, without(x, {x.size() == 1 ? 0 : 1}, false));
}

/// Pairs of vectors.
Shapes cosine_embedding(const ShapeView& op) {
  const Shape both = op.broadcast(op.shape("input1"), op.shape("input2"));
  const Shape rows = without(both, {both.size() == 1 ? 0 : 1}, false);
  return or_number(op, op.broadcast(rows, op.shape("target")));
}

Shapes triplet_margin(const ShapeView& op) {
  return or_number(op, rows_of(op.broadcast(op.operands())));
}

}  // namespace

void add_loss_rules(ShapeRules& r) {
  r.add(elementwise,
        "binary_cross_entropy binary_cross_entropy_with_logits hinge_embedding_loss huber_loss "
        "kl_div l1_loss margin_ranking_loss mse_loss poisson_nll_loss smooth_l1_loss "
        "soft_margin_loss");
  r.add(like_target, "nll_loss nll_loss2d nll_loss_nd");
  r.add(multi_margin, "multi_margin_loss");
  r.add(per_row, "multilabel_margin_loss");
  r.add(multilabel_margin_forward, "multilabel_margin_loss_forward");
  r.add(with_total_weight, "nll_loss_forward nll_loss2d_forward");
  r.add(cross_entropy, "cross_entropy_loss");
  r.add(cosine_embedding, "cosine_embedding_loss");
  r.add(triplet_margin, "triplet_margin_loss");
}

}  // namespace t2n::dynamic
