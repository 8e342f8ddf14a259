// SPDX-License-Identifier: Apache-2.0
// The pass `roll-loops` replaces the loops that the attribute `unrolled_loops` notes by
// `t2n::scan`, inner loops first, and removes the attribute. Shapes are those of one run.
//
// All iterations of a loop except the first must be equal: the same operations with the same
// arguments. Their operands are the same in all iterations, consecutive slices of one tensor, or
// results of the same or the previous iteration. Arguments may depend on the iteration number, as
// its symbol or as numbers in equal steps. A later stack or cat of all iterations reads a stacked
// output; a reader of the last iteration reads a state.
//
// A loop of constant length without these properties stays unrolled, as does one that depends on no
// input. Errors: `dynamic-loop` if the length is an expression over sizes, `ir-invalid` for
// notes that do not fit the graph.
#include <algorithm>
#include <set>

#include "ir/loop_notes.h"
#include "ir/op_traits.h"
#include "src/diag/error.h"
#include "src/loops/finish.h"
#include "src/loops/iteration.h"
#include "src/loops/numbers.h"
#include "src/loops/passes.h"
#include "src/loops/rerolling.h"

namespace t2n::loops {
namespace {

using ir::Graph;
using ir::Node;
using Notes = std::vector<ir::UnrolledLoop>;

/// An event before a node: a loop begins, one of its iterations ends, or the loop ends.
struct Event {
  enum class Kind { begin, iteration, end };
  Kind kind = Kind::begin;
  size_t note = 0;
};

[[noreturn]] void refuse_notes() {
  throw Error("ir-invalid", "the notes of unrolled loops do not fit the graph");
}

/// Events by the node they precede. At one position, loops end before others begin.
std::vector<std::vector<Event>> events_of(const Notes& notes, size_t nodes) {
  std::vector<std::vector<Event>> out(nodes + 1);
  const auto add_ends = [&](size_t i, bool at_begin) {
    const std::vector<size_t>& bounds = notes[i].bounds;
    for (size_t at = 1; at < bounds.size(); ++at)
      if ((bounds[at] == bounds[0]) == at_begin)
        out[bounds[at]].push_back({Event::Kind::iteration, i});
    if (!at_begin) out[bounds.back()].push_back({Event::Kind::end, i});
  };
  const auto is_empty = [&](size_t i) { return notes[i].bounds.front() == notes[i].bounds.back(); };
  for (size_t i = 0; i < notes.size(); ++i) {
    const std::vector<size_t>& bounds = notes[i].bounds;
    if (bounds.size() < 2 || !std::is_sorted(bounds.begin(), bounds.end()) || bounds.back() > nodes)
      refuse_notes();
    if (!is_empty(i)) add_ends(i, false);
  }
  for (size_t i = notes.size(); i-- > 0;) {
    if (is_empty(i)) continue;
    out[notes[i].bounds[0]].push_back({Event::Kind::begin, i});
    add_ends(i, true);
  }
  return out;
}

/// In loops of constant length, arguments are numbers and may remain so.
void check_numbers(const Graph& graph, const Notes& notes) {
  for (const ir::UnrolledLoop& note : notes)
    for (size_t i = note.bounds.front(); note.length.is_constant() && i < note.bounds.back(); ++i)
      if (mentions(graph.nodes[i], note.number)) refuse_notes();
}

/// Appends the nodes of a graph again, operation by operation.
class Replay {
 public:
  /// `kept`: loops of the program that stay unrolled.
  Replay(Graph& graph, const Notes& notes, const std::set<int64_t>& kept)
      : graph_(graph), notes_(notes), kept_(kept), rerolling_(graph, naming_) {
    naming_.take(graph);
  }

  /// Returns true if a loop became a scan.
  bool run() {
    const auto events = events_of(notes_, graph_.nodes.size());
    check_numbers(graph_, notes_);
    const std::vector<Node> nodes = std::exchange(graph_.nodes, {});
    for (size_t i = 0; i <= nodes.size(); ++i) {
      for (const Event& event : events[i]) handle(event);
      if (i < nodes.size()) rerolling_.append(nodes[i]);
    }
    if (!open_.empty()) refuse_notes();
    for (ir::ValueId& id : graph_.outputs) id = rerolling_.materialised(id, {});
    if (!rerolled_.empty()) finish_loops(graph_, {});
    return !rerolled_.empty();
  }

  /// After an error: the last loop that became a scan, or the one that failed to.
  std::optional<int64_t> last_rerolled() const {
    return rerolled_.empty() ? std::nullopt : std::optional(notes_[rerolled_.back()].loop);
  }
  bool is_static() const {
    return std::all_of(rerolled_.begin(), rerolled_.end(),
                       [&](size_t i) { return notes_[i].length.is_constant(); });
  }

 private:
  void handle(const Event& event) {
    const ir::UnrolledLoop& note = notes_[event.note];
    if (kept_.contains(note.loop)) return;
    if (event.kind == Event::Kind::begin) {
      open_.push_back(event.note);
      for (const LoopRecord& outer : rerolling_.open())
        if (outer.number == note.number) refuse_notes();
      rerolling_.begin_loop(note.number);
      return;
    }
    if (open_.empty() || open_.back() != event.note) refuse_notes();
    if (event.kind == Event::Kind::iteration) return rerolling_.end_iteration();
    open_.pop_back();
    rerolled_.push_back(event.note);
    const LoopRecord& loop = rerolling_.open().back();
    const ir::Location location = location_of(loop);
    if (note.length.is_constant()) {
      if (!depends_on_inputs(loop))
        refuse_loop(graph_, Node(), "its iterations compute the same whatever the inputs are", "");
      name_numbers(graph_, loop);
    }
    rerolling_.end_loop(note.length, location);
  }

  /// True if the iterations depend on the inputs. Otherwise constant folding computes them.
  bool depends_on_inputs(const LoopRecord& loop) const {
    std::vector<bool> depends(graph_.values.size());
    for (const ir::ValueId id : graph_.inputs) depends[id] = true;
    for (size_t i = 0; i < loop.bounds.back(); ++i) {
      bool reads = ir::is_unpredictable(graph_.nodes[i].op);
      ir::for_each_input(graph_.nodes[i], [&](ir::ValueId id) {
        if (id == ir::kNoValue) return;
        reads = reads || depends[rerolling_.resolved(id)] || rerolling_.is_scan_result(id);
      });
      if (reads && i >= loop.bounds.front()) return true;
      for (const ir::ValueId id : graph_.nodes[i].outputs) depends[id] = reads;
    }
    return false;
  }

  /// The module that contains all iterations.
  ir::Location location_of(const LoopRecord& loop) const {
    ir::Location out;
    bool is_first = true;
    for (size_t i = loop.bounds.front(); i < loop.bounds.back(); ++i) {
      const Node& node = graph_.nodes[i];
      if (is_first) out = {node.scope, node.source};
      is_first = false;
      while (!is_in(node.scope, out.scope)) out.scope = graph_.scopes[out.scope].parent;
    }
    return out;
  }

  bool is_in(ir::ScopeId scope, ir::ScopeId outer) const {
    for (; scope >= 0; scope = graph_.scopes[scope].parent)
      if (scope == outer) return true;
    return false;
  }

  Graph& graph_;
  const Notes& notes_;
  const std::set<int64_t>& kept_;
  ir::Naming naming_;
  Rerolling rerolling_;
  std::vector<size_t> open_;
  std::vector<size_t> rerolled_;
};

/// Rerolls the noted loops. Returns true if one became a scan.
bool reroll_noted(Graph& graph, const Notes& notes) {
  for (std::set<int64_t> kept;;) {
    Graph copy = graph;
    Replay replay(copy, notes, kept);
    try {
      const bool changed = replay.run();
      if (changed) graph = std::move(copy);
      return changed;
    } catch (const Error& error) {
      // A loop that cannot become a scan, or whose scan is read in an unsupported way, stays
      // unrolled.
      const std::string& id = error.diagnostic().id;
      if ((id != "dynamic-loop" && id != "short-loop") || !replay.is_static()) throw;
      kept.insert(replay.last_rerolled().value());
    }
  }
}

}  // namespace

bool roll_loops(ir::Graph& graph, const passes::PassContext&) {
  const auto attribute = graph.attributes.find(ir::kUnrolledLoops);
  if (attribute == graph.attributes.end()) return false;
  const auto notes = std::any_cast<Notes>(std::move(attribute->second));
  graph.attributes.erase(attribute);
  reroll_noted(graph, notes);
  return true;
}

}  // namespace t2n::loops
