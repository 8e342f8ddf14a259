// SPDX-License-Identifier: Apache-2.0
// Whether an operation reads values of tensors to determine the size of its results.
#pragma once

#include <ATen/core/stack.h>
#include <ATen/record_function.h>

#include <string>

namespace t2n::trace {

/// Observes every kernel that torch dispatches on this thread, nested ones included.
class ValueReads {
 public:
  ValueReads();
  ~ValueReads();
  ValueReads(const ValueReads&) = delete;
  ValueReads& operator=(const ValueReads&) = delete;

  /// Called before an operation.
  void reset() { decides_shape_ = reads_number_ = false; }
  /// Called after it: whether the sizes of its results may depend on its operands' values.
  bool decided_shapes(const std::string& name, const torch::jit::Stack& inputs) const;

 private:
  static std::unique_ptr<at::ObserverContext> observe(const at::RecordFunction& function);
  at::CallbackHandle handle_;
  bool decides_shape_ = false;
  bool reads_number_ = false;
};

}  // namespace t2n::trace
