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
  /// [0, smallest size indexed) per input, [1, smallest size of time + 1) for lengths of sequences;
  /// nothing where none was seen.
  std::vector<std::optional<Range>> ranges(size_t inputs) const;

 private:
  /// Whose values a tensor holds, in their order or in another.
  struct Carrier {
    size_t input;
    bool is_sorted;
  };
  void bound(const c10::IValue& index, int64_t high);
  void bound_lengths(const torch::jit::Stack& inputs);
  void carry(const std::string& op, const torch::jit::Stack& inputs,
             const std::vector<at::Tensor>& outputs);

  std::unordered_map<const c10::TensorImpl*, Carrier> carriers_;
  std::vector<at::Tensor> keep_;  ///< so that no address is used twice
  std::unordered_map<size_t, Range> ranges_;
};

}  // namespace t2n::trace
