// SPDX-License-Identifier: Apache-2.0
// What the operator tests have seen: which arguments of which operator, in which engine, how it
// went.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace t2n::test {

/// An operation of a tested model, and the arguments that do not have their default value.
struct OperatorUse {
  std::string op;
  std::vector<std::string> given;
  std::string called = {};  ///< "", or what was called instead: `op` shares its translation
};
/// The operations of a traced graph that torch declares, each form once.
std::vector<OperatorUse> operator_uses(const ir::Graph& graph);

/// Operators that exist for quantised tensors alone: a pass takes them apart before the
/// translation.
bool is_of_quantised(std::string_view op);

/// Whether the registry has the same meaning and variants for both.
bool same_translation(ir::OpId a, ir::OpId b);
/// The same for other names of these operations: operators of the same translation and signature,
/// for which torch computes the same from these inputs.
std::vector<OperatorUse> alias_uses(const ir::Graph& graph, const std::vector<ir::Tensor>& inputs);

enum class Outcome { right, refused, wrong };
std::string_view outcome_name(Outcome outcome);

/// Whether anything is recorded: $T2NNEF_COVERAGE is set.
bool is_recording();
/// Empties what this program recorded before.
void start_recording();
/// Appends to a file in the folder $T2NNEF_COVERAGE, a line for each new fact; does nothing
/// without.
void record(const std::vector<OperatorUse>& uses, const std::string& target, Outcome outcome);

/// One line of those files.
struct CoverageFact {
  OperatorUse use;
  std::string target;
  Outcome outcome = Outcome::right;
};
/// All facts that these programs left in `folder`.   Errors: internal, if one left no file.
std::vector<CoverageFact> read_coverage(const std::string& folder,
                                        const std::vector<std::string>& programs);

}  // namespace t2n::test
