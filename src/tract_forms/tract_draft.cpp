// SPDX-License-Identifier: Apache-2.0
#include "src/tract_forms/tract_draft.h"

#include "src/tract_forms/broadcast_axes.h"
#include "src/tract_forms/factors.h"
#include "src/tract_forms/layouts.h"
#include "src/tract_forms/notation.h"
#include "src/tract_forms/regions.h"
#include "src/tract_forms/size_barriers.h"
#include "src/tract_forms/uniform.h"

namespace t2n::tract_forms {

TractDraft::TractDraft(const target::Target& target_in, bool is_body_in)
    : Draft(tract_forms::notation()), target(target_in), is_body(is_body_in) {}

Facts& TractDraft::facts(Ref ref) {
  const auto index = static_cast<size_t>(ref.id);
  if (index >= facts_.size()) facts_.resize(index + 1);
  return facts_[index];
}

const Facts& TractDraft::facts(Ref ref) const {
  static const Facts none;
  const auto index = static_cast<size_t>(ref.id);
  return index < facts_.size() ? facts_[index] : none;
}

void note_list_call(TractDraft& draft, std::string_view op, const Refs& list,
                    const Attributes& attributes, Ref result) {
  Facts& facts = draft.facts(result);
  facts.elements = known_elements(draft, op, list);
  facts.broadcast_axes = known_broadcast_axes(draft, op, list, attributes, result);
  if (op == "concat" || moves_entries(op)) facts.scanned = known_scan_length(draft, list);
  if (const auto scaling = known_scaling(draft, op, list)) facts.scaling = scaling;
}

void note_call(TractDraft& draft, std::string_view op, const Refs& operands,
               const Attributes& attributes, Ref result) {
  draft.facts(result).from_sizes = are_sizes(draft, operands);
  note_list_call(draft, op, operands, attributes, result);
  if (hands_regions_on(op)) note_regions(draft, op, operands, result);
}

void note_elementwise(TractDraft& draft, std::string_view op, const Refs& operands, Ref result) {
  Facts& facts = draft.facts(result);
  facts.from_sizes = op != "pow" && are_sizes(draft, operands);  // tract does not analyse powers
  facts.elements = known_elements(draft, op, operands);
  facts.broadcast_axes = known_broadcast_axes(draft, operands, result);
  facts.scanned = known_scan_length(draft, operands);
  if (const auto scaling = known_scaling(draft, op, operands)) facts.scaling = scaling;
  note_regions(draft, op, operands, result);
}

}  // namespace t2n::tract_forms
