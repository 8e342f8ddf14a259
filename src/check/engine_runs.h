// SPDX-License-Identifier: Apache-2.0
// Runs the engine on one input set while LibTorch computes the reference of the next.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/check/check_model.h"
#include "src/check/input_sets.h"

namespace t2n {

/// Names a set other than the samples: "at S=13", "with signs flipped".
std::string where_of(const InputSet& set);

/// The outputs in the model's types, if the dialect has no widths, or outputs may be f16. Errors:
/// `engine-failed` if there are too few or too many.
std::vector<ir::Tensor> with_widths(std::vector<ir::Tensor> actual, const InputSet& set,
                                    const Checking& checking);

/// Errors: those of the runner, which name the set; CheckOptions::observe sees every run.
class EngineRuns {
 public:
  /// The runner has loaded the artefact when the first set is started.
  explicit EngineRuns(const Checking& checking) : checking_(checking) {}

  void start(const std::vector<InputSet>& sets, size_t at);
  /// The results of all sets that were started.
  Results finish_all(const std::vector<InputSet>& sets);

 private:
  void finish(const std::vector<InputSet>& sets);

  const Checking& checking_;
  std::optional<size_t> running_;
  Results results_;
};

}  // namespace t2n
