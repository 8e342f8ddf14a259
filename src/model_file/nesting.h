// SPDX-License-Identifier: Apache-2.0
// Limits of nested values: depth and number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace t2n::model_file {

/// The containment graph of values. Node 0 represents all values without children; it is not in
/// `children`.
struct Nesting {
  using Id = uint32_t;
  std::vector<std::vector<Id>> children;
};

/// A limit for nested lists, tuples, dictionaries and objects.
inline constexpr int kMaxValueDepth = 500;
/// A limit for the number of values; each counts once for every path that reaches it.
inline constexpr uint64_t kMaxPaths = 50'000'000;

/// Refuses values that contain themselves, are nested deeper than kMaxValueDepth, or are shared so
/// often that visiting all paths never ends. Does not recurse. Errors: `id`, with `what` as its
/// subject.
void check_nesting(const Nesting& nodes, const std::string& id, const std::string& what);

}  // namespace t2n::model_file
