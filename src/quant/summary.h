// SPDX-License-Identifier: Apache-2.0
// Summarises the quantised tensors of a graph, before `expand-quantised` runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace t2n::quant {

struct QuantisedTensor {
  std::string name;
  ir::Shape shape;
  ir::QuantInfo info;
  bool is_stored = false;  ///< a weight; otherwise computed
};

struct Summary {
  std::vector<QuantisedTensor> tensors;  ///< weights first
  int64_t weights = 0;                   ///< elements of the stored ones
  int64_t weight_bytes = 0;              ///< at the bits that they have
  /// Values that are dequantised and immediately quantised again.
  size_t redundant_pairs = 0;
  size_t fake_quantisers = 0;  ///< operations, those fused with an observer included
};

Summary summarise(const ir::Graph& graph);

/// "8 bits, signed, per channel (64 along axis 0)"
std::string info_str(const ir::QuantInfo& info);

/// The distance of neighbouring values of an output: 1 for integers, the scale if it is dequantised
/// or fake-quantised and then at most rearranged. Nothing if it does not have one scale.
std::optional<double> quantum(const ir::Graph& graph, size_t output);

}  // namespace t2n::quant
