// SPDX-License-Identifier: Apache-2.0
#include "src/target/integer_products.h"

#include <array>

namespace t2n::target {
namespace {

struct LayerRow {
  Layer layer;
  Version since;  ///< of tract; earlier ones were not measured
  int64_t least;  ///< products in one sum
};

/// Measured on an x86 with VNNI (docs/quantised.md). Convolutions with few channels would lose more
/// than the others gain.
constexpr std::array<LayerRow, 1> kLayers = {{{Layer::linear, {0, 23, 9}, 256}}};

}  // namespace

int64_t least_integer_products(const Target& target, Layer layer) {
  for (const LayerRow& row : kLayers)
    if (row.layer == layer && target.engine == Engine::tract && target.version >= row.since)
      return row.least;
  return 0;
}

}  // namespace t2n::target
