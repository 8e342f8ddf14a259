// SPDX-License-Identifier: Apache-2.0
// A weight of the model that will become a .dat file.
#pragma once

#include <string>
#include <vector>

#include "ir/tensor.h"

namespace t2n::nnef {

/// The data of a `variable`, for `<label>.dat`. Parts are concatenated along `axis` while writing.
struct Blob {
  std::string label = {};
  ir::DType dtype = ir::DType::f32;  ///< stored dtype; differing parts are cast while writing
  ir::Ints shape = {};
  std::vector<ir::Tensor> parts = {};  ///< one, or several joined along `axis`
  int axis = 0;
  bool bit_packed = false;  ///< booleans as single bits, which every reader accepts, not as bytes
  bool quantised = false;   ///< integers of a quantised tensor, described in graph.quant
  bool q4_0 =
      false;  ///< tract's format: the only part contains blocks of `shape` as u8 [rows, row bytes]
};

}  // namespace t2n::nnef
