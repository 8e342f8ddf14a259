// SPDX-License-Identifier: Apache-2.0
#include "src/export/quantised_model.h"

#include <utility>

#include "ir/loop_notes.h"
#include "src/export/pass_table.h"

namespace t2n {

void expand_quantised(trace::Traced& traced, bool sizes_vary) {
  std::optional<ir::Graph> recorded;
  if (traced.graph.attributes.contains(ir::kUnrolledLoops)) recorded = traced.graph;
  passes::PassContext context;
  context.sizes_vary = sizes_vary;
  bool changed = passes::run_pipeline(traced.graph, {"expand-packed"}, context);
  ir::Graph before = traced.graph;
  const bool has_quantised = passes::run_pipeline(traced.graph, {"expand-quantised"}, context);
  changed = changed || has_quantised;
  // Loop notes refer to recorded nodes, so these loops are rerolled first.
  if (changed && recorded) {
    before = traced.graph = *std::move(recorded);
    passes::run_pipeline(traced.graph, {"roll-loops", "expand-packed", "expand-quantised"},
                         context);
  }
  if (has_quantised) traced.with_quantised = std::move(before);
}

}  // namespace t2n
