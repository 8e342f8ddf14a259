// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/run/value_reads.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/enum_tag.h>

#include <algorithm>
#include <unordered_map>

#include "ir/op_traits.h"

namespace t2n::trace {
namespace {

thread_local ValueReads* current_reads = nullptr;

struct Traits {
  bool decides_shape = false;
  bool reads_number = false;
};

/// The traits that torch's own table of operators states.
Traits traits_of(const c10::OperatorName& name) {
  static thread_local std::unordered_map<c10::OperatorName, Traits> known;
  const auto [found, is_new] = known.try_emplace(name);
  if (!is_new) return found->second;
  const auto op = c10::Dispatcher::singleton().findSchema(name);
  // With integer indices the sizes depend on shapes only; masks become nonzero().
  const bool is_index = name.name == "aten::index";
  if (op)
    found->second = {!is_index && op->hasTag(at::Tag::dynamic_output_shape),
                     op->hasTag(at::Tag::data_dependent_output)};
  return found->second;
}

/// True for kernels that read memory directly, without an operator that could be observed.
bool reads_memory(const std::string& name, const torch::jit::Stack& inputs) {
  if (name == "aten::tensor_split" && inputs.size() > 1) return inputs[1].isTensor();
  return has_trait(name, ir::OpTrait::reads_memory);
}

/// True for operations that read numbers as values, or to check them, but not as sizes.
bool reads_no_size(const std::string& name, const torch::jit::Stack& inputs) {
  if (name == "aten::one_hot") return inputs.size() == 2 && inputs[1].toInt() >= 0;
  // Linear algebra checks whether it succeeded.
  if (name.starts_with("aten::linalg_") || name.starts_with("aten::_linalg_")) return true;
  return has_trait(name, ir::OpTrait::reads_no_size);
}

}  // namespace

std::unique_ptr<at::ObserverContext> ValueReads::observe(const at::RecordFunction& function) {
  const auto name = function.operator_name();
  if (current_reads == nullptr || !name) return nullptr;
  const Traits traits = traits_of(*name);
  current_reads->decides_shape_ = current_reads->decides_shape_ || traits.decides_shape;
  current_reads->reads_number_ = current_reads->reads_number_ || traits.reads_number;
  return nullptr;
}

ValueReads::ValueReads()
    : handle_(at::addThreadLocalCallback(
          at::RecordFunctionCallback(&observe).scopes({at::RecordScope::FUNCTION}))) {
  current_reads = this;
}

ValueReads::~ValueReads() {
  current_reads = nullptr;
  at::removeCallback(handle_);
}

bool ValueReads::decided_shapes(const std::string& name, const torch::jit::Stack& inputs) const {
  if (reads_memory(name, inputs)) return true;
  return (decides_shape_ && !has_trait(name, ir::OpTrait::keeps_shape)) ||
         (reads_number_ && !reads_no_size(name, inputs));
}

}  // namespace t2n::trace
