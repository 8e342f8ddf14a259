// SPDX-License-Identifier: Apache-2.0
// Some lies of each kind, the same ones each time.
#include "tests/lies/lies.h"

#include <algorithm>
#include <map>

namespace t2n::test {

const std::vector<std::string>& lie_kinds() {
  static const std::vector<std::string> kinds = {
      "input-ignored",      "input-baked",          "input-sign-lost", "state-not-fed",
      "first-output-wrong", "further-output-wrong", "outputs-swapped", "half-constant",
      "class-missing",      "weight-element",       "weight-scaled",   "weight-rolled",
      "weights-in-f16",     "element-scaled",       "code-off-by-one", "other-scale",
      "whole-number-off",   "other-rounding",       "limit-dropped",   "relu6-for-relu",
      "relu-for-relu6",     "floor-for-trunc",      "other-operation", "other-comparison",
      "other-number",       "other-axis",           "mask-dropped",    "slice-off-by-one",
      "size-baked",         "one-size-only",        "size-of-one",     "beyond-a-table",
      "order-of-sizes",     "integer-beyond",       "sum-beyond",      "rare-limit",
      "slightly-scaled"};
  return kinds;
}

std::vector<Lie> lies_of(const Truth& truth, size_t most, uint64_t seed) {
  Lies all;
  lie_of_inputs(truth, all);
  lie_of_outputs(truth, all);
  lie_of_weights(truth, all);
  lie_of_operations(truth, all);
  lie_of_quantisers(truth, all);
  lie_of_corners(truth, all);
  std::map<std::string, std::vector<size_t>> by_kind;
  for (size_t i = 0; i < all.size(); ++i) by_kind[all[i].kind].push_back(i);
  Lies out;
  for (const std::string& kind : lie_kinds()) {
    const std::vector<size_t>& places = by_kind[kind];
    const size_t count = std::min(most, places.size());
    // Spread over the file, beginning somewhere else for each seed.
    for (size_t k = 0; k < count; ++k)
      out.push_back(std::move(all[places[(k * places.size() / count + seed) % places.size()]]));
  }
  return out;
}

}  // namespace t2n::test
