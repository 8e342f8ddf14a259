// SPDX-License-Identifier: Apache-2.0
// Quantised values of the old graph, and their replacements in the new one.
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

/// A data-dependent scale and zero point: tensors of rank 0, f32.
struct DynamicScale {
  ir::ValueId scale = ir::kNoValue;
  ir::ValueId zero_point = ir::kNoValue;
  ir::ValueId exact = ir::kNoValue;  ///< the scale in f64, as q_scale() gives it
};

/// A quantised value is replaced by its *centred* integers: the integers minus their zero point, in
/// f32, which represents them and sums of some hundred products exactly. Quantised constants stay
/// integers. `original`: a value's id in the old graph.
class QuantValues : public passes::Rewriter {
 public:
  explicit QuantValues(ir::Graph& graph);

  const std::optional<ir::QuantInfo>& info_at(ir::ValueId original) const;
  ir::ValueId centred_at(ir::ValueId original);
  ir::ValueId dequantised_at(ir::ValueId original);
  ir::ValueId integers_at(ir::ValueId original);
  ir::ValueId float_integers_at(ir::ValueId original);  ///< the integers, in f32
  /// Whether the integers may exceed the 24 bits of f32.
  bool may_be_wide(ir::ValueId original) const { return wide_.contains(original); }

  /// A number for vectorised elements, and another one for the others.
  ir::ValueId select_vectorised(const Vectors& vectors, double vectorised, double other,
                                ir::DType dtype);
  /// x times a number, or times a number for each index of the axis.
  ir::ValueId times(ir::ValueId x, const std::vector<double>& factors, int axis);
  ir::ValueId plus(ir::ValueId x, const std::vector<double>& terms, int axis);
  ir::ValueId rounded(ir::ValueId x);
  ir::ValueId clamped(ir::ValueId x, double low, double high);
  /// Integers minus their zero point.
  ir::ValueId centred_of(ir::ValueId integers, const ir::QuantInfo& info);
  ir::ValueId minus_zero_points(ir::ValueId integers,
                                const ir::QuantInfo& info);  ///< in f32 already
  ir::ValueId integers_of(ir::ValueId centred, const ir::QuantInfo& info, ir::DType dtype);
  ir::ValueId dequantised_of(ir::ValueId centred, const ir::QuantInfo& info);
  /// Rounds `x`, a value divided by the scale, and clamps it to the range of the integers; with
  /// `is_relu` to those of non-negative values.
  ir::ValueId centred_from(ir::ValueId x, const ir::QuantInfo& info, ZeroPoint zero_point,
                           bool is_relu = false);
  /// The same for a kernel that vectorises these elements.
  ir::ValueId centred_from(ir::ValueId x, const ir::QuantInfo& info, const Vectors& vectors);
  ir::ValueId centred_from_fused(ir::ValueId x, const ir::QuantInfo& info);
  /// Clamps integer-valued floats to the range of the integers, and centres them.
  ir::ValueId centred_of_integral(ir::ValueId integers, const ir::QuantInfo& info);
  ir::ValueId relu(ir::ValueId x) { return unary("aten::relu", x); }

  /// Called after the last node: graph outputs become integers. Errors: `unsupported-dtype` for
  /// integers that f32 may not hold.
  void finish_outputs();

 protected:
  std::vector<int> uses_;                        ///< by the old id: the number of uses in the graph
  std::vector<int> constants_;                   ///< likewise: index in graph.constants, or -1
  std::map<ir::ValueId, DynamicScale> dynamic_;  ///< by the old id
  std::set<ir::ValueId> wide_;                   ///< old ids: 32-bit integers, unchanged
  std::vector<bool> depends_on_inputs_;          ///< by the old id: depends on inputs or sizes

 private:
  void find_input_dependent();
  ir::ValueId along(const std::vector<double>& values, int axis, ir::ValueId like);

  std::vector<std::optional<ir::QuantInfo>> infos_;  ///< by the old id
  std::vector<ir::DType> dtypes_;                    ///< likewise: of the integers
  std::map<ir::ValueId, ir::ValueId> constant_centred_;
};

}  // namespace t2n::quant
