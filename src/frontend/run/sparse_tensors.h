// SPDX-License-Identifier: Apache-2.0
// Sparse matrices: the graph contains products with their entries.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <unordered_map>
#include <vector>

#include "src/frontend/record/computed_numbers.h"
#include "src/frontend/run/operations.h"
#include "src/frontend/run/tensor_numbers.h"

namespace t2n::trace {

/// A sparse tensor of torch's coordinate layout is represented by its entries: indices [axes,
/// entries], values [entries, …] and a size. The graph contains the entries, not the tensor. For a
/// product, rows are gathered by one index, multiplied by the values, and added at the other. The
/// program gets torch's own results.
class SparseTensors {
 public:
  SparseTensors(const TensorNumbers& numbers, Position& position, const Marks& marks,
                const Operations& operations, Recorder* recorder)
      : numbers_(numbers),
        position_(position),
        marks_(marks),
        operations_(operations),
        recorder_(recorder),
        graph_(position, marks, recorder) {}

  /// The result of an operation that creates or takes such a tensor; nothing for any other, and for
  /// queries with the same result for every input. Errors: `unsupported-op`, `unsupported-inplace`.
  std::optional<c10::IValue> run(const Operation& operation, const torch::jit::Stack& inputs);

 private:
  struct Entries {
    at::Tensor tensor;  ///< keeps its address from being used again
    at::Tensor indices;
    at::Tensor values;
    std::vector<c10::IValue> size;  ///< marked
    bool is_transposed;             ///< row and column are swapped in `indices`
    int64_t indices_version;
    int64_t values_version;
  };

  const Entries* find(const c10::IValue& value);
  const Entries& keep(const at::Tensor& tensor, Entries entries);
  const Entries& constant(const at::Tensor& tensor);
  at::Tensor computed(const Operation& operation, const torch::jit::Stack& inputs) const;
  c10::IValue create(const Operation& operation, const torch::jit::Stack& inputs);
  std::optional<c10::IValue> apply(const Operation& operation, const torch::jit::Stack& inputs,
                                   Entries entries);
  at::Tensor converted(const Operation& operation, const torch::jit::Stack& inputs,
                       Entries entries);
  at::Tensor joined(const Operation& operation, const torch::jit::Stack& inputs, Entries entries);
  at::Tensor ordered(const Entries& entries);
  at::Tensor scaled(const Operation& operation, const torch::jit::Stack& inputs, Entries entries);
  at::Tensor summed(const Operation& operation, const torch::jit::Stack& inputs, Entries entries,
                    int64_t axis);
  c10::IValue size(const Entries& entries, const torch::jit::Stack& inputs) const;
  at::Tensor index(const Entries& entries, int64_t axis);
  at::Tensor recorded(const char* name, const char* overload, const torch::jit::Stack& inputs,
                      const at::Tensor& result) const;
  at::Tensor zeros(const std::vector<c10::IValue>& size, at::ScalarType type);
  at::Tensor product(const Entries& entries, const at::Tensor& dense, bool is_transposed,
                     const at::Tensor& result);
  at::Tensor dense(const Entries& entries, const at::Tensor& result);
  at::Tensor sum_with_product(const Operation& operation, const torch::jit::Stack& inputs,
                              const Entries& entries);
  void refuse_written(const Entries& entries) const;

  const TensorNumbers& numbers_;
  Position& position_;
  const Marks& marks_;
  const Operations& operations_;
  Recorder* recorder_;
  ComputedNumbers graph_;
  std::unordered_map<const c10::TensorImpl*, Entries> known_;
};

}  // namespace t2n::trace
