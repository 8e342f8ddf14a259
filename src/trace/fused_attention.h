// What torch's fused layers of attention do beyond plain ones: nested tensors, and NaN for queries
// without keys.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>
#include <vector>

#include "src/trace/computed_numbers.h"
#include "src/trace/decisions.h"
#include "src/trace/operations.h"

namespace t2n::trace {

/// The encoder makes nested tensors of a padding mask: sequences without their padding. The program
/// gets padded tensors in place of them, with zeros behind each sequence. What torch computes is
/// computed by torch on nested tensors, which are kept beside; the graph has the same operations on
/// padded tensors, with a mask.
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

  /// The result of an operation that makes or takes such tensors; nothing for any other. Errors:
  /// `unsupported-op` for an operation that a graph cannot have on padded tensors.
  std::optional<at::Tensor> run(const Operation& operation, const torch::jit::Stack& inputs);

  /// The function that runs computes by plain operations what torch has a fused layer for.
  void begin_plain();
  void end_call();  ///< called after each function
  /// The result of an operation of such a function, with NaN where the fused layer gives it.
  void keep_nan(const Operation& operation, const torch::jit::Stack& inputs,
                torch::jit::Stack& results);

 private:
  struct Sequences {
    at::Tensor padded;  ///< [B, T, E]
    at::Tensor nested;  ///< the same for torch
    at::Tensor hidden;  ///< [B, T]: true behind the end of a sequence; undefined without a graph
  };
  const Sequences* find(const c10::IValue& value) const;
  at::Tensor made(const Operation& operation, const torch::jit::Stack& inputs);
  at::Tensor encoded(const Operation& operation, const torch::jit::Stack& inputs,
                     const Sequences& from);
  at::Tensor padded(const Operation& operation, const torch::jit::Stack& inputs,
                    const Sequences& from);
  bool is_whole(const c10::IValue& sizes, const at::Tensor& tensor);
  at::Tensor keep(Sequences made);
  at::Tensor after_ends(const at::Tensor& tensor, const at::Tensor& mask);
  at::Tensor filled(const at::Tensor& tensor, const at::Tensor& hidden,
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
