// What is quantised in a graph, for people to see: before `expand-quantised` runs.
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
  bool is_stored = false;  ///< a weight; else computed
};

struct Summary {
  std::vector<QuantisedTensor> tensors;  ///< weights first
  int64_t weights = 0;                   ///< elements of the stored ones
  int64_t weight_bytes = 0;              ///< with as many bits as they have
  /// What is dequantised and quantised again with nothing computed between.
  size_t idle_pairs = 0;
};

Summary summarise(const ir::Graph& graph);

/// "8 bits, signed, per channel (64 along axis 0)"
std::string info_str(const ir::QuantInfo& info);

/// How far apart the reals are that an output may be: 1 of integers, the scale of what was
/// dequantised or fake-quantised and then at most moved. Nothing where it has no one scale.
std::optional<double> quantum(const ir::Graph& graph, size_t output);

}  // namespace t2n::quant
