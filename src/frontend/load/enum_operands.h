// SPDX-License-Identifier: Apache-2.0
// Dtypes and layouts are plain integers in code; LibTorch uses them as table indices.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include <string>
#include <utility>
#include <vector>

namespace t2n::trace {

/// The operands of an operator that are dtypes, layouts and memory formats.
class EnumOperands {
 public:
  explicit EnumOperands(const c10::FunctionSchema& schema);
  bool any() const { return !operands_.empty(); }
  /// Errors: `unsafe-argument`.
  void check(const torch::jit::Stack& stack) const;

  enum class EnumOperand { none, dtype, layout, memory_format };

 private:
  std::string name_;
  size_t arguments_;
  std::vector<std::pair<size_t, EnumOperand>> operands_;  ///< with their positions from the end
};

}  // namespace t2n::trace
