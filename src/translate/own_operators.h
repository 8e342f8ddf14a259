// SPDX-License-Identifier: Apache-2.0
// The operators that fragments of the user stand for, as entries of the book.
#pragma once

namespace t2n::ops {

class Registry;

/// Adds them. Errors: `fragment-invalid` for an operator that the book has.
void register_own_operators(Registry& registry);

}  // namespace t2n::ops
