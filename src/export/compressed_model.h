// A traced model made smaller, and what that costs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/compress/left_weights.h"
#include "src/compress/loss.h"
#include "src/compress/own_grids.h"
#include "src/export/compress_search.h"
#include "src/export/compression_context.h"
#include "src/export/traced_model.h"
#include "src/passes/pass.h"
#include "src/target/target.h"

namespace t2n {

/// What compression runs, up to where the lint looks: integers and fake quantisation stand there.
std::vector<std::string> compression_passes();

/// What compression did.
struct Compression {
  std::vector<compress::LayerLoss> layers;         ///< in execution order
  std::vector<compress::OutputLoss> outputs;       ///< in order
  std::vector<compress::LeftWeight> left;          ///< in floats, although settings want it smaller
  std::vector<compress::OwnGrid> own;              ///< that the model itself has rounded
  std::vector<std::string> activations_in_floats;  ///< modules that settings ask otherwise of
  size_t batches = 0;                              ///< that both graphs were run on
  bool is_pruned = false;                          ///< weights were set to zero
  bool is_calibrated = false;          ///< these are the calibration set, else the samples
  std::optional<SearchResult> search;  ///< with --max-loss or --budget
};

/// Compresses the graph of a traced model. Afterwards its graph is in plain operations again, and
/// what was recorded, for the check, is what the compressed graph computes.
/// Errors: `usage` for settings and globs, `unsupported-argument` for what the target cannot run,
/// both before anything is run; `calibration`;
/// `compression-goal`.
Compression compress_model(TracedModel& model, const CompressOptions& options,
                           const target::Target& target, const Report& report);

}  // namespace t2n
