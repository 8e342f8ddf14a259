// Values inside of values: how deep, and how often.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace t2n::model_file {

/// Which value holds which. The first stands for all values without others inside, and is none of
/// `held`.
struct Nesting {
  using Id = uint32_t;
  std::vector<std::vector<Id>> held;
};

/// Values that hold values: lists, tuples, dictionaries, objects.
inline constexpr int kMaxValueDepth = 500;
/// Places of values, each counted as often as it can be reached.
inline constexpr uint64_t kMaxPlaces = 50'000'000;

/// Refuses values that contain themselves, are nested deeper than kMaxValueDepth, or are shared so
/// often that whoever walks over them never ends. Recurses nowhere. Errors: `id`, with `what` as
/// its subject.
void check_nesting(const Nesting& nodes, const std::string& id, const std::string& what);

}  // namespace t2n::model_file
