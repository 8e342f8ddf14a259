// SPDX-License-Identifier: Apache-2.0
#include "src/tract_forms/layouts.h"

#include <algorithm>

namespace t2n::tract_forms {
namespace {

bool is_dynamic(const Shape& shape) {
  return !std::all_of(shape.begin(), shape.end(),
                      [](const Dim& size) { return size.is_constant(); });
}

}  // namespace

std::optional<Dim> known_scan_length(const TractDraft& draft, const Refs& operands) {
  for (const Ref ref : operands)
    if (const auto& length = draft.facts(ref).scanned) return length;
  return {};
}

Barriers layout_barriers(const TractDraft& draft, const Refs& operands) {
  if (!draft.has(target::Feature::open_sizes)) return {};
  const auto first = known_scan_length(draft, operands);
  Barriers out;
  for (size_t i = 0; first && i < operands.size(); ++i) {
    const auto& length = draft.facts(operands[i]).scanned;
    if (length && *length != *first && is_dynamic(draft.at(operands[i]).shape))
      out.push_back({i, Cause::crossing_scans});
  }
  return out;
}

void note_scan(TractDraft& draft, const Attributes& attributes, const Refs& results) {
  const nnef::Values& outputs = find(attributes, "output")->items;
  for (size_t i = 0; i < std::min(outputs.size(), results.size()); ++i) {
    const nnef::Values& output = outputs[i].items;  // name, "full" or "last", axis, step
    if (output.at(1).text == "full")
      draft.facts(results[i]).scanned = draft.at(results[i]).shape.at(output.at(2).integer);
  }
}

}  // namespace t2n::tract_forms
