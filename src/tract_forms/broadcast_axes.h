// SPDX-License-Identifier: Apache-2.0
// Broadcast axes, along which all entries are equal. tract must not detect them before a product.
#pragma once

#include <string_view>

#include "src/tract_forms/causes.h"
#include "src/tract_forms/tract_draft.h"

namespace t2n::tract_forms {

/// Axes along which tract may know that a result is broadcast: it moves a broadcast after
/// operations that change axes or compute element by element, and splits a product of a `concat`
/// into products of its parts.
Ints known_broadcast_axes(const TractDraft& draft, std::string_view op, const Refs& operands,
                          const Attributes& attributes, Ref result);
/// The same for elementwise operations that broadcast.
Ints known_broadcast_axes(const TractDraft& draft, const Refs& operands, Ref result);

/// tract removes a broadcast before a product even if no other factor has the axis: the result is
/// then too small, or a sum misses terms. The operand that a packed weight multiplies needs a
/// barrier, too.
Barriers broadcast_barriers(const TractDraft& draft, std::string_view op, const Refs& operands,
                            const Attributes& attributes);
/// Whether a tensor needs one where its use is unknown.
bool needs_broadcast_barrier(const TractDraft& draft, Ref x);

}  // namespace t2n::tract_forms
