// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/load/vision.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/csrc/jit/runtime/operator.h>

namespace t2n::trace {
namespace {

constexpr const char* kNms =
    "torchvision::nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor";

void require_boxes(const at::Tensor& boxes, const at::Tensor& scores) {
  TORCH_CHECK(boxes.dim() == 2, "boxes should be a 2d tensor, got ", boxes.dim(), "D");
  TORCH_CHECK(boxes.size(1) == 4, "boxes should have 4 elements in dimension 1, got ",
              boxes.size(1));
  TORCH_CHECK(scores.dim() == 1, "scores should be a 1d tensor, got ", scores.dim(), "D");
  TORCH_CHECK(boxes.size(0) == scores.size(0),
              "boxes and scores should have same number of elements in dimension 0, got ",
              boxes.size(0), " and ", scores.size(0));
  TORCH_CHECK(boxes.scalar_type() == scores.scalar_type(),
              "dets should have the same type as scores");
}

/// Boxes as columns of x1, y1, x2, y2 and areas.
template <typename T>
struct Columns {
  explicit Columns(const at::Tensor& boxes)
      : columns(boxes.resolve_neg().t().contiguous()),
        box_areas(columns[2].sub(columns[0]).mul(columns[3].sub(columns[1])).contiguous()),
        count(boxes.size(0)),
        sides(columns.const_data_ptr<T>()),
        areas(box_areas.const_data_ptr<T>()) {}

  T side(int64_t which, int64_t box) const { return sides[which * count + box]; }

  /// Intersection over union: in the boxes' own precision.
  T overlap(int64_t i, int64_t j) const {
    const T width = std::max(T(0), std::min(side(2, i), side(2, j)) -  //
                                       std::max(side(0, i), side(0, j)));
    const T height = std::max(T(0), std::min(side(3, i), side(3, j)) -  //
                                        std::max(side(1, i), side(1, j)));
    const T common = width * height;
    return common / (areas[i] + areas[j] - common);
  }

  at::Tensor columns;
  at::Tensor box_areas;
  int64_t count;
  const T* sides;
  const T* areas;
};

/// The indices of the boxes that remain, in order. The threshold is compared in f64.
template <typename T>
std::vector<int64_t> kept(const at::Tensor& boxes, const at::Tensor& order, double threshold) {
  const Columns<T> columns(boxes);
  const int64_t* const indices = order.const_data_ptr<int64_t>();
  std::vector<char> is_suppressed(static_cast<size_t>(columns.count), 0);
  std::vector<int64_t> out;
  for (int64_t i = 0; i < columns.count; ++i) {
    if (is_suppressed[i] != 0) continue;
    out.push_back(indices[i]);
    for (int64_t j = i + 1; j < columns.count; ++j)
      if (static_cast<double>(columns.overlap(indices[i], indices[j])) > threshold)
        is_suppressed[j] = 1;
  }
  return out;
}

at::Tensor nms(const at::Tensor& boxes, const at::Tensor& scores, double threshold) {
  require_boxes(boxes, scores);
  if (boxes.numel() == 0) return at::empty({0}, at::kLong);
  const at::Tensor order =
      std::get<1>(scores.sort(/*stable=*/true, /*dim=*/0, /*descending=*/true)).contiguous();
  std::vector<int64_t> out;
  AT_DISPATCH_FLOATING_TYPES(boxes.scalar_type(), "nms",
                             [&] { out = kept<scalar_t>(boxes, order, threshold); });
  return at::tensor(out, at::kLong);
}

}  // namespace

void register_vision() {
  static const bool once = [] {
    torch::jit::registerOperator(torch::jit::Operator(
        kNms,
        [](torch::jit::Stack& stack) {
          const at::Tensor out = nms(torch::jit::peek(stack, 0, 3).toTensor(),
                                     torch::jit::peek(stack, 1, 3).toTensor(),
                                     torch::jit::peek(stack, 2, 3).toDouble());
          torch::jit::drop(stack, 3);
          torch::jit::push(stack, out);
        },
        c10::AliasAnalysisKind::PURE_FUNCTION));
    return true;
  }();
  static_cast<void>(once);
}

}  // namespace t2n::trace
