// SPDX-License-Identifier: Apache-2.0
// A graph that is recorded operation by operation: its loops become scans when they end.
#include <doctest/doctest.h>

#include <regex>
#include <set>

#include "ir/loop_notes.h"
#include "src/diag/error.h"
#include "src/loops/finish.h"
#include "src/loops/iteration.h"
#include "src/loops/rerolling.h"
#include "tests/passes/support.h"

namespace t2n::passes {
namespace {

/// Appends the nodes of a graph to another one, as the tracer does: with names and numbers as they
/// come, and loops as the notes say.
class Recording {
 public:
  explicit Recording(const std::string& text) : source_(ir::parse(text)) {
    graph_.name = source_.name;
    graph_.scopes = source_.scopes;
    for (const ir::ValueId id : source_.inputs) graph_.inputs.push_back(add(id, name_of(id)));
    graph_.attributes[ir::kSampleSizes] = ir::Sizes();
    for (const auto& [symbol, size] : ir::sample_sizes(source_))
      if (symbol.axis_size() == nullptr || symbol.axis_size()->value == "x") sizes()[symbol] = size;
  }

  std::string run() {
    for (size_t i = 0; i <= source_.nodes.size(); ++i) {
      follow_ends(i);
      follow_begins(i);
      if (i < source_.nodes.size()) append(source_.nodes[i]);
    }
    for (size_t i = 0; i < source_.outputs.size(); ++i)
      graph_.outputs.push_back(rerolling_.materialised(ids_.at(source_.outputs[i]), {}));
    graph_.output_names = source_.output_names;
    check_names();
    loops::finish_loops(graph_, {});
    ir::verify(graph_, "test");
    return ir::print(graph_);
  }

  /// The operations that came into the graph since this was asked before.
  std::string added() {
    std::string out;
    for (const ir::Node& node : rerolling_.take_additions().nodes)
      out += cat(out.empty() ? "" : " ", ir::op_short_name(node.op));
    return out;
  }

  void append_all(size_t from, size_t to) {
    for (size_t i = from; i < to; ++i) append(source_.nodes[i]);
  }
  loops::Rerolling& rerolling() { return rerolling_; }
  ir::ValueId value(const std::string& name) const {
    for (const auto& [id, recorded] : ids_)
      if (name_of(id) == name) return recorded;
    return ir::kNoValue;
  }

 private:
  using Notes = std::vector<ir::UnrolledLoop>;

  const std::string& name_of(ir::ValueId id) const {
    return source_.values[static_cast<size_t>(id)].name;
  }
  Notes notes() const { return std::any_cast<Notes>(source_.attributes.at(ir::kUnrolledLoops)); }

  ir::Sizes& sizes() { return std::any_cast<ir::Sizes&>(graph_.attributes[ir::kSampleSizes]); }

  ir::ValueId add(ir::ValueId id, const std::string& name) {
    ir::Value value = source_.values[static_cast<size_t>(id)];
    value.name = naming_.value(name);
    names_[source_.values[static_cast<size_t>(id)].name] = value.name;
    return ids_[id] = ir::add_value(graph_, value);
  }

  /// The size under the name that the value has here.
  ir::Dim renamed(const ir::Dim& dim) {
    return dim.substitute([&](const ir::Symbol& symbol) -> std::optional<ir::Dim> {
      if (symbol.axis_size() == nullptr) return std::nullopt;
      const ir::Symbol here =
          ir::Symbol::AxisSize{names_.at(symbol.axis_size()->value), symbol.axis_size()->axis};
      sizes()[here] = ir::sample_sizes(source_).at(symbol);
      return ir::Dim::symbol(here);
    });
  }

  /// No name stood for two values: the program may still hold the size of either.
  void check_names() const {
    std::set<std::string> seen;
    for (const ir::Value& value : graph_.values) {
      CAPTURE(value.name);
      CHECK(seen.insert(value.name).second);
    }
  }

  void append(ir::Node node) {
    for (ir::Argument& arg : node.args) {
      ir::change_refs(arg.value, [&](ir::ValueId& id) { id = ids_.at(id); });
      for (ir::Dim& dim : ir::dims(arg.value)) dim = renamed(dim);
    }
    const std::string op(ir::op_short_name(node.op));
    node.call = naming_.call(node.scope, op);
    for (ir::ValueId& id : node.outputs) id = add(id, op);
    rerolling_.append(std::move(node));
  }

  void follow_ends(size_t at) {
    for (const ir::UnrolledLoop& note : notes())
      for (size_t i = 1; i < note.bounds.size(); ++i) {
        if (note.bounds[i] != at) continue;
        rerolling_.end_iteration();
        if (i + 1 == note.bounds.size()) rerolling_.end_loop(note.length, {});
      }
  }

  void follow_begins(size_t at) {
    const Notes all = notes();
    for (auto note = all.rbegin(); note != all.rend(); ++note)
      if (note->bounds[0] == at) rerolling_.begin_loop(note->number);
  }

  const ir::Graph source_;
  ir::Graph graph_;
  ir::Naming naming_;
  loops::Rerolling rerolling_{graph_, naming_};
  std::map<ir::ValueId, ir::ValueId> ids_;  ///< of the source, in the graph
  std::map<std::string, std::string> names_;
};

std::string recorded(const std::string& text) { return Recording(text).run(); }

/// Without " as tanh_3": the pass leaves operations the numbers that they have.
std::string without_numbers(const std::string& text) {
  return std::regex_replace(text, std::regex(" as [a-z_]+_[0-9]+"), "");
}

/// "tanh", "tanh_1", "tanh_2"…, as results are named.
std::string numbered(const std::string& stem, int64_t number) {
  return number == 0 ? stem : cat(stem, "_", number);
}

/// `count` iterations of h = tanh(x[:, t] + h), where the length is a size.
std::string counted_recurrence(int64_t count, const std::string& outputs, const std::string& rest) {
  std::string nodes, bounds = "0", h = "h";
  for (int64_t i = 0; i < count; ++i) {
    const std::string s = numbered("select", i), a = numbered("add", i), t = numbered("tanh", i);
    nodes += cat("  %", s, ": f32[2] = aten::select.int(self=%x, dim=1, index=iteration.0)\n",
                 "  %", a, ": f32[2] = aten::add.Tensor(self=%", s, ", other=%", h, ", alpha=1)\n",
                 "  %", t, ": f32[2] = aten::tanh(self=%", a, ")\n");
    h = t;
    bounds += cat(" ", 3 * (i + 1));
  }
  return cat("graph m(%x: f32[2,", count, "], %h: f32[2]) -> (", outputs, ") {\n",
             "  attribute sample_sizes: sizes = size.x.1=", count, "\n",
             "  attribute unrolled_loops: loops = 0 iteration.0 = size.x.1: ", bounds, "\n", nodes,
             rest, "}\n");
}

TEST_CASE("a loop that is rolled when it ends is the one that the pass makes of its iterations") {
  for (const auto& [outputs, rest] : std::initializer_list<std::pair<const char*, const char*>>{
           {"%tanh_3 as \"h\"", ""},
           {"%relu as \"y\"", "  %relu: f32[2] = aten::relu(self=%tanh_3)\n"},
           {"%relu as \"y\"", "  %relu: f32[2] = aten::relu(self=%tanh)\n"},
           {"%stack as \"y\", %tanh_3 as \"h\"",
            "  %stack: f32[2,4] = aten::stack(tensors=[%tanh, %tanh_1, %tanh_2, %tanh_3], "
            "dim=1)\n"},
           {"%cat as \"y\"",
            "  %cat: f32[8] = aten::cat(tensors=[%tanh_3, %tanh_2, %tanh_1, %tanh], "
            "dim=0)\n"},
           {"%cat as \"y\"",
            "  %cat: f32[6] = aten::cat(tensors=[%tanh_1, %tanh_2, %tanh_3], dim=0)\n"}}) {
    const std::string text = counted_recurrence(4, outputs, rest);
    CAPTURE(rest);
    CHECK_EQ(without_numbers(recorded(text)), without_numbers(after("roll-loops", text)));
  }
}

TEST_CASE("the first iteration apart: the body has the names and sizes of the second") {
  const std::string text = R"(graph m(%x: f32[2], %h: f32[2]) -> (%view_2 as "y") {
  attribute sample_sizes: sizes = S=4, size.add.0=2, size.add_1.0=2, size.add_2.0=2
  attribute unrolled_loops: loops = 0 iteration.0 = S: 0 1 4 7 10
  %tanh: f32[2] = aten::tanh(self=%h)
  %add: f32[2] = aten::add.Tensor(self=%x, other=%tanh, alpha=1)
  %tanh_1: f32[2] = aten::tanh(self=%add)
  %view: f32[2] = aten::view(self=%tanh_1, size=[size.add.0])
  %add_1: f32[2] = aten::add.Tensor(self=%x, other=%view, alpha=1)
  %tanh_2: f32[2] = aten::tanh(self=%add_1)
  %view_1: f32[2] = aten::view(self=%tanh_2, size=[size.add_1.0])
  %add_2: f32[2] = aten::add.Tensor(self=%x, other=%view_1, alpha=1)
  %tanh_3: f32[2] = aten::tanh(self=%add_2)
  %view_2: f32[2] = aten::view(self=%tanh_3, size=[size.add_2.0])
}
)";
  CHECK_EQ(recorded(text), after("roll-loops", text));
  CHECK(recorded(text).find("size.add.0=2\n") != std::string::npos);
}

TEST_CASE("names and numbers of what follows do not depend on the number of iterations") {
  const auto text = [](int64_t count) {
    const std::string last = numbered("tanh", count - 1);
    std::string out = recorded(counted_recurrence(
        count, "%y as \"y\"", cat("  %y: f32[2] = aten::tanh(self=%", last, ")\n")));
    const std::string sizes = cat("2,", count, "]"), sample = cat("size.x.1=", count);
    out.replace(out.find(sizes), sizes.size(), "2,N]");
    out.replace(out.find(sample), sample.size(), "size.x.1=N");
    return out;
  };
  CHECK_EQ(text(3), R"(graph m(%x: f32[2,N], %h: f32[2]) -> (%tanh_1 as "y") {
  attribute sample_sizes: sizes = size.x.1=N
  %tanh_last: f32[2] = t2n::scan(length=size.x.1, scanned=[%x], scanned_axes=[1], scanned_reversed=[false], initial=[%h], captured=tensors[], stacked_axes=[], stacked_reversed=bools[]) as scan_0 body graph iteration(%turn: i64[], %select: f32[2], %h: f32[2]) -> (%tanh as "tanh") {
    %add: f32[2] = aten::add.Tensor(self=%select, other=%h, alpha=1) as add_0
    %tanh: f32[2] = aten::tanh(self=%add) as tanh_0
  }
  %tanh_1: f32[2] = aten::tanh(self=%tanh_last) as tanh_1
}
)");
  CHECK_EQ(text(5), text(3));
  CHECK_EQ(text(12), text(3));
}

TEST_CASE("what came into the graph: iterations as they are, and the scan once the loop ended") {
  Recording recording(counted_recurrence(3, "%tanh_2 as \"h\"", ""));
  loops::Rerolling& rerolling = recording.rerolling();
  const ir::Symbol number = [] {
    ir::Symbol out("");
    out.what.emplace<ir::Symbol::Iteration>(0);
    return out;
  }();
  rerolling.begin_loop(number);
  for (size_t i = 0; i < 3; ++i) {
    recording.append_all(3 * i, 3 * i + 3);
    CHECK_EQ(recording.added(), "select add tanh");
    const ir::ValueId h = recording.value(numbered("tanh", static_cast<int64_t>(i)));
    CHECK(rerolling.is_available(h));
    CHECK(h >= rerolling.iteration_begins());
    rerolling.end_iteration();
    CHECK_FALSE(rerolling.is_available(h));
    CHECK(h < rerolling.iteration_begins());
  }
  const ir::Dim length = ir::Dim::symbol(ir::Symbol::AxisSize{"x", 1});
  const loops::Rerolled rolled = rerolling.end_loop(length, {});
  CHECK_EQ(rolled.names.at("tanh_2<2>"), "tanh");
  CHECK(rolled.later.contains("add_1<1>"));
  CHECK_EQ(recording.added(), "scan");
  CHECK(rerolling.is_scan_result(recording.value("tanh_1")));
  CHECK_EQ(rerolling.origin(recording.value("tanh_1")).value().index, 1);
}

}  // namespace
}  // namespace t2n::passes
