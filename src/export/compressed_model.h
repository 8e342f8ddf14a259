// SPDX-License-Identifier: Apache-2.0
// Compresses a traced model, and measures the cost.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/compress/existing_qparams.h"
#include "src/compress/explain/loss.h"
#include "src/compress/explain/unquantised_weights.h"
#include "src/export/compress_search.h"
#include "src/export/compression_context.h"
#include "src/export/speed.h"
#include "src/export/traced_model.h"
#include "src/passes/pass.h"
#include "src/target/target.h"

namespace t2n {

/// The result of compression.
struct Compression {
  std::vector<compress::LayerLoss> layers;               ///< in execution order
  std::vector<compress::OutputLoss> outputs;             ///< in order
  std::vector<compress::UnquantisedWeight> unquantised;  ///< despite the settings
  std::vector<compress::ExistingQParam> existing;        ///< that the model itself has quantised
  std::vector<std::string> activations_in_floats;        ///< modules, despite the settings
  size_t batches = 0;                                    ///< number of batches for the loss
  bool is_pruned = false;                                ///< settings prune weights
  bool is_calibrated = false;          ///< batches are the calibration set, else the samples
  std::optional<SearchResult> search;  ///< with --max-loss or --budget
  std::optional<EngineSpeed> speed;    ///< with --check
};

struct CompressedModel {
  ir::Graph graph;  ///< plain operations
  Compression cost;
};

/// Compresses the graph of a traced model. `passes`: those to disable and to print. Errors: `usage`
/// for settings and globs, and `unsupported-argument` for what the target cannot run, both before
/// any run; `calibration`; `compression-goal`.
CompressedModel compress_model(const TracedModel& model, const CompressOptions& options,
                               const target::Target& target, const passes::PipelineOptions& passes,
                               const Report& report);

}  // namespace t2n
