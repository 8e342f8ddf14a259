// SPDX-License-Identifier: Apache-2.0
// Reads and writes at indices that depend on the iteration number, if one slice per iteration
// cannot express them: several elements, or parts of a state.
#include <algorithm>
#include <numeric>

#include "src/diag/error.h"
#include "src/loops/comparison.h"

namespace t2n::loops {

using ir::Dim;
using ir::Node;
using ir::TensorRef;
using ir::ValueId;

/// The `width` consecutive indices from `index` on, as a tensor [width].
ValueId IterationComparison::part_indices(const Dim& index, int64_t width, const Node& origin) {
  const ValueId number = number_value(index, origin);
  ir::Ints steps(width);
  std::iota(steps.begin(), steps.end(), 0);
  const ValueId from = body_.value("steps", ir::DType::i64, {Dim(width)});
  body_.graph().constants.push_back({from, ir::tensor_of(ir::DType::i64, {width}, steps)});
  const ValueId out =
      body_.node("aten::add.Tensor",
                 {{"self", TensorRef{from}}, {"other", TensorRef{number}}, {"alpha", Dim(1)}},
                 ir::DType::i64, {Dim(width)}, origin);
  body_.graph().nodes.back().compute_dtype = ir::DType::i64;
  return out;
}

/// The part of body value `self` at `index`.
ValueId IterationComparison::read_part(ValueId self, const AxisPart& part, const Dim& index,
                                       size_t position) {
  const Node& origin = node(found_.start, position);
  const ir::Value& result = outer(origin.outputs[0]);
  const ValueId indices = part_indices(index, part.width, origin);
  ir::Shape wide = result.shape;
  if (!part.keeps_axis) wide.insert(wide.begin() + part.axis, Dim(1));
  const ValueId rows = body_.node(
      "aten::index_select",
      {{"self", TensorRef{self}}, {"dim", Dim(part.axis)}, {"index", TensorRef{indices}}},
      result.dtype, wide, origin);
  if (part.keeps_axis) return rows;
  return body_.node("aten::squeeze.dim", {{"self", TensorRef{rows}}, {"dim", Dim(part.axis)}},
                    result.dtype, result.shape, origin);
}

bool IterationComparison::add_window(size_t position, ValueId source, const AxisPart& part) {
  const Dim first = replaced(part.index, loop().number, found_.start);
  const auto sample = sample_of(graph_, first);
  const int64_t step = *coefficient(part.index, loop().number);
  if (part.width < 1 || !sample || *sample < 0 || outer(source).quant) return false;
  Dim lowest = first;
  if (step < 0) lowest = lowest + Dim(step) * (loop().length - Dim(found_.start + 1));
  Window window{source, part.axis, first, step, part.width, ir::kNoValue};
  ir::Shape shape = outer(source).shape;
  shape[part.axis] = Dim(std::abs(step) * (all_.count() - found_.start - 1) + part.width);
  window.inner = body_.value(outer(source).name + "_part", outer(source).dtype, shape);
  found_.inner[{position, 0}] = read_part(window.inner, part, part.index - lowest, position);
  found_.windows.push_back(window);
  return true;
}

/// x[:, t % 3] of an outer tensor.
bool IterationComparison::add_gathered(size_t position, ValueId source, const AxisPart& part) {
  if (part.width < 1 || outer(source).quant || !require_inside(source, part)) return false;
  found_.inner[{position, 0}] = read_part(captured(source), part, part.index, position);
  return true;
}

/// The state that a body value was before this iteration wrote to it.
std::optional<size_t> IterationComparison::state_after(ValueId inner) const {
  if (const auto known = written_.find(inner); known != written_.end()) return known->second;
  for (size_t i = 0; i < found_.states.size(); ++i)
    if (found_.states[i].inner == inner) return i;
  for (const Node& node : body_.shared()->nodes)
    if (node.outputs[0] == inner && ir::op_name(node.op).ends_with("_scatter"))
      return state_after(ir::operand(node, "self"));
  return std::nullopt;
}

/// Requires that the part lies within the tensor in all iterations. False if its range is unknown.
bool IterationComparison::require_inside(ValueId owner, const AxisPart& part) {
  const auto range = range_of(part.index);
  const auto least = range ? sample_of(graph_, range->first) : std::nullopt;
  if (!least || *least < 0) return false;
  if (loop().length.is_constant()) return true;  // the sample's run has checked it
  const Dim extent = ir::size_symbol(rerolling_.graph(), owner, part.axis);
  for (const Dim& index : {range->first, range->second}) {
    found_.conditions.push_back({Dim(0), ir::Relation::le, index});
    found_.conditions.push_back({index + Dim(part.width), ir::Relation::le, extent});
  }
  return true;
}

/// state[t - 1], state[:, 2*t:2*t + 2]
bool IterationComparison::add_read_of_state(size_t position) {
  const Node& first = node(found_.start, position);
  const std::string_view op = ir::op_name(first.op);
  const ValueId self = ir::operand(first, "self");
  if (self == ir::kNoValue || !mentions(first, loop().number) || op.ends_with("_scatter"))
    return false;
  const auto part = axis_part_of(first, outer(self).shape.size());
  if (!part || part->width < 1) return false;
  reader_ = &first;
  const ValueId inner = operand(operands(position)[0]);
  reader_ = nullptr;
  const auto state = state_after(inner);
  if (!state || !require_inside(found_.states[*state].iterations[0], *part)) return false;
  found_.inner[{position, 0}] = read_part(inner, *part, part->index, position);
  return true;
}

ValueId IterationComparison::positions(ValueId owner, int64_t axis) {
  for (const Positions& each : found_.positions)
    if (each.owner == owner && each.axis == axis) return each.inner;
  const ValueId inner = body_.value("positions", ir::DType::i64, {outer(owner).shape[axis]});
  found_.positions.push_back({owner, axis, inner});
  return inner;
}

/// Writes of one part of a state in each iteration, unless the scan stacks them.
void IterationComparison::write_parts() {
  std::vector<Node> nodes = std::exchange(body_.graph().nodes, {});
  for (Node& node : nodes) {
    const std::string_view op = ir::op_name(node.op);
    const bool writes = op == "aten::select_scatter" || op == "aten::slice_scatter";
    const auto state = writes ? state_after(ir::operand(node, "self")) : std::nullopt;
    if (state) written_[node.outputs[0]] = *state;
    if (state && mentions(node, loop().number)) write_part(node, *state);
    body_.graph().nodes.push_back(std::move(node));
  }
}

/// where(0 <= positions - index < width, written values, self)
void IterationComparison::write_part(Node& node, size_t state) {
  const ir::Value owner = body_.graph().values[node.outputs[0]];
  const auto rank = static_cast<int64_t>(owner.shape.size());
  const auto part = axis_part_of(node, owner.shape.size());
  if (!part || part->width < 1 || !require_inside(found_.states[state].iterations[0], *part))
    return;
  const auto tensor = [&](std::string_view op, std::vector<ir::Argument> args, ir::DType dtype,
                          const ir::Shape& shape) {
    return body_.node(op, std::move(args), dtype, shape, node);
  };
  const auto number_op = [&](std::string_view op, ValueId self, ir::Argument other, ir::DType dtype,
                             const ir::Shape& shape) {
    std::vector<ir::Argument> args = {{"self", TensorRef{self}}, std::move(other)};
    if (op.starts_with("aten::sub")) args.push_back({"alpha", Dim(1)});
    const ValueId out = tensor(op, std::move(args), dtype, shape);
    body_.graph().nodes.back().compute_dtype = ir::DType::i64;
    return out;
  };
  ir::Shape line = {owner.shape[part->axis]};
  const ValueId offset =
      number_op("aten::sub.Tensor", positions(found_.states[state].iterations[0], part->axis),
                {"other", TensorRef{number_value(part->index, node)}}, ir::DType::i64, line);
  ValueId source = ir::operand(node, "src");
  if (!part->keeps_axis) {
    ir::Shape wide = owner.shape;
    wide[part->axis] = 1;
    source = tensor("aten::unsqueeze", {{"self", TensorRef{source}}, {"dim", Dim(part->axis)}},
                    owner.dtype, wide);
  }
  ValueId mask = ir::kNoValue;
  if (part->width == 1) {
    mask = number_op("aten::eq.Scalar", offset, {"other", Dim(0)}, ir::DType::boolean, line);
  } else {
    const ValueId clamped =
        tensor("aten::clamp",
               {{"self", TensorRef{offset}}, {"min", Dim(0)}, {"max", Dim(part->width - 1)}},
               ir::DType::i64, line);
    mask = number_op("aten::eq.Tensor", offset, {"other", TensorRef{clamped}}, ir::DType::boolean,
                     line);
    source = tensor(
        "aten::index_select",
        {{"self", TensorRef{source}}, {"dim", Dim(part->axis)}, {"index", TensorRef{clamped}}},
        owner.dtype, owner.shape);
  }
  for (int64_t axis = part->axis + 1; axis < rank; ++axis) {
    line.push_back(1);
    mask = tensor("aten::unsqueeze",
                  {{"self", TensorRef{mask}}, {"dim", Dim(static_cast<int64_t>(line.size()) - 1)}},
                  ir::DType::boolean, line);
  }
  const ValueId self = ir::operand(node, "self");
  node.op = ir::op_id("aten::where.self");
  node.args = {
      {"condition", TensorRef{mask}}, {"self", TensorRef{source}}, {"other", TensorRef{self}}};
  node.compute_dtype = owner.dtype;
}

}  // namespace t2n::loops
