// SPDX-License-Identifier: Apache-2.0
#include "src/check/crossings.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "ir/op_traits.h"
#include "src/diag/error.h"

namespace t2n {
namespace {

/// The numbers that an operation compares its first operand with.
std::vector<double> compared_numbers(const ir::Node& node, const ir::Operand& operand) {
  std::vector<double> out;
  for (size_t i = 1; i < node.args.size(); ++i) {
    const ir::Attr& value = node.args[i].value;
    if (const auto* number = std::get_if<double>(&value)) out.push_back(*number);
    if (const auto* size = std::get_if<ir::Dim>(&value); size && size->is_constant())
      out.push_back(static_cast<double>(size->value()));
    const auto* ref = std::get_if<ir::TensorRef>(&value);
    if (ref == nullptr || ref->id == ir::kNoValue) continue;
    const ir::Tensor other = operand(ref->id);
    if (other.elements() == 1 && !ir::is_complex(other.dtype)) out.push_back(ir::to_f64(other)[0]);
  }
  return out;
}

/// The factor that moves the nearest value to the limit; nothing if values lie on both sides of it,
/// or if no factor does that.
std::optional<double> factor_to(double limit, const std::vector<double>& values) {
  if (limit == 0 || !std::isfinite(limit)) return {};
  bool is_above = false;
  bool is_below = false;
  std::optional<double> out;
  for (const double value : values) {
    if (!std::isfinite(value)) return {};
    is_above |= value >= limit;
    is_below |= value <= limit;
    if (value == 0) continue;
    const double factor = limit / value;
    const auto distance = [](double x) { return std::abs(std::log(std::abs(x))); };
    if (!out || distance(factor) < distance(*out)) out = factor;
  }
  return is_above && is_below ? std::nullopt : out;
}

/// Collects the largest and smallest positive factors and the largest negative one that a check
/// needs.
class Extremes {
 public:
  void add(double factor) {
    constexpr double kCovered = 90;
    constexpr double kMost = 1e6;
    if (std::abs(factor) > kMost || std::abs(factor) < 1 / kMost) return;
    if (factor > kCovered) largest_ = std::max(largest_, factor);
    if (factor > 0 && factor < 1 / kCovered)
      smallest_ = smallest_ == 0 ? factor : std::min(smallest_, factor);
    if (factor < 0) negative_ = std::min(negative_, factor);
  }
  std::vector<double> all() const {
    constexpr double kBeyond = 1.5;
    std::vector<double> out;
    if (largest_ > 0) out.push_back(kBeyond * largest_);
    if (smallest_ > 0) out.push_back(smallest_ / kBeyond);
    if (negative_ < -1 / kBeyond) out.push_back(kBeyond * negative_);
    return out;
  }

 private:
  double largest_ = 0;
  double smallest_ = 0;
  double negative_ = 0;
};

bool compares(const ir::Node& node) {
  return has_trait(ir::op_short_name(node.op), ir::OpTrait::compares_first);
}

}  // namespace

std::vector<double> crossing_factors(const ir::Graph& graph, const std::vector<ir::Tensor>& inputs,
                                     const ir::Evaluator& evaluate) {
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(), compares)) return {};
  Extremes extremes;
  const auto watched = [&](const ir::Node& node, const ir::Operand& operand) {
    const auto* first =
        node.args.empty() ? nullptr : std::get_if<ir::TensorRef>(&node.args[0].value);
    if (first != nullptr && first->id != ir::kNoValue && compares(node)) {
      const ir::Tensor self = operand(first->id);
      if (ir::is_float(self.dtype))
        for (const double limit : compared_numbers(node, operand))
          if (const auto factor = factor_to(limit, ir::to_f64(self))) extremes.add(*factor);
    }
    return evaluate(node, operand);
  };
  try {
    (void)ir::run_graph(graph, inputs, watched);
  } catch (const Error& error) {
    if (error.diagnostic().id == "internal") throw;
    return {};
  }
  return extremes.all();
}

}  // namespace t2n
