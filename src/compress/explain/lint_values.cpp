// Rules about the values of weights. Weights that are not loaded, or unknown without an evaluator,
// are skipped.
#include <algorithm>
#include <cmath>
#include <set>

#include "src/compress/calibrate/observe.h"
#include "src/compress/calibrate/ranges.h"
#include "src/compress/elements.h"
#include "src/compress/explain/lint_view.h"
#include "src/compress/fake_quant.h"
#include "src/compress/layer_table.h"
#include "src/diag/error.h"

namespace t2n::compress {
namespace {

using ir::Node;
using ir::ValueId;

/// A weight, for counting zeros: floats, or integers of which the zero point represents zero.
struct WeightValues {
  const ir::Tensor* tensor = nullptr;
  ir::Tensor computed = {};
  std::optional<ir::QuantInfo> quant = {};
};

class WeightReader {
 public:
  explicit WeightReader(const LintView& view)
      : view_(view), table_(view.graph, view.context.evaluate) {}

  std::optional<WeightValues> read(ValueId id) const {
    if (const ir::Tensor* tensor = view_.loaded(id)) return of_constant(id, *tensor);
    const Node* node = view_.producer(id);
    if (node == nullptr) return std::nullopt;
    if (is_observe(*node)) return read(ir::operand(*node, "self"));
    if (ir::op_base_name(node->op) == "dequantize" &&
        view_.loaded(ir::operand(*node, "self")) != nullptr)
      return of_constant(ir::operand(*node, "self"), *view_.loaded(ir::operand(*node, "self")));
    if (const auto fake = read_fake_quant(view_.graph, *node, view_.constants))
      return read(fake->self);
    return computed(id);
  }

 private:
  WeightValues of_constant(ValueId id, const ir::Tensor& tensor) const {
    return {.tensor = &tensor, .quant = view_.value(id).quant};
  }

  std::optional<WeightValues> computed(ValueId id) const {
    if (!view_.context.evaluate) return std::nullopt;
    try {
      auto tensor = table_.value(id);
      if (!tensor) return std::nullopt;
      return WeightValues{.tensor = nullptr, .computed = std::move(*tensor)};
    } catch (const Error&) {  // a value that cannot be computed here is not this rule's concern
      return std::nullopt;
    }
  }

  const LintView& view_;
  LayerTable table_;
};

double zero_of(const WeightValues& weight_values, size_t index, size_t inner) {
  if (!weight_values.quant) return 0;
  const auto& points = weight_values.quant->zero_points;
  return static_cast<double>(points[points.size() == 1 ? 0 : index / inner % points.size()]);
}

/// The number of elements between neighbouring indices of an axis.
size_t inner_size(const ir::Tensor& tensor, size_t axis) {
  size_t out = 1;
  for (size_t i = axis + 1; i < tensor.shape.size(); ++i) out *= tensor.shape[i];
  return out;
}

/// Channels that contain only zeros.
std::vector<size_t> dead_channels(const WeightValues& weight_values, size_t axis) {
  const ir::Tensor& tensor =
      weight_values.tensor != nullptr ? *weight_values.tensor : weight_values.computed;
  if (axis >= tensor.shape.size() || tensor.elements() == 0) return {};
  const size_t count = tensor.shape[axis];
  const size_t inner = inner_size(tensor, axis);
  const size_t quant_inner =
      weight_values.quant && weight_values.quant->is_per_channel()
          ? inner_size(tensor, static_cast<size_t>(weight_values.quant->axis))
          : 1;
  std::vector<bool> is_alive(count);
  for_each_part(tensor, [&](size_t first, std::span<const double> values) {
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i] != zero_of(weight_values, first + i, quant_inner))
        is_alive[(first + i) / inner % count] = true;
  });
  std::vector<size_t> out;
  for (size_t i = 0; i < count; ++i)
    if (!is_alive[i]) out.push_back(i);
  return out;
}

std::string list_of(const std::vector<size_t>& indices) {
  constexpr size_t kShown = 8;
  std::string out;
  for (size_t i = 0; i < std::min(indices.size(), kShown); ++i)
    out += cat(i == 0 ? "" : ", ", indices[i]);
  return indices.size() > kShown ? out + ", …" : out;
}

/// Whether the integers are the floats, rounded within half a step; clipped values count.
bool is_rounding_of(const ir::Tensor& integers, const ir::QuantInfo& info,
                    const ir::Tensor& floats) {
  const size_t inner = inner_size(integers, static_cast<size_t>(info.axis));
  const auto low = static_cast<double>(info.lowest());
  const auto high = static_cast<double>(info.highest());
  bool has_values = false;
  for (int64_t i = 0; i < integers.elements(); ++i) {
    const size_t channel = static_cast<size_t>(i) / inner % info.scales.size();
    const double level = ir::element_f64(floats, i) / info.scales[channel] +
                         static_cast<double>(info.zero_points[channel]);
    const double q = ir::element_f64(integers, i);
    constexpr double kHalf = 0.501;
    const bool is_near = std::abs(level - q) <= kHalf;
    const bool is_cut = (q == low && level < low) || (q == high && level > high);
    if (!is_near && !is_cut) return false;
    has_values = has_values || q != static_cast<double>(info.zero_points[channel]);
  }
  return has_values;
}

/// Constants with at least two axes and a reader.
std::vector<ValueId> read_constants(const LintView& view, bool is_quantised) {
  std::vector<ValueId> out;
  for (const ir::Constant& constant : view.graph.constants) {
    const ir::Value& value = view.value(constant.value);
    const bool fits = is_quantised ? value.quant.has_value() : value.dtype == ir::DType::f32;
    constexpr size_t kLeastRank = 2;
    if (fits && value.shape.size() >= kLeastRank && view.loaded(constant.value) != nullptr &&
        !view.readers[constant.value].empty())
      out.push_back(constant.value);
  }
  return out;
}

const Node& first_reader(const LintView& view, ValueId id) {
  return view.graph.nodes[view.readers[id].front()];
}

/// Before integers are stored: some readers round the weight, others do not.
void find_half_rounded(const LintView& view, Findings& findings) {
  for (const ValueId id : read_constants(view, false)) {
    const Node* rounds = nullptr;
    const Node* reads = nullptr;
    for (const size_t i : view.readers[id]) {
      const Node& node = view.graph.nodes[i];
      (is_fake_quant(node) || is_observe(node) || is_quantise(node) ? rounds : reads) = &node;
    }
    if (rounds != nullptr && reads != nullptr)
      findings.add("stored-twice", view, *reads,
                   cat(quoted_name(view, id), " is read in floats here, and rounded for ",
                       quoted(ir::node_address(view.graph, *rounds))));
  }
}

}  // namespace

void find_dead_channels(const LintView& view, Findings& findings) {
  const WeightReader reader(view);
  std::set<ValueId> seen;
  for (const Node& node : view.graph.nodes) {
    const auto layer = layer_of(view.graph, node, view.known);
    // The row of the padding index is zero.
    if (!layer || ir::op_base_name(node.op).starts_with("embedding")) continue;
    for (const Weight& weight : layer->weights) {
      if (!weight.channel_axis || !seen.insert(weight.value).second) continue;
      const auto weight_values = reader.read(weight.value);
      if (!weight_values) continue;
      const std::vector<size_t> dead =
          dead_channels(*weight_values, static_cast<size_t>(*weight.channel_axis));
      if (!dead.empty())
        findings.add(
            "dead-channel", view, node,
            cat(dead.size(), dead.size() == 1 ? " channel of " : " channels of ",
                quoted_name(view, weight.value), " can hold nothing but zero: ", list_of(dead)));
    }
  }
}

void find_stored_twice(const LintView& view, Findings& findings) {
  find_half_rounded(view, findings);
  const std::vector<ValueId> floats = read_constants(view, false);
  for (const ValueId integers : read_constants(view, true)) {
    const ir::Tensor& stored = *view.loaded(integers);
    for (const ValueId id : floats) {
      const ir::Tensor& tensor = *view.loaded(id);
      if (tensor.shape != stored.shape ||
          !is_rounding_of(stored, *view.value(integers).quant, tensor))
        continue;
      findings.add("stored-twice", view, first_reader(view, id),
                   cat(quoted_name(view, id),
                       " is stored as floats for this reader, and as the "
                       "integers ",
                       quoted_name(view, integers), " for ",
                       quoted(ir::node_address(view.graph, first_reader(view, integers)))));
    }
  }
}

}  // namespace t2n::compress
