// Whether an engine keeps packed weights packed, by the memory that it takes: neither its interface
// nor its profile says which form the operand of a product has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "nnef/ast.h"

namespace t2n::check {

/// Bytes of all weights of a document.
struct WeightBytes {
  int64_t weights = 0;    ///< how many are packed
  int64_t packed = 0;     ///< those, as they are stored
  int64_t in_floats = 0;  ///< the same as floats of their dtype
  int64_t others = 0;
};
WeightBytes weight_bytes(const nnef::Document& document);

/// Nothing where the weights are too small to tell, or too small a part of the model. Else whether
/// more of them are packed than not, by their bytes.
std::optional<bool> are_kept_packed(const WeightBytes& bytes, int64_t loaded);

/// "tract 0.23.9 keeps 12 packed weights packed: 17 MiB in memory, where floats take 108 MiB"
std::string packed_text(const WeightBytes& bytes, int64_t loaded, std::string_view engine);

}  // namespace t2n::check
