#include "src/passes/layers.h"

#include <array>

#include "src/diag/one_of.h"

namespace t2n::passes {
bool is_linear(const ir::Node& node) { return ir::op_name(node.op) == "aten::linear"; }

bool is_conv(const ir::Node& node) {
  constexpr std::array<std::string_view, 8> kNames = {
      "conv1d",           "conv2d",           "conv3d",      "conv_transpose1d",
      "conv_transpose2d", "conv_transpose3d", "convolution", "_convolution"};
  return ir::op_name(node.op).starts_with("aten::") && is_one_of(ir::op_base_name(node.op), kNames);
}

bool is_absent(const ir::Node& node, std::string_view argument) {
  const ir::Attr* attr = node.find(argument);
  return attr == nullptr || std::holds_alternative<ir::None>(*attr) ||
         *attr == ir::Attr(ir::TensorRef{});
}

void set_operand(ir::Node& node, std::string_view argument, ir::ValueId id) {
  for (ir::Argument& each : node.args)
    if (each.name == argument) each.value = ir::TensorRef{id};
}

WeightChannels::WeightChannels(const ir::Node& layer, const ir::Ints& weight) {
  const ir::Attr* flag = layer.find("transposed");
  transposed_ = ir::op_base_name(layer.op).starts_with("conv_transpose") ||
                (flag != nullptr && *flag == ir::Attr(true));
  if (const ir::Attr* groups = layer.find("groups")) {
    const auto* number = std::get_if<ir::Dim>(groups);
    if (number == nullptr || !number->is_constant()) return;
    groups_ = number->value();
  }
  if (weight.size() < 2 || groups_ < 1) return;
  rows_ = weight[0];
  columns_ = weight[1];
  for (size_t i = 2; i < weight.size(); ++i) rest_ *= weight[i];
  valid_ = rows_ > 0 && columns_ > 0 && rest_ > 0 && rows_ % groups_ == 0;
}

}  // namespace t2n::passes
