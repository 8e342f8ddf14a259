// SPDX-License-Identifier: Apache-2.0
// The book of operators: what the families of ops/<room> say, in one table.
#pragma once

namespace t2n::ops {

class Registry;

/// The table with every family, built once.
const Registry& registry();

}  // namespace t2n::ops
