// SPDX-License-Identifier: Apache-2.0
// A document for tract under construction, with what tract may find out about its tensors.
#pragma once

#include <deque>

#include "src/draft/draft.h"
#include "src/target/target.h"
#include "src/tract_forms/facts.h"

namespace t2n::tract_forms {

using draft::Attributes;
using draft::TensorEntry;
using draft::TensorType;
using ir::Dim;
using ir::DType;
using ir::Shape;
using Refs = std::vector<Ref>;

struct TractDraft : draft::Draft {
  /// `is_body`: the fragment that a scan calls.
  TractDraft(const target::Target& target_in, bool is_body_in);

  target::Target target;
  bool is_body;

  Facts& facts(Ref ref);
  const Facts& facts(Ref ref) const;
  bool has(target::Feature feature) const { return target::has(target, feature); }

 private:
  std::deque<Facts> facts_;  ///< by identifier; references stay valid as it grows
};

/// Notes what tract may find out about a result of a call.
void note_call(TractDraft& draft, std::string_view op, const Refs& operands,
               const Attributes& attributes, Ref result);
/// The same for a call that takes a list of tensors.
void note_list_call(TractDraft& draft, std::string_view op, const Refs& list,
                    const Attributes& attributes, Ref result);
/// The same for an operation that broadcasts.
void note_elementwise(TractDraft& draft, std::string_view op, const Refs& operands, Ref result);

}  // namespace t2n::tract_forms
