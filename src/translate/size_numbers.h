// SPDX-License-Identifier: Apache-2.0
// Numbers that a graph computes from sizes.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph.h"

namespace t2n::ops {

/// size * factor; the factor is not 0.
struct SizeNumber {
  ir::Dim size;
  double factor = 1;
};

/// Tensors of one element that are sums and products of sizes and constants, as traces and
/// conversions to floats produce them.
class SizeNumbers {
 public:
  explicit SizeNumbers(const ir::Graph& graph);
  /// std::nullopt for other values.
  const std::optional<SizeNumber>& of(ir::ValueId id) const { return numbers_[id]; }
  /// The same for an argument, which is a number or a value.
  std::optional<SizeNumber> of(const ir::Node& node, std::string_view argument) const;

 private:
  std::optional<SizeNumber> result(const ir::Node& node, ir::DType dtype) const;

  std::vector<std::optional<SizeNumber>> numbers_;
};

}  // namespace t2n::ops
