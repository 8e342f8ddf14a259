// SPDX-License-Identifier: Apache-2.0
// Operators that trust their arguments, and the checks that run before such an operator.
#pragma once

namespace t2n::trace {

/// Installs the guards, once, in LibTorch's registry of operators, and refusals in place of denied
/// operators. Everything that runs a model's operators meets them, LibTorch's compiler and executor
/// included. Errors when they run: `unsafe-argument`, `trace-limit`, `denied-operator`.
void install_guards();

}  // namespace t2n::trace
