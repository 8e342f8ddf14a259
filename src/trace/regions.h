// Where two views of one tensor lie in it, as expressions over sizes.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/trace/alias_table.h"

namespace t2n::trace {

struct Box;

/// [start, end) of an axis.
struct OpenCut {
  int64_t axis = 0;
  ir::Dim start, end;
};

/// The sizes of a value, each as a symbol of its own.
ir::Shape size_symbols(ir::Graph& graph, ir::ValueId value);

/// Views that are apart in this run may overlap at other sizes. Reads tracks and the views of the
/// graph, and collects the conditions that writes rely on.
class Places {
 public:
  Places(ir::Graph& graph, const AliasTable& aliases) : graph_(graph), aliases_(aliases) {}

  /// An operand that shares memory with the written tensor lies apart from it, or is the same, at
  /// the sizes of this run: the file holds only where that is so.
  void rely_on_regions(const std::string& name, const at::Tensor& written,
                       const torch::jit::Stack& inputs);
  /// The part that narrow() or a split shows; nothing for other views, or where only the numbers of
  /// this run tell.
  std::optional<OpenCut> open_cut(const View& view);
  void rely_on(const std::vector<ir::Comparison>& conditions) {
    relied_.insert(relied_.end(), conditions.begin(), conditions.end());
  }
  /// The conditions that writes since the last call rely on.
  std::vector<ir::Comparison> take_relied() { return std::exchange(relied_, {}); }
  /// Sizes that decide, in a way without an expression, whether an operation reads what it writes.
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
