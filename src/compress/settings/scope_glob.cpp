// SPDX-License-Identifier: Apache-2.0
#include "src/compress/settings/scope_glob.h"

#include <algorithm>

#include "src/diag/error.h"

namespace t2n::compress {

std::optional<int> matched_depth(const ir::Graph& graph, const ir::Node& node,
                                 std::string_view glob) {
  if (glob.empty()) return 0;
  std::vector<ir::ScopeId> path;
  for (ir::ScopeId at = node.scope; at >= 0; at = graph.scopes[at].parent) path.push_back(at);
  std::reverse(path.begin(), path.end());
  // '*' matches modules inside the model, not the model itself.
  for (size_t i = is_glob(glob) ? 1 : 0; i < path.size(); ++i)
    if (glob_matches(glob, ir::module_path(graph, path[i])) ||
        glob_matches(glob, ir::scope_address(graph, path[i])))
      return static_cast<int>(i);
  if (glob_matches(glob, ir::node_address(graph, node))) return static_cast<int>(path.size());
  return std::nullopt;
}

bool names_any(const ir::Graph& graph, std::string_view glob) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const ir::Node& node) {
    return matched_depth(graph, node, glob) || (node.body && names_any(*node.body, glob));
  });
}

std::string hint_of_scopes(const ir::Graph& graph, std::string_view glob) {
  std::vector<std::string> names;
  const bool is_address = glob.find('/') != std::string_view::npos;
  for (const ir::Node& node : graph.nodes)
    names.push_back(is_address ? ir::scope_address(graph, node.scope)
                               : ir::module_path(graph, node.scope));
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::erase(names, "");
  std::string text(glob);
  std::erase(text, '*');
  std::vector<std::string> near;
  constexpr size_t kMost = 3;
  if (const std::string first = nearest(text, names); !first.empty()) near.push_back(quoted(first));
  for (const std::string& name : names)
    if (near.size() < kMost && name.find(text) != std::string::npos &&
        std::find(near.begin(), near.end(), quoted(name)) == near.end())
      near.push_back(quoted(name));
  if (names.empty()) return "the model has no modules";
  if (near.empty()) return "`t2nnef inspect MODEL.pt --graph` shows all modules";
  return cat("did you mean ", near.size() > 1 ? "one of these: " : "", joined(near, ", "), "?");
}

}  // namespace t2n::compress
