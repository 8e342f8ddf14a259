// What the trials say of symbolic sizes: comparisons that came out the same in all of them.
#pragma once

#include <optional>
#include <vector>

#include "src/dynamic/axes.h"

namespace t2n::dynamic {

class Facts {
 public:
  explicit Facts(std::vector<const Sizes*> trials) : trials_(std::move(trials)) {}

  /// What does not follow for all sizes >= 0 but is the same in every trial is noted as assumed;
  /// none if the trials differ.
  std::optional<bool> decide(const ir::Dim& a, Relation relation, const ir::Dim& b);
  /// Whether both are equal: as expressions, or in every trial, which is noted then.
  bool equal(const ir::Dim& a, const ir::Dim& b);
  /// The smaller and the larger; min() and max() themselves only where the trials show both.
  ir::Dim smaller(const ir::Dim& a, const ir::Dim& b);
  ir::Dim larger(const ir::Dim& a, const ir::Dim& b);
  /// Without what targets cannot say: minima and maxima are decided, remainders become divisions.
  ir::Dim simplified(const ir::Dim& dim);

  /// What was noted since the last call.
  std::vector<Comparison> take_assumed();

 private:
  void assume(const ir::Dim& a, Relation relation, const ir::Dim& b);

  std::vector<const Sizes*> trials_;
  std::vector<Comparison> assumed_;
};

}  // namespace t2n::dynamic
