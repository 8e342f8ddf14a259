#include "src/export/quantised_model.h"

#include <utility>

#include "src/passes/pass.h"

namespace t2n {

void expand_quantised(trace::Traced& traced) {
  ir::Graph before = traced.graph;
  if (passes::run_pipeline(traced.graph, {"expand-quantised"}, {}))
    traced.with_quantised = std::move(before);
}

}  // namespace t2n
