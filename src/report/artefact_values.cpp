#include "src/report/artefact_values.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>

#include "src/diag/error.h"
#include "src/spec/dialect.h"

namespace t2n::report {
namespace {

using ir::Tensor;

/// Whether numbers are integers of at most 8 bits times one scale.
bool are_scaled_integers(const std::vector<double>& values) {
  constexpr size_t kFewest = 4;  // fewer numbers may be multiples by chance
  constexpr double kMost = 255;
  constexpr double kNear = 1e-3;
  std::vector<double> sorted;
  for (const double value : values)
    if (value != 0) sorted.push_back(std::abs(value));
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  if (sorted.size() < kFewest || !std::isfinite(sorted.back())) return false;
  double scale = sorted.front();
  for (size_t i = 1; i < sorted.size(); ++i) scale = std::min(scale, sorted[i] - sorted[i - 1]);
  if (!(scale > 0) || sorted.back() / scale > kMost) return false;
  return std::all_of(sorted.begin(), sorted.end(), [&](double value) {
    const double steps = value / scale;
    return std::abs(steps - std::nearbyint(steps)) <= kNear;
  });
}

/// The layout of the channels: their number, and the elements of one at each outer index.
struct Channels {
  size_t count = 0;
  size_t inner = 1;
};

Channels channels_of(const Tensor& tensor, size_t axis) {
  Channels out{static_cast<size_t>(tensor.shape.at(axis)), 1};
  for (size_t i = axis + 1; i < tensor.shape.size(); ++i) out.inner *= tensor.shape[i];
  return out;
}

/// The axis of an einsum's second operand that only the result has, too: "xk,nk->xn".
std::optional<size_t> axis_of_einsum(const nnef::Value& call) {
  std::string expression;
  for (const nnef::Argument& argument : call.arguments)
    if (argument.name == "expr") expression = argument.value.text;
  std::erase(expression, ' ');
  const size_t comma = expression.find(',');
  const size_t arrow = expression.find("->");
  if (comma == std::string::npos || arrow == std::string::npos || arrow < comma) return {};
  const std::string first = expression.substr(0, comma);
  const std::string second = expression.substr(comma + 1, arrow - comma - 1);
  std::optional<size_t> out;
  for (size_t i = 0; i < second.size(); ++i) {
    const bool is_of_result = expression.find(second[i], arrow) != std::string::npos;
    if (!is_of_result || first.find(second[i]) != std::string::npos) continue;
    if (out) return {};
    out = i;
  }
  return out;
}

/// The output-channel axis of a layer's weight; nothing if it is not unique. Filters of tract's
/// deconv are [out, in, ...], those of the standard [in, out, ...].
std::optional<size_t> axis_of(const nnef::Value& call, size_t rank, spec::Dialect dialect) {
  if (call.text == "tract_core_einsum") return axis_of_einsum(call);
  if (call.text == "deconv") return dialect == spec::Dialect::tract ? 0 : 1;
  if (call.text != "matmul") return 0;
  for (const nnef::Argument& argument : call.arguments)
    if (argument.name == "transposeB" && argument.value.logical) return rank - 2;
  return rank - 1;
}

std::vector<bool> live_channels(const Tensor& tensor, size_t axis) {
  const Channels channels = channels_of(tensor, axis);
  std::vector<bool> out(channels.count);
  const std::vector<double> values = ir::to_f64(tensor);
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] != 0) out[i / channels.inner % channels.count] = true;
  return out;
}

/// Whether each integer is the nearest to its float for some scale of the row, found by least
/// squares; clipped ones are exempt.
bool is_rounding_of(const Tensor& integers, const Tensor& floats) {
  const std::vector<double> q = ir::to_f64(integers);
  const std::vector<double> w = ir::to_f64(floats);
  const Channels rows = channels_of(integers, 0);
  bool has_values = false;
  for (size_t row = 0; row < rows.count; ++row) {
    double product = 0;
    double square = 0;
    for (size_t i = row * rows.inner; i < (row + 1) * rows.inner; ++i) {
      product += q[i] * w[i];
      square += q[i] * q[i];
    }
    const double scale = square > 0 ? product / square : 0;
    constexpr double kHalf = 0.55;  // the scale is an estimate
    for (size_t i = row * rows.inner; i < (row + 1) * rows.inner; ++i)
      if (std::abs(w[i] - q[i] * scale) > kHalf * std::abs(scale)) return false;
    has_values = has_values || scale > 0;
  }
  return has_values;
}

/// Weights of layers have two axes with more than one element; biases and norms often are equal.
bool may_be_weight(const Tensor& tensor) {
  constexpr int64_t kFewest = 64;
  const auto wide = std::count_if(tensor.shape.begin(), tensor.shape.end(),
                                  [](int64_t size) { return size > 1; });
  return wide >= 2 && tensor.elements() >= kFewest;
}

bool is_signed_byte(const Tensor& tensor) { return tensor.dtype == ir::DType::i8; }

}  // namespace

/// Rows are examined only if they have enough elements.
bool is_scaled_integers(const ir::Tensor& tensor) {
  constexpr int64_t kFewest = 64;
  if (tensor.dtype != ir::DType::f32 || tensor.shape.size() < 2 || tensor.elements() < kFewest)
    return false;
  const std::vector<double> values = ir::to_f64(tensor);
  if (are_scaled_integers(values)) return true;
  const size_t rows = tensor.shape[0];
  const size_t width = values.size() / rows;
  if (width < static_cast<size_t>(kFewest)) return false;
  for (size_t row = 0; row < rows; ++row) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(row * width);
    if (!are_scaled_integers({first, first + static_cast<std::ptrdiff_t>(width)})) return false;
  }
  return true;
}

void find_dead_channels(const ArtefactView& view, std::vector<Finding>& findings) {
  std::set<std::string> seen;
  const spec::Dialect dialect = spec::dialect_of(view.artefact.document);
  for (const Statement& statement : view.statements) {
    if (!is_layer(statement) || statement.operands.size() < 2) continue;
    const Fact& fact = view.fact(statement.operands[1]);
    const nnef::StoredTensor* weight = view.stored(fact.origin);
    if (!fact.is_constant || fact.is_reordered || weight == nullptr) continue;
    const Tensor& values = weight->values;
    if (values.shape.size() < 2 || (!is_signed_byte(values) && !ir::is_float(values.dtype)) ||
        values.elements() == 0 || !weight->item.starts_with(ir::dtype_name(values.dtype)))
      continue;
    const auto axis = axis_of(*statement.call, values.shape.size(), dialect);
    if (!axis || *axis >= values.shape.size()) continue;
    const std::vector<bool> is_live = live_channels(values, *axis);
    const auto dead = std::count(is_live.begin(), is_live.end(), false);
    if (dead == 0 || !seen.insert(weight->label).second) continue;
    const auto first = std::find(is_live.begin(), is_live.end(), false) - is_live.begin();
    findings.push_back({"dead-channel",
                        cat(dead, dead == 1 ? " channel of " : " channels of ",
                            quoted(weight->label), " can only be zero, the first is ", first),
                        view.where_of(weight->label),
                        "remove the channels from the model, or prune less of the module"});
  }
}

void find_stored_twice(const ArtefactView& view, std::vector<Finding>& findings) {
  const auto& all = view.artefact.tensors;
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = i + 1; j < all.size(); ++j) {
      const nnef::StoredTensor* a = &all[i];
      const nnef::StoredTensor* b = &all[j];
      if (a->values.shape != b->values.shape || !may_be_weight(a->values)) continue;
      std::string how;
      if (a->item == b->item && ir::same_values(a->values, b->values)) how = "have the same values";
      if (is_signed_byte(a->values)) std::swap(a, b);
      if (is_signed_byte(b->values) && a->item == "f32" && is_rounding_of(b->values, a->values))
        how = "contain the same weight as floats and as quantised integers";
      if (how.empty()) continue;
      findings.push_back(
          {"stored-twice",
           cat("the variables ", quoted(a->label), " and ", quoted(b->label), " ", how),
           view.where_of(b->label), "use the same settings for all layers that read the weight"});
    }
}

}  // namespace t2n::report
