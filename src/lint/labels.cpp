// SPDX-License-Identifier: Apache-2.0
// Checks labels of variables, and the stored tensors of these labels.
#include <algorithm>

#include "src/diag/error.h"
#include "src/lint/strict_parts.h"

namespace t2n::spec {
namespace {

using ir::DType;

bool is_label_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.' || c == '/' || c == '\\';
}

/// "", or why the label cannot be a file name.
std::string label_problem(std::string_view label) {
  if (label.empty()) return "its label is empty";
  if (!std::all_of(label.begin(), label.end(), is_label_character))
    return cat("its label ", quoted(label), " may contain only letters, digits and _ - . / \\");
  for (size_t begin = 0; begin <= label.size();) {
    const size_t end = std::min(label.find_first_of("/\\", begin), label.size());
    if (end == begin) return cat("a part of its label ", quoted(label), " is empty");
    if (label[begin] == '.')
      return cat("a part of its label ", quoted(label), " begins with a dot");
    begin = end + 1;
  }
  return "";
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

/// Whether the file's item type fits the type in the graph (§5.2.1).
bool fits_type(Item item, const Stored& stored) {
  switch (item) {
    case Item::scalar:
      return ir::is_integer(stored.dtype)
                 ? stored.quantised
                 : stored.dtype == DType::f16 || stored.dtype == DType::f32 ||
                       stored.dtype == DType::f64;
    case Item::integer: return ir::is_integer(stored.dtype) && !stored.quantised;
    case Item::logical: return stored.dtype == DType::boolean;
    case Item::string: return false;
    case Item::unknown:
    case Item::generic: break;
  }
  return true;
}

std::string_view item_label(Item item) {
  return item == Item::scalar ? "scalar" : item == Item::integer ? "integer" : "logical";
}

class Labels {
 public:
  Labels(std::span<const Stored> stored, std::vector<Violation>& violations)
      : violations_(violations) {
    for (const Stored& tensor : stored)
      if (!stored_.emplace(tensor.label, &tensor).second)
        violations.push_back({"", cat("two tensors are stored as ", quoted(tensor.label))});
  }

  void variable(std::string_view name, const TensorFacts& facts) {
    if (const std::string problem = label_problem(facts.label); !problem.empty())
      return report(name, problem);
    const auto [first, is_new] = seen_.emplace(lower(facts.label), std::pair{name, &facts});
    if (!is_new) return shared(name, facts, first->second.first, *first->second.second);
    const auto found = stored_.find(facts.label);
    if (found == stored_.end())
      return report(name, cat("there is no stored tensor ", quoted(facts.label)));
    file(name, facts, *found->second);
  }

 private:
  void report(std::string_view name, std::string_view problem) {
    violations_.push_back({std::string(name), cat(quoted(name), ": ", problem)});
  }

  void shared(std::string_view name, const TensorFacts& facts, std::string_view first,
              const TensorFacts& other) {
    if (facts.label != other.label)
      report(name, cat("its label ", quoted(facts.label), " and ", quoted(other.label), " of ",
                       quoted(first), " differ in case only"));
    else if (facts.shape && other.shape && *facts.shape != *other.shape)
      report(name,
             cat("its shape differs from that of ", quoted(first), ", which has the same label"));
    else if (facts.item != other.item)
      report(name,
             cat("its type differs from that of ", quoted(first), ", which has the same label"));
  }

  void file(std::string_view name, const TensorFacts& facts, const Stored& stored) {
    if (facts.shape && *facts.shape != stored.shape)
      report(name,
             cat("its shape is ", ir::shape_str(ir::to_shape(*facts.shape)),
                 ", and that of the stored tensor ", ir::shape_str(ir::to_shape(stored.shape))));
    if (!stored.engine_format.empty())
      report(name, cat("the stored tensor is ", stored.engine_format,
                       ", which is specific to an engine"));
    else if (!fits_type(facts.item, stored))
      report(name, cat("it is ", item_label(facts.item), ", and the stored tensor holds ",
                       ir::dtype_name(stored.dtype), stored.quantised ? " codes" : ""));
  }

  std::vector<Violation>& violations_;
  std::unordered_map<std::string_view, const Stored*> stored_;
  std::unordered_map<std::string, std::pair<std::string_view, const TensorFacts*>> seen_;
};

}  // namespace

void lint_labels(const Names& variables, const TensorTable& tensors, std::span<const Stored> stored,
                 std::vector<Violation>& violations) {
  Labels labels(stored, violations);
  for (const std::string_view name : variables) labels.variable(name, tensors.at(name));
}

}  // namespace t2n::spec
