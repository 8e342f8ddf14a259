// SPDX-License-Identifier: Apache-2.0
// The regions that views show of their base, as expressions over sizes.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/frontend/record/alias_table.h"

namespace t2n::trace {

struct Box;

/// [start, end) of an axis.
struct SymbolicSlice {
  int64_t axis = 0;
  ir::Dim start, end;
};

/// The sizes of a value, each as its own symbol.
ir::Shape size_symbols(ir::Graph& graph, ir::ValueId value);

/// Views that are disjoint in this run may overlap at other sizes. Reads the alias table and the
/// views of the graph, and collects the conditions that writes rely on.
class Regions {
 public:
  Regions(ir::Graph& graph, const AliasTable& aliases) : graph_(graph), aliases_(aliases) {}

  /// An operand that shares memory with the written tensor is disjoint from it, or equal to it, at
  /// the sizes of this run: records the conditions for this.
  void rely_on_regions(const std::string& name, const at::Tensor& written,
                       const torch::jit::Stack& inputs);
  /// The slice that narrow() or a split takes; nothing for other views, or if its bounds have no
  /// expression.
  std::optional<SymbolicSlice> symbolic_slice(const View& view);
  void rely_on(const std::vector<ir::Comparison>& conditions) {
    relied_.insert(relied_.end(), conditions.begin(), conditions.end());
  }
  /// The conditions that writes since the last call rely on.
  std::vector<ir::Comparison> take_relied() { return std::exchange(relied_, {}); }
  /// Sizes that decide, without an expression, whether an operation reads elements that it writes.
  std::vector<ir::Dim> take_overlaps() { return std::exchange(overlaps_, {}); }

 private:
  Box box_of(int entry, int base);
  ir::Dim size_of(int entry, size_t axis, int base);
  void rely_on_sizes(int entry, int base);

  ir::Graph& graph_;
  const AliasTable& aliases_;
  std::vector<ir::Comparison> relied_;
  std::vector<ir::Dim> overlaps_;
};

}  // namespace t2n::trace
