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
///   length: Dim                       iterations; the node means nothing for less than one
///   scanned: Tensor[], scanned_axes: int[], scanned_reversed: bool[]
///                                     iteration t sees index t of the axis, or length - 1 - t
///   initial: Tensor[]                 states before the first iteration
///   captured: Tensor[]                the same in every iteration
///   stacked_axes: int[], stacked_reversed: bool[]
///                                     where the values of the iterations go, and in which order
/// Body inputs: the number of the iteration (i64[]), the scanned tensors without their axis, the
/// states, what is captured. Body outputs: what is stacked, without the axis; the next states.
/// Outputs of the node: the stacked tensors, the last states. Nothing else enters a body: neither
/// values nor constants of the graph around it. Symbols mean the same inside and outside.
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
  // Positions among the outputs of body and node alike.
  size_t state_output(size_t i) const { return stacked() + i; }
  size_t outputs() const { return state_output(initial.size()); }
};

bool is_scan(const Node& node);
/// Reads the node's arguments; an internal error if they are not those of a scan.
Scan read_scan(const Node& node);
std::vector<Argument> scan_arguments(const Scan& scan);

/// What is wrong with a scan whose body is valid; nothing if it is correct.
std::optional<std::string> scan_problem(const Graph& graph, const Node& node);

/// Runs the body iteration after iteration.
std::vector<Tensor> run_scan(const Node& node, const Operand& operand, const Evaluator& evaluate,
                             const Sizes& unbacked_outside);

/// Drops what a scan stacks, carries, scans or captures without use; `is_used`: by output of the
/// node. The body is copied before it changes. Returns true if anything was dropped.
bool prune_scan(Node& node, const std::vector<bool>& is_used);

}  // namespace t2n::ir
