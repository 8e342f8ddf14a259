// SPDX-License-Identifier: Apache-2.0
#include "src/translate/origins.h"

#include "src/nnef/walk.h"
#include "src/spec/input_facts.h"
#include "src/translate/emitter_state.h"
#include "src/translate/problems.h"

namespace t2n::ops {
namespace {

const ir::Node* node_of(const nnef::Assignment& statement, const Emitter::State& state) {
  for (const std::string_view name : nnef::assigned_names(statement.left)) {
    const auto note = state.notes.tensors.find(std::string(name));
    if (note == state.notes.tensors.end() || note->second.location < 0) continue;
    return state.location_nodes.at(static_cast<size_t>(note->second.location));
  }
  return nullptr;
}

}  // namespace

std::vector<const ir::Node*> statement_nodes(const nnef::Document& document, Emitter& emitter) {
  const std::vector<nnef::Assignment>& body = document.graph.body;
  std::vector<const ir::Node*> out(body.size(), nullptr);
  // Statements that the lowering adds precede the one that they are for.
  const ir::Node* next = nullptr;
  for (size_t i = body.size(); i-- > 0;) {
    if (spec::is_external(body[i].right)) continue;
    if (const ir::Node* const node = node_of(body[i], emitter.state())) next = node;
    out[i] = next;
  }
  return out;
}

void add_origins(nnef::Document& document, const ir::Graph& graph, Emitter& emitter) {
  if (!graph.attributes.contains(nnef::kOriginsOption)) return;
  const std::vector<const ir::Node*> nodes = statement_nodes(document, emitter);
  document.origins.resize(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i] != nullptr)
      document.origins[i] = {written_name(*nodes[i]), ir::node_where(graph, *nodes[i])};
}

}  // namespace t2n::ops
