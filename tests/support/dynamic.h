// SPDX-License-Identifier: Apache-2.0
// Operator tests with open sizes: one export, run in the real engine at several sizes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "tests/support/script.h"

namespace t2n::test {

/// What each symbol stands for in one run.
using ir::Sizes;

/// An input whose shape is written over symbols: {"B", "S + 1", "8"}.
struct OpenInput {
  std::vector<std::string> shape;
  ir::DType dtype = ir::DType::f32;
  double low = -2;  ///< values are drawn from [low, high)
  double high = 2;
};

/// A graph with symbolic sizes, and what torch computes from inputs of several sizes.
struct OpenExample {
  struct Run {
    Sizes sizes;
    std::vector<ir::Tensor> inputs;
    std::vector<ir::Tensor> expected;
  };
  ir::Graph graph;
  std::vector<Run> runs;
  std::vector<std::string> disabled_passes;
};

/// Traces the model at the sizes of `runs`, to compare at, and infers every size of the graph.
OpenExample open_example(const Script& model, const std::vector<OpenInput>& inputs,
                         const std::vector<Sizes>& runs);
/// A graph in the text form of the IR, whose symbols stand in shapes and arguments; what is
/// expected comes from torch's operations after the symbols are replaced.
OpenExample open_example(const std::string& ir, const std::vector<Sizes>& runs);

/// What differs between torch and the engine, "" if nothing does.
std::string open_differences(const OpenExample& example, const target::Target& target,
                             const check::Tolerance& tolerance);
/// The rendered diagnostic of an export that must fail.
std::string open_error(const OpenExample& example, const target::Target& target);

/// Exports each expression in x, y and z once per target and compares at all sizes.
void check_open(const std::vector<std::string>& expressions, const std::vector<OpenInput>& inputs,
                const std::vector<Sizes>& runs, double tolerance = 1e-5);
/// The same with parameters (`self.weight`).
void check_open_with(const std::vector<std::pair<std::string, ir::Tensor>>& parameters,
                     const std::vector<std::string>& expressions,
                     const std::vector<OpenInput>& inputs, const std::vector<Sizes>& runs,
                     double tolerance = 1e-5);
/// Every target, or the newest, must refuse the expression with a message that holds `text`.
void check_open_refused(const std::string& expression, const std::vector<OpenInput>& inputs,
                        const std::vector<Sizes>& runs, const std::string& text);

/// Traces the model on each of the inputs, from whose values sizes follow, and names these sizes.
OpenExample unbacked_example(const Script& model,
                             const std::vector<std::vector<ir::Tensor>>& inputs);
/// Exports each expression in x, y and z for the newest tract, and compares on all of the inputs.
void check_unbacked(const std::vector<std::string>& expressions,
                    const std::vector<std::vector<ir::Tensor>>& inputs, double tolerance = 1e-5);
/// The newest tract must refuse the expression with a message that holds `text`.
void check_unbacked_refused(const std::string& expression,
                            const std::vector<std::vector<ir::Tensor>>& inputs,
                            const std::string& text);

/// Sizes that most models take: the traced ones, one each, and larger ones.
inline const std::vector<Sizes> kSizes = {
    {{"B", 2}, {"S", 5}}, {{"B", 1}, {"S", 1}}, {{"B", 3}, {"S", 9}}};
/// For models that take some entries away.
inline const std::vector<Sizes> kLong = {
    {{"B", 2}, {"S", 5}}, {{"B", 1}, {"S", 4}}, {{"B", 3}, {"S", 9}}};
inline const OpenInput kX{{"B", "S", "4"}};
inline const OpenInput kIds{{"B", "S"}, ir::DType::i64, 0, 9};

}  // namespace t2n::test
