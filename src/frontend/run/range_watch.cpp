// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/run/range_watch.h"

#include <ATen/native/quantized/cpu/EmbeddingPackedParams.h>
#include <torch/custom_class.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "ir/op_traits.h"
#include "src/diag/error.h"
#include "src/frontend/load/call.h"

namespace t2n::trace {
namespace {

/// Extent of the axis that operand `dim` names.
int64_t axis_size(const torch::jit::Stack& inputs, size_t dim) {
  const at::Tensor& tensor = inputs[0].toTensor();
  return tensor.dim() == 0 ? int64_t{1} : tensor.size(inputs[dim].toInt());
}

/// Operators whose operands are a tensor, an axis of it and indices along that axis.
bool indexes_axis(std::string_view name) {
  constexpr std::array<std::string_view, 9> kNames = {
      "index_select", "gather",     "scatter",    "scatter_add", "scatter_reduce",
      "index_add",    "index_copy", "index_fill", "index_reduce"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// aten::embedding, quantized::embedding_byte, quantized::embedding_bag_4bit_rowwise_offsets, ...
bool reads_rows(std::string_view name) {
  return name == "embedding" || name.starts_with("embedding_bag") ||
         name.starts_with("_embedding_bag") || name == "embedding_byte" || name == "embedding_4bit";
}

int64_t rows_of(const c10::IValue& table) {
  if (table.isTensor()) return table.toTensor().size(0);
  return table.toCustomClass<EmbeddingPackedParamsBase>()->unpack().size(0);
}

}  // namespace

void RangeWatch::add_input(const at::Tensor& tensor, size_t index) {
  if (!at::isIntegralType(tensor.scalar_type(), false)) return;
  carriers_[tensor.unsafeGetTensorImpl()] = {index, false};
  keep_.push_back(tensor);
}

void RangeWatch::bound(const c10::IValue& index, int64_t high) {
  for (const at::Tensor& tensor : flatten_tensors(index)) {
    const auto carrier = carriers_.find(tensor.unsafeGetTensorImpl());
    if (carrier == carriers_.end()) continue;
    const auto [known, is_new] = ranges_.try_emplace(carrier->second.input, IntegerRange{0, high});
    if (!is_new) known->second.second = std::min(known->second.second, high);
  }
}

/// Bounds the lengths of sequences that are packed.
void RangeWatch::bound_lengths(const torch::jit::Stack& inputs) {
  const auto carrier = carriers_.find(inputs.at(1).toTensor().unsafeGetTensorImpl());
  if (carrier == carriers_.end()) return;
  bound(inputs[1], inputs[0].toTensor().size(inputs.at(2).toBool() ? 1 : 0) + 1);
  IntegerRange& range = ranges_.at(carrier->second.input);
  range.first = 1;
  range.are_lengths = true;
  range.is_descending = range.is_descending || !carrier->second.is_sorted;
}

/// Bounds the row indices of a table, and the offsets of bags.
void RangeWatch::bound_rows(std::string_view name, const torch::jit::Stack& inputs) {
  bound(inputs[1], rows_of(inputs[0]));
  if (name.find("bag") == std::string_view::npos || !inputs.at(2).isTensor()) return;
  const auto carrier = carriers_.find(inputs[2].toTensor().unsafeGetTensorImpl());
  if (carrier == carriers_.end()) return;
  bound(inputs[2], inputs[1].toTensor().numel() + 1);
  IntegerRange& range = ranges_.at(carrier->second.input);
  range.are_lengths = true;
  range.is_ascending = true;
}

/// Ends the run if no tracked tensor is left.
void RangeWatch::forget_dead() {
  std::erase_if(keep_, [this](const at::Tensor& tensor) {
    return tensor.use_count() == 1 && carriers_.erase(tensor.unsafeGetTensorImpl()) != 0;
  });
  is_over_ = carriers_.empty();
  if (is_over_)
    throw Error("trace-limit", "the run ended early: the ranges of the inputs are known");
}

void RangeWatch::observe(const std::string& op, const torch::jit::Stack& inputs,
                         const std::vector<at::Tensor>& outputs) {
  if (ends_run_) forget_dead();
  if (carriers_.empty() || inputs.empty()) return;
  const std::string_view name = ir::op_short_name(op);
  if (inputs.size() > 1 && reads_rows(name))
    bound_rows(name, inputs);
  else if (inputs[0].isTensor())
    bound_index(name, inputs);
  carry(op, inputs, outputs);
}

void RangeWatch::bound_index(std::string_view name, const torch::jit::Stack& inputs) {
  if (indexes_axis(name)) {
    bound(inputs[2], axis_size(inputs, 1));
  } else if (name == "_pack_padded_sequence") {
    bound_lengths(inputs);
  } else if (name == "one_hot" && inputs[1].toInt() > 0) {
    bound(inputs[0], inputs[1].toInt());
  } else if (name == "index" || name == "index_put") {
    int64_t axis = 0;
    for (const c10::IValue& index : inputs[1].toListRef()) {
      if (!index.isTensor())
        ++axis;
      else if (index.toTensor().scalar_type() == at::kBool)
        axis += index.toTensor().dim();
      else
        bound(index, inputs[0].toTensor().size(axis++));
    }
  }
}

RangeWatch::Carriers::const_iterator RangeWatch::carrier_among(const c10::IValue& operand) const {
  for (const at::Tensor& tensor : flatten_tensors(operand))
    if (const auto found = carriers_.find(tensor.unsafeGetTensorImpl()); found != carriers_.end())
      return found;
  return carriers_.end();
}

void RangeWatch::carry(const std::string& op, const torch::jit::Stack& inputs,
                       const std::vector<at::Tensor>& outputs) {
  const bool sorts = op == "aten::sort";
  const bool joins = op == "aten::cat" || op == "aten::index";  // an index may be a mask
  if (!sorts && !joins && !has_trait(op, ir::OpTrait::keeps_values)) return;
  const auto carrier = carrier_among(inputs[0]);
  if (carrier == carriers_.end()) return;
  const Carrier carried = {carrier->second.input, carrier->second.is_sorted || sorts};
  for (const at::Tensor& output : outputs) {
    if (!at::isIntegralType(output.scalar_type(), false)) continue;
    carriers_[output.unsafeGetTensorImpl()] = carried;
    keep_.push_back(output);
    if (sorts) break;  // the next outputs are positions
  }
}

std::vector<std::optional<IntegerRange>> RangeWatch::ranges(size_t inputs) const {
  std::vector<std::optional<IntegerRange>> out(inputs);
  for (const auto& [input, range] : ranges_)
    if (input < inputs) out[input] = range;
  return out;
}

}  // namespace t2n::trace
