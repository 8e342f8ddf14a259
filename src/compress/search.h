// Which layers are compressed so that a limit of loss or of bytes holds, by what each costs alone.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace t2n::compress {

/// How a layer is stored.
enum class Form {
  floats,    ///< as it was
  as_set,    ///< as the settings say
  narrower,  ///< with fewer bits than they say
};
/// Per layer.
using Choice = std::vector<Form>;

struct Loss {
  double asked = 0;  ///< what a limit is set to
  double noise = 0;  ///< finer: decides between layers whose loss is the same
};

/// What is searched in: layers that can only be compressed together are one.
struct SearchSpace {
  std::vector<bool> can_narrow;  ///< per layer
  std::function<Loss(const Choice&)> loss;
  std::function<int64_t(const Choice&)> bytes;
};

struct Goal {
  std::optional<double> max_loss = {};
  std::optional<int64_t> budget = {};  ///< bytes
};

/// A layer compressed, and no other.
struct Alone {
  Loss loss;
  int64_t saved = 0;  ///< bytes
};

struct Found {
  Choice choice;
  Loss loss;  ///< measured of just this choice
  int64_t bytes = 0;
  int64_t bytes_of_floats = 0;
  bool is_within_budget = true;  ///< else `bytes` are the fewest that there are, and loss unknown
  bool is_within_loss = true;
  std::vector<std::optional<Alone>> alone;  ///< per layer; nothing where it was not needed
};

/// Without a budget, all are compressed, and as long as the loss is above the limit, the one that
/// loses most for each byte that it saves stays in floats. With one, all are in floats, and those
/// that lose least for each byte are compressed until the budget holds, where needed with fewer
/// bits; the limit of loss only judges what is found. Each step is measured, not summed up.
Found search(const SearchSpace& space, const Goal& goal);

}  // namespace t2n::compress
