// SPDX-License-Identifier: Apache-2.0
#include "tests/dynamic/support.h"

#include "ops/all.h"
#include "src/diag/error.h"
#include "src/dynamic/assumptions.h"
#include "src/export/dynamic_model.h"
#include "src/model/torch_module.h"
#include "src/translate/registry.h"
#include "tests/ops/expressions.h"

namespace t2n::test {
namespace {

/// Different in every trial and for every symbol, odd and even.
dynamic::Sizes sizes_of(const Program& program, size_t probe) {
  constexpr int64_t kSteps[] = {6, 9, 13, 10, 17, 8, 23, 12, 31};
  dynamic::Sizes out;
  for (const ir::Shape& shape : program.shapes)
    for (const ir::Dim& dim : shape)
      for (const ir::Symbol& symbol : dim.symbols()) out.emplace(symbol, 0);
  size_t offset = probe;
  for (auto& [symbol, size] : out) size = kSteps[(offset += 2) % std::size(kSteps)];
  return out;
}

ir::Shape parse_shape(const std::string& text) {
  ir::Shape out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    out.push_back(ir::parse_dim(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return out;
}

}  // namespace

dynamic::Probe probe_at(const Program& program, const dynamic::Sizes& sizes) {
  const auto session = torch_module().compile({program.source, program.parameters});
  std::vector<trace::SampleInput> inputs;
  for (size_t i = 0; i < program.shapes.size(); ++i) {
    const ir::DType dtype = i < program.dtypes.size() ? program.dtypes[i] : ir::DType::f32;
    const ir::Ints shape = ir::evaluate(program.shapes[i], sizes);
    inputs.push_back({{std::string(1, "xyzuvw"[i])},
                      dtype == ir::DType::f32 ? randn(shape, i) : randint(shape, 0, 2, i, dtype)});
  }
  trace::TraceOptions options;
  options.keep_sizes = true;
  return {sizes, torch_module().trace(*session, inputs, options).graph};
}

Inference infer(const Program& program) {
  std::vector<dynamic::Probe> probes;
  for (size_t i = 0; i < 3; ++i) probes.push_back(probe_at(program, sizes_of(program, i)));
  Inference out;
  out.found =
      dynamic::infer_shapes(probes, {program.shapes, dynamic::positivity(probes[0].symbols, {})},
                            ops::registry().table());
  out.graph = std::move(probes[0].graph);
  return out;
}

std::string output_shapes(const ir::Graph& graph) {
  std::string out;
  for (const ir::ValueId id : graph.outputs)
    out += (out.empty() ? "" : " ") + ir::shape_str(graph.values[static_cast<size_t>(id)].shape);
  return out;
}

std::string shapes_of(const std::string& expression, const std::vector<std::string>& inputs) {
  Program program{expression_script(expression, inputs.size()).source, {}};
  for (const std::string& shape : inputs) program.shapes.push_back(parse_shape(shape));
  try {
    const Inference outcome = infer(program);
    std::string out = output_shapes(outcome.graph);
    for (const dynamic::Assumption& assumption : outcome.found)
      out += cat(" {", ir::str(assumption.relation), "}");
    return out;
  } catch (const Error& error) {
    return render_text(error.diagnostic());
  }
}

Tracing trace_body(const std::string& body, const std::vector<ir::Ints>& shapes,
                   const Strings& axes, const Strings& asserted) {
  Tracing out;
  const std::string source =
      cat("def forward(self, x", shapes.size() > 1 ? ", y" : "", "):\n", body);
  std::vector<Sample> samples;
  for (size_t i = 0; i < shapes.size(); ++i)
    samples.push_back({{{i == 0 ? "x" : "y"}, randn(shapes[i], i)}, std::nullopt});
  DynamicOptions dynamic;
  for (const std::string& axis : axes) dynamic.axes.push_back(dynamic::parse_axis(axis));
  for (const std::string& text : asserted)
    dynamic.asserted.push_back(dynamic::parse_comparison(text));
  trace::TraceOptions options;
  options.report = [&](const Diagnostic& diagnostic) { out.said.push_back(diagnostic.message); };
  const auto session = torch_module().compile({source, {}});
  try {
    const auto traced = trace_dynamic_model(*session, samples, dynamic, options);
    out.shapes = output_shapes(traced.traced.graph);
    for (const ir::Comparison& relation : traced.relations)
      out.relations.push_back(ir::str(relation));
    for (const ir::Comparison& require_at_runtime : traced.runtime_assertions)
      out.runtime_assertions.push_back(ir::str(require_at_runtime));
  } catch (const Error& error) {
    out.error = error.diagnostic();
  }
  return out;
}

Strings needed(const std::string& body, const std::vector<ir::Ints>& shapes, const Strings& axes,
               const Strings& asserted) {
  const Tracing out = trace_body(body, shapes, axes, asserted);
  if (out.error) return {cat(out.error->id, ": ", out.error->message)};
  Strings relations;
  for (const std::string& each : out.relations)
    if (!each.ends_with(" >= 1")) relations.push_back(each);
  return relations;
}

}  // namespace t2n::test
