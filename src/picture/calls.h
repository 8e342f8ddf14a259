// SPDX-License-Identifier: Apache-2.0
// Calls of one module.
#pragma once

#include "src/picture/picture.h"

namespace t2n::picture {

/// Divides a group whose nodes depend on its own results through nodes outside of it: a module that
/// is called more than once. So no group is in a circle with others.
void split_calls(Picture& picture);

}  // namespace t2n::picture
