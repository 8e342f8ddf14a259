// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/run/fused_attention.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <limits>

#include "src/diag/error.h"

namespace t2n::trace {
namespace {

using torch::jit::Stack;

constexpr size_t kLayerMask = 18;
constexpr int64_t kMaskOfKeys = 1;

[[noreturn]] void refuse_nested(const std::string& what, const char* why) {
  throw Error("unsupported-op", what, why,
              "build the encoder with enable_nested_tensor=False, which computes on padded "
              "sequences, and save the model again");
}

bool is_padding(const std::string& name) {
  return name == "aten::to_padded_tensor" || name == "aten::nested_to_padded_tensor";
}

}  // namespace

const FusedAttention::Sequences* FusedAttention::find(const c10::IValue& value) const {
  if (!value.isTensor()) return nullptr;
  const auto found = std::find_if(known_.begin(), known_.end(), [&](const Sequences& each) {
    return each.padded.is_same(value.toTensor());
  });
  return found == known_.end() ? nullptr : &*found;
}

std::optional<at::Tensor> FusedAttention::run(const Operation& operation, const Stack& inputs) {
  const std::string& name = operation.op->schema().name();
  if (name == "aten::_nested_tensor_from_mask") return nest(operation, inputs);
  if (name == "aten::_nested_tensor_from_mask_left_aligned" && position_.node->output()->hasUses())
    refuse_nested(
        "nn.TransformerEncoder decides by the values of its padding mask what it computes",
        "where all padding is at the end of sequences, it computes on nested tensors, and "
        "returns zeros for the padding");
  if (known_.empty()) return {};
  for (size_t i = 0; i < inputs.size(); ++i)
    for (const at::Tensor& each : flatten_tensors(inputs[i])) {
      const Sequences* const found = each.defined() ? find(each) : nullptr;
      if (found == nullptr) continue;
      const Sequences sequences = *found;
      if (i == 0 && name == "aten::_transformer_encoder_layer_fwd")
        return encoded(operation, inputs, sequences);
      if (i == 0 && is_padding(name)) return padded(operation, inputs, sequences);
      refuse_nested(cat(name, " of a nested tensor cannot be exported"),
                    "engines have no nested tensors; of torch's operators on them, a file can hold "
                    "the layers of nn.TransformerEncoder");
    }
  return {};
}

at::Tensor FusedAttention::store(Sequences sequences) {
  known_.push_back(std::move(sequences));
  return known_.back().padded;
}

/// The symbolic size of an axis.
c10::IValue FusedAttention::size(const at::Tensor& tensor, int64_t axis) const {
  const c10::IValue number = tensor.size(axis);
  if (!options_.keep_sizes || !recorder_->mark(tensor)) return number;
  const ir::ValueId value = recorder_->value(tensor, position_.location());
  return marked(number, size_mark(ir::size_symbol(graph_, value, axis)));
}

/// True after the end of each sequence. Torch takes the number of true elements of the mask as the
/// length, wherever they are.
at::Tensor FusedAttention::after_ends(const at::Tensor& tensor, const at::Tensor& mask) {
  ComputedNumbers graph(position_, marks_, recorder_);
  constexpr auto kInteger = static_cast<int64_t>(at::kLong);
  const c10::IValue none;
  const at::Tensor ones = graph.recorded("aten::to", "dtype", {mask, kInteger, false, false, none});
  const at::Tensor lengths = graph.recorded(
      "aten::sum", "dim_IntList", {ones, std::vector<int64_t>{1}, true, c10::IValue(kInteger)});
  const at::Tensor steps =
      graph.recorded("aten::arange", "", {size(tensor, 1), kInteger, none, none, none});
  return graph.recorded("aten::ge", "Tensor", {steps, lengths});
}

at::Tensor FusedAttention::filled(const at::Tensor& tensor, const at::Tensor& padding,
                                  const c10::IValue& value) const {
  ComputedNumbers graph(position_, marks_, recorder_);
  const at::Tensor mask = graph.recorded("aten::unsqueeze", "", {padding, 2});
  return graph.recorded("aten::masked_fill", "Scalar", {tensor, mask, value});
}

at::Tensor FusedAttention::nest(const Operation& operation, const Stack& inputs) {
  Stack stack;
  for (const c10::IValue& input : inputs) stack.push_back(marks_.without(input));
  const at::Tensor tensor = inputs.at(0).toTensor(), mask = inputs.at(1).toTensor();
  operations_.execute(operation, stack);
  Sequences out{.padded = {}, .nested = stack.at(0).toTensor(), .padding = {}};
  if (recorder_ != nullptr) {
    out.padding = after_ends(tensor, mask);
    out.padded = filled(tensor, out.padding, 0);
  } else {
    out.padded = at::nested_to_padded_tensor(out.nested, 0, tensor.sizes());
  }
  return store(std::move(out));
}

at::Tensor FusedAttention::encoded(const Operation& operation, const Stack& inputs,
                                   const Sequences& source) {
  if (!inputs.at(kLayerMask).isNone())
    refuse_nested("a layer of an encoder takes a nested tensor and a mask",
                  "a nested tensor has no padding to mask");
  Stack stack;
  for (const c10::IValue& input : inputs) stack.push_back(marks_.without(input));
  stack[0] = source.nested;
  operations_.execute(operation, stack);
  Sequences out{.padded = {}, .nested = stack.at(0).toTensor(), .padding = source.padding};
  out.padded = at::nested_to_padded_tensor(out.nested, 0, source.padded.sizes());
  if (recorder_ != nullptr) {
    Stack masked = inputs;
    masked[kLayerMask] = source.padding;
    masked[kLayerMask + 1] = kMaskOfKeys;
    recorder_->record(
        recorder_->prepare(*operation.op, operation.run, masked, marks_, position_.location()),
        {out.padded});
  }
  return store(std::move(out));
}

/// Whether the sizes are those of the padded tensor. Guards require the same for all sizes of
/// dynamic axes.
bool FusedAttention::has_padded_sizes(const c10::IValue& sizes, const at::Tensor& tensor) {
  if (!sizes.isList() || marks_.of(sizes)) return false;
  const auto list = sizes.toListRef();
  if (static_cast<int64_t>(list.size()) != tensor.dim()) return false;
  std::vector<ir::Comparison> equal;
  for (size_t i = 0; i < list.size(); ++i) {
    const auto axis = static_cast<int64_t>(i);
    const Mark mark = mark_of(list[i]);
    if (unmarked(list[i]).toInt() != tensor.size(axis) || (mark && !is_size(mark))) return false;
    const Mark symbolic = recorder_ == nullptr ? nullptr : mark_of(size(tensor, axis));
    if (symbolic)
      equal.push_back({size_or(mark, tensor.size(axis)), ir::Relation::eq, *exact_size(symbolic)});
  }
  decisions_.add_guards(equal);
  return true;
}

/// The padded tensor itself: the length of the longest sequence depends on values.
at::Tensor FusedAttention::padded(const Operation& operation, const Stack& inputs,
                                  const Sequences& source) {
  if (!has_padded_sizes(inputs.at(2), source.padded))
    refuse_nested(cat(operation.op->schema().name(), " gives other sizes than the padded tensor's"),
                  "the length of the longest sequence depends on the mask's values");
  Stack stack;
  for (const c10::IValue& input : inputs) stack.push_back(marks_.without(input));
  stack[0] = source.nested;
  operations_.execute(operation, stack);
  if (recorder_ == nullptr) return stack.at(0).toTensor();
  return filled(source.padded, source.padding, inputs.at(1));
}

void FusedAttention::begin_plain() {
  const auto is_in = [&](const char* layer) {
    return position_.calls.function.find(layer) != std::string::npos;
  };
  const bool has_fused_form = is_in("MultiheadAttention.") || is_in("TransformerEncoderLayer.");
  if (has_fused_form && plain_depth_ == 0) plain_depth_ = position_.calls.depth;
}

void FusedAttention::end_call() {
  if (position_.calls.depth < plain_depth_) plain_depth_ = 0;
}

void FusedAttention::insert_nan(const Operation& operation, const Stack& inputs, Stack& results) {
  constexpr size_t kMask = 3;
  if (plain_depth_ == 0 || recorder_ == nullptr ||
      operation.op->schema().name() != "aten::scaled_dot_product_attention" ||
      !inputs.at(kMask).isTensor() || !inputs[kMask].toTensor().defined())
    return;
  const at::Tensor mask = inputs[kMask].toTensor();
  const bool is_bool = mask.scalar_type() == at::kBool;
  const double minus_infinity = -std::numeric_limits<double>::infinity();
  const auto is_blocked = [&] {
    return (is_bool ? mask.logical_not() : mask.eq(minus_infinity)).all(-1);
  };
  if (!is_data(recorder_->mark(mask)) && !is_blocked().any().item<bool>()) return;
  ComputedNumbers graph(position_, marks_, recorder_);
  const at::Tensor blocked = is_bool ? graph.recorded("aten::logical_not", "", {mask})
                                     : graph.recorded("aten::eq", "Scalar", {mask, minus_infinity});
  const at::Tensor without_keys = graph.recorded("aten::all", "dim", {blocked, -1, true});
  results.at(0) =
      graph.recorded("aten::masked_fill", "Scalar",
                     {results[0], without_keys, std::numeric_limits<double>::quiet_NaN()});
}

}  // namespace t2n::trace
