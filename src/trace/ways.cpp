#include "src/trace/ways.h"

#include "src/trace/convert.h"
#include "src/trace/marks.h"
#include "src/trace/operators.h"

namespace t2n::trace {

void Ways::enter(const FormulaRef& condition, size_t roots) {
  FormulaRef all = ways_.empty() ? condition
                                 : operation_formula("logical_and", FormulaType::truth,
                                                     {ways_.back().condition, condition});
  ways_.push_back({std::move(all), roots, {}});
}

void Ways::note_made(const c10::IValue& value) {
  if (!ways_.empty() && (is_container(value) || value.isObject()))
    ways_.back().made.insert(value.internalToPointer());
}

void Ways::require_own(const c10::IValue& changed) const {
  if (ways_.empty() || ways_.back().made.contains(changed.internalToPointer())) return;
  throw LastingEffect(changed.isObject() ? "sets an attribute"
                      : changed.isList() ? "changes a list"
                                         : "changes a dictionary");
}

void Ways::require_own(const c10::FunctionSchema& schema, const torch::jit::Stack& inputs,
                       const Tracks& tracks) const {
  if (ways_.empty() || !schema.is_mutable()) return;
  for (size_t i = 0; i < inputs.size() && i < schema.arguments().size(); ++i) {
    if (!is_written(schema.arguments()[i])) continue;
    if (is_container(inputs[i])) {
      require_own(inputs[i]);
      continue;
    }
    for (const at::Tensor& tensor : flatten_tensors(inputs[i]))
      if (!tracks.is_made_since(tensor, ways_.back().roots))
        throw LastingEffect("writes to a tensor that was there before");
  }
}

}  // namespace t2n::trace
