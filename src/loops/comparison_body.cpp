// SPDX-License-Identifier: Apache-2.0
// Builds the body of a scan from one iteration: slices become inputs, and numbers that depend on
// the iteration become tensors.
#include <cstdlib>

#include "src/diag/error.h"
#include "src/loops/comparison.h"
#include "src/loops/iteration.h"

namespace t2n::loops {
namespace {

using ir::Dim;
using ir::Node;
using ir::ValueId;

/// Operators on a number, with their counterparts on a tensor.
constexpr std::pair<std::string_view, std::string_view> kWithTensor[] = {
    {"aten::add.Scalar", "aten::add.Tensor"},
    {"aten::sub.Scalar", "aten::sub.Tensor"},
    {"aten::mul.Scalar", "aten::mul.Tensor"},
    {"aten::div.Scalar", "aten::div.Tensor"},
    {"aten::eq.Scalar", "aten::eq.Tensor"},
    {"aten::ne.Scalar", "aten::ne.Tensor"},
    {"aten::lt.Scalar", "aten::lt.Tensor"},
    {"aten::le.Scalar", "aten::le.Tensor"},
    {"aten::gt.Scalar", "aten::gt.Tensor"},
    {"aten::ge.Scalar", "aten::ge.Tensor"},
    {"aten::remainder.Scalar", "aten::remainder.Tensor"},
    {"aten::pow.Tensor_Scalar", "aten::pow.Tensor_Tensor"},
};

}  // namespace

/// x[:, t] or x[:, t:t + 3] of an outer tensor.
bool IterationComparison::add_slice(size_t position) {
  const Node& first = node(found_.start, position);
  const ValueId self = ir::operand(first, "self");
  if (self == ir::kNoValue || !mentions(first, loop().number)) return false;
  const auto slice = axis_part_of(first, outer(self).shape.size());
  const std::vector<IterationValues> reads = operands(position);
  if (!slice || reads.size() != 1) return false;
  const auto source = outer_value(reads[0]);
  if (!source) return false;
  const auto step = coefficient(slice->index, loop().number);
  if (!step) return add_gathered(position, *source, *slice);
  if (*step == 0) return false;
  if (slice->width != 1) return add_window(position, *source, *slice);
  Slices slices;
  slices.step = std::abs(*step);
  slices.source = *source;
  slices.axis = slice->axis;
  slices.reversed = *step < 0;
  slices.first = replaced(slice->index, loop().number, found_.start);
  const ir::Value& result = outer(first.outputs[0]);
  if (!slice->keeps_axis) {
    found_.inner[{position, 0}] = scanned(slices, result.name);
    return true;
  }
  const ValueId flat = scanned(slices, result.name + "_flat");
  const ValueId wide =
      body_.node("aten::unsqueeze", {{"self", ir::TensorRef{flat}}, {"dim", Dim(slice->axis)}},
                 result.dtype, result.shape, first);
  found_.inner[{position, 0}] = wide;
  return true;
}

void IterationComparison::add_body_node(size_t position) {
  const Node& recorded = node(found_.start, position);
  Node out = recorded;
  const std::vector<IterationValues> reads = operands(position);
  size_t next = 0;
  std::vector<ValueId> inside;
  reader_ = &recorded;
  for (const IterationValues& ids : reads) inside.push_back(operand(ids));
  reader_ = nullptr;
  for (ir::Argument& arg : out.args)
    ir::change_refs(arg.value, [&](ValueId& id) { id = inside[next++]; });
  if (with_lengths(recorded)) use_lengths(out, recorded);
  use_number(out, recorded);
  add_results(std::move(out), position);
}

/// torch.full(size, t)
bool IterationComparison::fill_with_number(Node& node, const Node& recorded) {
  const std::string_view op = ir::op_name(node.op);
  const bool is_like = op == "aten::full_like";
  if (op != "aten::full" && op != "aten::new_full" && !is_like) return false;
  const Dim* const number = dim_of(node, "fill_value");
  if (number == nullptr || !number->mentions(loop().number)) return false;
  const ir::Value& like = outer(recorded.outputs[0]);
  const ValueId value =
      body_.node("t2n::cast",
                 {{"self", ir::TensorRef{number_value(*number, recorded)}}, {"dtype", like.dtype}},
                 like.dtype, {}, recorded);
  node.op = ir::op_id(is_like ? "aten::expand_as" : "aten::expand");
  if (is_like)
    node.args = {{"self", ir::TensorRef{value}}, {"other", *node.find("self")}};
  else
    node.args = {{"self", ir::TensorRef{value}}, {"size", *node.find("size")}, {"implicit", false}};
  return true;
}

/// Replaces numbers that depend on the iteration by tensors.
void IterationComparison::use_number(Node& node, const Node& recorded) {
  const std::string_view op = ir::op_name(node.op);
  // A state that iterations fill slice by slice: take_filled() and write_parts() handle it.
  const bool scatters = op == "aten::select_scatter" || op == "aten::slice_scatter";
  if (!mentions(node, loop().number) || scatters) return;
  if (fill_with_number(node, recorded)) return;
  const bool is_number = std::holds_alternative<Dim>(node.args.at(0).value);  // not a list
  const bool makes_tensor = op == "aten::tensor" || op.starts_with("aten::tensor.") ||
                            op == "aten::scalar_tensor" || op == "prim::NumToTensor";
  if (makes_tensor && is_number) {
    const ValueId value = number_value(std::get<Dim>(node.args[0].value), recorded);
    node.op = ir::op_id("t2n::cast");
    node.args = {{"self", ir::TensorRef{value}}, {"dtype", outer(recorded.outputs[0]).dtype}};
    return;
  }
  for (const auto& [number, tensor] : kWithTensor) {
    if (op != number) continue;
    for (ir::Argument& arg : node.args)
      if (mentions(arg.value, loop().number) && (arg.name == "other" || arg.name == "exponent")) {
        arg.value = ir::TensorRef{number_value(std::get<Dim>(arg.value), recorded)};
        node.op = ir::op_id(tensor);
      }
  }
  for (const ir::Argument& arg : node.args)
    if (mentions(arg.value, loop().number))
      differ(
          recorded,
          cat("the argument ", quoted(arg.name), " of ", op, " depends on the iteration number"),
          "index a tensor from outside the loop with the iteration number, or use the number as a "
          "tensor");
  if (node.body && mentions(node, loop().number))
    differ(recorded, "an inner loop reads this loop's iteration number",
           "index with it before the inner loop");
}

}  // namespace t2n::loops
