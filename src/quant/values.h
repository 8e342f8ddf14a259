// Values that were quantised, and what replaces them in the new graph.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "src/passes/arithmetic.h"
#include "src/quant/rounding.h"

namespace t2n::quant {

// Names that all rules use.
using ir::Dim;
using ir::DType;
using ir::QuantInfo;
using ir::TensorRef;
using ir::ValueId;

/// A scale and a zero point that follow from data: tensors of rank 0, f32.
struct DynamicScale {
  ir::ValueId scale = ir::kNoValue;
  ir::ValueId zero_point = ir::kNoValue;
  ir::ValueId exact = ir::kNoValue;  ///< the scale in f64, as q_scale() gives it
};

/// A quantised value is replaced by its *steps* from the start: the integers minus their zero
/// point, as f32, which holds them and sums of some hundred products exactly. Quantised constants
/// stay integers. `original`: a value's number in the old graph.
class QuantValues : public passes::Rewriter {
 public:
  explicit QuantValues(ir::Graph& graph);

  const std::optional<ir::QuantInfo>& info_at(ir::ValueId original) const;
  ir::ValueId steps_at(ir::ValueId original);
  ir::ValueId real_at(ir::ValueId original);
  ir::ValueId integers_at(ir::ValueId original);
  ir::ValueId counted_at(ir::ValueId original);  ///< the integers, in f32
  /// Whether the integers may exceed the 24 bits that a step in f32 has.
  bool may_be_wide(ir::ValueId original) const { return wide_.contains(original); }

  /// One number for elements in vectors, and another one for the others.
  ir::ValueId by_vectors(const Vectors& vectors, double taken, double other, ir::DType dtype);
  /// x times a number, or times a number for each index of the axis.
  ir::ValueId times(ir::ValueId x, const std::vector<double>& factors, int axis);
  ir::ValueId plus(ir::ValueId x, const std::vector<double>& terms, int axis);
  ir::ValueId rounded(ir::ValueId x);
  ir::ValueId clamped(ir::ValueId x, double low, double high);
  /// Integers as steps.
  ir::ValueId steps_of(ir::ValueId integers, const ir::QuantInfo& info);
  ir::ValueId less_points(ir::ValueId integers, const ir::QuantInfo& info);  ///< in f32 already
  ir::ValueId integers_of(ir::ValueId steps, const ir::QuantInfo& info, ir::DType dtype);
  ir::ValueId real_of(ir::ValueId steps, const ir::QuantInfo& info);
  /// Rounds `x`, which counts steps, and clamps it to the range of the integers; with `is_relu`
  /// also to those that represent no negative number.
  ir::ValueId steps_from(ir::ValueId x, const ir::QuantInfo& info, ZeroPoint zero_point,
                         bool is_relu = false);
  /// The same for a kernel that takes these elements in vectors.
  ir::ValueId steps_from(ir::ValueId x, const ir::QuantInfo& info, const Vectors& vectors);
  ir::ValueId steps_from_fused(ir::ValueId real, const ir::QuantInfo& info);
  /// Whole numbers as steps, clamped to the range of the integers.
  ir::ValueId steps_of_rounded(ir::ValueId integers, const ir::QuantInfo& info);
  ir::ValueId relu(ir::ValueId x) { return unary("aten::relu", x); }

  /// Called after the last node: graph outputs become integers. Errors: `unsupported-dtype` for
  /// integers that f32 may not hold.
  void finish_outputs();

 protected:
  std::vector<int> uses_;       ///< by the old number: how often the graph refers to it
  std::vector<int> constants_;  ///< likewise: index in graph.constants, or -1
  std::map<ir::ValueId, DynamicScale> dynamic_;  ///< by the old number
  std::set<ir::ValueId> wide_;                   ///< old numbers: 32-bit integers, unchanged
  std::vector<bool> is_open_;  ///< by the old number: follows from inputs or sizes

 private:
  void find_open();
  ir::ValueId along(const std::vector<double>& values, int axis, ir::ValueId like);

  std::vector<std::optional<ir::QuantInfo>> infos_;  ///< by the old number
  std::vector<ir::DType> dtypes_;                    ///< likewise: of the integers
  std::map<ir::ValueId, ir::ValueId> constant_steps_;
};

}  // namespace t2n::quant
