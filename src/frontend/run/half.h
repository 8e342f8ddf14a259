// SPDX-License-Identifier: Apache-2.0
// 16-bit floats on a CPU that has no kernels for some operators.
#pragma once

#include <torch/csrc/jit/runtime/operator.h>

#include "src/frontend/load/call.h"

namespace t2n::trace {

/// Runs an operator on a stack. If 16-bit floats have no kernel, or a very slow one, it runs in f32
/// and the results are rounded back. In-place operators, and operands of mixed float types, always
/// run unchanged, so that torch's errors remain.
void run_with_halves(const torch::jit::Operator& op, const Run& run, torch::jit::Stack& stack);

/// While an object lives, torch's own kernels for 16-bit floats run in this thread wherever they
/// exist, slow or not. They may round differently from f32.
class NativeHalves {
 public:
  NativeHalves();
  ~NativeHalves();
  NativeHalves(const NativeHalves&) = delete;
  NativeHalves& operator=(const NativeHalves&) = delete;

 private:
  bool before_;
};

}  // namespace t2n::trace
