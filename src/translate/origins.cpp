#include "src/translate/origins.h"

#include "src/nnef/walk.h"
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

void add_origins(nnef::Document& document, const ir::Graph& graph, Emitter& emitter) {
  if (!graph.attributes.contains(nnef::kOriginsOption)) return;
  const std::vector<nnef::Assignment>& body = document.graph.body;
  document.origins.resize(body.size());
  // Statements that the lowering adds precede the one that they are for.
  const ir::Node* next = nullptr;
  for (size_t i = body.size(); i-- > 0;) {
    if (body[i].right.text.ends_with("external")) continue;
    if (const ir::Node* const node = node_of(body[i], emitter.state())) next = node;
    if (next != nullptr) document.origins[i] = {written_name(*next), ir::node_where(graph, *next)};
  }
}

}  // namespace t2n::ops
