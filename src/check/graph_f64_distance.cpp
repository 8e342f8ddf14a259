// SPDX-License-Identifier: Apache-2.0
#include "src/check/graph_f64_distance.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "ir/op_traits.h"
#include "src/check/reference.h"
#include "src/check/ties.h"
#include "src/diag/error.h"
#include "src/model/torch_module.h"
#include "src/passes/passes.h"
#include "src/quant/passes.h"
#include "src/samples/samples_at.h"

namespace t2n {
namespace {

/// Moves each f32 value by two roundings, up or down in a fixed pattern. Keeps integer-valued
/// floats: they may be counts, positions or masks.
ir::Tensor nudged(const ir::Tensor& tensor) {
  if (tensor.dtype != ir::DType::f32) return tensor;
  std::vector<double> values = ir::to_f64(tensor);
  uint32_t state = 1;
  for (double& value : values) {
    state = state * 1664525 + 1013904223;
    const float towards = (state & (1U << 31)) != 0 ? HUGE_VALF : -HUGE_VALF;
    if (value == std::nearbyint(value) || !std::isfinite(value)) continue;
    value = std::nextafter(std::nextafter(static_cast<float>(value), towards), towards);
  }
  return ir::tensor_of(tensor.dtype, tensor.shape, values);
}

/// Cuts each output to the compared part.
std::vector<ir::Tensor> compared_part(std::vector<ir::Tensor> outputs, const InputSet& set) {
  for (size_t i = 0; i < std::min(outputs.size(), set.compared.size()); ++i) {
    ir::Tensor part = ir::as_pairs(outputs[i]);
    if (part.shape.size() != set.compared[i].size()) continue;
    for (size_t axis = 0; axis < part.shape.size(); ++axis)
      part.shape[axis] = std::min(part.shape[axis], set.compared[i][axis]);
    outputs[i] = ir::contiguous(part);
  }
  return outputs;
}

/// Evaluates the recorded graph, or another one, on a set's inputs with `run`. Empty if that is
/// impossible.
template <typename Run>
std::vector<ir::Tensor> evaluated(const SourceModel& model, const InputSet& set, Run run,
                                  const ir::Graph* other = nullptr) {
  try {
    ir::Graph graph = passes::at_sizes(other == nullptr ? model.graph : *other, set.sizes);
    auto inputs = values_of(set.inputs, model.inputs);
    return compared_part(run(graph, inputs), set);
  } catch (const Error&) {  // no kernel for f64, or for these operands
    return {};
  }
}

bool is_rounding(const ir::Node& node) { return ir::op_name(node.op) == "aten::round"; }

bool has_rounding(const ir::Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const ir::Node& node) {
    return is_rounding(node) || (node.body && has_rounding(*node.body));
  });
}

/// The operand of each rounding in a run, in execution order.
using Rounded = std::vector<std::vector<double>>;

/// The same evaluation with `change` applied to the operand of each rounding.
ir::Evaluator with_roundings(ir::Evaluator evaluate,
                             std::function<ir::Tensor(const ir::Tensor& self)> change) {
  return [evaluate = std::move(evaluate), change = std::move(change)](const ir::Node& node,
                                                                      const ir::Operand& operand) {
    if (!is_rounding(node)) return evaluate(node, operand);
    const ir::ValueId self = ir::operand(node, "self");
    const ir::Tensor changed = change(operand(self));
    return evaluate(node, [&](ir::ValueId id) { return id == self ? changed : operand(id); });
  };
}

Rounded rounded_in(const SourceModel& model, const InputSet& set, const ir::Evaluator& evaluate) {
  Rounded out;
  (void)run_recorded(model, set, with_roundings(evaluate, [&](const ir::Tensor& self) {
                       out.push_back(ir::to_f64(self));
                       return self;
                     }));
  return out;
}

/// Adds an offset before rounding, except to elements where torch equals f64: such a tie is exact
/// in every engine.
ir::Tensor shifted(const ir::Tensor& self, double offset, const std::vector<double>& torch,
                   const std::vector<double>& exact) {
  if (!ir::is_float(self.dtype)) return self;
  std::vector<double> values = ir::to_f64(self);
  const bool are_known = torch.size() == values.size() && exact.size() == values.size();
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = are_known && torch[i] == exact[i] ? exact[i] : values[i] + offset;
  return ir::tensor_of(ir::DType::f64, self.shape, values);
}

std::vector<ir::Tensor> computed_nearby(const SourceModel& model, const InputSet& set,
                                        double offset, const Rounded& torch, const Rounded& exact) {
  size_t next = 0;
  const std::vector<double> unknown;
  const ir::Evaluator wide = torch_module().wide_evaluator();
  const ir::Evaluator evaluate = with_roundings(wide, [&](const ir::Tensor& self) {
    const bool is_known = next < torch.size() && next < exact.size();
    const size_t k = next++;
    return shifted(self, offset, is_known ? torch[k] : unknown, is_known ? exact[k] : unknown);
  });
  const auto run = [&](ir::Graph& graph, std::vector<ir::Tensor>& inputs) {
    for (ir::Tensor& input : inputs) input = nudged(input);
    for (ir::Constant& constant : graph.constants) constant.data = nudged(constant.data);
    return ir::run_graph(graph, inputs, evaluate);
  };
  return evaluated(model, set, run);
}

std::vector<std::vector<ir::Tensor>> all_nearby(const SourceModel& model, const InputSet& set) {
  if (!has_rounding(model.graph)) return {computed_nearby(model, set, 0, {}, {})};
  const Rounded torch = rounded_in(model, set, torch_module().evaluator());
  const Rounded exact = rounded_in(model, set, torch_module().wide_evaluator());
  return {computed_nearby(model, set, kNearTie, torch, exact),
          computed_nearby(model, set, -kNearTie, torch, exact)};
}

/// Whether torch's results equal the graph's f64 results, except at ties.
bool is_near_ties(const SourceModel& model, InputSet& set, const std::vector<ir::Tensor>& results,
                  const std::vector<ir::Tensor>& exact, const check::Tolerance& tolerance) {
  if (!rounds(model) || exact.size() != results.size()) return false;
  for (size_t i = 0; i < exact.size(); ++i) {
    check::Runs runs = {ir::to_f64(ir::as_pairs(exact[i]))};
    for (const std::vector<ir::Tensor>& nearby : in_f64_nearby(model, set))
      if (i < nearby.size()) runs.push_back(ir::to_f64(ir::as_pairs(nearby[i])));
    if (!check::are_within(results[i], runs, tolerance)) return false;
  }
  return true;
}

/// Whether the graph is the model's program: in its own precision it computes the same as torch.
/// torch's kernels for 16-bit floats may be far from both f32 and f64 (transposed convolutions), so
/// the graph also runs with these.
bool is_from_model(const ir::Graph& graph, const std::vector<ir::Tensor>& inputs,
                   const InputSet& set, const check::Tolerance& tolerance) {
  const auto agrees_in = [&](const ir::Evaluator& evaluator) {
    return agrees(set.expected, compared_part(ir::run_graph(graph, inputs, evaluator), set),
                  tolerance);
  };
  return agrees_in(torch_module().evaluator()) ||
         (has_halves(graph) && agrees_in(torch_module().native_evaluator()));
}

std::vector<ir::Tensor> computed(const SourceModel& model, InputSet& set,
                                 const check::Tolerance& tolerance) {
  const auto run = [&](const ir::Graph& graph, const std::vector<ir::Tensor>& inputs) {
    const trace::TorchModule& torch = torch_module();
    const bool is_torch = is_from_model(graph, inputs, set, tolerance);
    if (!is_torch && !has_rounding(graph)) return std::vector<ir::Tensor>();
    std::vector<ir::Tensor> exact =
        compared_part(ir::run_graph(graph, inputs, torch.wide_evaluator()), set);
    const bool is_measure = is_torch || is_near_ties(model, set, set.expected, exact, tolerance);
    return is_measure ? exact : std::vector<ir::Tensor>();
  };
  return evaluated(model, set, run);
}

}  // namespace

bool agrees(const std::vector<ir::Tensor>& expected, const std::vector<ir::Tensor>& actual,
            const check::Tolerance& tolerance) {
  if (expected.size() != actual.size()) return false;
  for (size_t i = 0; i < expected.size(); ++i)
    if (check::compare(expected[i], actual[i], tolerance).verdict == check::Verdict::differs)
      return false;
  return true;
}

ir::Graph graph_at(const SourceModel& model, const dynamic::Sizes& sample_sizes,
                   const std::vector<trace::SampleInput>& inputs, const dynamic::Sizes& sizes) {
  if (!model.dynamic && model.session != nullptr && sizes != sample_sizes) try {
      return torch_module().trace(*model.session, inputs, {}).graph;
    } catch (const Error& error) {
      if (error.diagnostic().id == "internal") throw;
    }
  return passes::at_sizes(model.graph, sizes);
}

std::vector<ir::Tensor> run_recorded(const SourceModel& model, const InputSet& set,
                                     const ir::Evaluator& evaluate) {
  return evaluated(model, set, [&](const ir::Graph& graph, const std::vector<ir::Tensor>& inputs) {
    return ir::run_graph(graph, inputs, evaluate);
  });
}

bool rounds(const SourceModel& model) { return has_rounding(model.graph); }

const std::vector<std::vector<ir::Tensor>>& in_f64_nearby(const SourceModel& model, InputSet& set) {
  if (!set.nearby) set.nearby = all_nearby(model, set);
  return *set.nearby;
}

std::vector<std::vector<ir::Tensor>> with_ties_moved(const SourceModel& model,
                                                     const InputSet& set) {
  return {run_recorded(model, set, torch_module().wide_evaluator()),
          computed_nearby(model, set, kNearTie, {}, {}),
          computed_nearby(model, set, -kNearTie, {}, {})};
}

const std::vector<ir::Tensor>& in_f64(const SourceModel& model, InputSet& set,
                                      const check::Tolerance& tolerance) {
  if (!set.exact) set.exact = computed(model, set, tolerance);
  return *set.exact;
}

const std::vector<EngineRun>& in_other_engines(const SourceModel& model, InputSet& set) {
  if (set.engines) return *set.engines;
  set.engines.emplace();
  if (model.session == nullptr) return *set.engines;
  for (const trace::Executor engine : trace::kOtherEngines) try {
      set.engines->push_back({engine, torch_module().run_in(*model.session, set.inputs, engine)});
    } catch (const Error& error) {
      if (error.diagnostic().id == "internal") throw;
    }
  return *set.engines;
}

const std::vector<ir::Tensor>& in_f64_of_engines(const SourceModel& model, InputSet& set,
                                                 const check::Tolerance& tolerance) {
  if (set.exact_of_engines) return *set.exact_of_engines;
  set.exact_of_engines.emplace();
  if (!model.traced.with_quantised || model.is_compressed) return *set.exact_of_engines;
  std::vector<ir::Tensor> exact = run_recorded(model, set, torch_module().wide_evaluator());
  for (const EngineRun& other : in_other_engines(model, set))
    if (is_near_ties(model, set, other.outputs, exact, tolerance)) {
      set.exact_of_engines = std::move(exact);
      break;
    }
  return *set.exact_of_engines;
}

const KernelRuns& in_both_kernels(const SourceModel& model, InputSet& set) {
  if (set.kernels) return *set.kernels;
  const auto by_product = [&](ir::Graph& graph, const std::vector<ir::Tensor>& inputs) {
    passes::PassContext context;
    context.multiplies_scales = true;
    passes::run_pass(passes::find_pass("expand-packed", passes::pass_rows()), graph, context);
    passes::run_pass(passes::find_pass("expand-quantised", quant::pass_rows()), graph, context);
    return ir::run_graph(graph, inputs, torch_module().evaluator());
  };
  set.kernels.emplace();
  if (!model.traced.with_quantised || model.is_compressed) return *set.kernels;
  set.kernels->one_by_one = run_recorded(model, set, torch_module().evaluator());
  set.kernels->by_product = evaluated(model, set, by_product, &*model.traced.with_quantised);
  return *set.kernels;
}

double longest_sum(const SourceModel& model) {
  const ir::Graph graph = passes::at_sizes(model.graph, {});
  const auto count = [&](ir::ValueId id) {
    const ir::Shape& shape = graph.values[id].shape;
    double out = 1;
    for (const ir::Dim& size : shape)
      out *= size.is_constant() ? static_cast<double>(size.value()) : 1;
    return out;
  };
  double longest = 1;
  for (const ir::Node& node : graph.nodes) {
    if (!has_trait(ir::op_short_name(node.op), ir::OpTrait::sums)) continue;
    const double results = std::max(count(node.outputs.at(0)), 1.0);
    ir::for_each_input(node,
                       [&](ir::ValueId id) { longest = std::max(longest, count(id) / results); });
  }
  return longest;
}

bool stays_finite(const ir::Graph& graph, const std::vector<ir::Tensor>& inputs) {
  bool out = true;
  const ir::Evaluator evaluate = torch_module().evaluator();
  const auto watched = [&](const ir::Node& node, const ir::Operand& operand) {
    std::vector<ir::Tensor> results = evaluate(node, operand);
    out = out && std::all_of(results.begin(), results.end(), ir::is_finite);
    return results;
  };
  try {
    (void)ir::run_graph(graph, inputs, watched);
  } catch (const Error& error) {
    if (error.diagnostic().id == "internal") throw;
    return true;
  }
  return out;
}

}  // namespace t2n
