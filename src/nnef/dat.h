// SPDX-License-Identifier: Apache-2.0
// Reads tensor files of NNEF; everything in a file is checked before it is used.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "ir/tensor.h"
#include "src/nnef/files.h"

namespace t2n::nnef {

/// The content of a tensor file, in the dtype closest to its storage: `i4 quantised` becomes
/// i8 integers, `q4_0` becomes the dequantised f32 values.
struct StoredTensor {
  std::string label;  ///< of the variable, if there is one
  ir::Tensor values;  ///< a view into the file if it contains them in this form
  std::string item;   ///< as stored: "f32", "u8 quantised", "bool packed", "i24", "q4_0", "linear8"
  int bits = 0;       ///< per value; q4_0 has 4, and a scale per block
  /// The item type marks the integers as quantised; graph.quant describes the parameters. tract
  /// writes all integers in this way.
  bool quantised = false;
};

/// Reads a file called `origin`: every item type that NNEF 1.0 to 1.0.5 defines, and those of
/// tract, except strings.   Errors: `nnef-syntax`.
StoredTensor read_stored(const Content& file, std::string_view origin);

/// The values alone, copied.
ir::Tensor read_dat(std::span<const std::byte> bytes, std::string_view origin);

}  // namespace t2n::nnef
