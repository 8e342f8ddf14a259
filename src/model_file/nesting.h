// Values inside values: how deep, and how often.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace t2n::model_file {

/// Which value holds which. The first node stands for all values that hold no others; it is not in
/// `held`.
struct Nesting {
  using Id = uint32_t;
  std::vector<std::vector<Id>> held;
};

/// A limit for nested lists, tuples, dictionaries and objects.
inline constexpr int kMaxValueDepth = 500;
/// A limit for places of values; each value counts as often as it can be reached.
inline constexpr uint64_t kMaxPlaces = 50'000'000;

/// Refuses values that contain themselves, are nested deeper than kMaxValueDepth, or are shared so
/// often that a walk over them never ends. Does not recurse. Errors: `id`, with `what` as its
/// subject.
void check_nesting(const Nesting& nodes, const std::string& id, const std::string& what);

}  // namespace t2n::model_file
