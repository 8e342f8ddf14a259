// Reads a node on quantised tensors, and emits plain operations in its place.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "src/quant/values.h"

namespace t2n::quant {

/// Rewrites nodes one by one.
class QuantBuilder : public QuantValues {
 public:
  /// `sizes_vary`: the graph has the sizes of one of several runs. `multiplies_scales`: see
  /// PassContext.
  explicit QuantBuilder(ir::Graph& graph, bool sizes_vary = false, bool multiplies_scales = false)
      : QuantValues(graph), sizes_vary_(sizes_vary), multiplies_scales_(multiplies_scales) {}
  bool sizes_vary() const { return sizes_vary_; }
  bool multiplies_scales() const { return multiplies_scales_; }
  /// Values that are no constants of the graph, but follow from constants alone.
  void know(std::map<ir::ValueId, ir::Tensor> computed) { computed_ = std::move(computed); }

  // Operands and results of the node.
  bool involves_quantised() const;
  /// Whether an operand's scale follows from data: then info() is that of one run.
  bool involves_dynamic() const;
  int quantised_operands() const;  ///< different ones
  /// Whether there is only one zero point.
  bool shares_zero_point() const;
  /// Whether all quantised operands and results have the same scale and zero point.
  bool are_equal() const;
  /// Whether there are 32-bit integers with a zero point, which f32 cannot hold.
  bool has_wide_points() const;

  // The node's arguments.
  bool is_quantised(std::string_view argument) const;
  bool is_open(std::string_view argument) const;  ///< a tensor that follows from inputs or sizes
  const ir::QuantInfo& info(std::string_view argument) const;           ///< of a quantised tensor
  std::vector<ir::ValueId> originals(std::string_view argument) const;  ///< of a list
  ir::ValueId original(std::string_view argument) const;  ///< kNoValue for what is no tensor
  /// A number, or the value of a constant of one element; nothing for other tensors.
  std::optional<double> number_at(std::string_view argument) const;
  const ir::QuantInfo* output_info(int index = 0) const;  ///< nullptr: not quantised
  /// Bits and sign of a quantised result, of which the scale may follow from data.
  const ir::QuantInfo& output_integers() const;
  ir::ValueId steps(std::string_view argument) { return steps_at(original(argument)); }
  ir::ValueId integers(std::string_view argument) { return integers_at(original(argument)); }
  /// A tensor dequantised if it is quantised; a constant for a number; kNoValue for None.
  ir::ValueId real(std::string_view argument);
  std::vector<ir::ValueId> reals(std::string_view argument);  ///< of a list
  /// A tensor dequantised by a kernel that takes these elements in vectors.
  ir::ValueId real_in_loops(std::string_view argument, const Vectors& vectors);
  ir::ValueId real_in_loops_at(ir::ValueId original, const Vectors& vectors);
  /// What the node's kernel takes in vectors if it runs over all elements of these operands in one
  /// loop.
  Vectors loop_over(std::initializer_list<std::string_view> arguments) const;
  /// Removes from the node the trace's note of where its operands' elements lie.
  void take_order();
  MemoryOrder order() const { return order_; }
  /// Replaces an argument by this number, from now on.
  void set(std::string_view argument, double value);
  /// The size of an axis of the value; an expression where sizes vary.
  ir::Dim size(ir::ValueId value, int axis);
  /// Copies scopes and sources into the body of a loop.
  void share_places(ir::Graph& body) const;
  /// The values of a number or of a tensor that follows from constants; nothing for others.
  std::optional<std::vector<double>> known(std::string_view argument) const;
  /// How often the graph names a tensor operand.
  int uses(std::string_view argument) const;
  /// The node's operation, or `op`, on other operands. Results are f32 where they were quantised.
  std::vector<ir::ValueId> again(const std::function<ir::ValueId(ir::ValueId)>& operand,
                                 std::string_view op = {});

  /// Defines a result by reals, which are quantised if the output is.
  void define_real(ir::ValueId real, ZeroPoint zero_point = ZeroPoint::after_rounding,
                   bool is_relu = false, int index = 0);
  void define_real(ir::ValueId real, const Vectors& vectors);
  /// The scale of an operand that follows from data; empty for others.
  DynamicScale dynamic_step(std::string_view argument) const;
  /// Steps, with their scale.
  void define_dynamic(ir::ValueId steps, const DynamicScale& scale);
  /// The operation on steps; its result is steps.
  void keep_on_steps(std::string_view op = {});
  /// The operation on the integers: for operations that move elements, whatever the scales before
  /// and after are.
  void keep_on_integers();
  /// The operation on steps; its result is rounded to steps.
  void round_on_steps(const Vectors& vectors = {Vectors::Reach::none, {}, {}});
  /// The operation on reals.
  void redo_on_reals(ZeroPoint zero_point = ZeroPoint::after_rounding);
  /// The operation cannot be expressed: an error if its result is needed.
  void refuse(std::string_view why, std::string_view help = {}) {
    refuse_for(involves_quantised() ? "quantised tensors" : "", why, help);
  }
  /// Results may be wide if an operand may be, or if the node `makes` integers from given ones.
  void follow_wide(bool makes);

 private:
  bool sizes_vary_;
  bool multiplies_scales_;
  std::map<ir::ValueId, ir::Tensor> computed_;  ///< by the old number
  MemoryOrder order_ = MemoryOrder::rows;
};

}  // namespace t2n::quant
