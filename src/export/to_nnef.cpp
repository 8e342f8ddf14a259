// SPDX-License-Identifier: Apache-2.0
// From a traced graph to a document: passes, then translation.
#include "ops/all.h"
#include "src/diag/error.h"
#include "src/export/pass_table.h"
#include "src/export/pipeline.h"
#include "src/export/stages.h"
#include "src/passes/integer_products.h"
#include "src/target/integer_products.h"
#include "src/translate/registry.h"
#include "src/translate/translate.h"

namespace t2n {
void run_standard_passes(ir::Graph& graph, const target::Target& target,
                         const passes::PipelineOptions& options, const Report& report) {
  const auto processor = graph.attributes.find(target::kProcessor);
  const auto known = processor == graph.attributes.end()
                         ? target::Processor::any
                         : std::any_cast<target::Processor>(processor->second);
  if (target::sums_integers(target))
    graph.attributes[passes::kIntegerProducts] = passes::IntegerProducts{
        target::least_integer_products(target, target::Layer::linear, known), true};
  passes::run_pipeline(graph, passes::pipeline(passes::Pipeline::standard),
                       pass_context(target, report), options);
}

nnef::Document to_nnef(ir::Graph& graph, const target::Target& target,
                       const passes::PipelineOptions& options, const Report& report) {
  run_standard_passes(graph, target, options, report);
  return ops::translate(graph, target, report, ops::registry());
}

bool has_document(const TracedModel& model, const target::Target& target,
                  const passes::PipelineOptions& options) {
  ir::Graph graph = model.traced.graph;
  try {
    to_nnef(graph, target, options, nullptr);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace t2n
