// SPDX-License-Identifier: Apache-2.0
// A recorded graph must compute what the program computed: it is run again, node by node.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "ir/evaluator.h"
#include "ir/graph.h"
#include "src/model/traced.h"

namespace t2n::test {

struct Replay {
  trace::Traced traced;
  std::vector<ir::Tensor> outputs;  ///< of the graph, on the sample inputs
};

/// Traces source text on `input_N` and runs the graph with torch's kernels.
Replay replay(const std::string& source, const std::vector<ir::Tensor>& inputs,
              const std::vector<std::pair<std::string, ir::Tensor>>& parameters = {});

/// "" if the graph's outputs are the program's, bit for bit; else what differs.
std::string replay_difference(const Replay& replay);

/// The id and headline of the error that tracing gives; "" without error.
std::string trace_error(const std::string& source, const std::vector<ir::Tensor>& inputs);
/// Why it was refused; "" if it was not.
std::string trace_reason(const std::string& source, const std::vector<ir::Tensor>& inputs);

/// Names of the operations, in order, joined by blanks, after dead code is gone.
std::string live_operations(const Replay& replay);

}  // namespace t2n::test
