// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/load/call.h"

#include <algorithm>
#include <utility>

#include "src/frontend/load/elements.h"

namespace t2n::trace {
namespace {

void flatten_into(const c10::IValue& value, std::vector<at::Tensor>& out) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) out.push_back(value.toTensor());
  } else if (!value.isObject()) {
    for_each_element(value, [&](const c10::IValue& each) { flatten_into(each, out); });
  }
}

}  // namespace

bool is_mask(const c10::IValue& index) {
  if (!index.isTensor() || !index.toTensor().defined()) return false;
  const at::ScalarType type = index.toTensor().scalar_type();
  return type == at::kBool || type == at::kByte;
}

bool is_tensor_list(const c10::IValue& value) {
  if (value.isTensorList()) return true;
  if (!value.isList()) return false;
  const auto list = value.toListRef();
  return !list.empty() && std::all_of(list.begin(), list.end(), [](const c10::IValue& v) {
    return v.isTensor() || v.isNone();
  }) && std::any_of(list.begin(), list.end(), [](const c10::IValue& v) { return v.isTensor(); });
}

std::vector<at::Tensor> flatten_tensors(const c10::IValue& value) {
  std::vector<at::Tensor> out;
  flatten_into(value, out);
  return out;
}

Run make_run(torch::jit::Operation operation) {
  return [operation = std::move(operation)](torch::jit::Stack& stack) mutable { operation(stack); };
}

std::string qualified_name(const c10::FunctionSchema& schema) {
  return schema.overload_name().empty() ? schema.name()
                                        : schema.name() + "." + schema.overload_name();
}

}  // namespace t2n::trace
