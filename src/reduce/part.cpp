// SPDX-License-Identifier: Apache-2.0
#include "src/reduce/part.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "ir/loop_notes.h"
#include "src/diag/error.h"
#include "src/nnef/names.h"
#include "src/passes/passes.h"
#include "src/translate/integer_range.h"

namespace t2n::reduce {
namespace {

/// Values are kept up to this size; beyond it, the graph runs again for each part.
constexpr int64_t kMostBytes = int64_t{1} << 30;

int64_t bytes_of_values(const ir::Graph& graph) {
  int64_t sum = 0;
  for (const ir::Value& value : graph.values) {
    int64_t count = ir::dtype_size(value.dtype);
    for (const ir::Dim& dim : value.shape) count *= dim.is_constant() ? dim.value() : 1;
    sum += count;
  }
  return sum;
}

/// Builds the graph of some operations.
class Builder {
 public:
  Builder(const ir::Graph& graph, const Nodes& nodes) : graph_(graph), nodes_(nodes) {
    for (const size_t node : nodes)
      for (const ir::ValueId id : graph.nodes[node].outputs) computed_.insert(id);
  }

  std::optional<Part> build() {
    Part& out = part_;
    out.graph.name = graph_.name;
    out.graph.scopes = graph_.scopes;
    out.graph.sources = graph_.sources;
    add_inputs();
    for (const size_t index : nodes_) add_node(graph_.nodes[index]);
    add_outputs();
    if (out.graph.outputs.empty()) return std::nullopt;
    add_attributes();
    return std::move(out);
  }

 private:
  /// First those of the graph, in its order.
  void add_inputs() {
    std::set<ir::ValueId> read;
    std::vector<ir::ValueId> cut;
    const std::set<ir::ValueId> own(graph_.inputs.begin(), graph_.inputs.end());
    std::map<ir::ValueId, const ir::Constant*> constants;
    for (const ir::Constant& constant : graph_.constants) constants[constant.value] = &constant;
    for (const size_t index : nodes_)
      ir::for_each_input(graph_.nodes[index], [&](ir::ValueId id) {
        if (computed_.contains(id) || !read.insert(id).second) return;
        if (const auto constant = constants.find(id); constant != constants.end())
          part_.graph.constants.push_back({copy(id), constant->second->data});
        else if (!own.contains(id))
          cut.push_back(id);
      });
    for (const ir::ValueId id : graph_.inputs)
      if (read.contains(id)) add_input(id);
    for (const ir::ValueId id : cut) {
      add_input(id);
      std::string& name = part_.graph.values[part_.graph.inputs.back()].name;
      name = input_name(name);
    }
  }

  /// A name without dots, which --input would read as a path.
  std::string input_name(const std::string& name) {
    if (names_.empty())
      for (const ir::Value& value : graph_.values) names_.insert(value.name);
    const std::string plain = nnef::identifier_for(name);
    std::string out = plain;
    for (int i = 1; out != name && !names_.insert(out).second; ++i) out = cat(plain, "_", i);
    return out;
  }

  void add_input(ir::ValueId id) {
    part_.graph.inputs.push_back(copy(id));
    part_.input_ids.push_back(id);
  }

  void add_node(const ir::Node& node) {
    ir::Node out = node;
    for (ir::Argument& argument : out.args)
      ir::change_refs(argument.value, [&](ir::ValueId& id) { id = copies_.at(id); });
    for (ir::ValueId& id : out.outputs) id = copy(id);
    part_.graph.nodes.push_back(std::move(out));
  }

  void add_outputs() {
    std::set<ir::ValueId> inside, outside;
    const std::set<size_t> kept(nodes_.begin(), nodes_.end());
    for (size_t i = 0; i < graph_.nodes.size(); ++i)
      ir::for_each_input(graph_.nodes[i],
                         [&](ir::ValueId id) { (kept.contains(i) ? inside : outside).insert(id); });
    for (size_t i = 0; i < graph_.outputs.size(); ++i)
      if (computed_.contains(graph_.outputs[i]))
        add_output(graph_.outputs[i], graph_.output_names[i]);
    for (const size_t index : nodes_)
      for (const ir::ValueId id : graph_.nodes[index].outputs)
        if (outside.contains(id) && !inside.contains(id)) add_output(id, graph_.values[id].name);
  }

  void add_output(ir::ValueId id, const std::string& name) {
    if (std::find(part_.output_ids.begin(), part_.output_ids.end(), id) != part_.output_ids.end())
      return;
    part_.output_ids.push_back(id);
    part_.graph.outputs.push_back(copies_.at(id));
    part_.graph.output_names.push_back(name);
  }

  /// Notes about other operations and inputs are left out.
  void add_attributes() {
    const bool is_all = nodes_.size() == graph_.nodes.size();
    for (const auto& [name, value] : graph_.attributes) {
      if (!is_all && (name == ir::kUnrolledLoops || name == ir::kRuntimeAssertions)) continue;
      part_.graph.attributes[name] = value;
    }
    const auto found = part_.graph.attributes.find(ops::kInputRanges);
    if (found == part_.graph.attributes.end()) return;
    auto ranges = std::any_cast<ops::InputRanges>(found->second);
    const std::vector<std::string> names = ir::input_names(part_.graph);
    std::erase_if(ranges, [&](const auto& range) {
      return std::find(names.begin(), names.end(), range.first) == names.end();
    });
    part_.graph.attributes.erase(found);
    if (!ranges.empty()) part_.graph.attributes[ops::kInputRanges] = std::move(ranges);
  }

  ir::ValueId copy(ir::ValueId id) {
    const auto [found, is_new] = copies_.try_emplace(id, ir::kNoValue);
    if (is_new) found->second = ir::add_value(part_.graph, graph_.values[id]);
    return found->second;
  }

  const ir::Graph& graph_;
  const Nodes& nodes_;
  std::set<ir::ValueId> computed_;
  std::set<std::string> names_;  ///< of values; empty: not collected yet
  std::map<ir::ValueId, ir::ValueId> copies_;
  Part part_;
};

}  // namespace

Subject::Subject(ir::Graph graph, std::vector<ir::Tensor> inputs, ir::Sizes sizes,
                 const ir::Evaluator& evaluate)
    : graph_(std::move(graph)),
      inputs_(std::move(inputs)),
      sizes_(std::move(sizes)),
      evaluate_(evaluate) {
  const ir::Graph sized = passes::at_sizes(graph_, sizes_);
  if (bytes_of_values(sized) > kMostBytes) return;
  std::vector<ir::ValueId> every(graph_.values.size());
  std::iota(every.begin(), every.end(), 0);
  values_ = values_of(every);
  can_run_ = !values_.empty() || every.empty();
}

Nodes Subject::all() const {
  Nodes out(graph_.nodes.size());
  std::iota(out.begin(), out.end(), size_t{0});
  return out;
}

std::optional<Part> Subject::part(const Nodes& nodes) const {
  std::optional<Part> out = Builder(graph_, nodes).build();
  if (!out) return out;
  if (!values_.empty()) {
    for (const ir::ValueId id : out->input_ids) out->inputs.push_back(values_.at(id));
  } else if (can_run_) {
    out->inputs = values_of(out->input_ids);
  }
  if (out->inputs.size() != out->input_ids.size()) {
    out->inputs.clear();
    for (const ir::ValueId id : out->graph.inputs) {
      ir::Tensor& tensor = out->inputs.emplace_back();
      tensor.dtype = out->graph.values[id].dtype;
    }
  }
  return out;
}

/// Empty if the graph cannot run operation by operation.
std::vector<ir::Tensor> Subject::values_of(const std::vector<ir::ValueId>& ids) const {
  if (!evaluate_ || inputs_.size() != graph_.inputs.size()) return {};
  ir::Graph graph = passes::at_sizes(graph_, sizes_);
  graph.outputs = ids;
  try {
    return ir::run_graph(graph, inputs_, evaluate_);
  } catch (const Error& error) {
    if (error.code() == ExitCode::timeout) throw;
    return {};
  }
}

size_t operations(const ir::Graph& graph) {
  size_t out = graph.nodes.size();
  for (const ir::Node& node : graph.nodes)
    if (node.body) out += operations(*node.body);
  return out;
}

int64_t elements(const Part& part) {
  int64_t out = 0;
  for (const ir::Tensor& tensor : part.inputs) out += tensor.elements();
  for (const ir::Constant& constant : part.graph.constants) out += constant.data.elements();
  return out;
}

}  // namespace t2n::reduce
