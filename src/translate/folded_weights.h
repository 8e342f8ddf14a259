// SPDX-License-Identifier: Apache-2.0
// Forms of stored weights that take few bytes, and that tract computes when it loads the graph.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "src/draft/notes.h"
#include "src/nnef/ast.h"
#include "src/target/target.h"

namespace t2n::ops {

/// A weight that is unpacked in several parts: the names of rows of integers, which are joined and
/// then reshaped.
using UnpackedParts = std::map<std::string, std::vector<std::string>, std::less<>>;

/// Variables of i8 and u8 become bit fields where that saves bytes (ir/bit_fields.h), followed by
/// statements that unpack them. Values do not change. Returns the large weights.
UnpackedParts store_bit_fields(nnef::Document& document, const target::Target& target);

/// Splits casts of large variables and of unpacked weights, concatenated again.
void split_large_casts(nnef::Document& document, const draft::Notes& notes,
                       const UnpackedParts& unpacked, const target::Target& target);

}  // namespace t2n::ops
