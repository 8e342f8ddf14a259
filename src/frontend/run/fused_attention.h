// SPDX-License-Identifier: Apache-2.0
// Features of torch's fused attention layers: nested tensors, and NaN for queries without keys.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

#include "src/frontend/numbers/decisions.h"
#include "src/frontend/record/computed_numbers.h"
#include "src/frontend/run/operations.h"

namespace t2n::trace {

/// The encoder creates nested tensors, sequences without their padding, from a padding mask. This
/// class gives the program padded tensors instead, with zeros after each sequence. Torch computes
/// on the nested tensors, which are stored next to the padded ones; the graph has the same
/// operations on padded tensors, with a mask.
class FusedAttention {
 public:
  FusedAttention(ir::Graph& graph, const TraceOptions& options, Position& position,
                 const Marks& marks, Decisions& decisions, const Operations& operations,
                 Recorder* recorder)
      : graph_(graph),
        options_(options),
        position_(position),
        marks_(marks),
        decisions_(decisions),
        operations_(operations),
        recorder_(recorder) {}

  /// The result of an operation that creates or takes such tensors; nothing for any other. Errors:
  /// `unsupported-op` for an operation that has no form on padded tensors.
  std::optional<at::Tensor> run(const Operation& operation, const torch::jit::Stack& inputs);

  /// The current function replaces a fused layer of torch by plain operations.
  void begin_plain();
  void end_call();  ///< called after each function
  /// Inserts the NaN of the fused layer into the result of an operation of such a function.
  void insert_nan(const Operation& operation, const torch::jit::Stack& inputs,
                  torch::jit::Stack& results);

 private:
  struct Sequences {
    at::Tensor padded;   ///< [B, T, E]
    at::Tensor nested;   ///< the same sequences for torch
    at::Tensor padding;  ///< [B, T]: true after the end of a sequence; undefined without a graph
  };
  const Sequences* find(const c10::IValue& value) const;
  at::Tensor nest(const Operation& operation, const torch::jit::Stack& inputs);
  at::Tensor encoded(const Operation& operation, const torch::jit::Stack& inputs,
                     const Sequences& source);
  at::Tensor padded(const Operation& operation, const torch::jit::Stack& inputs,
                    const Sequences& source);
  bool has_padded_sizes(const c10::IValue& sizes, const at::Tensor& tensor);
  at::Tensor store(Sequences sequences);
  at::Tensor after_ends(const at::Tensor& tensor, const at::Tensor& mask);
  at::Tensor filled(const at::Tensor& tensor, const at::Tensor& padding,
                    const c10::IValue& value) const;
  c10::IValue size(const at::Tensor& tensor, int64_t axis) const;

  ir::Graph& graph_;
  const TraceOptions& options_;
  Position& position_;
  const Marks& marks_;
  Decisions& decisions_;
  const Operations& operations_;
  Recorder* recorder_;
  std::vector<Sequences> known_;
  int plain_depth_ = 0;  ///< of calls, where begin_plain() was called; 0 outside
};

}  // namespace t2n::trace
