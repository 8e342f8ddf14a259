// SPDX-License-Identifier: Apache-2.0
// A call ends where a node would read, through nodes outside, what the call has computed.
#include "src/picture/calls.h"

#include <algorithm>
#include <map>
#include <utility>

#include "src/diag/error.h"

namespace t2n::picture {
namespace {

class CallSplitter {
 public:
  explicit CallSplitter(Picture& picture) : picture_(picture), inputs_(picture.nodes.size()) {
    for (const Edge& edge : picture.edges) inputs_[edge.to].push_back(edge.from);
  }

  /// Outer groups first; copies of inner ones come after them.
  void run() {
    for (size_t group = 1; group < picture_.groups.size(); ++group) {
      const std::vector<size_t> inside = nodes_in_groups()[group];
      if (picture_.groups[group].type != "loop") split(group, inside);
    }
  }

 private:
  /// By group: the nodes in it and in groups inside, in order. Made again only if groups changed.
  const std::vector<std::vector<size_t>>& nodes_in_groups() {
    if (!is_stale_) return nodes_;
    nodes_.assign(picture_.groups.size(), {});
    for (size_t i = 0; i < picture_.nodes.size(); ++i)
      for (size_t group = picture_.nodes[i].group; group != 0; group = parent(group))
        nodes_[group].push_back(i);
    is_stale_ = false;
    return nodes_;
  }

  size_t parent(size_t group) const { return picture_.groups[group].parent; }

  void split(size_t group, const std::vector<size_t>& inside) {
    if (inside.empty() || inside.back() - inside.front() + 1 == inside.size()) return;
    const size_t first = inside.front();
    std::vector<bool> is_inside(inside.back() - first + 1, false);
    for (const size_t node : inside) is_inside[node - first] = true;
    std::vector<bool> depends(is_inside.size(), false);  // outside, on the current call
    size_t begin = first;
    size_t call = 0;
    for (size_t node = first; node <= inside.back(); ++node) {
      const auto reads = [&](bool through_outside) {
        return std::any_of(inputs_[node].begin(), inputs_[node].end(), [&](size_t from) {
          if (from < begin || from >= node) return false;
          return is_inside[from - first] ? !through_outside : depends[from - first];
        });
      };
      if (!is_inside[node - first]) {
        depends[node - first] = reads(true) || reads(false);
        continue;
      }
      if (reads(true)) {
        begin = node;
        ++call;
      }
      if (call > 0) picture_.nodes[node].group = copied(group, picture_.nodes[node].group, call);
    }
    is_stale_ = is_stale_ || call > 0;
    copies_.clear();
  }

  /// The group `inner`, which is in `outer`, in the copy of `outer` for a call.
  size_t copied(size_t outer, size_t inner, size_t call) {
    const auto [found, is_new] = copies_.try_emplace({inner, call}, 0);
    if (!is_new) return found->second;
    Group copy = picture_.groups[inner];
    if (inner == outer)
      copy.name = cat(copy.name, " (", call + 1, ")");
    else
      copy.parent = copied(outer, copy.parent, call);
    picture_.groups.push_back(std::move(copy));
    return copies_[{inner, call}] = picture_.groups.size() - 1;
  }

  Picture& picture_;
  std::vector<std::vector<size_t>> inputs_;             ///< by node
  std::vector<std::vector<size_t>> nodes_;              ///< by group
  std::map<std::pair<size_t, size_t>, size_t> copies_;  ///< of the group that is split
  bool is_stale_ = true;
};

}  // namespace

void split_calls(Picture& picture) { CallSplitter(picture).run(); }

}  // namespace t2n::picture
