// SPDX-License-Identifier: Apache-2.0
// The pass `unroll-scans` replaces a `t2n::scan` by its iterations, for targets without loops.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ir/scan.h"
#include "src/limits/unrolled.h"
#include "src/loops/passes.h"
#include "src/passes/rewrite.h"

namespace t2n::loops {
namespace {

using ir::Dim;
using ir::ValueId;
using Values = std::vector<ValueId>;

/// Inner loops come first. A loop that contains a scan remains a scan, too.
bool is_unrolled(const ir::Node& node) {
  if (!ir::is_scan(node)) return false;
  const Dim length = ir::read_scan(node).length;
  if (!length.is_constant() || length.value() > limits::kUnrolledIterations) return false;
  const std::vector<ir::Node>& nodes = node.body->nodes;
  return length.value() * static_cast<int64_t>(nodes.size()) <= limits::kUnrolledOperations &&
         std::none_of(nodes.begin(), nodes.end(), ir::is_scan);
}

/// A body while its iterations are copied.
struct UnrolledBody {
  const ir::Graph& graph;
  std::vector<ir::ScopeId> scopes;    ///< in the outer graph, by their index in the body
  std::vector<ir::SourceId> sources;  ///< likewise
  Values now;                         ///< for each body value, its copy in the current iteration
  std::vector<int> uses;

  ValueId& input(size_t i) { return now[graph.inputs[i]]; }
  bool reads(size_t i) const { return uses[graph.inputs[i]] > 0; }
  const ir::Value& value(ValueId id) const { return graph.values[id]; }
  ValueId output(size_t i) const { return now[graph.outputs[i]]; }
};

class Unroller {
 public:
  explicit Unroller(ir::Graph& graph) : graph_(graph), names_(graph), calls_(graph) {}

  void run() {
    std::vector<ir::Node> nodes = std::exchange(graph_.nodes, {});
    for (ir::Node& node : nodes)
      if (is_unrolled(node))
        unroll(node);
      else
        graph_.nodes.push_back(std::move(node));
    Values now(graph_.values.size());
    for (size_t i = 0; i < now.size(); ++i) now[i] = resolved(static_cast<ValueId>(i));
    ir::replace_uses(graph_, now);
    ir::remove_dead(graph_);
  }

 private:
  ValueId resolved(ValueId id) const {
    const auto found = last_.find(id);
    return found == last_.end() ? id : found->second;
  }

  void unroll(const ir::Node& node) {
    const ir::Scan scan = ir::read_scan(node);
    const size_t first_new = graph_.values.size();
    UnrolledBody body = opened(*node.body);
    for (size_t i = 0; i < scan.captured.size(); ++i)
      body.input(scan.captured_input(i)) = resolved(scan.captured[i]);
    Values states;
    for (const ValueId id : scan.initial) states.push_back(resolved(id));
    std::vector<Values> stacks(scan.stacked());
    for (int64_t i = 0; i < scan.length.value(); ++i) {
      read(node, scan, i, body);
      for (size_t s = 0; s < states.size(); ++s) body.input(scan.state_input(s)) = states[s];
      for (const ir::Node& each : body.graph.nodes) copy(each, body);
      for (size_t s = 0; s < stacks.size(); ++s) stacks[s].push_back(body.output(s));
      for (size_t s = 0; s < states.size(); ++s) states[s] = body.output(scan.state_output(s));
    }
    for (size_t s = 0; s < stacks.size(); ++s) {
      if (scan.stacked_reversed[s]) std::reverse(stacks[s].begin(), stacks[s].end());
      append(
          node, "aten::stack",
          {{"tensors", ir::TensorRefs{std::move(stacks[s])}}, {"dim", Dim(scan.stacked_axes[s])}},
          node.outputs[s]);
    }
    for (size_t s = 0; s < states.size(); ++s)
      define(node.outputs[scan.state_output(s)], states[s], first_new);
  }

  /// Copies the constants of a body once for all iterations.
  UnrolledBody opened(const ir::Graph& graph) {
    UnrolledBody out{
        graph, {0}, {}, Values(graph.values.size(), ir::kNoValue), ir::use_counts(graph)};
    for (size_t i = 1; i < graph.scopes.size(); ++i) {
      const ir::Scope& scope = graph.scopes[i];
      out.scopes.push_back(
          ir::add_scope(graph_, out.scopes.at(scope.parent), scope.module_class, scope.attribute));
    }
    for (const ir::Source& source : graph.sources)
      out.sources.push_back(ir::add_source(graph_, source));
    for (const ir::Constant& constant : graph.constants) {
      const ValueId id = value_like(out.value(constant.value));
      graph_.constants.push_back({id, constant.data});
      out.now[constant.value] = id;
    }
    return out;
  }

  /// Reads the iteration's number and its slices of the scanned tensors.
  void read(const ir::Node& node, const ir::Scan& scan, int64_t iteration, UnrolledBody& body) {
    if (body.reads(0)) body.input(0) = number(iteration, body.value(body.graph.inputs[0]).name);
    for (size_t i = 0; i < scan.scanned.size(); ++i) {
      const size_t input = scan.scanned_input(i);
      if (!body.reads(input)) continue;
      const int64_t index =
          scan.scanned_reversed[i] ? scan.length.value() - 1 - iteration : iteration;
      body.input(input) = value_like(body.value(body.graph.inputs[input]));
      append(node, "aten::select.int",
             {{"self", ir::TensorRef{resolved(scan.scanned[i])}},
              {"dim", Dim(scan.scanned_axes[i])},
              {"index", Dim(index)}},
             body.input(input));
    }
  }

  void copy(const ir::Node& node, UnrolledBody& body) {
    ir::Node copied = node;
    for (ir::Argument& arg : copied.args)
      ir::change_refs(arg.value, [&](ValueId& id) { id = body.now[id]; });
    for (ValueId& id : copied.outputs) id = body.now[id] = value_like(body.value(id));
    copied.scope = body.scopes[node.scope];
    if (node.source != ir::kNoSource) copied.source = body.sources[node.source];
    copied.call = calls_.take(copied.op, copied.scope);
    graph_.nodes.push_back(std::move(copied));
  }

  /// Appends an operation at the scan's location.
  void append(const ir::Node& scan, std::string_view op, std::vector<ir::Argument> args,
              ValueId output) {
    ir::Node added;
    added.op = ir::op_id(op);
    added.args = std::move(args);
    added.outputs = {output};
    added.scope = scan.scope;
    added.source = scan.source;
    added.call = calls_.take(added.op, added.scope);
    graph_.nodes.push_back(std::move(added));
  }

  ValueId value_like(ir::Value value) {
    value.name = names_.take(value.name);
    return ir::add_value(graph_, std::move(value));
  }

  ValueId number(int64_t iteration, const std::string& name) {
    const auto [entry, is_new] = numbers_.try_emplace(iteration, ir::kNoValue);
    if (is_new)
      entry->second =
          ir::add_constant(graph_, names_.take(name), ir::scalar_tensor(iteration, ir::DType::i64));
    return entry->second;
  }

  /// The last state gets the name of the scan's output, unless it is older than the loop or already
  /// has such a name.
  void define(ValueId scan_output, ValueId value, size_t first_new) {
    last_[scan_output] = value;
    if (static_cast<size_t>(value) >= first_new && named_.insert(value).second)
      std::swap(graph_.values[scan_output].name, graph_.values[value].name);
  }

  ir::Graph& graph_;
  passes::FreshNames names_;
  passes::FreshCalls calls_;
  std::unordered_map<ValueId, ValueId> last_;  ///< by the scan's output
  std::unordered_map<int64_t, ValueId> numbers_;
  std::unordered_set<ValueId> named_;
};

}  // namespace
}  // namespace t2n::loops

bool t2n::loops::unroll_scans(ir::Graph& graph, const passes::PassContext& context) {
  if (context.native.contains(ir::op_id(ir::kScanOp))) return false;
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(), loops::is_unrolled)) return false;
  loops::Unroller(graph).run();
  return true;
}
