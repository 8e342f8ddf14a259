#include "src/export/stages.h"

#include "ir/scan.h"
#include "ops/all.h"
#include "src/diag/error.h"
#include "src/export/torch_module.h"
#include "src/translate/integer_range.h"
#include "src/translate/registry.h"

namespace t2n {
namespace {

namespace fs = std::filesystem;

/// The operators that the target has a translation for; strict NNEF has no loops. Torch's quantised
/// layers become integer arithmetic for every target (expand-quantised).
ir::OpSet native_operators(const target::Target& target) {
  const ops::Registry& book = ops::registry();
  ir::OpSet out{{}, "quantized::"};
  for (const ir::OpId op : book.ops())
    if (book.variant(op, target) != nullptr) out.ops.insert(op);
  if (target.engine == target::Engine::khronos) out.ops.erase(ir::op_id(ir::kScanOp));
  return out;
}

std::vector<Port> ports(const ir::Graph& graph, const std::vector<ir::ValueId>& ids) {
  std::vector<Port> out;
  for (const ir::ValueId id : ids) {
    const ir::Value& value = graph.values[id];
    out.push_back({value.name, value.dtype, value.shape, false, {}, {}});
  }
  return out;
}

}  // namespace

void list_ports(const ir::Graph& graph, ExportResult& result) {
  result.inputs = ports(graph, graph.inputs);
  result.outputs = ports(graph, graph.outputs);
  for (size_t i = 0; i < result.outputs.size(); ++i) result.outputs[i].name = graph.output_names[i];
}

void note_pairs(ExportResult& result, const Report& report) {
  std::string names;
  for (std::vector<Port>* side : {&result.inputs, &result.outputs})
    for (Port& port : *side) {
      if (!ir::is_complex(port.dtype)) continue;
      port.dtype = ir::component_dtype(port.dtype);
      port.shape.emplace_back(2);
      names += (names.empty() ? "" : ", ") + quoted(port.name);
    }
  if (names.empty() || !report) return;
  report(Diagnostic{.severity = Severity::warning,
                    .id = "complex-as-pairs",
                    .message = cat("a last axis of two holds real and imaginary parts in ", names),
                    .where = {},
                    .details = {},
                    .why = "NNEF has no complex numbers",
                    .help = "use torch.view_as_real and torch.view_as_complex at the boundary"});
}

trace::TraceOptions trace_options(const ExportOptions& options) {
  trace::TraceOptions out;
  out.accepted_guards = options.accepted_guards;
  out.max_iterations = options.max_iterations;
  out.explicit_states = options.explicit_states;
  out.notes_loops = options.reroll_loops;
  out.report = options.report;
  return out;
}

void note_ranges(const TracedModel& model, ir::Graph& graph) {
  ops::InputRanges ranges;
  const bool is_dynamic = model.dynamic && !model.dynamic->chooser.sample().empty();
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const std::string& name = graph.values[graph.inputs[i]].name;
    const auto& known = model.traced.ranges;
    const bool has_range = i < known.size() && known[i].has_value();
    const trace::IntegerRange range = has_range ? *known[i] : trace::IntegerRange{};
    if (has_range && !range.are_lengths) ranges[name] = {-range.second, range.second};
    if (has_range && range.are_lengths && !is_dynamic) ranges[name] = {range.first, range.second};
    for (const Sample& sample : model.samples)
      if (is_sample_of(sample.input, name, i) && sample.range &&
          !(has_range && *sample.range == range))
        ranges[name] = {sample.range->first, sample.range->second};
  }
  if (!ranges.empty()) graph.attributes[ops::kInputRanges] = std::move(ranges);
}

passes::PassContext pass_context(const target::Target& target, const Report& report) {
  passes::PassContext context;
  context.report = report;
  context.evaluate = torch_module().evaluator();
  context.operators = &ops::registry().table();
  context.native = native_operators(target);
  context.keeps_symbol = [](const ir::Symbol&) { return true; };
  return context;
}

int64_t size_on_disk(const fs::path& path) {
  if (!fs::is_directory(path)) return static_cast<int64_t>(fs::file_size(path));
  int64_t sum = 0;
  for (const auto& entry : fs::recursive_directory_iterator(path))
    if (entry.is_regular_file()) sum += static_cast<int64_t>(entry.file_size());
  return sum;
}

}  // namespace t2n
