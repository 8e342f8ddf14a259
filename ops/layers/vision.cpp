// SPDX-License-Identifier: Apache-2.0
// Operators of torchvision.
#include <cmath>
#include <limits>

#include "ops/layers/families.h"
#include "ops/layers/scan.h"
#include "ops/structure/index.h"
#include "ops/structure/positions.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"
#include "src/translate/unbacked_sizes.h"

namespace t2n::ops {
namespace {

/// Boxes as torch sorts scores: NaN first, and equal ones in the order in which they came.
Ref falling_order(Emitter& out, Ref scores) {
  const Dim& count = size_of(out, scores, 0);
  const Ref no_number = is_nan(out, scores);
  const Ref first = sorted(out, out.cast(no_number, DType::f32), count, 0, true).indices;
  const Ref all =
      select(out, no_number, like(out, std::numeric_limits<double>::infinity(), scores), scores);
  const Ref then = sorted(out, take(out, all, first, 0), count, 0, true).indices;
  out.declare_positions(first);
  out.declare_positions(then);
  return take(out, first, then, 0);
}

/// x1, y1, x2, y2 and the area of each box, in an order. If their number is symbolic, an empty box
/// is appended, because a loop has at least one iteration.
std::vector<Ref> columns(Emitter& out, Ref boxes, Ref order, bool is_symbolic) {
  const Ref rows = take(out, boxes, order, 0);
  std::vector<Ref> all;
  for (int64_t side = 0; side < 4; ++side)
    all.push_back(out.squeeze(out.slice(rows, 1, side, side + 1), {1}));
  all.push_back(mul(out, sub(out, all[2], all[0]), sub(out, all[3], all[1])));
  const Ref none = out.full(out.scalar(0.0, out.dtype(boxes)), {Dim(1)});
  if (is_symbolic)
    for (Ref& each : all) each = out.concat({each, none}, 0);
  return all;
}

/// torch divides in the boxes' precision and compares with a 64-bit number. tract multiplies by the
/// reciprocal, which rounds differently, so the quotient is computed in f64. Its threshold is the
/// midpoint between the largest f32 that is not above the number and the next f32: no quotient of
/// two f32 is close enough to a midpoint for the error to matter.
double threshold_of(double number, DType dtype) {
  if (dtype != DType::f32 || !std::isfinite(number)) return number;
  constexpr float kMax = std::numeric_limits<float>::infinity();
  auto below = static_cast<float>(number);
  if (static_cast<double>(below) > number) below = std::nextafter(below, -kMax);
  const float above = std::nextafter(below, kMax);
  return (static_cast<double>(below) + static_cast<double>(above)) / 2;
}

nnef::Value state_entry(const char* name, nnef::Value second, nnef::Value third) {
  return nnef::tuple({nnef::string(name), std::move(second), std::move(third)});
}

/// For each box: true if no better remaining box overlaps it. Each iteration tests one box.
Ref not_overlapped(Emitter& out, const std::vector<Ref>& boxes, double threshold) {
  const DType dtype = out.dtype(boxes[0]);
  const Shape one = {Dim(1)};
  const Shape all = out.shape(boxes[0]);
  const auto number = [&](double value) { return out.full(out.scalar(value, dtype), one); };
  constexpr const char* kColumns[] = {"x1", "y1", "x2", "y2", "area"};
  nnef::Values full;
  for (size_t i = 0; i < boxes.size(); ++i)
    full.push_back(scan_pair(kColumns[i], out.operand(boxes[i])));
  full.push_back(scan_pair("least", out.operand(number(0))));
  full.push_back(
      scan_pair("threshold", out.operand(out.full(out.scalar(threshold, DType::f64), one))));
  const Ref covered =
      compare(out, "lt", boxes[0], boxes[0]);  // all false, in the shape of the boxes
  nnef::Values state = {state_entry("covered", out.operand(covered), nnef::string("covered_next")),
                        state_entry("i", out.operand(out.full(out.scalar(0.0, DType::f32), one)),
                                    nnef::string("i_next")),
                        state_entry("sum", out.operand(number(0)), nnef::string("sum_next"))};
  const auto results =
      out.calls("tract_core_scan", {},
                {{"body", "t2n_nms_step"},
                 {"scan", nnef::array({scan_quadruple("element", out.operand(boxes[0]))})},
                 {"full", nnef::array(std::move(full))},
                 {"state", nnef::array(std::move(state))},
                 {"output", nnef::array({scan_quadruple("is_left", nnef::string("full")),
                                         scan_quadruple("covered_next", nnef::string("last")),
                                         scan_quadruple("i_next", nnef::string("last")),
                                         scan_quadruple("sum_next", nnef::string("last"))})},
                 {"skip", 0},
                 {"reset_every_turn", 1},
                 {"external_state", 0}},
                {{DType::boolean, all}, {DType::boolean, all}, {DType::f32, one}, {dtype, one}});
  return results[0];
}

void nms(const OpView& op, Emitter& out) {
  const Ref boxes = widened(out, op.tensor("dets")), scores = widened(out, op.tensor("scores"));
  const double threshold = threshold_of(op.f64("iou_threshold"), out.dtype(boxes));
  if (!is_unbacked(op.shape()))
    op.refuse_op(Limit::data_dependent_shape, "compute it outside of the model");
  const Dim& count = size_of(out, scores, 0);
  const bool is_symbolic = !count.is_constant();
  const Ref order = falling_order(out, scores);
  Ref is_kept = not_overlapped(out, columns(out, boxes, order, is_symbolic), threshold);
  if (is_symbolic) is_kept = out.slice(is_kept, 0, Dim(0), count);
  const Ref indices = nonzero_indices(out, is_kept, op.shape()[0])[0];
  const Ref kept = take(out, order, indices, 0);
  out.declare_positions(kept);
  out.result(kept);
}

/// The boxes that are not suppressed.
Shapes nms_shapes(const ShapeView& op) {
  op.unified(op.shape("dets").at(0), op.shape("scores").at(0));
  return {{shapes::unbacked_size()}};
}

}  // namespace

void register_vision(Registry& r) {
  r.add({.op = "torchvision::nms",
         .doc = "the boxes that no box with a better score overlaps, the best first",
         .variants = {{has(Feature::non_zero), "tract_core_scan", nms}}});
  r.shapes(nms_shapes, "torchvision::nms");
}

}  // namespace t2n::ops
