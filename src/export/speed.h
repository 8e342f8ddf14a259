// SPDX-License-Identifier: Apache-2.0
// The engine's time of a compressed artefact, next to that of the float one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace t2n {

struct ExportOptions;
struct FoundEngine;
struct TracedModel;

/// Medians of runs in turns.
struct EngineSpeed {
  std::string engine;  ///< "tract 0.23.9"
  double seconds = 0;
  double float_seconds = 0;
  double ratio = 0;  ///< of a run to the float artefact's in the same turn
  size_t runs = 0;
};

/// Measures the artefact, and one without compression, which it writes into the engine's scratch
/// folder. Nothing if the engine is not tract, the model is large, or the float artefact does not
/// run.
std::optional<EngineSpeed> compared_speed(const TracedModel& model,
                                          const std::filesystem::path& artefact,
                                          const ExportOptions& options, const FoundEngine& engine);

/// "engine time: 1.07 of the float artefact's (1.83 ms of 1.71 ms; tract 0.23.9, medians of 60)"
std::string speed_text(const EngineSpeed& speed);

}  // namespace t2n
