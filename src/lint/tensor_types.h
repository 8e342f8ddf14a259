// SPDX-License-Identifier: Apache-2.0
// Dtypes and sizes of an artefact's tensors, as far as its text and weights tell them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/shape.h"
#include "src/nnef/artefact.h"

namespace t2n::spec {

struct TensorType {
  std::string dtype;  ///< "f32"; "" if unknown
  /// Nothing for a size that is unknown, and for an unknown rank.
  std::optional<std::vector<std::optional<ir::Dim>>> sizes;
};

/// By name. A size that depends on symbols is known if it is a multiple of one or a sum of two,
/// plus a constant, at all values tried.
std::map<std::string, TensorType, std::less<>> tensor_types(const nnef::Artefact& artefact);

/// "f32[1,?,N - 1]"; an unknown dtype or rank is left out.
std::string type_str(const TensorType& type);

}  // namespace t2n::spec
