// SPDX-License-Identifier: Apache-2.0
#include "src/export/declared_axes.h"

#include <algorithm>
#include <map>

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
              cat("--dynamic ", quoted(spec.text), ": the model was exported for one size of this "
                                                   "axis"),
              texts.empty() ? "none of its axes is dynamic"
                            : cat("its dynamic axes are: ", joined(texts, ", ")),
              "declare the axis where the model is exported: torch.export.export(…, "
              "dynamic_shapes=…)");
}

}  // namespace

DynamicOptions with_declared_axes(const LoadedModel& model, DynamicOptions dynamic) {
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
  return dynamic;
}

}  // namespace t2n
