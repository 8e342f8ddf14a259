// Operators that trust their arguments, and what is asked of these before such an operator runs.
#pragma once

namespace t2n::trace {

/// Lengths of strings, and of lists that operators make: longer ones are refused.
inline constexpr long long kMaxText = 1LL << 26;
inline constexpr long long kMaxList = 1LL << 24;

/// Puts the guards into LibTorch's registry of operators, once, and refusals in the place of those
/// that are not allowed: whoever runs an operator of a model, LibTorch's compiler and executor
/// included, meets them. Errors when they run: `unsafe-argument`, `trace-limit`, `denied-operator`.
void install_guards();

}  // namespace t2n::trace
