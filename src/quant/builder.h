// Reads a node on quantised tensors and writes plain operations in its place.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "src/passes/rewriter.h"
#include "src/quant/rounding.h"

namespace t2n::quant {

/// A scale and a zero point that follow from data: tensors of rank 0, f32.
struct DynamicScale {
  ir::ValueId scale = ir::kNoValue;
  ir::ValueId zero_point = ir::kNoValue;
};

/// Rewrites one node after the other. What was a quantised value is its *steps* from the start: the
/// integers less their zero point, as f32, which holds them and sums of some hundred products
/// exactly. Quantised constants stay the integers that they are.
class QuantBuilder : public passes::Rewriter {
 public:
  /// `sizes_vary`: the sizes in the graph are those of one of several runs.
  explicit QuantBuilder(ir::Graph& graph, bool sizes_vary = false);

  bool involves_quantised() const;
  // --- the node's arguments ---
  bool is_quantised(std::string_view argument) const;
  const ir::QuantInfo& info(std::string_view argument) const;           ///< of a quantised tensor
  std::vector<ir::ValueId> originals(std::string_view argument) const;  ///< of a list
  /// A number, or what a constant of one element holds; nothing for other tensors.
  std::optional<double> number_at(std::string_view argument) const;
  const ir::QuantInfo* output_info(int index = 0) const;  ///< nullptr: not quantised
  /// Whether a scale of an operand follows from data: info() is of one run then.
  bool involves_dynamic() const;
  /// Whether all quantised operands and results stand for reals in the same way.
  bool is_alike() const;
  ir::ValueId steps(std::string_view argument);
  /// A tensor dequantised; others as they are; numbers as constants; kNoValue for None.
  ir::ValueId real(std::string_view argument);
  std::vector<ir::ValueId> reals(std::string_view argument);  ///< of a list
  /// A tensor dequantised as loops over vectors do it, for a kernel that rounds so.
  ir::ValueId real_in_loops(std::string_view argument, ZeroPoint zero_point);
  /// How the node's kernel rounds if it runs over all elements of these operands in one loop.
  ZeroPoint loop_over(std::initializer_list<std::string_view> arguments) const;

  /// The node has this number instead, where it is asked for from now on.
  void set(std::string_view argument, double value);

  /// Where sizes vary, as the size of that value.
  ir::Dim size(ir::ValueId value, int axis);
  /// Scopes and sources, for the body of a loop.
  void share_places(ir::Graph& body) const;
  /// What a number, or a constant tensor, is: nothing of other tensors.
  std::optional<std::vector<double>> known(std::string_view argument) const;
  /// How often the graph names a tensor operand.
  int uses(std::string_view argument) const;

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
  /// The node's operation, or `op`, on other operands, with results in f32 where they were
  /// quantised.
  std::vector<ir::ValueId> again(const std::function<ir::ValueId(ir::ValueId)>& operand,
                                 std::string_view op = {});

  // --- results ---
  /// A result in reals, quantised as the output is, if it is.
  void define_real(ir::ValueId real, ZeroPoint zero_point = ZeroPoint::after_rounding,
                   bool is_relu = false, int index = 0);
  /// Steps, with their scale.
  void define_dynamic(ir::ValueId steps, const DynamicScale& scale);
  /// The operation on steps; what it gives are steps.
  void keep_on_steps(std::string_view op = {});
  /// The operation on steps; what it gives is rounded to steps.
  void round_on_steps();
  /// The operation on reals.
  void redo_on_reals(ZeroPoint zero_point = ZeroPoint::after_rounding);
  /// Graph outputs are integers. After the last node.
  void finish_outputs();

  const std::optional<ir::QuantInfo>& info_at(ir::ValueId original) const;
  ir::ValueId steps_at(ir::ValueId original);
  ir::ValueId real_at(ir::ValueId original);
  ir::ValueId integers_at(ir::ValueId original);
  ir::ValueId integers(std::string_view argument) { return integers_at(original(argument)); }

 private:
  ir::ValueId original(std::string_view argument) const;
  ir::ValueId along(const std::vector<double>& values, int axis, ir::ValueId like);
  ir::ValueId steps_from_fused(ir::ValueId real, const ir::QuantInfo& info);

  bool sizes_vary_;
  std::vector<std::optional<ir::QuantInfo>> infos_;  ///< by the old number
  std::vector<int> uses_;                            ///< the same
  std::vector<ir::DType> dtypes_;                    ///< the same: of the integers
  std::vector<int> constants_;                       ///< the same: index in graph.constants, or -1
  std::map<ir::ValueId, ir::ValueId> constant_steps_;
  std::map<ir::ValueId, DynamicScale> dynamic_;  ///< by the old number
};

}  // namespace t2n::quant
