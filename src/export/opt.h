// SPDX-License-Identifier: Apache-2.0
// Runs passes on a model's graph, or on a graph in text form, and writes text or an artefact.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/export/pass_steps.h"
#include "src/export/pipeline.h"

namespace t2n {

struct OptOptions {
  /// Input, options of tracing, and target; `output`: "" for none, FILE.ir, or an artefact;
  /// `passes`: what is printed. A model with the name FILE.ir is read as text.
  ExportOptions model;
  std::vector<passes::PassInfo> pipeline;
  bool verifies = false;  ///< compares the graph before and after each pass
  bool bisects = false;   ///< compares with the first graph, to the end of the pipeline
  check::Tolerance tolerance;
  std::optional<CompressOptions> compress;  ///< for compression passes
};

struct OptResult {
  std::optional<trace::ModelInfo> info;  ///< nothing for a graph that was read as text
  ir::Graph graph;                       ///< after all passes
  PassSteps steps;                       ///< if one has a fault, nothing was written
  std::string path;                      ///< the written file; "" if there is none
  int64_t bytes = 0;
  int64_t weights = 0;  ///< bytes of the weights file; 0 if there is none
};

/// For an artefact, the passes that translation requires (Pipeline::translation) run after
/// the pipeline. The first graph of a quantised model contains quantised tensors, unless axes are
/// declared. Errors: those of tracing, reading, passes, translation and writing;
/// `weights-missing` if a graph cannot run or be translated without its constants.
OptResult optimise(const OptOptions& options);

}  // namespace t2n
