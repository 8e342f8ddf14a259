// The pass `quantise-q4_0`: weights of linear layers, convolutions and embeddings become blocks of
// 4-bit codes, 4.5 bits an element, which the engine unpacks where it multiplies.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "src/compress/q4_0.h"
#include "src/passes/pass.h"
#include "src/target/target.h"

namespace t2n::compress {

enum class Q4Rounding {
  nearest,      ///< scale by the value of largest magnitude, each value to its nearest code
  least_error,  ///< scale by search, "mse"
  compensated,  ///< what rounding changes is made up for by the columns after it, "gptq"
};

struct Q4Options {
  /// How the weight that a node reads is rounded; nothing: it stays as it is. Empty: all nearest.
  std::function<std::optional<Q4Rounding>(const ir::Graph&, const ir::Node&)> wanted;
  /// Whether the target reads packed weights in a node. Empty: in all that the pass knows.
  std::function<bool(const ir::Node&)> is_readable;
  /// X^T X of the rows that a node multiplies its weight with, [K, K] row by row, for
  /// `compensated`; empty where nobody has seen any: then the scale is searched.
  std::function<std::vector<double>(const ir::Graph&, const ir::Node&)> second_moments;
};

/// What became of a weight that somebody wanted packed.
struct Q4Weight {
  std::string name;
  int64_t elements = 0;
  std::string left_because;    ///< why it stays in floats; "" if it is packed
  bool lacks_moments = false;  ///< packed by the best scales, for want of what rounding needs
  double relative_error = 0;   ///< |W - Q| / |W|, of a packed one
};

/// Rewrites the graph; the result says of each wanted weight what became of it.
std::vector<Q4Weight> pack_weights(ir::Graph& graph, const Q4Options& options);

/// Where a version of an engine reads packed weights.
std::function<bool(const ir::Node&)> reads_q4_0(const target::Target& target);

}  // namespace t2n::compress
