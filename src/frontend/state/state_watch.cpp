// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/state/state_watch.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/frontend/load/elements.h"
#include "src/frontend/load/operators.h"
#include "src/frontend/numbers/marks.h"

namespace t2n::trace {
namespace {

const c10::StorageImpl* storage_of(const at::Tensor& tensor) {
  return tensor.defined() && tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl()
                                                  : nullptr;
}

/// True for operations that store into a container without reading its contents.
bool reads_no_contents(const std::string& op) {
  constexpr std::array<std::string_view, 3> kNames = {"aten::_set_item", "aten::append",
                                                      "aten::clear"};
  return is_one_of(op, kNames);
}

/// True for operations that change no value.
bool changes_no_value(const std::string& op) {
  return op == "aten::requires_grad_" || op == "aten::detach_";
}

}  // namespace

StateWatch::StateWatch(const ObjectPtr& model) { add(model); }

void StateWatch::add(const c10::IValue& value) {
  if (value.isTensor()) {
    if (const auto* storage = storage_of(value.toTensor())) storages_.insert(storage);
    if (value.toTensor().defined()) tensors_.insert(value.toTensor().unsafeGetTensorImpl());
  } else if (value.isObject()) {
    if (!objects_.insert(&value.toObjectRef()).second) return;
  } else if (is_container(value)) {
    if (!containers_.insert(value.internalToPointer()).second) return;
  }
  for_each_element(value, [this](const c10::IValue& each) { add(each); });
}

void StateWatch::reads_attribute(const c10::ivalue::Object& object, size_t slot) {
  const Holder holder{&object, static_cast<int64_t>(slot)};
  if (!objects_.contains(&object) || !read_.insert(holder).second) return;
  if (!set_.contains(holder)) read_first_.insert(holder);
}

void StateWatch::sets_attribute(const ObjectPtr& object, size_t slot, Location location,
                                bool from_data) {
  if (!objects_.contains(object.get())) return;
  const Holder holder{object.get(), static_cast<int64_t>(slot)};
  if (!set_.contains(holder)) undo_.keep_slot(object, slot);
  set_[holder] = location;
  if (from_data) from_data_.insert(holder);
}

bool StateWatch::is_from_data(const std::vector<Holder>& holders) const {
  return std::any_of(holders.begin(), holders.end(),
                     [&](const Holder& holder) { return from_data_.contains(holder); });
}

/// Whether the key was set in this run, so that its value is not the initial one.
bool StateWatch::reads_what_was_written(const std::string& op,
                                        const torch::jit::Stack& inputs) const {
  constexpr std::array<std::string_view, 3> kNames = {"aten::__getitem__", "aten::get",
                                                      "aten::__contains__"};
  if (!inputs[0].isGenericDict() || inputs.size() < 2 || !is_one_of(op, kNames)) return false;
  const auto found = keys_.find(inputs[0].internalToPointer());
  return found != keys_.end() && found->second.contains(cat(inputs[1]));
}

void StateWatch::mutates(const std::string& op, const torch::jit::Stack& inputs,
                         Position& position) {
  const void* container = inputs[0].internalToPointer();
  if (!mutated_.contains(container)) undo_.keep_container(inputs[0]);
  mutated_[container] = position.location();
  if (op == "aten::clear") emptied_.insert(container);
  if (op == "aten::_set_item" && inputs[0].isGenericDict()) keys_[container].insert(cat(inputs[1]));
}

void StateWatch::touches_containers(const c10::FunctionSchema& schema,
                                    const torch::jit::Stack& inputs, Position& position) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!is_container(inputs[i]) || !containers_.contains(inputs[i].internalToPointer())) continue;
    const bool writes = i == 0 && !schema.arguments().empty() && is_written(schema.arguments()[0]);
    const bool sees = i > 0 || (!reads_no_contents(schema.name()) &&
                                !reads_what_was_written(schema.name(), inputs));
    if (sees) unpacks(inputs[i]);
    if (writes) mutates(schema.name(), inputs, position);
  }
}

void StateWatch::unpacks(const c10::IValue& container) {
  if (!is_container(container) || !containers_.contains(container.internalToPointer())) return;
  seen_.insert(container.internalToPointer());
  if (!emptied_.contains(container.internalToPointer()))
    seen_first_.insert(container.internalToPointer());
}

void StateWatch::write(const at::Tensor& tensor, Position& position) {
  const auto* storage = storage_of(tensor);
  if (storage == nullptr || !storages_.contains(storage)) return;
  const auto [entry, is_new] = written_.try_emplace(storage);
  if (is_new) {
    const c10::Storage memory = tensor.storage();
    const auto* begin = static_cast<const char*>(memory.data());
    const auto bytes = std::make_shared<const std::vector<char>>(begin, begin + memory.nbytes());
    entry->second = {{}, memory, bytes};
    undo_.add([memory, bytes] {
      if (memory.nbytes() >= bytes->size())
        std::memcpy(memory.mutable_data(), bytes->data(), bytes->size());
    });
  }
  entry->second.location = position.location();
  if (tensors_.erase(tensor.unsafeGetTensorImpl()) > 0)
    undo_.add([tensor, sizes = tensor.sizes().vec(), strides = tensor.strides().vec(),
               offset = tensor.storage_offset()] {
      tensor.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides, offset);
    });
}

void StateWatch::writes_tensors(const c10::FunctionSchema& schema, const torch::jit::Stack& inputs,
                                Position& position) {
  if (changes_no_value(schema.name())) return;
  for (size_t i = 0; i < inputs.size() && i < schema.arguments().size(); ++i)
    if (is_written(schema.arguments()[i]))
      for (const at::Tensor& tensor : flatten_tensors(inputs[i])) write(tensor, position);
}

void StateWatch::add_constant(const at::Tensor& tensor) {
  const auto* storage = storage_of(tensor);
  if (storage != nullptr && storages_.insert(storage).second) constants_.insert(storage);
}

void StateWatch::forget_unchanged_writes(const std::vector<at::Tensor>& dependent) {
  std::unordered_set<const void*> keep;
  for (const at::Tensor& tensor : dependent) keep.insert(storage_of(tensor));
  std::erase_if(written_, [&](const auto& entry) {
    const auto& [storage, written] = entry;
    return !keep.contains(storage) && written.memory.nbytes() == written.before->size() &&
           std::memcmp(written.memory.data(), written.before->data(), written.before->size()) == 0;
  });
}

std::vector<Location> StateWatch::changed_constants() const {
  std::vector<Location> out;
  for (const auto& [storage, written] : written_)
    if (constants_.contains(storage)) out.push_back(written.location);
  // Not sorted by address, so that the order is the same in every run.
  std::sort(out.begin(), out.end(),
            [](const Location& a, const Location& b) { return a.source < b.source; });
  return out;
}

bool StateWatch::wrote_in_place(const at::Tensor& tensor) const {
  const auto* storage = storage_of(tensor);
  return storage != nullptr && written_.contains(storage);
}

Location StateWatch::location_of(const ModelValue& leaf) const {
  const auto found =
      leaf.value.isTensor() ? written_.find(storage_of(leaf.value.toTensor())) : written_.end();
  return found == written_.end() ? location_of(leaf.holders) : found->second.location;
}

Location StateWatch::location_of(const std::vector<Holder>& holders) const {
  for (size_t i = holders.size(); i > 0; --i) {
    const Holder& holder = holders[i - 1];
    if (holder.slot >= 0 && set_.contains(holder)) return set_.at(holder);
    if (holder.slot < 0 && mutated_.contains(holder.keeper)) return mutated_.at(holder.keeper);
  }
  return {};
}

bool StateWatch::could_see(const std::vector<Holder>& holders) const {
  for (const Holder& holder : holders)
    if (holder.slot >= 0 && set_.contains(holder)) return read_first_.contains(holder);
  return std::any_of(holders.begin(), holders.end(), [&](const Holder& holder) {
    return holder.slot < 0 && seen_first_.contains(holder.keeper);
  });
}

bool StateWatch::was_read(const std::vector<Holder>& holders) const {
  for (const Holder& holder : holders)
    if (holder.slot >= 0 && set_.contains(holder)) return read_.contains(holder);
  return std::any_of(holders.begin(), holders.end(), [&](const Holder& holder) {
    return holder.slot < 0 && seen_.contains(holder.keeper);
  });
}

}  // namespace t2n::trace
