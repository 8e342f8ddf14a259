// Reads a node on quantised tensors and writes plain operations in its place.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "src/passes/rewriter.h"

namespace t2n::quant {

/// The nearest number of f32: torch computes scales in it.
inline double as_f32(double value) { return static_cast<double>(static_cast<float>(value)); }

/// Where torch adds the zero point: to what is rounded, or to what was. It shows in ties, and near
/// them, since the sum is rounded to f32.
enum class ZeroPoint { before_rounding, after_rounding };

/// Rewrites one node after the other. What was a quantised value is its *steps* from the start: the
/// integers less their zero point, as f32, which holds them and sums of some hundred products
/// exactly. Quantised constants stay the integers that they are.
class QuantBuilder : public passes::Rewriter {
 public:
  explicit QuantBuilder(ir::Graph& graph);

  bool involves_quantised() const;
  // --- the node's arguments ---
  bool is_quantised(std::string_view argument) const;
  const ir::QuantInfo& info(std::string_view argument) const;  ///< of a quantised tensor
  const ir::QuantInfo* output_info(int index = 0) const;       ///< nullptr: not quantised
  /// Whether all quantised operands and results stand for reals in the same way.
  bool is_alike() const;
  ir::ValueId steps(std::string_view argument);
  /// A tensor dequantised; others as they are; numbers as constants; kNoValue for None.
  ir::ValueId real(std::string_view argument);
  std::vector<ir::ValueId> reals(std::string_view argument);  ///< of a list
  /// What a number, or a constant tensor, is: nothing of other tensors.
  std::optional<std::vector<double>> known(std::string_view argument) const;

  // --- building ---
  /// x times a number, or a number per index of the axis.
  ir::ValueId times(ir::ValueId x, const std::vector<double>& factors, int axis);
  ir::ValueId plus(ir::ValueId x, const std::vector<double>& terms, int axis);
  ir::ValueId rounded(ir::ValueId x);
  ir::ValueId clamped(ir::ValueId x, double low, double high);
  /// Integers as steps.
  ir::ValueId steps_of(ir::ValueId integers, const ir::QuantInfo& info);
  ir::ValueId integers_of(ir::ValueId steps, const ir::QuantInfo& info, ir::DType dtype);
  ir::ValueId real_of(ir::ValueId steps, const ir::QuantInfo& info);
  /// Rounds `x`, which counts in steps, and clamps it to the integers that there are; to those that
  /// stand for no negative number, too.
  ir::ValueId steps_from(ir::ValueId x, const ir::QuantInfo& info, ZeroPoint zero_point,
                         bool is_relu = false);
  /// Whole numbers, clamped to the integers that there are, as steps.
  ir::ValueId steps_of_rounded(ir::ValueId integers, const ir::QuantInfo& info);
  ir::ValueId relu(ir::ValueId x) { return unary("aten::relu", x); }
  /// The node's operation, or another, on other operands, with results in f32 where they were
  /// quantised.
  std::vector<ir::ValueId> again(const std::function<ir::ValueId(ir::ValueId)>& operand);

  // --- results ---
  /// A result in reals, quantised as the output is, if it is.
  void define_real(ir::ValueId real, ZeroPoint zero_point = ZeroPoint::after_rounding,
                   bool is_relu = false, int index = 0);
  /// The operation on steps; what it gives are steps.
  void keep_on_steps();
  /// The operation on steps; what it gives is rounded to steps.
  void round_on_steps();
  /// The operation on reals.
  void redo_on_reals();
  /// Graph outputs are integers. After the last node.
  void finish_outputs();

  ir::ValueId steps_at(ir::ValueId original);
  ir::ValueId real_at(ir::ValueId original);

 private:
  ir::ValueId original(std::string_view argument) const;
  const std::optional<ir::QuantInfo>& info_at(ir::ValueId original) const;
  ir::ValueId along(const std::vector<double>& values, int axis, ir::ValueId like);

  std::vector<std::optional<ir::QuantInfo>> infos_;  ///< by the old number
  std::vector<ir::DType> dtypes_;                    ///< the same: of the integers
  std::vector<bool> constant_;                       ///< the same
  std::map<ir::ValueId, ir::ValueId> constant_steps_;
};

}  // namespace t2n::quant
