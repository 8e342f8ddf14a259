// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/loops/speculation.h"

#include "src/diag/error.h"
#include "src/frontend/load/operators.h"
#include "src/frontend/numbers/marks.h"

namespace t2n::trace {

void Speculation::enter(const FormulaRef& condition, bool holds, size_t roots) {
  const bool all_hold = this->holds() && holds;
  FormulaRef all = branches_.empty() ? condition
                                     : operation_formula("logical_and", FormulaType::boolean,
                                                         {branches_.back().condition, condition});
  branches_.push_back({std::move(all), all_hold, roots, {}});
}

void Speculation::note_created(const c10::IValue& value) {
  if (!branches_.empty() && (is_container(value) || value.isObject()))
    branches_.back().created.insert(value.internalToPointer());
}

void Speculation::note_created(const c10::FunctionSchema& schema,
                               const torch::jit::Stack& results) {
  for (size_t i = 0; i < results.size() && i < schema.returns().size(); ++i)
    if (schema.returns()[i].alias_info() == nullptr) note_created(results[i]);
}

void Speculation::end(std::string effect) {
  effect_ = std::move(effect);
  throw Error("data-dependent-branch", "a branch depends on the values of a tensor",
              cat("the code that depends on it ", effect_));
}

void Speculation::require_own(const c10::IValue& changed) {
  if (branches_.empty() || branches_.back().created.contains(changed.internalToPointer())) return;
  end(changed.isObject() ? "sets an attribute"
      : changed.isList() ? "changes a list"
                         : "changes a dictionary");
}

void Speculation::require_own(const c10::FunctionSchema& schema, const torch::jit::Stack& inputs,
                              const AliasTable& aliases) {
  if (branches_.empty() || !schema.is_mutable()) return;
  for (size_t i = 0; i < inputs.size() && i < schema.arguments().size(); ++i) {
    if (!is_written(schema.arguments()[i])) continue;
    if (is_container(inputs[i])) {
      require_own(inputs[i]);
      continue;
    }
    for (const at::Tensor& tensor : flatten_tensors(inputs[i]))
      if (!aliases.is_created_since(tensor, branches_.back().roots))
        end("writes to an existing tensor");
  }
}

}  // namespace t2n::trace
