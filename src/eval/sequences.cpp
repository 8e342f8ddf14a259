// SPDX-License-Identifier: Apache-2.0
#include "src/eval/sequences.h"

#include <ATen/Functions.h>
#include <torch/csrc/jit/runtime/operator.h>

#include "src/diag/error.h"
#include "src/diag/printable.h"
#include "src/frontend/load/convert.h"
#include "src/frontend/load/torch_error.h"
#include "src/frontend/run/half.h"

namespace t2n::eval {
namespace {

using torch::jit::Stack;

at::Tensor tensor_of(const ir::Node& node, const char* name, const ir::Operand& operand) {
  return trace::to_torch(operand(std::get<ir::TensorRef>(*node.find(name)).id));
}

/// Lengths must be between 1 and the number of time steps, and must not increase.
at::Tensor checked(const at::Tensor& lengths, int64_t max_length) {
  const bool in_range = lengths.ge(1).logical_and(lengths.le(max_length)).all().item<bool>();
  const bool is_descending = lengths.numel() < 2 || lengths.diff().le(0).all().item<bool>();
  if (!in_range || !is_descending)
    throw Error("forward-failed", cat("t2n::sequence_lengths failed: lengths must be 1 to ",
                                      max_length, ", the longest first"));
  return lengths;
}

/// A tensor, or a list of them, with rows in the given order.
c10::IValue states(const ir::Node& node, const ir::Operand& operand, const at::Tensor& order) {
  const ir::Attr& attr = *node.find("hx");
  const auto ordered = [&](ir::ValueId id) {
    return trace::to_torch(operand(id)).index_select(1, order);
  };
  if (const auto* one = std::get_if<ir::TensorRef>(&attr)) return ordered(one->id);
  c10::List<at::Tensor> all;
  for (const ir::ValueId id : std::get<ir::TensorRefs>(attr).ids) all.push_back(ordered(id));
  return all;
}

c10::IValue parameters(const ir::Node& node, const ir::Operand& operand) {
  c10::List<at::Tensor> all;
  for (const ir::ValueId id : std::get<ir::TensorRefs>(*node.find("params")).ids)
    all.push_back(trace::to_torch(operand(id)));
  return all;
}

/// "aten::lstm" for t2n::lstm.padded.
std::string layer_of(const ir::Node& node) { return cat("aten::", ir::op_short_name(node.op)); }

void call(const std::string& name, Stack& stack) {
  const auto op = torch::jit::findOperatorFor(c10::OperatorName(name, "data"));
  T2N_ASSERT(op != nullptr, "torch has no ", name, ".data");
  try {
    trace::run_with_halves(*op, trace::make_run(op->getOperation()), stack);
  } catch (const std::exception&) {
    throw Error("forward-failed",
                cat(name, " failed: ", first_line(trace::current_torch_message())));
  }
}

std::vector<ir::Tensor> layers(const ir::Node& node, const ir::Operand& operand) {
  const at::Tensor lengths = tensor_of(node, "lengths", operand);
  const bool batch_first = std::get<bool>(*node.find("batch_first"));
  const at::Tensor input = tensor_of(node, "input", operand);
  const auto [sorted, order] = lengths.sort(/*stable=*/true, /*dim=*/0, /*descending=*/true);
  const at::Tensor x = input.index_select(batch_first ? 0 : 1, order);
  const auto [data, batch_sizes] =
      at::_pack_padded_sequence(x, checked(sorted, input.size(batch_first ? 1 : 0)), batch_first);
  Stack stack = {data, batch_sizes, states(node, operand, order), parameters(node, operand)};
  stack.emplace_back(std::get<bool>(*node.find("has_biases")));
  stack.emplace_back(std::get<ir::Dim>(*node.find("num_layers")).value());
  stack.emplace_back(std::get<double>(*node.find("dropout")));
  stack.emplace_back(std::get<bool>(*node.find("train")));
  stack.emplace_back(std::get<bool>(*node.find("bidirectional")));
  call(layer_of(node), stack);
  const at::Tensor inverse = order.argsort();
  const at::Tensor y = std::get<0>(at::_pad_packed_sequence(
      stack.at(0).toTensor(), batch_sizes, batch_first, 0, input.size(batch_first ? 1 : 0)));
  std::vector<ir::Tensor> out = {
      trace::share(y.index_select(batch_first ? 0 : 1, inverse).contiguous())};
  for (size_t i = 1; i < stack.size(); ++i)
    out.push_back(trace::share(stack[i].toTensor().index_select(1, inverse)));
  return out;
}

}  // namespace

bool is_sequence_op(const ir::Node& node) {
  const std::string_view name = ir::op_name(node.op);
  return name.starts_with("t2n::") &&
         (name.ends_with(".padded") || name == "t2n::sequence_lengths" ||
          name == "t2n::batch_sizes");
}

std::vector<ir::Tensor> run_sequences(const ir::Node& node, const ir::Operand& operand) {
  if (ir::op_name(node.op) == "t2n::batch_sizes")
    return {trace::share(
        tensor_of(node, "self", operand).masked_select(tensor_of(node, "mask", operand)))};
  if (ir::op_name(node.op) != "t2n::sequence_lengths") return layers(node, operand);
  const at::Tensor lengths = tensor_of(node, "self", operand);
  return {trace::share(checked(lengths, std::get<ir::Dim>(*node.find("most")).value()))};
}

}  // namespace t2n::eval
