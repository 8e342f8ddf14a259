// SPDX-License-Identifier: Apache-2.0
// An edge is a line of the innermost group that contains both ends, and passes ports of the groups
// that contain only one.
#include "src/picture/levels.h"

#include <map>
#include <set>
#include <utility>

namespace t2n::picture {
namespace {

class LevelBuilder {
 public:
  explicit LevelBuilder(const Picture& picture)
      : picture_(picture),
        levels_(picture.groups.size()),
        found_(picture.groups.size()),
        depth_(picture.groups.size(), 0) {}

  std::vector<Level> run() {
    for (size_t i = 1; i < depth_.size(); ++i) depth_[i] = depth_[picture_.groups[i].parent] + 1;
    for (size_t i = 0; i < picture_.nodes.size(); ++i)
      add_member({false, i}, picture_.nodes[i].group);
    for (size_t i = 1; i < picture_.groups.size(); ++i)
      add_member({true, i}, picture_.groups[i].parent);
    for (const Edge& edge : picture_.edges) add_edge(edge);
    for (size_t i = 0; i < levels_.size(); ++i) number_ports(i);
    return std::move(levels_);
  }

 private:
  /// One end of a line, while ports have no numbers.
  struct End {
    bool is_port = false;
    Member member;
    Port port;
    friend auto operator<=>(const End&, const End&) = default;
  };
  struct Found {
    std::map<Member, size_t> members;
    std::map<std::pair<End, End>, std::set<std::pair<size_t, size_t>>> lines;
  };

  void add_member(const Member& member, size_t group) {
    found_[group].members[member] = levels_[group].members.size();
    levels_[group].members.push_back(member);
  }

  void add_edge(const Edge& edge) {
    Member from{false, edge.from};
    Member to{false, edge.to};
    size_t from_group = picture_.nodes[edge.from].group;
    size_t to_group = picture_.nodes[edge.to].group;
    const auto leave = [&](Member& member, size_t& group, bool is_input) {
      const End port{true, {}, {edge.from, edge.result, is_input}};
      const End inner{false, member, {}};
      add_line(group, is_input ? port : inner, is_input ? inner : port, edge);
      member = {true, group};
      group = picture_.groups[group].parent;
    };
    while (from_group != to_group) {
      if (depth_[from_group] >= depth_[to_group])
        leave(from, from_group, false);
      else
        leave(to, to_group, true);
    }
    if (from != to) add_line(from_group, {false, from, {}}, {false, to, {}}, edge);
  }

  void add_line(size_t group, const End& from, const End& to, const Edge& edge) {
    found_[group].lines[{from, to}].insert({edge.from, edge.result});
  }

  void number_ports(size_t group) {
    Level& level = levels_[group];
    std::map<Port, size_t> ports;
    const auto number = [&](const End& end) {
      if (!end.is_port) return found_[group].members.at(end.member);
      const auto [found, is_new] =
          ports.try_emplace(end.port, level.members.size() + level.ports.size());
      if (is_new) level.ports.push_back(end.port);
      return found->second;
    };
    for (const auto& [ends, tensors] : found_[group].lines) {
      const size_t from = number(ends.first);
      const size_t to = number(ends.second);
      level.lines.push_back(
          {from, to, tensors.begin()->first, tensors.begin()->second, tensors.size()});
    }
  }

  const Picture& picture_;
  std::vector<Level> levels_;
  std::vector<Found> found_;
  std::vector<size_t> depth_;
};

}  // namespace

std::vector<Level> levels_of(const Picture& picture) { return LevelBuilder(picture).run(); }

}  // namespace t2n::picture
