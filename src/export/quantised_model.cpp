#include "src/export/quantised_model.h"

#include <utility>

#include "ir/loop_notes.h"
#include "src/passes/pass.h"

namespace t2n {

void expand_quantised(trace::Traced& traced, bool sizes_vary) {
  ir::Graph before = traced.graph;
  passes::PassContext context;
  context.sizes_vary = sizes_vary;
  if (!passes::run_pipeline(traced.graph, {"expand-quantised"}, context)) return;
  // Notes of loops count the nodes as they were recorded: those loops are rolled up before.
  if (before.attributes.contains(ir::kUnrolledLoops)) {
    traced.graph = before;
    passes::run_pipeline(traced.graph, {"roll-loops", "expand-quantised"}, context);
  }
  traced.with_quantised = std::move(before);
}

}  // namespace t2n
