// Which tensors the turns of a rolled loop leave in variables, containers and objects. What a turn
// computes itself the scan gives; what is only passed on is another tensor after few turns.
#include "src/diag/error.h"
#include "src/trace/interpreter.h"

namespace t2n::trace {
namespace {

using ir::Dim;
using ir::Relation;

/// The tensors anywhere in a value, each container and object once.
class TensorFinder {
 public:
  std::vector<at::Tensor> find(const c10::IValue& value) {
    add(value);
    return std::move(out_);
  }

 private:
  void add(const c10::IValue& value) {
    if ((is_container(value) || value.isObject()) &&
        !seen_.insert(value.internalToPointer()).second)
      return;
    if (value.isTensor() && value.toTensor().defined()) out_.push_back(value.toTensor());
    if (value.isTuple())
      for (const c10::IValue& element : value.toTupleRef().elements()) add(element);
    if (value.isList())
      for (const c10::IValue& element : value.toListRef()) add(element);
    if (value.isGenericDict())
      for (const auto& entry : value.toGenericDict()) add(entry.value());
    if (value.isObject())
      for (const c10::IValue& slot : value.toObjectRef().slots()) add(slot);
  }

  std::set<const void*> seen_;
  std::vector<at::Tensor> out_;
};

}  // namespace

/// Notes what stands in each variable and in all that the loop writes to, after a turn.
void Interpreter::note_turn_end(RolledLoop& loop) const {
  const auto note = [&](const void* key, const c10::IValue& value) {
    size_t place = 0;
    for (const at::Tensor& tensor : TensorFinder().find(value))
      loop.ends[{key, place++}].push_back(recorder_->left_by_turn(tensor));
  };
  for (size_t i = 0; i < loop.carried.size(); ++i)
    note(reinterpret_cast<const void*>(i), loop.carried[i]);
  for (const auto& [key, written] : loop.written) note(key, written.held);
}

/// A variable that ends as a tensor which its turns only passed on must hold the same after as many
/// turns as the file takes. Errors: `dynamic-loop` if it is another one after each.
void Interpreter::settle_turn_ends(const RolledLoop& loop, const Dim& length) {
  for (const auto& [slot, ends] : loop.ends) {
    // A list that became longer has places of its own.
    if (static_cast<int64_t>(ends.size()) != loop.turns || ends.back().is_own) continue;
    const auto last = recorder_->from_outside(ends.back());
    if (!last) continue;
    int64_t stable = loop.turns - 1;
    while (stable > 0 && recorder_->from_outside(ends[static_cast<size_t>(stable - 1)]) == last)
      --stable;
    if (stable == loop.turns - 1)
      throw Error("dynamic-loop", "a loop of dynamic length cannot be expressed as one scan",
                  "which tensor a variable holds after it follows from the number of its turns",
                  "choose with torch.where, or compute it in each turn");
    if (stable > 0) settle(comparison_mark({length, Relation::ge, Dim(stable + 1)}), true);
  }
}

}  // namespace t2n::trace
