// SPDX-License-Identifier: Apache-2.0
// Marks of the numbers that tensor operations return.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/frontend/numbers/decisions.h"
#include "src/frontend/numbers/marks.h"
#include "src/frontend/numbers/number_rules.h"
#include "src/frontend/record/recorder.h"
#include "src/frontend/run/value_reads.h"

namespace t2n::trace {

/// Whether an operator returns the only value of a tensor as a plain number.
bool reads_value(const std::string& name);

/// The numbers are sizes, values, and lists whose length is one of these. Marks results, adds
/// guards to the decisions, and notes in the recorder which tensors are numbers over sizes.
class TensorNumbers {
 public:
  TensorNumbers(ir::Graph& graph, const TraceOptions& options, Position& position, Marks& marks,
                Decisions& decisions, Recorder* recorder)
      : graph_(graph),
        options_(options),
        position_(position),
        marks_(marks),
        decisions_(decisions),
        recorder_(recorder) {}

  /// Called before an operation: starts to watch which values torch's kernels read. The numbers
  /// among the operands are saved, since the operation may write to them.
  void watch(const std::string& name, const torch::jit::Stack& inputs);
  /// The integer in a tensor of rank 0, marked; nothing if it depends on values, or on sizes
  /// without an expression.
  std::optional<c10::IValue> number_in(const at::Tensor& tensor) const;
  /// Called after it: whether the sizes of its results depend on values that are not constant.
  bool has_data_dependent_sizes(const std::string& name, const torch::jit::Stack& inputs);
  /// Notes which results are batch sizes of packed sequences.
  void note_packed(const std::string& name, const torch::jit::Stack& inputs,
                   const std::vector<at::Tensor>& outputs);
  /// The result with its mark.
  c10::IValue marked_result(const std::string& name, const torch::jit::Stack& inputs,
                            const c10::IValue& result);
  /// The program queries whether a tensor is contiguous: adds the guard that the answer is the
  /// same.
  void guard_layout(const at::Tensor& tensor);
  /// The mark of the size of an axis.
  Mark axis_mark(const at::Tensor& tensor, int64_t axis) const;

 private:
  Mark layout_mark(const at::Tensor& tensor);
  Mark tensor_mark(const at::Tensor& tensor, const std::string& name);
  Mark tensor_number(const std::string& name, const at::Tensor& tensor, const Mark& mark) const;
  Mark number_of(const std::string& name, const torch::jit::Stack& inputs);
  /// The mark of the batch's size, for the batch size of a step that all sequences reach.
  std::optional<Mark> full_batch(const at::Tensor& tensor) const;
  /// The number with its mark; without one, as it was in the first run, if the options fix it.
  c10::IValue marked_number(const c10::IValue& number, const Mark& mark);
  c10::IValue fixed_number(const c10::IValue& number);
  Mark read_mark(const std::string& name, const torch::jit::Stack& inputs,
                 const c10::IValue& number, const Mark& mark);
  Mark unbacked_number(const std::string& name, const at::Tensor& tensor);
  Mark default_mark(const std::string& name, const torch::jit::Stack& inputs);
  bool guard_chunks(const ir::Dim& size, int64_t now, int64_t requested, size_t count);
  Mark length_mark(const std::string& name, const torch::jit::Stack& inputs,
                   const c10::IValue& parts);
  void mark_parts(const std::string& name, const torch::jit::Stack& inputs,
                  const c10::IValue& parts);
  std::vector<Operand> numbers_among(const std::string& name,
                                     const torch::jit::Stack& inputs) const;
  void guard_rounding(const std::string& scalar, const Mark& mark,
                      const std::vector<Operand>& operands);
  void follow_number(const std::string& name, const torch::jit::Stack& inputs,
                     const at::Tensor& result);
  // tensor_numbers_follow.cpp, as fixed_number and marked_number
  /// Nothing if the number is not known; null if it is the same at all sizes, such as n - n.
  std::optional<Mark> number_mark(const at::Tensor& tensor) const;
  std::vector<Operand> operands_of(const at::Tensor& tensor) const;
  std::vector<Operand> result_numbers(const std::string& name,
                                      const torch::jit::Stack& inputs) const;
  void follow_list(const std::string& name, const torch::jit::Stack& inputs,
                   const at::Tensor& result);
  void mark_lengths(const c10::IValue& list, const at::Tensor& tensor, int64_t axis);

  ir::Graph& graph_;
  const TraceOptions& options_;
  Position& position_;
  Marks& marks_;
  Decisions& decisions_;
  Recorder* recorder_;
  ValueReads reads_;
  std::map<const torch::jit::Node*, int64_t> fixed_;  ///< how many numbers each node gave
  std::vector<Operand> operands_;  ///< the numbers among the operands of the running operation
  // Tensors of batch sizes, each with the number of sequences.
  std::vector<std::pair<at::Tensor, Mark>> batch_sizes_;
  std::vector<std::pair<at::Tensor, Mark>> full_batches_;
};

}  // namespace t2n::trace
