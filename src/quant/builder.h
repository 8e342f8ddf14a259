// Reads a node on quantised tensors and writes plain operations in its place.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "src/quant/values.h"

namespace t2n::quant {

/// Rewrites one node after the other.
class QuantBuilder : public QuantValues {
 public:
  /// `sizes_vary`: the sizes in the graph are those of one of several runs.
  explicit QuantBuilder(ir::Graph& graph, bool sizes_vary = false)
      : QuantValues(graph), sizes_vary_(sizes_vary) {}

  // --- what the node takes and gives ---
  bool involves_quantised() const;
  /// Whether a scale of an operand follows from data: info() is of one run then.
  bool involves_dynamic() const;
  int quantised_operands() const;  ///< different ones
  /// Whether the zero point is one number everywhere.
  bool shares_zero_point() const;
  /// Whether all quantised operands and results stand for reals in the same way.
  bool is_alike() const;
  /// Whether there are integers of 32 bits with a zero point, for which f32 has no room.
  bool has_wide_points() const;

  // --- the node's arguments ---
  bool is_quantised(std::string_view argument) const;
  const ir::QuantInfo& info(std::string_view argument) const;           ///< of a quantised tensor
  std::vector<ir::ValueId> originals(std::string_view argument) const;  ///< of a list
  ir::ValueId original(std::string_view argument) const;  ///< kNoValue for what is no tensor
  /// A number, or what a constant of one element holds; nothing for other tensors.
  std::optional<double> number_at(std::string_view argument) const;
  const ir::QuantInfo* output_info(int index = 0) const;  ///< nullptr: not quantised
  ir::ValueId steps(std::string_view argument) { return steps_at(original(argument)); }
  ir::ValueId integers(std::string_view argument) { return integers_at(original(argument)); }
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
  /// The node's operation, or `op`, on other operands, with results in f32 where they were
  /// quantised.
  std::vector<ir::ValueId> again(const std::function<ir::ValueId(ir::ValueId)>& operand,
                                 std::string_view op = {});

  // --- results ---
  /// A result in reals, quantised as the output is, if it is.
  void define_real(ir::ValueId real, ZeroPoint zero_point = ZeroPoint::after_rounding,
                   bool is_relu = false, int index = 0);
  /// Of an operand whose scale follows from data; empty for others.
  DynamicScale dynamic_step(std::string_view argument) const;
  /// Steps, with their scale.
  void define_dynamic(ir::ValueId steps, const DynamicScale& scale);
  /// The operation on steps; what it gives are steps.
  void keep_on_steps(std::string_view op = {});
  /// The operation on the integers: for what moves elements, whatever they stand for before and
  /// after.
  void keep_on_integers();
  /// The operation on steps; what it gives is rounded to steps.
  void round_on_steps();
  /// The operation on reals.
  void redo_on_reals(ZeroPoint zero_point = ZeroPoint::after_rounding);
  /// The operation cannot be said: an error if anything needs its result.
  void refuse(std::string_view why, std::string_view help = {}) {
    refuse_for(involves_quantised() ? "quantised tensors" : "", why, help);
  }
  /// The node's results may be wide if an operand may be, or if it `makes` integers of given ones.
  void follow_wide(bool makes);

 private:
  bool sizes_vary_;
};

}  // namespace t2n::quant
