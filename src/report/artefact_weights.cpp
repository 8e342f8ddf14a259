// SPDX-License-Identifier: Apache-2.0
// Rules of the lint about the variables of an artefact.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>

#include "src/diag/error.h"
#include "src/nnef/walk.h"
#include "src/report/artefact_lint.h"
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

/// The axis of an einsum's second operand that only the result has, too: "xk,nk->xn".
std::optional<size_t> axis_of_einsum(const nnef::Value& call) {
  const nnef::Value* const written = nnef::find_argument(call, "expr");
  std::string expression = written == nullptr ? "" : written->text;
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

/// The weight of a layer; nullptr if its elements were moved: then their channels are unknown.
const lint::Value* weight_of(const lint::Program& program, const lint::Statement& layer) {
  if (!is_layer(layer.op) || layer.operands.size() < 2) return nullptr;
  const lint::Value& operand = program.values[layer.operands[1]];
  const lint::Value* out =
      operand.is_known && operand.stored ? &program.values[*operand.stored] : nullptr;
  if (out == nullptr || out->data == nullptr || out->data->shape.size() < 2) return nullptr;
  const bool is_signed = out->data->dtype == ir::DType::i8 || ir::is_float(out->data->dtype);
  return is_signed ? out : nullptr;
}

}  // namespace

void find_scaled_integers(const lint::Program& program, std::vector<Finding>& out) {
  for (const lint::Value& value : program.values)
    if (value.data != nullptr && is_scaled_integers(*value.data))
      out.push_back(lint::finding(
          program, "float-constant", value.producer,
          cat("the variable ", quoted(value.name),
              " contains floats that are integers times a scale: store a quarter of the bytes")));
}

void find_dead_channels(const ArtefactProgram& artefact, spec::Dialect dialect,
                        std::vector<Finding>& out) {
  const lint::Program& program = artefact.program;
  std::set<const lint::Value*> seen;
  for (size_t i = 0; i < artefact.calls.size(); ++i) {
    const lint::Value* weight = weight_of(program, program.statements[i]);
    if (weight == nullptr) continue;
    const auto axis = axis_of(*artefact.calls[i], weight->data->shape.size(), dialect);
    if (!axis) continue;
    std::string message = lint::dead_channels(weight->name, *weight->data, *axis, {});
    if (!message.empty() && seen.insert(weight).second)
      out.push_back(lint::finding(program, "dead-channel", weight->producer, std::move(message)));
  }
}

void find_equal(const nnef::Artefact& artefact, const lint::Program& program,
                std::vector<Finding>& out) {
  const auto& all = artefact.tensors;
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = i + 1; j < all.size(); ++j) {
      if (all[i].item != all[j].item || !lint::is_distinctive(all[i].values) ||
          !ir::same_values(all[i].values, all[j].values))
        continue;
      const auto variable = std::find_if(
          program.values.begin(), program.values.end(),
          [&](const lint::Value& value) { return value.stored && value.name == all[j].label; });
      std::optional<size_t> at;  // variables of fragments have no location here
      if (variable != program.values.end()) at = variable->producer;
      out.push_back(lint::finding(program, "stored-twice", at,
                                  cat("the variables ", quoted(all[i].label), " and ",
                                      quoted(all[j].label), " have the same values")));
    }
}

}  // namespace t2n::report
