// SPDX-License-Identifier: Apache-2.0
#include "tests/frontend/rolled.h"

#include "src/diag/error.h"
#include "src/model/torch_module.h"
#include "tests/support/named.h"

namespace t2n::test {
trace::Traced rolled(const std::string& source, const std::vector<ir::Tensor>& inputs,
                     const Parameters& parameters) {
  const auto session = torch_module().compile({source, parameters});
  trace::TraceOptions options;
  options.keep_sizes = true;
  for (;;) {
    trace::Traced out = torch_module().trace(*session, named(inputs), options);
    const size_t before = options.rerolled_loops.size();
    for (const trace::Decision& decision : out.decisions)
      if (decision.kind == trace::Decision::Kind::loop) options.rerolled_loops.insert(decision.id);
    if (options.rerolled_loops.size() > before) continue;
    ir::verify(out.graph, "trace");
    return out;
  }
}

}  // namespace t2n::test
