// Whether an operation looks into tensors to decide how large its results are.
#pragma once

#include <ATen/core/stack.h>
#include <ATen/record_function.h>

#include <string>

namespace t2n::trace {

/// Observes every kernel that torch dispatches in this thread, those inside of others included.
class ValueReads {
 public:
  ValueReads();
  ~ValueReads();
  ValueReads(const ValueReads&) = delete;
  ValueReads& operator=(const ValueReads&) = delete;

  /// Before an operation.
  void reset() { decides_shape_ = reads_number_ = false; }
  /// After it: whether the sizes of its results may follow from the values of its operands.
  bool decided_shapes(const std::string& name, const torch::jit::Stack& inputs) const;

 private:
  static std::unique_ptr<at::ObserverContext> observe(const at::RecordFunction& function);
  at::CallbackHandle handle_;
  bool decides_shape_ = false;
  bool reads_number_ = false;
};

}  // namespace t2n::trace
