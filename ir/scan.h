// SPDX-License-Identifier: Apache-2.0
// t2n::scan: a loop over an axis of tensors as one node, with its iteration as a nested graph.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/evaluator.h"
#include "ir/graph.h"

namespace t2n::ir {

inline constexpr std::string_view kScanOp = "t2n::scan";

/// The arguments of `t2n::scan`, under these names and in this order:
///   length: Dim                       number of iterations, at least one
///   scanned: Tensor[], scanned_axes: int[], scanned_reversed: bool[]
///                                     iteration t sees index t of the axis, or length - 1 - t
///   initial: Tensor[]                 states before the first iteration
///   captured: Tensor[]                the same in every iteration
///   stacked_axes: int[], stacked_reversed: bool[]
///                                     axis and order in which per-iteration values are stacked
/// Body inputs: the iteration number (i64[]), the scanned tensors without their axis, the states,
/// the captured values. Body outputs: the values to stack, without the axis; the next states.
/// Outputs of the node: the stacked tensors, the last states. A body uses no other values or
/// constants of the enclosing graph. Symbols have the same meaning inside and outside.
struct Scan {
  Dim length;
  std::vector<ValueId> scanned;
  Ints scanned_axes;
  std::vector<bool> scanned_reversed;
  std::vector<ValueId> initial;
  std::vector<ValueId> captured;
  Ints stacked_axes;
  std::vector<bool> stacked_reversed;

  size_t stacked() const { return stacked_axes.size(); }
  // Positions among the body's inputs; its iteration is input 0.
  size_t scanned_input(size_t i) const { return 1 + i; }
  size_t state_input(size_t i) const { return 1 + scanned.size() + i; }
  size_t captured_input(size_t i) const { return 1 + scanned.size() + initial.size() + i; }
  size_t inputs() const { return captured_input(captured.size()); }
  // Positions among the outputs of both body and node.
  size_t state_output(size_t i) const { return stacked() + i; }
  size_t outputs() const { return state_output(initial.size()); }
};

bool is_scan(const Node& node);
/// Reads the node's arguments; an internal error if they are not those of a scan.
Scan read_scan(const Node& node);
std::vector<Argument> scan_arguments(const Scan& scan);

/// An error message about a scan whose body is valid; nothing if it is correct.
std::optional<std::string> scan_problem(const Graph& graph, const Node& node);

/// Runs the body iteration after iteration.
std::vector<Tensor> run_scan(const Node& node, const Operand& operand, const Evaluator& evaluate,
                             const Sizes& unbacked_outside);

/// Removes unused stacked outputs, states, scanned and captured inputs; `is_used`: by output of the
/// node. Copies the body before changing it. Returns true if anything was removed.
bool prune_scan(Node& node, const std::vector<bool>& is_used);

}  // namespace t2n::ir
