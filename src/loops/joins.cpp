// torch.stack and torch.cat over the iterations of a loop.
#include <algorithm>

#include "src/loops/iteration.h"
#include "src/loops/rolling.h"

namespace t2n::loops {
namespace {

bool is_stack(const ir::Node& node) { return ir::op_name(node.op) == "aten::stack"; }

bool is_cat(const ir::Node& node) {
  const std::string_view op = ir::op_name(node.op);
  return op == "aten::cat" || op == "aten::concat" || op == "aten::concatenate";
}

/// The family's value before an operation that only added axis `dim` to it.
std::optional<ir::ValueId> before_unsqueeze(const Family& family, int64_t dim) {
  const ir::Node* const made = family.maker();
  if (made == nullptr || ir::op_name(made->op) != "aten::unsqueeze" ||
      axis_of(*made, family.inner().shape.size()) != dim)
    return std::nullopt;
  return ir::operand(*made, "self");
}

}  // namespace

/// Splits a list into runs of iterations and the values between them.
std::vector<Segment> Rolling::segments(const std::vector<ir::ValueId>& ids) const {
  std::vector<Segment> out;
  const auto instance = [&](size_t i) -> const Instance* {
    const Instance* const found = values_.instance(resolved(ids[i]));
    return found == nullptr || !found->has_family() ? nullptr : found;
  };
  for (size_t i = 0; i < ids.size();) {
    const Instance* first = instance(i);
    const Instance* second = i + 1 < ids.size() ? instance(i + 1) : nullptr;
    const int64_t step = first && second ? second->iteration - first->iteration : 0;
    if (!first || !second || first->family != second->family || (step != 1 && step != -1)) {
      if (out.empty() || out.back().first) out.emplace_back();
      out.back().values.push_back(ids[i++]);
      continue;
    }
    Segment run{{}, *first, 1, step < 0};
    const Instance* next = second;
    for (++i; next && next->family == first->family &&
              next->iteration == first->iteration + run.count * step;
         next = i < ids.size() ? instance(i) : nullptr) {
      ++run.count;
      ++i;
    }
    out.push_back(run);
  }
  return out;
}

/// torch.stack or torch.cat over the iterations of a loop becomes a stacked output of its scan.
bool Rolling::settle_join(ir::Node& node) {
  if (!is_stack(node) && !is_cat(node)) return false;
  auto& list = std::get<ir::TensorRefs>(node.args.at(0).value).ids;
  const std::vector<Segment> parts = segments(list);
  if (std::none_of(parts.begin(), parts.end(), [](const Segment& s) { return s.first; }))
    return false;
  const ir::Location place{node.scope, node.source};
  const bool stack = is_stack(node);
  const ir::ValueId result = node.outputs.at(0);
  const int64_t dim = axis_of(node, graph_.values[static_cast<size_t>(result)].shape.size());
  if (parts.size() == 1) {
    const ir::ValueId whole = piece(parts[0], stack, dim, result, place);
    if (whole != result) values_.stand_for(result, whole);
    return true;
  }
  list.clear();
  for (const Segment& part : parts) {
    if (part.first) {
      list.push_back(piece(part, stack, dim, ir::kNoValue, place));
      continue;
    }
    for (const ir::ValueId id : part.values) {
      const ir::ValueId one = settled(id, place);
      const ir::Value value = graph_.values[static_cast<size_t>(one)];
      ir::Shape shape = value.shape;
      if (stack) shape.insert(shape.begin() + dim, 1);
      list.push_back(stack ? emit("aten::unsqueeze",
                                  {{"self", ir::TensorRef{one}}, size_argument("dim", dim)},
                                  value.dtype, shape, place)
                           : one);
    }
  }
  node.op = ir::op_id("aten::cat");
  return false;
}

/// The value that an iteration computes, in the body, without its axis of extent 1: the stacked
/// output is the join itself then, with nothing to flatten behind it.
ir::ValueId Rolling::squeezed(size_t index, int64_t dim) {
  const Family& family = values_.family(index);
  ir::Graph& body = *family.body;
  ir::Value value = family.inner();
  value.name = naming_.unique(value.name + "_row");
  value.shape.erase(value.shape.begin() + dim);
  ir::Node node;
  node.op = ir::op_id("aten::squeeze.dim");
  node.args = {{"self", ir::TensorRef{family.value}}, size_argument("dim", dim)};
  // The join's own place may be unknown in the body.
  if (const ir::Node* const made = family.maker()) {
    node.scope = made->scope;
    node.source = made->source;
  }
  node.call = static_cast<int>(body.nodes.size());
  node.outputs = {ir::add_value(body, value)};
  body.nodes.push_back(node);
  return node.outputs[0];
}

/// A run of iterations along `dim`: on a new axis for a stack, on the values' own for a join.
ir::ValueId Rolling::piece(const Segment& run, bool is_stack, int64_t dim, ir::ValueId wanted,
                           ir::Location place) {
  size_t index = run.first->family;
  const Family family = values_.family(index);
  const ir::Value inner = family.inner();
  bool flatten = false;
  if (!is_stack) {
    flatten = true;
    std::optional<ir::ValueId> row = before_unsqueeze(family, dim);
    if (!row && inner.shape.at(static_cast<size_t>(dim)) == ir::Dim(1)) row = squeezed(index, dim);
    if (row) {
      index = values_.add({family.body, *row, family.iterations});
      flatten = false;
    }
  }
  const ir::DType dtype = inner.dtype;
  const int64_t iterations = family.iterations;
  const bool whole = run.count == iterations;
  const bool direct = whole && !flatten;
  ir::ValueId out = stacked(index, dim, run.reversed, direct ? wanted : ir::kNoValue);
  ir::Shape shape = graph_.values[static_cast<size_t>(out)].shape;
  const auto at = static_cast<size_t>(dim);
  if (!whole) {
    const int64_t begin =
        run.reversed ? iterations - 1 - run.first->iteration : run.first->iteration;
    const int64_t rest = iterations - begin - run.count;
    shape[at] = run.count;
    out = emit("aten::slice.Tensor",
               {{"self", ir::TensorRef{out}},
                size_argument("dim", dim),
                size_argument("start", begin),
                size_argument("end", rest == 0 ? INT64_MAX : -rest),
                size_argument("step", 1)},
               dtype, shape, place);
  }
  if (!flatten) return out;
  shape[at] = shape[at] * shape[at + 1];
  shape.erase(shape.begin() + dim + 1);
  return emit("aten::flatten.using_ints",
              {{"self", ir::TensorRef{out}},
               size_argument("start_dim", dim),
               size_argument("end_dim", dim + 1)},
              dtype, shape, place);
}

}  // namespace t2n::loops
