// SPDX-License-Identifier: Apache-2.0
// A graph with inputs and what torch computes from them: the common end of all operator tests.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "src/nnef/ast.h"
#include "src/target/target.h"
#include "tests/support/script.h"

namespace t2n::test {

struct Example {
  ir::Graph graph;
  std::vector<ir::Tensor> inputs;
  std::vector<ir::Tensor> expected;
  std::vector<std::string> disabled_passes;
};

struct Exported {
  nnef::Document document;
  std::vector<OperatorUse> uses;
};

/// Verifies, prints and parses the IR, translates; records what is refused.
Exported export_example(Example example, const target::Target& target);
/// The same, written and run in the real engine.
Run export_and_run(Example example, const target::Target& target);
/// Outputs for each set of inputs, from the engine and from the reference interpreter.
struct DocumentRuns {
  std::vector<std::vector<ir::Tensor>> outputs;
  std::vector<ReferenceRun> references;
};
/// Written once, loaded once by each.
DocumentRuns run_document(const nnef::Document& document,
                          const std::vector<std::vector<ir::Tensor>>& inputs,
                          const target::Target& target);
/// Complex tensors as the translated graph takes and gives them.
std::vector<ir::Tensor> as_pairs(const std::vector<ir::Tensor>& tensors);
std::string engine_profile(Example example, const target::Target& target);
/// The rendered diagnostic of work that must fail.
std::string error_of(const std::function<void()>& work);

}  // namespace t2n::test
