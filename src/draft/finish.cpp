// SPDX-License-Identifier: Apache-2.0
// Finishes a document: its results, removal of dead statements, and final names.
#include <iterator>
#include <utility>

#include "src/draft/draft.h"

namespace t2n::draft {

Ref Draft::own_identifier(Ref ref, std::set<int>& named, const std::function<Ref(Ref)>& copied) {
  // A second copy of the same tensor must copy the first copy: equal calls are one.
  while (at(ref).is_input || named.contains(ref.id)) ref = copied(ref);
  named.insert(ref.id);
  return ref;
}

void Draft::drop_dead() {
  std::vector<bool> is_live(entries.size());
  for (const Ref ref : outputs) is_live[ref.id] = true;
  for (size_t i = 0; i < entries.size(); ++i)
    if (entries[i].is_input) is_live[i] = true;
  std::set<std::string> dead_labels;
  auto& body = document.graph.body;
  std::vector<nnef::Assignment> live;
  for (auto statement = body.rbegin(); statement != body.rend(); ++statement) {
    bool is_needed = false;
    for_each_id(statement->left, [&](int id) { is_needed = is_needed || is_live[id]; });
    if (is_needed) {
      for_each_id(statement->right, [&](int id) { is_live[id] = true; });
      live.push_back(std::move(*statement));
    } else if (statement->right.text == "variable") {
      dead_labels.insert(statement->right.arguments.at(0).value.text);
    }
  }
  body.assign(std::make_move_iterator(live.rbegin()), std::make_move_iterator(live.rend()));
  std::erase_if(document.blobs,
                [&](const nnef::Blob& blob) { return dead_labels.contains(blob.label); });
}

void Draft::resolve_names(const std::vector<std::string>& symbols) {
  nnef::UniqueNames names;
  for (const std::string& symbol : symbols) names.reserve(symbol);
  const auto resolve = [&](TensorEntry& entry, const std::string& name) {
    if (!entry.text.empty()) return;
    entry.text = names.claim(nnef::identifier_for(name));
    notes.tensors[entry.text] = {entry.dtype,    entry.shape,      entry.name,
                                 entry.location, entry.is_claimed, entry.is_positions};
  };
  const auto rename = [&](nnef::Value& value) {
    if (value.kind != nnef::Kind::reference) return;
    TensorEntry& entry = entries[value.integer];
    resolve(entry, entry.name);
    value = nnef::identifier(entry.text);
  };
  for (const Ref ref : inputs) resolve(at(ref), at(ref).name);
  for (size_t i = 0; i < outputs.size(); ++i)
    resolve(at(outputs[i]), i < notes.results.size() ? notes.results[i] : at(outputs[i]).name);
  for (nnef::Assignment& statement : document.graph.body) {
    nnef::walk(statement.left, rename);
    nnef::walk(statement.right, rename);
  }
  note_codes();
}

/// In graph.quant: the floats equal the stored integers.
void Draft::note_codes() {
  for (const auto& [variable, dtype] : codes_) {
    if (at(variable).text.empty()) continue;  // nothing reads it
    document.quant.push_back(
        {at(variable).text, nnef::invocation("zero_point_linear_quantize",
                                             {{"zero_point", nnef::integer(0)},
                                              {"scale", nnef::scalar(1)},
                                              {"bits", nnef::integer(8)},
                                              {"signed", nnef::logical(dtype == DType::i8)},
                                              {"symmetric", nnef::logical(false)}})});
  }
}

}  // namespace t2n::draft
