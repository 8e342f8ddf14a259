// SPDX-License-Identifier: Apache-2.0
// The pass `quantise-q4_0`: weights of linear layers, convolutions and embeddings become blocks of
// 4-bit codes, 4.5 bits per element, which the engine unpacks during multiplication.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/compress/round/q4_0.h"
#include "src/passes/pass.h"
#include "src/target/target.h"

namespace t2n::compress {

enum class Q4Rounding {
  nearest,      ///< the scale from the value of largest magnitude, each value to its nearest code
  least_error,  ///< the scale by search, "mse"
  compensated,  ///< later columns compensate the errors of earlier ones, "gptq"
};

struct Q4Options {
  /// The rounding of the weight that a node reads; nothing: it is not packed. Empty: all to
  /// nearest.
  std::function<std::optional<Q4Rounding>(const ir::Graph&, const ir::Node&)> rounding_for;
  /// Whether the target reads packed weights in a node. Empty: in all supported nodes.
  std::function<bool(const ir::Node&)> is_readable;
  /// X^T X of the rows that a node multiplies by its weight, [K, K] row by row, for
  /// `compensated`; if it is empty, the scale is searched.
  std::function<std::vector<double>(const ir::Graph&, const ir::Node&)> second_moments;
};

/// The result for a weight for which settings request packing.
struct Q4Weight {
  std::string name;
  int64_t elements = 0;
  std::string unpacked_reason;  ///< why it stays a float; "" if it is packed
  bool lacks_moments = false;   ///< packed with the best scales, since moments for GPTQ are missing
  double relative_error = 0;    ///< |W - Q| / |W|, if packed
};

/// Rewrites the graph, and returns the result for each such weight.
std::vector<Q4Weight> pack_weights(ir::Graph& graph, const Q4Options& options);

/// The nodes in which an engine version reads packed weights.
std::function<bool(const ir::Node&)> reads_q4_0(const target::Target& target);

}  // namespace t2n::compress
