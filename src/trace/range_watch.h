// Learns what integer inputs may hold from the tensors that they index.
#pragma once

#include <ATen/core/stack.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/model/traced.h"

namespace t2n::trace {

/// Follows the values of integer inputs through views and casts to embeddings, gathers and the
/// like.
class RangeWatch {
 public:
  void add_input(const at::Tensor& tensor, size_t index);
  /// To be told of every operation that ran.
  void see(const std::string& op, const torch::jit::Stack& inputs,
           const std::vector<at::Tensor>& outputs);
  /// [0, smallest size indexed) per input; nothing where none was seen.
  std::vector<std::optional<Range>> ranges(size_t inputs) const;

 private:
  void bound(const c10::IValue& index, int64_t high);
  void carry(const std::string& op, const torch::jit::Stack& inputs,
             const std::vector<at::Tensor>& outputs);

  std::unordered_map<const c10::TensorImpl*, size_t>
      carriers_;                  ///< tensors holding an input's values
  std::vector<at::Tensor> keep_;  ///< so that no address is used twice
  std::unordered_map<size_t, int64_t> highs_;
};

}  // namespace t2n::trace
