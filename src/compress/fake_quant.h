// SPDX-License-Identifier: Apache-2.0
// Fake quantisation with constant parameters, in torch's operations.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph.h"
#include "ir/quant_info.h"

namespace t2n::compress {

/// The quantisation parameters of an operation aten::fake_quantize_per_….
struct FakeQuant {
  ir::ValueId self = ir::kNoValue;
  std::vector<double> scales;
  std::vector<int64_t> zero_points;
  std::optional<int> axis;
  int64_t low = 0;
  int64_t high = 0;
};

/// Nothing for other operations, and if the parameters are not constant.
std::optional<FakeQuant> read_fake_quant(const ir::Graph& graph, const ir::Node& node,
                                         const std::vector<int>& constants);

/// The parameters as those of an integer type of at most 8 bits; nothing if there is none.
std::optional<ir::QuantInfo> quant_info(const FakeQuant& fake);

}  // namespace t2n::compress
