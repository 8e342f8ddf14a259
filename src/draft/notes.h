// What an nnef::Document does not say of its tensors, for who says it in other words.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "src/draft/tensor_entry.h"

namespace t2n::draft {

struct Notes {
  /// What statements belong to: an operator of the model.
  struct Place {
    std::string op;    ///< its name, for diagnostics
    std::string name;  ///< what names of its intermediate results begin with
  };
  struct Tensor {
    DType dtype = DType::f32;
    Shape shape;
    std::string name;           ///< the one wanted, which other tensors may want, too
    int place = -1;             ///< of the statement that assigns it, in `places`
    bool is_claimed = false;    ///< the name is that of a value of the model
    bool is_positions = false;  ///< an index without negative entries
  };
  /// Of a `variable`, beside its blob: see TensorEntry.
  struct Constant {
    std::string name;  ///< the label wanted
    int uses = 1;
    bool is_made = false;
  };

  std::vector<Place> places;
  std::unordered_map<std::string, Tensor> tensors;      ///< by identifier
  std::unordered_map<std::string, Constant> constants;  ///< by label
  std::vector<std::string> results;                     ///< names wanted for them
};

}  // namespace t2n::draft
