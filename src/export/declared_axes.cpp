// SPDX-License-Identifier: Apache-2.0
#include "src/export/declared_axes.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "ir/readable.h"
#include "ir/sizes.h"
#include "src/diag/error.h"
#include "src/diag/glob.h"
#include "src/samples/samples_at.h"

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

std::vector<AxisSpec> axes_in_file(const trace::ModelInfo& model) {
  std::vector<AxisSpec> out;
  for (const trace::DeclaredAxis& axis : model.dynamic_axes)
    out.push_back(dynamic::parse_axis(cat(axis.input, ":", axis.axis, "=", axis.size)));
  return out;
}

/// The tensors of the sample that the file stores: names and shapes.
struct SampleShapes {
  std::vector<std::string> names;
  std::vector<ir::Ints> extents;
};
SampleShapes shapes_in_file(const trace::ModelInfo& model) {
  SampleShapes out;
  for (const trace::SampleInput& sample : model.samples)
    if (const auto* tensor = std::get_if<ir::Tensor>(&sample.value)) {
      out.names.push_back(trace::flat_name(sample.path));
      out.extents.push_back(tensor->shape);
    }
  return out;
}

/// The axis counted from the beginning, if the file has a sample of the input.
int64_t axis_of(const AxisSpec& spec, const std::string& input, const trace::ModelInfo& model) {
  if (spec.axis >= 0) return spec.axis;
  const SampleShapes shapes = shapes_in_file(model);
  for (size_t i = 0; i < shapes.names.size(); ++i)
    if (shapes.names[i] == input) return spec.axis + static_cast<int64_t>(shapes.extents[i].size());
  return spec.axis;
}

/// Refuses an axis that the file does not declare, or an input or axis that does not exist.
[[noreturn]] void refuse_fixed(AxisSpec spec, const std::vector<AxisSpec>& declared,
                               const trace::ModelInfo& model) {
  const SampleShapes shapes = shapes_in_file(model);
  spec.size = ir::Dim::symbol("N");  // any sample fits
  if (!shapes.names.empty()) dynamic::bind_axes({spec}, shapes.names, shapes.extents);
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

/// Whether the user means an axis of the file: `past.*:2=P` means several.
bool names_axis(const AxisSpec& user, const AxisSpec& axis, const trace::ModelInfo& model) {
  const std::vector<std::string> names = shapes_in_file(model).names;
  const size_t index = std::find(names.begin(), names.end(), axis.input) - names.begin();
  const bool is_input =
      glob_matches(flat(user.input), axis.input) || user.input == cat("input_", index);
  return is_input && axis.axis == axis_of(user, axis.input, model);
}

/// The axes that the file declares, of those that the user names.
std::vector<const AxisSpec*> axes_named(const AxisSpec& user, const std::vector<AxisSpec>& declared,
                                        const trace::ModelInfo& model) {
  std::vector<const AxisSpec*> out;
  for (const AxisSpec& each : declared)
    if (names_axis(user, each, model)) out.push_back(&each);
  if (out.empty()) refuse_fixed(user, declared, model);
  return out;
}

/// The symbols of the file that the user calls by other names.
std::map<std::string, ir::Dim> renamed_symbols(const std::vector<AxisSpec>& users,
                                               const std::vector<AxisSpec>& declared,
                                               const trace::ModelInfo& model) {
  std::map<std::string, ir::Dim> out;
  for (const AxisSpec& user : users)
    for (const AxisSpec* axis : axes_named(user, declared, model)) {
      const auto* symbol = axis->size.as_symbol();
      if (symbol == nullptr && axis->size != user.size)
        throw Error("usage",
                    cat("--dynamic ", user.text, ": the model was exported with the size ",
                        ir::readable(axis->size), " of this axis"),
                    {}, "rename the symbol where it is the size of an axis, or leave this out");
      if (symbol != nullptr) out[symbol->str()] = user.size;
    }
  return out;
}

ir::Dim renamed(const ir::Dim& size, const std::map<std::string, ir::Dim>& names) {
  return size.substitute([&](const ir::Symbol& symbol) -> std::optional<ir::Dim> {
    const auto found = names.find(symbol.str());
    return found == names.end() ? std::nullopt : std::optional(found->second);
  });
}

std::vector<AxisSpec> renamed(std::vector<AxisSpec> axes,
                              const std::map<std::string, ir::Dim>& names) {
  for (AxisSpec& axis : axes) {
    axis.size = renamed(axis.size, names);
    axis.text = cat(axis.input, ":", axis.axis, "=", axis.size.str());
  }
  return axes;
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

/// The sizes that --specialize states, for the symbols of the file. Errors: `usage`.
ir::Sizes closed_symbols(const std::vector<AxisSpec>& declared, const DynamicOptions& dynamic,
                         const trace::ModelInfo& model) {
  ir::Sizes out;
  std::set<ir::Symbol> unknown = ir::symbols_of(dynamic.closed);
  std::set<std::string> known;
  for (const AxisSpec& axis : declared)
    for (const ir::Symbol& symbol : axis.size.symbols()) {
      known.insert(symbol.str());
      if (const auto found = dynamic.closed.find(symbol); found != dynamic.closed.end())
        out[symbol] = found->second;
      unknown.erase(symbol);
    }
  for (const auto& [symbol, name] : renamed_symbols(dynamic.axes, declared, model)) {
    if (const ir::Dim size = name.substitute(dynamic.closed); size.is_constant())
      out[ir::Symbol(symbol)] = size.value();
    for (const ir::Symbol& each : name.symbols()) {
      known.insert(each.str());
      unknown.erase(each);
    }
  }
  if (unknown.empty()) return out;
  const std::string name = unknown.begin()->str();
  const std::vector<std::string> names(known.begin(), known.end());
  const std::string near = nearest(name, names);
  if (known.empty())
    throw Error("usage", cat("--specialize ", name, ": the model declares no dynamic axes"), {},
                "give a sample of the size that you want, with --input");
  throw Error("usage", cat("--specialize ", name, ": no dynamic axis has this size"),
              cat("the symbols are: ", joined(names, ", ")),
              near.empty() ? "" : cat("did you mean ", quoted(near), "?"));
}

/// The conditions at these sizes, without those that hold there. Errors: `usage` for one that does
/// not.
void close_conditions(std::vector<std::string>& conditions, const ir::Sizes& sizes) {
  std::vector<std::string> out;
  for (const std::string& text : conditions) {
    const auto condition = comparison_of(text);
    if (!condition) {
      out.push_back(text);
      continue;
    }
    const ir::Dim left = condition->left.substitute(sizes);
    const ir::Dim right = condition->right.substitute(sizes);
    if (!left.is_constant() || !right.is_constant())
      out.push_back(cat(left.str(), " ", ir::str(condition->relation), " ", right.str()));
    else if (!ir::holds({left, condition->relation, right}, {}))
      throw Error("usage", "--specialize: the model does not hold for this size",
                  cat("it was exported for sizes with ", ir::readable(*condition)),
                  "choose another size, or export the model for this one with torch.export");
  }
  conditions = std::move(out);
}

/// Repeats or cuts the file's samples.
void resize_samples(trace::ModelInfo& model, const std::vector<AxisSpec>& declared,
                    const ir::Sizes& closed) {
  const SampleShapes shapes = shapes_in_file(model);
  if (shapes.names.empty()) return;
  auto [dims, sizes] = dynamic::bind_axes(declared, shapes.names, shapes.extents);
  for (const auto& [symbol, size] : closed) sizes[symbol] = size;
  std::vector<Sample> samples;
  for (const trace::SampleInput& each : model.samples) samples.push_back({each, {}});
  samples = samples_at(samples, shapes.names, dims, sizes);
  for (size_t i = 0; i < samples.size(); ++i) model.samples[i] = samples[i].input;
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

DynamicOptions without_closed_axes(const LoadedModel& model, DynamicOptions dynamic) {
  std::erase_if(dynamic.axes, [&](const AxisSpec& user) {
    return std::any_of(model.closed.begin(), model.closed.end(),
                       [&](const AxisSpec& axis) { return names_axis(user, axis, model.info); });
  });
  return dynamic;
}

std::vector<AxisSpec> close_axes(trace::ModelInfo& model, const DynamicOptions& dynamic) {
  std::vector<AxisSpec> out;
  if (dynamic.closed.empty()) return out;
  const std::vector<AxisSpec> declared = axes_in_file(model);
  const ir::Sizes sizes = closed_symbols(declared, dynamic, model);
  close_conditions(model.assertions, sizes);
  close_conditions(model.guards, sizes);
  resize_samples(model, declared, sizes);
  model.dynamic_axes.clear();
  for (const AxisSpec& axis : declared) {
    const ir::Dim size = axis.size.substitute(sizes);
    if (size.is_constant())
      out.push_back({axis.input, axis.axis, size, axis.text});
    else
      model.dynamic_axes.push_back({axis.input, axis.axis, size.str()});
  }
  return out;
}

void require_assertions(const LoadedModel& model, const DynamicOptions& dynamic) {
  if (dynamic.asserted.empty() || dynamic.has_preset) return;
  std::vector<AxisSpec> axes = dynamic.axes;
  if (model.info.kind == trace::FileKind::exported) {
    const std::vector<AxisSpec> declared = axes_in_file(model.info);
    axes = without_closed_axes(model, dynamic).axes;
    axes = renamed(declared, renamed_symbols(axes, declared, model.info));
    if (axes.empty())
      throw Error("usage", "--assert: no axis of the model is dynamic",
                  model.closed.empty() ? "it was exported for one size of each axis"
                                       : "--specialize gives each axis one size",
                  "give the command without --assert");
  }
  dynamic::require_declared(dynamic.asserted, axes);
}

void require_closed_sizes(const std::vector<AxisSpec>& closed, const std::vector<Sample>& samples) {
  for (const AxisSpec& axis : closed)
    for (const Sample& sample : samples) {
      const auto* tensor = std::get_if<ir::Tensor>(&sample.input.value);
      if (tensor == nullptr || trace::flat_name(sample.input.path) != axis.input) continue;
      const auto index = static_cast<size_t>(axis.axis);
      if (index < tensor->shape.size() && tensor->shape[index] == axis.size.value()) continue;
      throw Error("usage",
                  cat("--specialize: axis ", axis.axis, " of ", quoted(axis.input),
                      " has another size in the sample"),
                  cat("it is ", axis.size.str(), " with --specialize"),
                  "give a sample of this size, or none");
    }
}

DynamicOptions with_declared_axes(const LoadedModel& model, DynamicOptions dynamic,
                                  const Report& report) {
  if (model.info.kind != trace::FileKind::exported) return dynamic;
  const std::vector<AxisSpec> declared = axes_in_file(model.info);
  dynamic = without_closed_axes(model, std::move(dynamic));
  const auto names = renamed_symbols(dynamic.axes, declared, model.info);
  const auto rename = [&](const ir::Dim& size) { return renamed(size, names); };
  dynamic.axes = renamed(declared, names);
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
    if (comparison->left == comparison->right && comparison->relation == ir::Relation::eq) continue;
    const bool is_readable = comparison->relation != ir::Relation::ne &&
                             is_simple(comparison->left) && is_simple(comparison->right);
    if (is_readable)
      dynamic.asserted.push_back(*std::move(comparison));
    else if (!holds_at_usual_sizes(*comparison, bounds))
      warn_unread(ir::str(*comparison), report);
  }
  return dynamic;
}

DynamicOptions axes_for_target(const LoadedModel& model, DynamicOptions dynamic,
                               const target::Target& target, const Report& report) {
  dynamic = without_closed_axes(model, std::move(dynamic));
  const bool is_open = target.engine != target::Engine::khronos || !dynamic.axes.empty() ||
                       !dynamic.asserted.empty();
  return is_open ? with_declared_axes(model, std::move(dynamic), report) : dynamic;
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
