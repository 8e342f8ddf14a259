// SPDX-License-Identifier: Apache-2.0
#include "src/compress/fake_quant.h"

#include <cmath>

#include "src/passes/known.h"

namespace t2n::compress {
namespace {

/// A number, or the elements of a constant.
std::optional<std::vector<double>> numbers(const ir::Graph& graph, const ir::Node& node,
                                           std::string_view argument,
                                           const std::vector<int>& constants) {
  const ir::Attr* attr = node.find(argument);
  if (attr == nullptr) return std::nullopt;
  if (const auto* number = std::get_if<double>(attr)) return std::vector{*number};
  if (const auto* dim = std::get_if<ir::Dim>(attr)) {
    if (!dim->is_constant()) return std::nullopt;
    return std::vector{static_cast<double>(dim->value())};
  }
  const auto* ref = std::get_if<ir::TensorRef>(attr);
  if (ref == nullptr || ref->id == ir::kNoValue) return std::nullopt;
  const int index = constants[ref->id];
  if (index < 0) return std::nullopt;
  const ir::Tensor& data = graph.constants[index].data;
  if (!data.is_loaded()) return std::nullopt;
  return ir::to_f64(data);
}

bool is_integral(double value) { return value == std::nearbyint(value); }

}  // namespace

std::optional<FakeQuant> read_fake_quant(const ir::Graph& graph, const ir::Node& node,
                                         const std::vector<int>& constants) {
  static const ir::OpId per_tensor = ir::op_id("aten::fake_quantize_per_tensor_affine");
  static const ir::OpId per_tensor_qparams =
      ir::op_id("aten::fake_quantize_per_tensor_affine.tensor_qparams");
  static const ir::OpId per_channel = ir::op_id("aten::fake_quantize_per_channel_affine");
  if (node.op != per_tensor && node.op != per_tensor_qparams && node.op != per_channel)
    return std::nullopt;
  const auto scales = numbers(graph, node, "scale", constants);
  const auto points = numbers(graph, node, "zero_point", constants);
  const auto low = numbers(graph, node, "quant_min", constants);
  const auto high = numbers(graph, node, "quant_max", constants);
  if (!scales || !points || !low || !high || scales->size() != points->size() || scales->empty())
    return std::nullopt;
  FakeQuant out;
  out.self = std::get<ir::TensorRef>(*node.find("self")).id;
  for (size_t i = 0; i < scales->size(); ++i) {
    if (!((*scales)[i] > 0) || !std::isfinite((*scales)[i]) || !is_integral((*points)[i]))
      return std::nullopt;
    out.scales.push_back(static_cast<double>(static_cast<float>((*scales)[i])));
    out.zero_points.push_back(static_cast<int64_t>((*points)[i]));
  }
  if (node.op == per_channel) {
    const auto rank = static_cast<int64_t>(graph.values[out.self].shape.size());
    const int64_t axis = std::get<ir::Dim>(*node.find("axis")).value();
    out.axis = static_cast<int>(axis < 0 ? axis + rank : axis);
  }
  out.low = static_cast<int64_t>(low->at(0));
  out.high = static_cast<int64_t>(high->at(0));
  return out;
}

std::optional<ir::QuantInfo> quant_info(const FakeQuant& fake) {
  ir::QuantInfo out;
  out.scales = fake.scales;
  out.zero_points = fake.zero_points;
  out.axis = fake.axis.value_or(0);
  for (const bool is_signed : {true, false}) {
    out.is_signed = is_signed;
    for (out.bits = 1; out.bits <= 8; ++out.bits)
      for (const bool is_narrow : {false, true}) {
        out.narrow_range = is_narrow;
        if (out.lowest() == fake.low && out.highest() == fake.high) return out;
      }
  }
  return std::nullopt;
}

}  // namespace t2n::compress
