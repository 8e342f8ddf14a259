// SPDX-License-Identifier: Apache-2.0
// Information about tensors that an nnef::Document does not contain, for lowering it.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "src/draft/tensor_entry.h"

namespace t2n::draft {

struct Notes {
  /// The operator of the model that statements belong to.
  struct Location {
    std::string op;    ///< its name, for diagnostics
    std::string name;  ///< prefix of the names of its intermediate results
  };
  struct Tensor {
    DType dtype = DType::f32;
    Shape shape;
    std::string name;           ///< the preferred one; other tensors may prefer it, too
    int location = -1;          ///< of its statement, in `locations`
    bool is_claimed = false;    ///< the name is that of a value of the model
    bool is_positions = false;  ///< an index without negative entries
  };
  /// For a `variable`, in addition to its blob: see TensorEntry.
  struct Constant {
    std::string name;  ///< the preferred label
    int uses = 1;
    bool is_generated = false;
  };

  std::vector<Location> locations;
  std::unordered_map<std::string, Tensor> tensors;      ///< by identifier
  std::unordered_map<std::string, Constant> constants;  ///< by label
  std::vector<std::string> results;                     ///< their preferred names
};

}  // namespace t2n::draft
