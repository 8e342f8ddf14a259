// SPDX-License-Identifier: Apache-2.0
// torch.stack and torch.cat over the iterations of a loop.
#include <algorithm>

#include "src/loops/iteration.h"
#include "src/loops/rerolling.h"

namespace t2n::loops {
namespace {

bool is_stack(const ir::Node& node) { return ir::op_name(node.op) == "aten::stack"; }

bool is_cat(const ir::Node& node) {
  const std::string_view op = ir::op_name(node.op);
  return op == "aten::cat" || op == "aten::concat" || op == "aten::concatenate";
}

/// The operand of the unsqueeze that added axis `dim` to the body value, if there is one.
std::optional<ir::ValueId> before_unsqueeze(const BodyValue& body_value, int64_t dim) {
  const ir::Node* const producer = body_value.producer();
  if (producer == nullptr || ir::op_name(producer->op) != "aten::unsqueeze" ||
      axis_of(*producer, body_value.inner().shape.size()) != dim)
    return std::nullopt;
  return ir::operand(*producer, "self");
}

}  // namespace

/// Splits a list into segments of consecutive iterations and the values between them.
std::vector<Segment> Rerolling::segments(const std::vector<ir::ValueId>& ids) const {
  std::vector<Segment> out;
  const auto occurrence = [&](size_t i) -> const Occurrence* {
    const Occurrence* const found = values_.occurrence(resolved(ids[i]));
    return found == nullptr || !found->has_body_value() ? nullptr : found;
  };
  for (size_t i = 0; i < ids.size();) {
    const Occurrence* first = occurrence(i);
    const Occurrence* second = i + 1 < ids.size() ? occurrence(i + 1) : nullptr;
    const int64_t step = first && second ? second->iteration - first->iteration : 0;
    if (!first || !second || first->body_value != second->body_value || (step != 1 && step != -1)) {
      if (out.empty() || out.back().first) out.emplace_back();
      out.back().values.push_back(ids[i++]);
      continue;
    }
    Segment run{{}, *first, 1, step < 0};
    const Occurrence* next = second;
    for (++i; next && next->body_value == first->body_value &&
              next->iteration == first->iteration + run.count * step;
         next = i < ids.size() ? occurrence(i) : nullptr) {
      ++run.count;
      ++i;
    }
    out.push_back(run);
  }
  return out;
}

/// Replaces torch.stack or torch.cat over the iterations of a loop by a stacked output of its scan.
bool Rerolling::replace_join(ir::Node& node) {
  if (!is_stack(node) && !is_cat(node)) return false;
  auto& list = std::get<ir::TensorRefs>(node.args.at(0).value).ids;
  const std::vector<Segment> parts = segments(list);
  if (std::none_of(parts.begin(), parts.end(), [](const Segment& s) { return s.first; }))
    return false;
  const ir::Location location{node.scope, node.source};
  const bool stack = is_stack(node);
  const ir::ValueId result = node.outputs.at(0);
  const int64_t dim = axis_of(node, graph_.values[result].shape.size());
  if (parts.size() == 1) {
    const ir::ValueId all = piece(parts[0], stack, dim, result, location);
    if (all != result) values_.replace(result, all);
    return true;
  }
  list.clear();
  for (const Segment& part : parts) {
    if (part.first) {
      list.push_back(piece(part, stack, dim, ir::kNoValue, location));
      continue;
    }
    for (const ir::ValueId id : part.values) {
      const ir::ValueId one = materialised(id, location);
      const ir::Value value = graph_.values[one];
      ir::Shape shape = value.shape;
      if (stack) shape.insert(shape.begin() + dim, 1);
      list.push_back(stack ? emit("aten::unsqueeze",
                                  {{"self", ir::TensorRef{one}}, size_argument("dim", dim)},
                                  value.dtype, shape, location)
                           : one);
    }
  }
  node.op = ir::op_id("aten::cat");
  return false;
}

/// The body value without its axis of size 1. The stacked output is then the concatenation itself,
/// and needs no flatten.
ir::ValueId Rerolling::squeezed(size_t index, int64_t dim) {
  const BodyValue& body_value = values_.body_value(index);
  ir::Graph& body = *body_value.body;
  ir::Value value = body_value.inner();
  value.name = naming_.unique(value.name + "_row");
  value.shape.erase(value.shape.begin() + dim);
  ir::Node node;
  node.op = ir::op_id("aten::squeeze.dim");
  node.args = {{"self", ir::TensorRef{body_value.value}}, size_argument("dim", dim)};
  // The location of the concatenation may be unknown in the body.
  if (const ir::Node* const producer = body_value.producer()) {
    node.scope = producer->scope;
    node.source = producer->source;
  }
  node.call = static_cast<int>(body.nodes.size());
  node.outputs = {ir::add_value(body, value)};
  body.nodes.push_back(node);
  return node.outputs[0];
}

/// The values of a segment along `dim`: on a new axis for a stack, on their own axis for a cat.
ir::ValueId Rerolling::piece(const Segment& run, bool is_stack, int64_t dim, ir::ValueId result,
                             ir::Location location) {
  size_t index = run.first->body_value;
  const BodyValue body_value = values_.body_value(index);
  const ir::Value inner = body_value.inner();
  bool flatten = false;
  const std::optional<Rest>& rest = body_value.rest;
  const bool is_all = run.count == body_value.iterations && !run.reversed;
  if (rest && (is_stack || dim != rest->axis || !is_all)) refuse_part(graph_, location);
  if (!is_stack) {
    flatten = true;
    std::optional<ir::ValueId> row = before_unsqueeze(body_value, dim);
    if (!row && inner.shape.at(dim) == ir::Dim(1)) row = squeezed(index, dim);
    if (row) {
      index = values_.add({body_value.body, *row, body_value.iterations});
      flatten = false;
    }
  }
  const ir::DType dtype = inner.dtype;
  const int64_t iterations = body_value.iterations;
  const bool is_complete = run.count == iterations;
  const bool direct = is_complete && !flatten;
  ir::ValueId out = stacked(index, dim, run.reversed, direct ? result : ir::kNoValue);
  ir::Shape shape = graph_.values[out].shape;
  const size_t at = dim;
  if (!is_complete) {
    const int64_t begin =
        run.reversed ? iterations - 1 - run.first->iteration : run.first->iteration;
    const int64_t remaining = iterations - begin - run.count;
    shape[at] = run.count;
    out = emit("aten::slice.Tensor",
               {{"self", ir::TensorRef{out}},
                size_argument("dim", dim),
                size_argument("start", begin),
                size_argument("end", remaining == 0 ? INT64_MAX : -remaining),
                size_argument("step", 1)},
               dtype, shape, location);
  }
  if (!flatten) return out;
  shape[at] = shape[at] * shape[at + 1];
  shape.erase(shape.begin() + dim + 1);
  out = emit("aten::flatten.using_ints",
             {{"self", ir::TensorRef{out}},
              size_argument("start_dim", dim),
              size_argument("end_dim", dim + 1)},
             dtype, shape, location);
  if (!rest) return out;
  shape[at] = rest->sample;
  return emit("aten::slice.Tensor",
              {{"self", ir::TensorRef{out}},
               size_argument("dim", dim),
               size_argument("start", 0),
               size_argument("end", rest->length),
               size_argument("step", 1)},
              dtype, shape, location);
}

}  // namespace t2n::loops
