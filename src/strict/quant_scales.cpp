// SPDX-License-Identifier: Apache-2.0
#include "src/strict/quant_scales.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/nnef/walk.h"

namespace t2n::strict {
namespace {

using nnef::Kind;
using nnef::Value;

Value* argument(nnef::QuantEntry& entry, std::string_view name) {
  for (nnef::Argument& each : entry.invocation.arguments)
    if (each.name == name) return &each.value;
  return nullptr;
}

std::optional<double> literal_number(const Value& value) {
  if (value.kind == Kind::scalar) return value.number;
  if (value.kind == Kind::integer) return static_cast<double>(value.integer);
  return std::nullopt;
}

bool is_tensor(const Value& value, const std::string& name) {
  return value.kind == Kind::identifier && value.text == name;
}

class Folding {
 public:
  explicit Folding(nnef::Document& document)
      : graph_(document.graph), is_dropped_(document.graph.body.size()) {
    for (size_t i = 0; i < graph_.body.size(); ++i)
      nnef::walk(graph_.body[i].right, [&](const Value& value) {
        if (value.kind == Kind::identifier) readers_[value.text].push_back(i);
      });
  }

  void fold(nnef::QuantEntry& entry) {
    Value* const scale = argument(entry, "scale");
    Value* const point = argument(entry, "zero_point");
    if (scale == nullptr || point == nullptr || literal_number(*scale) != 1.0 ||
        literal_number(*point) != 0.0)
      return;
    if (const auto subtracted = operand_of(entry.name, "sub");
        subtracted && is_small_integer(*subtracted)) {
      *point = nnef::integer(static_cast<int64_t>(*subtracted));
      drop_reader(entry.name);
    }
    if (const auto factor = operand_of(entry.name, "mul"); factor && *factor > 0) {
      *scale = nnef::scalar(*factor);
      drop_reader(entry.name);
    }
  }

  void finish() {
    size_t at = 0;
    std::erase_if(graph_.body, [&](const nnef::Assignment&) { return is_dropped_[at++]; });
  }

 private:
  static bool is_small_integer(double value) {
    constexpr double kMost = 1 << 20;
    return value == std::trunc(value) && std::abs(value) < kMost;
  }

  bool is_result(const std::string& name) const {
    return std::find(graph_.results.begin(), graph_.results.end(), name) != graph_.results.end();
  }

  /// The only statement that reads a tensor which is no result.
  std::optional<size_t> only_reader(const std::string& name) const {
    const auto found = readers_.find(name);
    if (found == readers_.end() || found->second.size() != 1 || is_result(name))
      return std::nullopt;
    return found->second[0];
  }

  /// The number that the only reader of a tensor combines it with, by this operation.
  std::optional<double> operand_of(const std::string& name, std::string_view operation) const {
    const auto reader = only_reader(name);
    if (!reader) return std::nullopt;
    const auto& [left, call, comment] = graph_.body[*reader];
    if (call.kind != Kind::invocation || call.text != operation || call.arguments.size() != 2 ||
        left.kind != Kind::identifier || is_result(left.text))
      return std::nullopt;
    if (is_tensor(call.arguments[0].value, name)) return literal_number(call.arguments[1].value);
    return operation == "mul" ? literal_number(call.arguments[0].value) : std::nullopt;
  }

  void drop_reader(const std::string& name) {
    const size_t reader = *only_reader(name);
    const std::string removed = graph_.body[reader].left.text;
    is_dropped_[reader] = true;
    const std::vector<size_t> readers = readers_[removed];
    for (const size_t each : readers)
      nnef::walk(graph_.body[each].right, [&](Value& value) {
        if (is_tensor(value, removed)) value.text = name;
      });
    readers_[name] = readers;
  }

  nnef::Graph& graph_;
  std::vector<bool> is_dropped_;
  std::unordered_map<std::string, std::vector<size_t>> readers_;  ///< statements, by tensor
};

}  // namespace

void fold_quant_scales(nnef::Document& document) {
  Folding folding(document);
  for (nnef::QuantEntry& entry : document.quant) folding.fold(entry);
  folding.finish();
}

}  // namespace t2n::strict
