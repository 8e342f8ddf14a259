// SPDX-License-Identifier: Apache-2.0
// What tract executes of NNEF's grammar.
#pragma once

#include "src/nnef/value.h"

namespace t2n::spec {

/// False for an expression that tract parses and does not implement; its parts are not examined.
bool tract_executes(const nnef::Value& value);

}  // namespace t2n::spec
