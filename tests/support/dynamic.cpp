// SPDX-License-Identifier: Apache-2.0
#include "tests/support/dynamic.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <any>
#include <numeric>

#include "nnef_writer/print.h"
#include "ops/all.h"
#include "src/check/reference.h"
#include "src/diag/error.h"
#include "src/dynamic/assumptions.h"
#include "src/dynamic/infer.h"
#include "src/dynamic/same.h"
#include "src/export/dynamic_model.h"
#include "src/export/pass_table.h"
#include "src/export/quantised_model.h"
#include "src/model/torch_module.h"
#include "src/passes/pass.h"
#include "src/translate/registry.h"
#include "tests/ops/expressions.h"
#include "tests/support/example.h"
#include "tests/support/named.h"

namespace t2n::test {
namespace {

ir::Dim evaluated(const ir::Dim& dim, const Sizes& sizes) { return dim.substitute(sizes); }

ir::Shape open_shape(const OpenInput& input) {
  ir::Shape out;
  for (const std::string& size : input.shape) out.push_back(ir::parse_dim(size));
  return out;
}

ir::Tensor draw_input(const ir::Shape& shape, const OpenInput& input, const Sizes& sizes,
                      uint64_t seed) {
  ir::Ints known;
  for (const ir::Dim& dim : shape) known.push_back(evaluated(dim, sizes).value());
  if (ir::is_float(input.dtype)) return uniform(known, input.low, input.high, seed, input.dtype);
  return randint(known, static_cast<int64_t>(input.low), static_cast<int64_t>(input.high), seed,
                 input.dtype);
}

Example closed(const OpenExample& example) {
  return {example.graph, example.runs.at(0).inputs, example.runs.at(0).expected,
          example.disabled_passes};
}

}  // namespace

OpenExample open_example(const Script& model, const std::vector<OpenInput>& inputs,
                         const std::vector<Sizes>& runs) {
  OpenExample out;
  out.disabled_passes = model.disabled_passes;
  dynamic::InferOptions options;
  for (const OpenInput& input : inputs) options.inputs.push_back(open_shape(input));
  const auto session = torch_module().compile({model.source, model.parameters});
  const auto trace = [&](const Sizes& sizes) {
    OpenExample::Run run{sizes, {}, {}};
    for (const OpenInput& input : inputs)
      run.inputs.push_back(draw_input(open_shape(input), input, sizes, run.inputs.size() + 1));
    trace::TraceOptions keep;
    keep.keep_sizes = true;
    trace::Traced traced = torch_module().trace(*session, named(run.inputs), keep);
    run.expected = agree_with_torch(*session, named(run.inputs), traced).expected;
    if (model.edit) model.edit(traced.graph);
    expand_quantised(traced, true);  // as an export does
    out.runs.push_back(std::move(run));
    return dynamic::Probe{sizes, std::move(traced.graph)};
  };
  std::vector<dynamic::Probe> probes;
  for (const Sizes& sizes : runs) probes.push_back(trace(sizes));
  const Sizes& sample = probes[0].symbols;
  dynamic::Assertions assertions({sample}, dynamic::positivity(sample, {}), {});
  for (const dynamic::Assumption& assumption :
       dynamic::infer_shapes(probes, options, ops::registry().table()))
    assertions.add({assumption.relation, assumption.where, assumption.op});
  out.graph = std::move(probes[0].graph);
  out.graph.attributes[ir::kRelations] = assertions.all();
  return out;
}

OpenExample open_example(const std::string& ir, const std::vector<Sizes>& runs) {
  OpenExample out;
  out.graph = ir::parse(ir);
  out.graph.attributes[ir::kSampleSizes] = runs.at(0);
  for (const Sizes& sizes : runs) {
    ir::Graph graph = out.graph;
    graph.attributes[ir::kSampleSizes] = sizes;
    passes::run_pipeline(graph, {"bind-sizes"}, {});
    OpenExample::Run run{sizes, {}, {}};
    for (const ir::ValueId id : graph.inputs) {
      const ir::Value& value = graph.values[static_cast<size_t>(id)];
      const bool is_float = ir::is_float(value.dtype);
      run.inputs.push_back(draw_input(value.shape,
                                      {{}, value.dtype, is_float ? -2.0 : 0, is_float ? 2.0 : 2},
                                      sizes, run.inputs.size() + 1));
    }
    run.expected = ir::run_graph(graph, run.inputs, torch_module().evaluator());
    out.runs.push_back(std::move(run));
  }
  return out;
}

std::string open_differences(const OpenExample& example, const target::Target& target,
                             const check::Tolerance& tolerance) {
  const Exported exported = export_example(closed(example), target);
  std::vector<std::vector<ir::Tensor>> inputs;
  for (const auto& run : example.runs) inputs.push_back(run.inputs);
  const std::string text = nnef::print(exported.document);
  std::string out;
  DocumentRuns actual;
  try {
    actual = run_document(exported.document, inputs, target);
  } catch (const Error& error) {
    return cat(render_text(error.diagnostic()), "\n", text);
  }
  for (size_t i = 0; i < example.runs.size(); ++i) {
    const std::string wrong =
        differences({example.runs[i].expected, actual.outputs[i], text, exported.uses,
                     target::target_name(target), actual.references[i]},
                    tolerance);
    if (!wrong.empty())
      out += cat("with ", dynamic::sizes_str(example.runs[i].sizes), ":\n", wrong);
  }
  return out.empty() ? out : cat(out, "\n", text);
}

std::string open_error(const OpenExample& example, const target::Target& target) {
  return error_of([&] { export_example(closed(example), target); });
}

void check_open_with(const std::vector<std::pair<std::string, ir::Tensor>>& parameters,
                     const std::vector<std::string>& expressions,
                     const std::vector<OpenInput>& inputs, const std::vector<Sizes>& runs,
                     double tolerance) {
  for (const std::string& expression : expressions) {
    CAPTURE(expression);
    Script model = expression_script(expression, inputs.size());
    for (const auto& [name, value] : parameters) model = model.with(name, value);
    try {
      const OpenExample example = open_example(model, inputs, runs);
      for (const target::Target& target : test_targets()) {
        CAPTURE(target::target_name(target));
        try {
          CHECK_EQ(open_differences(example, target, rel(tolerance)), std::string());
        } catch (const Error& error) {
          FAIL_CHECK(std::string(render_text(error.diagnostic())));
        }
      }
    } catch (const Error& error) {
      FAIL_CHECK(std::string(error.what()));
    }
  }
}

OpenExample unbacked_example(const Script& model,
                             const std::vector<std::vector<ir::Tensor>>& inputs) {
  OpenExample out;
  out.disabled_passes = model.disabled_passes;
  dynamic::InferOptions options;
  for (const ir::Tensor& input : inputs.at(0)) options.inputs.push_back(ir::to_shape(input.shape));
  const auto session = torch_module().compile({model.source, model.parameters});
  std::vector<dynamic::Probe> probes;
  for (const std::vector<ir::Tensor>& each : inputs) {
    trace::TraceOptions keep;
    keep.keep_sizes = keep.unbacked_sizes = keep.read_sizes = true;
    trace::Traced traced = torch_module().trace(*session, named(each), keep);
    out.runs.push_back({{}, each, agree_with_torch(*session, named(each), traced).expected});
    expand_quantised(traced, true);  // as an export does
    probes.push_back({{}, std::move(traced.graph)});
  }
  dynamic::Assertions assertions({}, {}, {});
  for (const dynamic::Assumption& assumption :
       dynamic::infer_shapes(probes, options, ops::registry().table()))
    assertions.add({assumption.relation, assumption.where, assumption.op});
  out.graph = std::move(probes[0].graph);
  out.graph.attributes[ir::kRuntimeAssertions] = assertions.runtime_assertions();
  return out;
}

void check_unbacked(const std::vector<std::string>& expressions,
                    const std::vector<std::vector<ir::Tensor>>& inputs, double tolerance) {
  for (const std::string& expression : expressions) {
    CAPTURE(expression);
    try {
      const OpenExample example =
          unbacked_example(expression_script(expression, inputs.at(0).size()), inputs);
      CHECK_EQ(open_differences(example, newest_target(), rel(tolerance)), std::string());
      for (const target::Target& target : test_targets())
        if (!(target == newest_target())) CHECK_NE(open_error(example, target), std::string());
    } catch (const Error& error) {
      FAIL_CHECK(std::string(render_text(error.diagnostic())));
    }
  }
}

void check_unbacked_refused(const std::string& expression,
                            const std::vector<std::vector<ir::Tensor>>& inputs,
                            const std::string& text) {
  CAPTURE(expression);
  const std::string message = error_of([&] {
    export_example(
        closed(unbacked_example(expression_script(expression, inputs.at(0).size()), inputs)),
        newest_target());
  });
  CAPTURE(message);
  CHECK(message.find(text) != std::string::npos);
}

void check_open(const std::vector<std::string>& expressions, const std::vector<OpenInput>& inputs,
                const std::vector<Sizes>& runs, double tolerance) {
  check_open_with({}, expressions, inputs, runs, tolerance);
}

void check_open_refused(const std::string& expression, const std::vector<OpenInput>& inputs,
                        const std::vector<Sizes>& runs, const std::string& text) {
  CAPTURE(expression);
  const OpenExample example =
      open_example(expression_script(expression, inputs.size()), inputs, runs);
  for (const target::Target& target : test_targets()) {
    const std::string message = open_error(example, target);
    CAPTURE(message);
    CHECK(message.find(text) != std::string::npos);
  }
}

}  // namespace t2n::test
