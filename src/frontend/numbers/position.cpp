// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/numbers/position.h"

#include "src/diag/error.h"

namespace t2n::trace {

namespace prim = c10::prim;
using torch::jit::Node;

ir::SourceId Position::source_of(const Node* target, bool torch_too) {
  const auto [found, is_new] = source_ids_.try_emplace({target, torch_too}, ir::kNoSource);
  if (is_new) {
    ir::Source source = sources_.find(target->sourceRange(), torch_too);
    if (!source.frames.empty()) found->second = ir::add_source(graph_, std::move(source));
  }
  return found->second;
}

ir::Location Position::location() {
  if (node == nullptr) return {calls.scope, ir::kNoSource};
  ir::SourceId source = source_of(node, false);
  for (size_t i = calls.callers.size(); i > 0 && source == ir::kNoSource; --i)
    if (calls.callers[i - 1] != nullptr) source = source_of(calls.callers[i - 1], false);
  return {calls.scope, source == ir::kNoSource ? source_of(node, true) : source};
}

Where Position::where() {
  ir::Node at;
  at.scope = calls.scope;
  at.source = location().source;
  return ir::node_where(graph_, at);
}

std::string Position::line() {
  const ir::SourceId source = location().source;
  if (source == ir::kNoSource) return {};
  const Frame& frame = graph_.sources[source].frames.front();
  return cat(frame.file, ":", frame.line);
}

std::string Position::origin(const std::string& name) {
  const std::string here = line();
  return here.empty() ? name : cat(name, " (", here, ")");
}

ir::Location Position::assignment(const Node* target) {
  const std::string& name = target->s(c10::attr::name);
  std::vector<const Node*> neighbours = {target->input(1)->node()};
  for (const bool back : {true, false})
    for (const Node* near = target; near->kind() != prim::Return && near->kind() != prim::Param;
         near = back ? near->prev() : near->next())
      neighbours.push_back(near);
  for (const Node* near : neighbours) {
    ir::Source source = sources_.find_assignment(near->sourceRange(), name);
    if (!source.frames.empty()) return {calls.scope, ir::add_source(graph_, std::move(source))};
  }
  return location();
}

}  // namespace t2n::trace
