// SPDX-License-Identifier: Apache-2.0
#include "src/model_file/nesting.h"

#include <algorithm>

#include "src/diag/error.h"

namespace t2n::model_file {
namespace {

using Id = Nesting::Id;

struct Measure {
  int depth = 0;
  uint64_t paths = 1;
};

/// Visits children before parents; throws for a cycle.
class Measurer {
 public:
  Measurer(const Nesting& nodes, const std::string& id, const std::string& what)
      : nodes_(nodes),
        id_(id),
        what_(what),
        state_(nodes.children.size()),
        measures_(nodes.children.size()) {}

  void run() {
    for (Id id = 1; id < nodes_.children.size(); ++id)
      if (state_[id] == State::fresh) visit(id);
  }

 private:
  enum class State : uint8_t { fresh, open, done };

  void visit(Id root) {
    std::vector<std::pair<Id, size_t>> path = {{root, 0}};
    state_[root] = State::open;
    while (!path.empty()) {
      auto& [id, next] = path.back();
      if (next == nodes_.children[id].size()) {
        finish(id);
        path.pop_back();
        continue;
      }
      const Id child = nodes_.children[id][next++];
      if (state_[child] == State::open)
        throw Error(id_, cat(what_, " cannot be read"), "a value in it contains itself");
      if (state_[child] == State::done) continue;
      state_[child] = State::open;
      path.emplace_back(child, 0);
    }
  }

  void finish(Id id) {
    Measure out;
    for (const Id child : nodes_.children[id]) {
      out.depth = std::max(out.depth, measures_[child].depth + 1);
      out.paths = std::min(out.paths + measures_[child].paths, kMaxPaths + 1);
    }
    if (out.depth > kMaxValueDepth)
      throw Error(id_, cat(what_, " cannot be read"),
                  cat("its values are nested more than ", kMaxValueDepth, " levels deep"));
    if (out.paths > kMaxPaths)
      throw Error(id_, cat(what_, " cannot be read"),
                  cat("counting shared values repeatedly, it has more than ", kMaxPaths));
    state_[id] = State::done;
    measures_[id] = out;
  }

  const Nesting& nodes_;
  const std::string& id_;
  const std::string& what_;
  std::vector<State> state_;
  std::vector<Measure> measures_;
};

}  // namespace

void check_nesting(const Nesting& nodes, const std::string& id, const std::string& what) {
  Measurer(nodes, id, what).run();
}

}  // namespace t2n::model_file
