// SPDX-License-Identifier: Apache-2.0
#include "src/loops/filled.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "src/loops/iteration.h"

namespace t2n::loops {
namespace {

using ir::Dim;
using ir::Node;
using ir::ValueId;

std::vector<int> uses(const ir::Graph& body) {
  std::vector<int> out(body.values.size());
  for (const Node& node : body.nodes) ir::for_each_input(node, [&](ValueId id) { ++out[id]; });
  return out;
}

/// Views of a state, from before a write, that nothing in the iteration reads.
void drop_unread_views(const Recurrence& found, const std::vector<ValueId>& next) {
  const std::vector<int> read = uses(*found.body);
  std::erase_if(found.body->nodes, [&](const Node& node) {
    const std::string_view op = ir::op_name(node.op);
    const bool is_view = op == "aten::select.int" || op == "aten::slice.Tensor" ||
                         op == "aten::narrow" || op == "aten::unsqueeze";
    const bool is_state = std::any_of(
        found.states.begin(), found.states.end(),
        [&](const CarriedState& state) { return state.inner == ir::operand(node, "self"); });
    const ValueId id = node.outputs[0];
    return is_view && is_state && read[id] == 0 &&
           std::find(next.begin(), next.end(), id) == next.end();
  });
}

/// The slice that each iteration writes, if the state is not used otherwise.
std::optional<Filled> filled(const Recurrence& recurrence, Body& body, const ir::Symbol& number,
                             size_t index) {
  const CarriedState& state = recurrence.states[index];
  const std::vector<int> read = uses(*recurrence.body);
  if (read[state.inner] != 1 || read[state.next] != 0) return std::nullopt;
  const auto writes = [&](const Node& node) { return node.outputs[0] == state.next; };
  const auto found =
      std::find_if(recurrence.body->nodes.begin(), recurrence.body->nodes.end(), writes);
  if (found == recurrence.body->nodes.end() || ir::operand(*found, "self") != state.inner)
    return std::nullopt;
  const ir::Value owner = recurrence.body->values[state.inner];
  const auto slice = one_slice_of(*found, owner.shape.size());
  const std::string_view op = ir::op_name(found->op);
  if (!slice || (op != "aten::select_scatter" && op != "aten::slice_scatter")) return std::nullopt;
  Filled out;
  out.state = index;
  out.axis = slice->axis;
  const auto step = coefficient(slice->index, number);
  if (!step || *step == 0) return std::nullopt;
  out.reversed = *step < 0;
  out.step = std::abs(*step);
  out.first = replaced(slice->index, number, recurrence.start);
  out.source = std::get<ir::TensorRef>(*found->find("src")).id;
  const Node written = *found;
  recurrence.body->nodes.erase(found);
  if (slice->keeps_axis) {
    ir::Value value = recurrence.body->values[out.source];
    value.shape.erase(value.shape.begin() + out.axis);
    out.source = body.node("aten::squeeze.dim",
                           {{"self", ir::TensorRef{out.source}}, {"dim", Dim(out.axis)}},
                           value.dtype, value.shape, written);
  }
  return out;
}

}  // namespace

std::vector<Filled> take_filled(Recurrence& found, Body& body, const ir::Symbol& number) {
  std::vector<Filled> out;
  std::vector<ValueId> next;
  for (const CarriedState& state : found.states) next.push_back(state.next);
  drop_unread_views(found, next);
  for (size_t i = 0; i < found.states.size(); ++i) {
    if (std::count(next.begin(), next.end(), found.states[i].next) > 1) continue;
    if (std::find(next.begin(), next.end(), found.states[i].inner) != next.end()) continue;
    if (auto each = filled(found, body, number, i)) out.push_back(*each);
  }
  return out;
}

}  // namespace t2n::loops
