// SPDX-License-Identifier: Apache-2.0
#include "src/export/graph_model.h"

#include <algorithm>
#include <set>
#include <utility>

#include "src/confine/confine.h"
#include "src/diag/error.h"
#include "src/dynamic/unbacked_sizes.h"
#include "src/export/graph_file.h"
#include "src/export/own_operators.h"
#include "src/export/quantised_model.h"
#include "src/extend/own_fragments.h"
#include "src/model/torch_module.h"
#include "src/samples/input_spec.h"
#include "src/samples/samples_at.h"
#include "src/translate/integer_range.h"

namespace t2n {
namespace {

/// The sizes of an input, for the sample values of its symbols.
ir::Ints sizes_of(const ir::Graph& graph, const ir::Value& value) {
  ir::Ints out;
  for (const ir::Dim& dim : value.shape) {
    const ir::Dim size = dim.substitute(ir::sample_sizes(graph));
    if (!size.is_constant())
      throw Error("input-missing",
                  cat("the size ", quoted(dim.str()), " of the input ", quoted(value.name),
                      " has no sample"),
                  {}, "add one to the graph: attribute sample_sizes: sizes = S=7");
    out.push_back(size.value());
  }
  return out;
}

void check_sample(const ir::Graph& graph, const ir::Value& value, const ir::Tensor& tensor) {
  const ir::Ints sizes = sizes_of(graph, value);
  if (tensor.dtype == value.dtype && tensor.shape == sizes) return;
  throw Error(
      "input-shape",
      cat("the sample of the input ", quoted(value.name), " is ", ir::dtype_name(tensor.dtype),
          ir::shape_str(ir::to_shape(tensor.shape))),
      cat("the graph takes ", ir::dtype_name(value.dtype), ir::shape_str(ir::to_shape(sizes))));
}

std::optional<trace::IntegerRange> range_of(const ir::Graph& graph, const std::string& name) {
  const auto found = graph.attributes.find(ops::kInputRanges);
  if (found == graph.attributes.end()) return std::nullopt;
  const auto& ranges = std::any_cast<const ops::InputRanges&>(found->second);
  const auto range = ranges.find(name);
  // A negative index counts from the end; non-negative ones are enough.
  if (range == ranges.end()) return std::nullopt;
  return trace::IntegerRange{std::max<int64_t>(range->second.first, 0), range->second.second};
}

/// Ranges that include negative numbers belong to indices, which may count from the end.
std::vector<std::optional<trace::IntegerRange>> index_ranges(const ir::Graph& graph) {
  std::vector<std::optional<trace::IntegerRange>> out(graph.inputs.size());
  const auto found = graph.attributes.find(ops::kInputRanges);
  if (found == graph.attributes.end()) return out;
  const auto& ranges = std::any_cast<const ops::InputRanges&>(found->second);
  const std::vector<std::string> names = ir::input_names(graph);
  for (size_t i = 0; i < names.size(); ++i)
    if (const auto range = ranges.find(names[i]); range != ranges.end() && range->second.first < 0)
      out[i] = range_of(graph, names[i]);
  return out;
}

/// What a check needs of the graph's symbols; nothing if it has none.
std::optional<dynamic::DynamicTrace> dynamic_trace(const ir::Graph& graph) {
  const ir::Sizes& sizes = ir::sample_sizes(graph);
  if (sizes.empty() && !dynamic::has_unbacked_sizes(graph)) return std::nullopt;
  std::set<int64_t> extents;
  for (const ir::Value& value : graph.values)
    for (const ir::Dim& dim : value.shape)
      if (const ir::Dim size = dim.substitute(sizes); size.is_constant())
        extents.insert(size.value());
  std::vector<ir::Shape> inputs;
  for (const ir::ValueId id : graph.inputs) inputs.push_back(graph.values[id].shape);
  return dynamic::DynamicTrace{.traced = {},
                               .inputs = std::move(inputs),
                               .relations = ir::relations(graph),
                               .runtime_assertions = ir::runtime_assertions(graph),
                               .sample = sizes,
                               .chooser = {sizes, ir::relations(graph), std::move(extents)}};
}

trace::ModelInfo info_of(const ir::Graph& graph) {
  trace::ModelInfo out;
  out.kind = trace::FileKind::graph;
  out.class_name = graph.name;
  out.methods = {"forward"};
  for (const std::string& name : ir::input_names(graph)) out.arguments.push_back({name, "Tensor"});
  for (const ir::Constant& constant : graph.constants) {
    out.parameters += constant.data.elements();
    out.parameter_bytes += constant.data.elements() * ir::dtype_size(constant.data.dtype);
  }
  return out;
}

}  // namespace

std::vector<Sample> samples_for(const ir::Graph& graph, const std::vector<Sample>& samples) {
  std::vector<Sample> out;
  std::vector<bool> used(samples.size(), false);
  std::vector<std::string> names;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const ir::Value& value = graph.values[graph.inputs[i]];
    names.push_back(value.name);
    Sample sample{{{value.name}, ir::Tensor{}}, range_of(graph, value.name)};
    auto& tensor = std::get<ir::Tensor>(sample.input.value);
    for (size_t k = 0; k < samples.size(); ++k) {
      const auto* data = std::get_if<ir::Tensor>(&samples[k].input.value);
      if (data == nullptr || !is_sample_of(samples[k].input, value.name, i)) continue;
      check_sample(graph, value, *data);
      tensor = *data;
      if (samples[k].range) sample.range = samples[k].range;
      used[k] = true;
    }
    if (tensor.bytes.empty()) {
      tensor.dtype = value.dtype;
      tensor.shape = sizes_of(graph, value);
      tensor.strides = ir::contiguous_strides(tensor.shape);
    }
    out.push_back(std::move(sample));
  }
  const auto unused = std::find(used.begin(), used.end(), false);
  if (unused != used.end())
    throw unknown_input(samples, static_cast<size_t>(unused - used.begin()), "the graph", names);
  return out;
}

LoadedModel load_graph(const ModelOptions& options) {
  if (options.reroll_loops)
    throw Error("usage", "--roll-loops needs a model that is traced", {},
                cat("run the pass first: t2nnef opt ", options.model, " --passes roll-loops"));
  LoadedModel out;
  out.graph = read_graph_file(options.model);
  out.info = info_of(*out.graph);
  out.samples = options.samples;
  require_loaded(*out.graph, "the graph cannot be run or translated");
  torch_module();  // loads its libraries while everything may still be read
  for (const std::string& plugin : extend::extensions().plugins) confine::may_read(plugin);
  confine::enter_if_armed();
  define_own_operators();
  return out;
}

TracedModel model_of_graph(const LoadedModel& loaded) {
  TracedModel out{loaded, {}, {}, {}};
  ir::Graph& graph = out.traced.graph;
  graph = *loaded.graph;
  out.graph.reset();
  out.samples = samples_for(graph, loaded.samples);
  out.inputs = ir::input_names(graph);
  out.traced.ranges = index_ranges(graph);
  out.dynamic = dynamic_trace(graph);
  expand_quantised(out.traced, out.dynamic.has_value());
  return out;
}

void verify_file(const LoadedModel& model, bool checks_bytes) {
  if (model.session) torch_module().verify(*model.session, checks_bytes);
}

std::vector<nnef::Taken> model_files(const std::string& path) {
  if (!is_graph_file(path)) return {{"the model", path, /*is_model=*/true}};
  return {{"the graph", path}, {"the weights", weights_path(path)}};
}

}  // namespace t2n
