// Fake quantisation with a known grid, as torch writes it.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph.h"
#include "ir/quant_info.h"

namespace t2n::compress {

/// What an operation aten::fake_quantize_per_… rounds to.
struct FakeQuant {
  ir::ValueId self = ir::kNoValue;
  std::vector<double> scales;
  std::vector<int64_t> zero_points;
  std::optional<int> axis;
  int64_t low = 0;
  int64_t high = 0;
};

/// Nothing for other operations, and where the grid is no constant.
std::optional<FakeQuant> read_fake_quant(const ir::Graph& graph, const ir::Node& node,
                                         const std::vector<int>& constants);

/// The integers as a type of 8 bits has them; nothing where they do not fit.
std::optional<ir::QuantInfo> quant_info(const FakeQuant& of);

}  // namespace t2n::compress
