// SPDX-License-Identifier: Apache-2.0
// Infers from an engine's memory whether it keeps packed weights packed: neither its interface nor
// its profile shows the format of a product's operand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "src/nnef/ast.h"

namespace t2n::check {

/// Bytes of all weights of a document.
struct WeightBytes {
  int64_t weights = 0;    ///< the number of packed ones
  int64_t packed = 0;     ///< bytes as stored
  int64_t in_floats = 0;  ///< bytes as floats of their dtype
  int64_t others = 0;
};
WeightBytes weight_bytes(const nnef::Document& document);

/// Whether more than half of the packed weights' bytes stay packed. Nothing if these weights are
/// too small, or too small a part of the model.
std::optional<bool> are_kept_packed(const WeightBytes& bytes, int64_t loaded);

/// "tract 0.23.9 keeps 12 packed weights packed: 17 MiB in memory, floats take 108 MiB"; "" if
/// unknown.
std::string packed_text(const WeightBytes& bytes, int64_t loaded, std::string_view engine);

}  // namespace t2n::check
