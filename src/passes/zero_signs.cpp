// SPDX-License-Identifier: Apache-2.0
#include "src/passes/zero_signs.h"

#include <algorithm>

#include "ir/op_traits.h"
#include "ir/scan.h"

namespace t2n::passes {
using ir::Node;
using ir::ValueId;

ZeroSigns::ZeroSigns(const ir::Graph& graph, const ir::OpTable& operators)
    : operators_(operators), readers_(graph.values.size()), is_output_(graph.values.size()) {
  for (const Node& node : graph.nodes)
    ir::for_each_input(node, [&](ValueId id) {
      if (id != ir::kNoValue) readers_[id].push_back(&node);
    });
  for (const ValueId id : graph.outputs) is_output_[id] = true;
}

bool ZeroSigns::exposes(ValueId id) const {
  std::vector<bool> seen(readers_.size());
  std::vector<ValueId> pending = {id};
  while (!pending.empty()) {
    const ValueId at = pending.back();
    pending.pop_back();
    if (seen.at(at)) continue;
    seen[at] = true;
    if (is_output_[at]) return true;
    for (const Node* reader : readers_[at]) switch (effect(*reader, at)) {
        case Effect::exposes: return true;
        case Effect::propagates:
          pending.insert(pending.end(), reader->outputs.begin(), reader->outputs.end());
          break;
        case Effect::drops: break;
      }
  }
  return false;
}

ZeroSigns::Effect ZeroSigns::effect(const Node& reader, ValueId id) const {
  if (reader.body) return exposes_in_body(reader, id) ? Effect::exposes : Effect::drops;
  const std::string_view name = ir::op_short_name(reader.op);
  if (ir::has_trait(name, ir::OpTrait::predicate))
    return name == "signbit" ? Effect::exposes : Effect::drops;
  if (name == "div" && ir::operand(reader, "other") != id)
    return Effect::propagates;  // a numerator
  const auto* known = operators_.find<ir::ZeroSign>(reader.op);
  if (known == nullptr) return Effect::exposes;
  return *known == ir::ZeroSign::dropped ? Effect::drops : Effect::propagates;
}

/// Whether a loop's body exposes the sign of a zero in an operand.
bool ZeroSigns::exposes_in_body(const Node& loop, ValueId id) const {
  const ir::Scan scan = ir::read_scan(loop);
  const auto is_among = [&](const std::vector<ValueId>& ids) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  if (is_among(scan.initial)) return true;
  const ZeroSigns inside(*loop.body, operators_);
  for (size_t i = 0; i < scan.scanned.size(); ++i)
    if (scan.scanned[i] == id && inside.exposes(loop.body->inputs.at(scan.scanned_input(i))))
      return true;
  for (size_t i = 0; i < scan.captured.size(); ++i)
    if (scan.captured[i] == id && inside.exposes(loop.body->inputs.at(scan.captured_input(i))))
      return true;
  return false;
}

}  // namespace t2n::passes
