// SPDX-License-Identifier: Apache-2.0
#include "src/target/integer_products.h"

#include <array>

#include "src/diag/error.h"

namespace t2n::target {
namespace {

/// The winners of docs/forms.md, which `make forms` measures. Not listed: f32.
struct LayerRow {
  Layer layer;
  Processor processor;
  Version since;  ///< of tract; earlier ones were not measured
  int64_t least;  ///< products in one sum
};

/// Without VNNI, tract has no kernel for i8, and takes 60 times as long as with f32. Convolutions
/// with few channels would lose more than the others gain.
constexpr std::array<LayerRow, 1> kLayers = {{{Layer::linear, Processor::vnni, {0, 23, 9}, 256}}};

}  // namespace

Processor parse_processor(std::string_view text) {
  if (text.empty() || text == "any") return Processor::any;
  if (text == "vnni") return Processor::vnni;
  throw Error("usage", cat("--processor is 'any' or 'vnni', not ", quoted(text)));
}

int64_t least_integer_products(const Target& target, Layer layer, Processor processor) {
  for (const LayerRow& row : kLayers)
    if (row.layer == layer && row.processor == processor && target.engine == Engine::tract &&
        target.version >= row.since)
      return row.least;
  return 0;
}

bool sums_integers(const Target& target) {
  return target.engine == Engine::tract && target.version >= Version{0, 23, 9};
}

}  // namespace t2n::target
