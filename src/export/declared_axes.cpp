// SPDX-License-Identifier: Apache-2.0
#include "src/export/declared_axes.h"

#include <algorithm>
#include <array>
#include <map>

#include "ir/readable.h"
#include "ir/sizes.h"
#include "src/diag/error.h"

namespace t2n {
namespace {

using dynamic::AxisSpec;

/// "past[0].k" as "past_0_k".
std::string flat(std::string name) {
  std::erase(name, ']');
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '.' || c == '['; }, '_');
  return name;
}

/// The axis counted from the beginning, if the file has a sample of the input.
int64_t axis_of(const AxisSpec& spec, const LoadedModel& model) {
  if (spec.axis >= 0) return spec.axis;
  for (const trace::SampleInput& sample : model.info.samples)
    if (const auto* tensor = std::get_if<ir::Tensor>(&sample.value);
        tensor != nullptr && trace::flat_name(sample.path) == flat(spec.input))
      return spec.axis + static_cast<int64_t>(tensor->shape.size());
  return spec.axis;
}

[[noreturn]] void refuse_fixed(const AxisSpec& spec, const std::vector<AxisSpec>& declared) {
  std::vector<std::string> texts;
  for (const AxisSpec& each : declared) texts.push_back(each.text);
  throw Error("usage",
              cat("--dynamic ", quoted(spec.text),
                  ": the model was exported for one size of this "
                  "axis"),
              texts.empty() ? "none of its axes is dynamic"
                            : cat("its dynamic axes are: ", joined(texts, ", ")),
              "declare the axis where the model is exported: torch.export.export(…, "
              "dynamic_shapes=…)");
}

/// "s5 != 2" too. nullopt for what is no comparison of sizes.
std::optional<ir::Comparison> comparison_of(std::string text) {
  const size_t differs = text.find("!=");
  if (differs != std::string::npos) text.replace(differs, 2, "==");
  try {
    ir::Comparison out = dynamic::parse_comparison(text);
    if (differs != std::string::npos) out.relation = ir::Relation::ne;
    return out;
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool is_simple(const ir::Dim& size) {
  return std::all_of(size.terms().begin(), size.terms().end(), [](const ir::Term& term) {
    return term.atoms.size() == 1 && ir::operands_of(term.atoms[0]) == nullptr;
  });
}

/// Whether it holds wherever two symbols have any of some sizes, and the others one of them.
bool holds_at_usual_sizes(const ir::Comparison& comparison,
                          const std::vector<ir::Comparison>& bounds) {
  constexpr std::array<int64_t, 11> kSizes = {1, 2, 3, 4, 5, 7, 8, 16, 33, 100, 1024};
  std::vector<ir::Symbol> symbols = comparison.left.symbols();
  for (const ir::Symbol& symbol : comparison.right.symbols()) symbols.push_back(symbol);
  const auto is_allowed = [&](const ir::Sizes& sizes) {
    return std::all_of(bounds.begin(), bounds.end(), [&](const ir::Comparison& bound) {
      const auto known = [&](const ir::Dim& side) { return side.substitute(sizes).is_constant(); };
      return !known(bound.left) || !known(bound.right) || ir::holds(bound, sizes);
    });
  };
  for (const int64_t first : kSizes)
    for (const int64_t other : kSizes) {
      ir::Sizes sizes;
      for (const ir::Symbol& symbol : symbols) sizes[symbol] = sizes.empty() ? first : other;
      if (is_allowed(sizes) && !ir::holds(comparison, sizes)) return false;
    }
  return true;
}

void warn_unread(const std::string& guard, const Report& report) {
  if (!report) return;
  report({.severity = Severity::warning,
          .id = "dynamic-assumption",
          .message = cat("the program was exported for sizes with ", guard),
          .why = "the artefact does not assert it: no engine reads such a condition",
          .help = "run it at such sizes only, or bound the axes with --assert"});
}

}  // namespace

DynamicOptions with_declared_axes(const LoadedModel& model, DynamicOptions dynamic,
                                  const Report& report) {
  if (model.info.kind != trace::FileKind::exported) return dynamic;
  std::vector<AxisSpec> declared;
  for (const trace::DeclaredAxis& axis : model.info.dynamic_axes)
    declared.push_back(dynamic::parse_axis(cat(axis.input, ":", axis.axis, "=", axis.size)));
  std::map<std::string, ir::Dim> renamed;
  for (const AxisSpec& user : dynamic.axes) {
    const auto same = std::find_if(declared.begin(), declared.end(), [&](const AxisSpec& each) {
      return each.input == flat(user.input) && each.axis == axis_of(user, model);
    });
    if (same == declared.end()) refuse_fixed(user, declared);
    if (const auto* symbol = same->size.as_symbol()) renamed[symbol->str()] = user.size;
  }
  const auto rename = [&](const ir::Dim& size) {
    return size.substitute([&](const ir::Symbol& symbol) -> std::optional<ir::Dim> {
      const auto found = renamed.find(symbol.str());
      return found == renamed.end() ? std::nullopt : std::optional(found->second);
    });
  };
  dynamic.axes.clear();
  for (AxisSpec& axis : declared) {
    axis.size = rename(axis.size);
    axis.text = cat(axis.input, ":", axis.axis, "=", axis.size.str());
    dynamic.axes.push_back(std::move(axis));
  }
  for (const std::string& text : model.info.assertions) {
    const ir::Comparison bound = dynamic::parse_comparison(text);
    dynamic.asserted.push_back({rename(bound.left), bound.relation, rename(bound.right)});
  }
  const std::vector<ir::Comparison> bounds = dynamic.asserted;
  for (const std::string& guard : model.info.guards) {
    auto comparison = comparison_of(guard);
    if (!comparison) {
      warn_unread(guard, report);
      continue;
    }
    *comparison = {rename(comparison->left), comparison->relation, rename(comparison->right)};
    const bool is_readable = comparison->relation != ir::Relation::ne &&
                             is_simple(comparison->left) && is_simple(comparison->right);
    if (is_readable)
      dynamic.asserted.push_back(*std::move(comparison));
    else if (!holds_at_usual_sizes(*comparison, bounds))
      warn_unread(ir::str(*comparison), report);
  }
  return dynamic;
}

std::vector<dynamic::AxisSpec> axes_of(const ir::Graph& graph) {
  std::vector<dynamic::AxisSpec> out;
  for (const ir::ValueId id : graph.inputs) {
    const ir::Value& value = graph.values[id];
    for (size_t axis = 0; axis < value.shape.size(); ++axis)
      if (const ir::Dim& size = value.shape[axis]; !size.is_constant())
        out.push_back({value.name, static_cast<int64_t>(axis), size,
                       cat(value.name, ":", axis, "=", ir::readable(size))});
  }
  return out;
}

}  // namespace t2n
