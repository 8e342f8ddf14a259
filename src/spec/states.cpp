// SPDX-License-Identifier: Apache-2.0
// The properties and the file about states, written and read.
#include "src/spec/states.h"

#include <algorithm>

#include "src/diag/error.h"
#include "src/spec/dialect.h"

namespace t2n::spec {
namespace {

/// Small values that the text expresses exactly. tract reads literals as f32, i64 or bool, and
/// refuses empty lists.
bool is_literal(const ir::Tensor& tensor) {
  constexpr int64_t kMost = 64;
  const bool has_type = tensor.dtype == ir::DType::f32 || tensor.dtype == ir::DType::i64 ||
                        tensor.dtype == ir::DType::boolean;
  return has_type && tensor.elements() > 0 && tensor.elements() <= kMost && ir::is_finite(tensor);
}

nnef::Value element(const ir::Tensor& rows, int64_t index) {
  if (rows.dtype == ir::DType::f32) return nnef::scalar(ir::element_f64(rows, index));
  const int64_t number = ir::element_i64(rows, index);
  return rows.dtype == ir::DType::boolean ? nnef::logical(number != 0) : nnef::integer(number);
}

/// The elements from `index` on along the axes from `axis` on, as nested lists.
nnef::Value nested(const ir::Tensor& rows, size_t axis, int64_t index) {
  if (axis == rows.shape.size()) return element(rows, index);
  nnef::Values items;
  for (int64_t i = 0; i < rows.shape[axis]; ++i)
    items.push_back(nested(rows, axis + 1, index + i * rows.strides[axis]));
  return nnef::array(std::move(items));
}

const ir::Tensor* value_of(const nnef::Document& document, const std::string& input) {
  const auto found =
      std::find_if(document.states.begin(), document.states.end(),
                   [&](const nnef::NamedTensor& state) { return state.name == input; });
  return found == document.states.end() ? nullptr : &found->value;
}

bool has_name(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<State> noted_pairs(const nnef::Document& document) {
  std::vector<State> out;
  for (auto& [name, value] : properties(document))
    if (name.starts_with(kStatePrefix))
      out.push_back({name.substr(kStatePrefix.size()), std::move(value), {}});
  if (!out.empty()) return out;
  const std::vector<std::string>& results = document.graph.results;
  const size_t count = document.states.size();
  // Another exporter may have a file of this name.
  const bool are_inputs = std::all_of(
      document.states.begin(), document.states.end(),
      [&](const auto& state) { return has_name(document.graph.parameters, state.name); });
  if (!are_inputs || count > results.size()) return {};
  for (size_t i = 0; i < count; ++i)
    out.push_back({document.states[i].name, results[results.size() - count + i], {}});
  return out;
}

void require_name(const std::vector<std::string>& names, const std::string& name,
                  std::string_view kind) {
  if (!has_name(names, name))
    throw Error("nnef-invalid",
                cat("the artefact names ", quoted(name), " as a state, but has no such ", kind));
}

}  // namespace

void add_states(nnef::Document& document, const std::vector<State>& states) {
  for (const State& state : states) {
    add_property(document, cat(kStatePrefix, state.input), nnef::string(state.output));
    if (!state.initial) continue;
    const ir::Tensor rows = ir::contiguous(*state.initial);
    if (is_literal(rows))
      add_property(document, cat(kInitialPrefix, state.input), nested(rows, 0, 0));
    document.states.push_back({state.input, rows});
  }
}

bool is_state_property(std::string_view name) {
  return name.starts_with(kStatePrefix) || name.starts_with(kInitialPrefix);
}

nnef::Document without_states(nnef::Document document) {
  document.states.clear();
  for (nnef::Fragment& fragment : document.fragments)
    if (fragment.name == kPropertiesFragment)
      std::erase_if(fragment.body.at(0).right.items, [](const nnef::Value& pair) {
        return is_state_property(pair.items.at(0).text);
      });
  return document;
}

std::vector<State> states_of(const nnef::Document& document) {
  std::vector<State> out = noted_pairs(document);
  for (State& state : out) {
    require_name(document.graph.parameters, state.input, "input");
    require_name(document.graph.results, state.output, "output");
    if (const ir::Tensor* const value = value_of(document, state.input)) state.initial = *value;
  }
  return out;
}

std::string first_value_text(const ir::Tensor& value) {
  constexpr size_t kMostShown = 6;
  const std::string type =
      cat(ir::dtype_name(value.dtype), ir::shape_str(ir::to_shape(value.shape)));
  std::vector<double> numbers = ir::to_f64(ir::as_pairs(value));
  if (numbers.empty()) return cat(type, ", empty");
  // A NaN differs from itself, so that it counts as a difference.
  const bool is_uniform = std::all_of(numbers.begin(), numbers.end(),
                                      [&](double number) { return number == numbers[0]; });
  if (is_uniform) return cat(type, " = ", numbers[0]);
  if (numbers.size() > kMostShown) {
    const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
    return cat(type, " from ", *least, " to ", *most);
  }
  std::string items;
  for (const double number : numbers) items += cat(items.empty() ? "" : ", ", number);
  return cat(type, " = [", items, "]");
}

}  // namespace t2n::spec
