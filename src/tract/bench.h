// SPDX-License-Identifier: Apache-2.0
// Times of loading and running models in the engine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/tract/library.h"

namespace t2n::tract {

struct BenchedModel {
  std::string artefact;
  std::vector<ir::Tensor> inputs;  ///< in the order of the engine
};

/// What to measure: several models are measured alternately, in one process.
struct BenchRequest {
  std::vector<BenchedModel> models;
  int64_t loads = 5;      ///< after one that is not counted
  int64_t warmups = 5;    ///< runs that are not counted
  int64_t runs = 0;       ///< 0: as many as fit into `seconds`, at least kLeastRuns
  double seconds = 2;     ///< for all runs of a model together
  bool profiles = false;  ///< also the time of each operation, which tract measures by itself
};
inline constexpr int64_t kLeastRuns = 10;
inline constexpr int64_t kMostRuns = 100'000;

/// Seconds, in the order of the measurements; those of several models belong together by index.
struct BenchTimes {
  std::vector<double> loads;
  std::vector<double> runs;
  std::string profile;  ///< tract's JSON; "" if not requested
};

/// One element per model. Errors: `engine-rejects`, `engine-failed`.
std::vector<BenchTimes> bench(const Library& library, const BenchRequest& request);

}  // namespace t2n::tract
