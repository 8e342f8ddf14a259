// SPDX-License-Identifier: Apache-2.0
// Reads a node on quantised tensors, and emits plain operations that replace it.
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
  /// `sizes_vary`: the graph has the sizes of one of several probes. `multiplies_scales`: see
  /// PassContext.
  explicit QuantBuilder(ir::Graph& graph, bool sizes_vary = false, bool multiplies_scales = false)
      : QuantValues(graph), sizes_vary_(sizes_vary), multiplies_scales_(multiplies_scales) {}
  bool sizes_vary() const { return sizes_vary_; }
  bool multiplies_scales() const { return multiplies_scales_; }
  /// Sets the values of constant expressions.
  void set_computed(std::map<ir::ValueId, ir::Tensor> computed) { computed_ = std::move(computed); }

  // Operands and results of the node.
  bool involves_quantised() const;
  /// Whether an operand's scale is data-dependent: then info() is that of one run.
  bool involves_dynamic() const;
  int quantised_operands() const;  ///< without duplicates
  /// Whether there is only one zero point.
  bool shares_zero_point() const;
  /// Whether all quantised operands and results have the same scale and zero point.
  bool have_equal_qparams() const;
  /// Whether there are 32-bit integers with a zero point, which f32 cannot represent.
  bool has_wide_points() const;

  // The node's arguments.
  bool is_quantised(std::string_view argument) const;
  /// Whether an argument is a tensor that depends on inputs or sizes.
  bool depends_on_inputs(std::string_view argument) const;
  const ir::QuantInfo& info(std::string_view argument) const;           ///< of a quantised tensor
  std::vector<ir::ValueId> originals(std::string_view argument) const;  ///< of a list
  ir::ValueId original(std::string_view argument) const;  ///< kNoValue for non-tensors
  /// A number, or the value of a constant of one element; nothing for other tensors.
  std::optional<double> number_at(std::string_view argument) const;
  const ir::QuantInfo* output_info(int index = 0) const;  ///< nullptr: not quantised
  /// Bits and sign of a quantised result, whose scale may be data-dependent.
  const ir::QuantInfo& output_integers() const;
  ir::ValueId centred(std::string_view argument) { return centred_at(original(argument)); }
  ir::ValueId integers(std::string_view argument) { return integers_at(original(argument)); }
  /// A tensor dequantised if it is quantised; a constant for a number; kNoValue for None.
  ir::ValueId dequantised(std::string_view argument);
  std::vector<ir::ValueId> dequantised_list(std::string_view argument);  ///< of a list
  /// A tensor dequantised by a kernel that vectorises these elements.
  ir::ValueId dequantised_in_loops(std::string_view argument, const Vectors& vectors);
  ir::ValueId dequantised_in_loops_at(ir::ValueId original, const Vectors& vectors);
  /// The elements that the node's kernel vectorises if it runs over all elements of these operands
  /// in one loop.
  Vectors loop_over(std::initializer_list<std::string_view> arguments) const;
  /// Reads the memory order of operands that the trace recorded, and removes it from the node.
  void read_order();
  MemoryOrder order() const { return order_; }
  /// Replaces an argument by this number.
  void set(std::string_view argument, double value);
  /// The size of an axis of the value; an expression where sizes vary.
  ir::Dim size(ir::ValueId value, int axis);
  /// Copies scopes and source locations into the body of a loop.
  void copy_locations(ir::Graph& body) const;
  /// The values of a number or of a constant expression; nothing for others.
  std::optional<std::vector<double>> known(std::string_view argument) const;
  /// The number of uses of a tensor operand in the graph.
  int uses(std::string_view argument) const;
  /// Emits the node's operation, or `op`, on other operands. Quantised results become f32.
  std::vector<ir::ValueId> emit_again(const std::function<ir::ValueId(ir::ValueId)>& operand,
                                      std::string_view op = {});

  /// Defines a result by floats, which are quantised if the output is.
  void define_float(ir::ValueId x, ZeroPoint zero_point = ZeroPoint::after_rounding,
                    bool is_relu = false, int index = 0);
  void define_float(ir::ValueId x, const Vectors& vectors);
  /// The data-dependent scale of an operand; empty for others.
  DynamicScale dynamic_scale(std::string_view argument) const;
  /// Defines the result by centred integers and their scale.
  void define_dynamic(ir::ValueId centred, const DynamicScale& scale);
  /// Emits the operation on centred integers; its results are centred integers.
  void apply_to_centred(std::string_view op = {});
  /// Emits the operation on the integers: for data movement, with any scales of operands and
  /// results.
  void apply_to_integers();
  /// Emits the operation on centred integers and rounds its results to integers.
  void apply_and_requantise(const Vectors& vectors = {Vectors::Reach::none, {}, {}});
  /// Emits the operation on dequantised operands.
  void apply_to_dequantised(ZeroPoint zero_point = ZeroPoint::after_rounding);
  /// The operation cannot be expressed: an error if its result is needed.
  void refuse(std::string_view why, std::string_view help = {}) {
    refuse_for(involves_quantised() ? "quantised tensors" : "", why, help);
  }
  /// Marks results as wide if an operand is, or if the node `creates` a tensor from any integers.
  void propagate_wide(bool creates);

 private:
  bool sizes_vary_;
  bool multiplies_scales_;
  std::map<ir::ValueId, ir::Tensor> computed_;  ///< by the old id
  MemoryOrder order_ = MemoryOrder::rows;
};

}  // namespace t2n::quant
