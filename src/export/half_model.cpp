// SPDX-License-Identifier: Apache-2.0
#include "src/export/half_model.h"

#include <algorithm>
#include <map>
#include <sstream>

#include "ir/op_registry.h"
#include "src/compress/settings/scope_glob.h"
#include "src/diag/error.h"
#include "src/export/pass_table.h"
#include "src/export/stages.h"
#include "src/passes/passes.h"
#include "src/samples/samples_at.h"

namespace t2n {
namespace {

void require_names(const ir::Graph& graph, const std::vector<std::string>& globs) {
  for (const std::string& glob : globs) {
    if (compress::names_any(graph, glob)) continue;
    throw Error("usage", cat("--keep-f32 ", quoted(glob), " names no module"), {},
                compress::hint_of_scopes(graph, glob));
  }
}

bool touches(const ir::Graph& graph, const ir::Node& node, ir::DType dtype) {
  bool out = false;
  const auto look = [&](ir::ValueId id) { out |= graph.values[id].dtype == dtype; };
  ir::for_each_input(node, look);
  for (const ir::ValueId id : node.outputs) look(id);
  return out;
}

FloatSummary summary_of(const ir::Graph& graph) {
  FloatSummary out;
  std::map<std::string, size_t> names;
  for (const ir::Node& node : graph.nodes) {
    if (ir::op_name(node.op) == "t2n::cast") continue;
    const bool is_half = touches(graph, node, ir::DType::f16);
    out.in_f16 += is_half ? 1 : 0;
    if (is_half || !touches(graph, node, ir::DType::f32)) continue;
    ++out.in_f32;
    ++names[std::string(ir::op_short_name(node.op))];
  }
  out.f32_by_name.assign(names.begin(), names.end());
  std::stable_sort(out.f32_by_name.begin(), out.f32_by_name.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

Compression measured(const TracedModel& model, const ir::Graph& before, const ir::Graph& after,
                     const ir::Evaluator& evaluate) {
  constexpr uint64_t kSeeds = 2;
  Compression out;
  compress::LossMeter meter(before, after, after, evaluate);
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    std::vector<ir::Tensor> inputs = values_of(fill(model.samples, seed), model.inputs);
    for (ir::Tensor& tensor : inputs) tensor = ir::as_pairs(tensor);
    meter.add(passes::at_sizes(before, {}), passes::at_sizes(after, {}), inputs);
    ++out.batches;
  }
  out.layers = meter.layers();
  out.outputs = meter.outputs();
  return out;
}

}  // namespace

std::string float_property(const FloatOptions& options) {
  std::string out = options.has_half_ports ? "f16-io" : "f16";
  for (const std::string& glob : options.keep_f32) out += cat(" ", glob);
  return out;
}

FloatOptions parse_float_property(const std::string& text) {
  std::istringstream words(text);
  FloatOptions out{.is_half = true};
  std::string word;
  words >> word;
  out.has_half_ports = word == "f16-io";
  while (words >> word) out.keep_f32.push_back(word);
  return out;
}

HalfModel half_model(const TracedModel& model, const FloatOptions& options,
                     const target::Target& target, const passes::PipelineOptions& passes,
                     const Report& report) {
  if (target.engine == target::Engine::khronos)
    throw Error("unsupported-argument",
                cat("--float f16 has no meaning for ", target::target_name(target)),
                "strict NNEF does not distinguish widths of floats", "use --target tract");
  ir::Graph graph = model.traced.graph;
  require_names(graph, options.keep_f32);
  passes::PassContext context = pass_context(target, report);
  context.keeps_f32 = [&options](const ir::Graph& of, const ir::Node& node) {
    return std::any_of(options.keep_f32.begin(), options.keep_f32.end(), [&](const auto& glob) {
      return compress::matched_depth(of, node, glob).has_value();
    });
  };
  passes::run_pipeline(graph, passes::pipeline(passes::Pipeline::attention), context, passes);
  passes::run_pipeline(graph, passes::pipeline(passes::Pipeline::preparation), context, passes);
  const ir::Graph before = graph;
  passes::run_pipeline(graph, {"narrow-floats", "fold-constants"}, context, passes);
  if (options.has_half_ports) passes::round_ports(graph);
  HalfModel out;
  out.floats = summary_of(graph);
  if (out.floats.in_f16 == 0)
    throw Error("usage", "--float f16 changes nothing: no operation of the model can use f16", {},
                "remove it, or choose fewer modules with --keep-f32");
  out.cost = measured(model, before, graph, context.evaluate);
  out.graph = std::move(graph);
  return out;
}

}  // namespace t2n
