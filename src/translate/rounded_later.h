// SPDX-License-Identifier: Apache-2.0
// Whether a small error of a result becomes a step.
#pragma once

#include "src/translate/emitter.h"

namespace t2n::ops {

/// Whether the operation being translated, or one that depends on its first result, rounds,
/// compares or makes integers. Dependences through products of many terms do not count.
bool is_rounded_later(const Emitter::State& state);
/// The same without the operation itself.
bool is_rounded_after(const Emitter::State& state, const ir::Graph& graph, const ir::Node& node);

}  // namespace t2n::ops
