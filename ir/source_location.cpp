// SPDX-License-Identifier: Apache-2.0
#include "ir/source_location.h"

#include <algorithm>
#include <any>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "ir/graph.h"
#include "src/diag/error.h"

namespace t2n::ir {
namespace {

/// Finds equal scopes and sources without a search. It is part of the graph, as an attribute that
/// is never printed; a hit is always compared, so a stale entry is harmless.
struct InternIndex {
  std::unordered_multimap<size_t, ScopeId> scopes;
  std::unordered_multimap<size_t, SourceId> sources;
};
constexpr const char* kInternIndex = "intern_index";

size_t mix(size_t seed, size_t value) { return (seed ^ value) * 0x9e3779b97f4a7c15U + (seed >> 7); }
size_t hash_text(std::string_view text) { return std::hash<std::string_view>{}(text); }

size_t hash_of(const Scope& scope) {
  return mix(mix(hash_text(scope.attribute), hash_text(scope.module_class)),
             static_cast<size_t>(scope.parent));
}

size_t hash_of(const Source& source) {
  size_t hash = hash_text(source.excerpt);
  for (const Frame& frame : source.frames)
    hash = mix(mix(mix(hash, hash_text(frame.file)), static_cast<size_t>(frame.line)),
               static_cast<size_t>(frame.column));
  return hash;
}

bool same(const Scope& a, const Scope& b) {
  return a.parent == b.parent && a.module_class == b.module_class && a.attribute == b.attribute;
}
bool same(const Source& a, const Source& b) { return a == b; }

/// Brings the index up to date with items that were added without it, then finds or adds `item`.
template <typename Item>
int32_t intern(std::vector<Item>& items, std::unordered_multimap<size_t, int32_t>& index,
               Item item) {
  if (index.size() > items.size()) index.clear();
  for (size_t i = index.size(); i < items.size(); ++i)
    index.emplace(hash_of(items[i]), static_cast<int32_t>(i));
  const size_t hash = hash_of(item);
  const auto [begin, end] = index.equal_range(hash);
  for (auto it = begin; it != end; ++it)
    if (same(items[it->second], item)) return it->second;
  const auto id = static_cast<int32_t>(items.size());
  items.push_back(std::move(item));
  index.emplace(hash, id);
  return id;
}

InternIndex& intern_index(Graph& graph) {
  std::any& slot = graph.attributes[kInternIndex];
  if (!slot.has_value()) slot = InternIndex{};
  return std::any_cast<InternIndex&>(slot);
}

/// Scopes from the root to `scope`.
std::vector<const Scope*> scope_chain(const Graph& graph, ScopeId scope) {
  std::vector<const Scope*> out;
  for (ScopeId id = scope; id >= 0; id = graph.scopes[id].parent)
    out.insert(out.begin(), &graph.scopes.at(id));
  return out;
}

}  // namespace

bool operator==(const Source& a, const Source& b) {
  const auto same_frame = [](const Frame& x, const Frame& y) {
    return x.line == y.line && x.column == y.column && x.file == y.file && x.function == y.function;
  };
  return a.caret == b.caret && a.caret_width == b.caret_width && a.excerpt == b.excerpt &&
         std::equal(a.frames.begin(), a.frames.end(), b.frames.begin(), b.frames.end(), same_frame);
}

ScopeId add_scope(Graph& graph, ScopeId parent, std::string module_class, std::string attribute) {
  return intern(graph.scopes, intern_index(graph).scopes,
                Scope{parent, std::move(module_class), std::move(attribute)});
}

SourceId add_source(Graph& graph, Source source) {
  return intern(graph.sources, intern_index(graph).sources, std::move(source));
}

std::string module_path(const Graph& graph, ScopeId scope) {
  std::string out;
  for (const Scope* level : scope_chain(graph, scope)) {
    if (level->attribute.empty()) continue;
    if (!out.empty()) out += '.';
    out += level->attribute;
  }
  return out;
}

std::string scope_address(const Graph& graph, ScopeId scope) {
  std::string out;
  for (const Scope* level : scope_chain(graph, scope)) {
    if (level->parent >= 0) out += '/';
    out += level->module_class;
    if (!level->attribute.empty()) out += "[" + level->attribute + "]";
  }
  return out;
}

std::string node_address(const Graph& graph, const Node& node) {
  return cat(scope_address(graph, node.scope), "/", op_short_name(node.op), "_", node.call);
}

Where node_where(const Graph& graph, const Node& node) {
  Where where;
  where.module = module_path(graph, node.scope);
  where.module_class = graph.scopes.at(node.scope).module_class;
  if (node.source == kNoSource) return where;
  const Source& source = graph.sources.at(node.source);
  where.frames = source.frames;
  where.excerpt = source.excerpt;
  where.caret = source.caret;
  where.caret_width = source.caret_width;
  return where;
}

}  // namespace t2n::ir
