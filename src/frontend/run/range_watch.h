// SPDX-License-Identifier: Apache-2.0
// Derives the range of integer inputs from the tensors that they index.
#pragma once

#include <ATen/core/stack.h>

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "src/model/traced.h"

namespace t2n::trace {

/// Follows the values of integer inputs through views and casts to embeddings, gathers and the
/// like.
class RangeWatch {
 public:
  /// With `ends_run`, observe() throws as soon as the program has released all tracked tensors, as
  /// later operations give no more information. is_over() is then true.
  explicit RangeWatch(bool ends_run = false) : ends_run_(ends_run) {}
  void add_input(const at::Tensor& tensor, size_t index);
  /// Called for every operation that ran.
  void observe(const std::string& op, const torch::jit::Stack& inputs,
               const std::vector<at::Tensor>& outputs);
  /// [0, smallest indexed size) for each input, [1, smallest number of steps + 1) for lengths of
  /// sequences, [0, smallest number of indices + 1) for offsets of bags; nothing for all other
  /// inputs.
  std::vector<std::optional<IntegerRange>> ranges(size_t inputs) const;
  bool is_over() const { return is_over_; }

 private:
  /// The input whose values a tensor contains, in any order.
  struct Carrier {
    size_t input;
    bool is_sorted;
  };
  using Carriers = std::unordered_map<const c10::TensorImpl*, Carrier>;
  /// The first tensor in an operand that contains values of an input.
  Carriers::const_iterator carrier_among(const c10::IValue& operand) const;
  void bound_index(std::string_view name, const torch::jit::Stack& inputs);
  void bound(const c10::IValue& index, int64_t high);
  void bound_lengths(const torch::jit::Stack& inputs);
  void bound_rows(std::string_view name, const torch::jit::Stack& inputs);
  void carry(const std::string& op, const torch::jit::Stack& inputs,
             const std::vector<at::Tensor>& outputs);
  void forget_dead();

  bool ends_run_;
  bool is_over_ = false;
  Carriers carriers_;
  std::vector<at::Tensor> keep_;  ///< keeps addresses from being used again
  std::unordered_map<size_t, IntegerRange> ranges_;
};

}  // namespace t2n::trace
