// Passes on the graph of a model, or on one that was written as text, and the graph as text or as
// an artefact.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/export/pass_steps.h"
#include "src/export/pipeline.h"

namespace t2n {

struct OptOptions {
  /// What is read, and how it is traced; the target; `output`: "" for none, FILE.ir, or an
  /// artefact; `passes`: what is printed. A model is read as text if it is called FILE.ir.
  ExportOptions model;
  std::vector<passes::PassInfo> pipeline;
  bool verifies = false;  ///< run the graph before and after each pass
  bool bisects = false;   ///< the same, against the first graph, to the end of the pipeline
  check::Tolerance tolerance;
  std::optional<CompressOptions> compress;  ///< what passes of compression ask for
};

struct OptResult {
  std::optional<trace::ModelInfo> info;  ///< nothing of a graph that was read as text
  ir::Graph graph;                       ///< after all passes
  Steps steps;                           ///< with a fault, nothing was written
  std::string path;                      ///< what was written; "" if nothing was
  int64_t bytes = 0;
  int64_t weights = 0;  ///< of the file beside a graph; 0 if there is none
};

/// Before an artefact is written, what translation always needs runs behind the pipeline
/// (passes::translation_pipeline); the first graph of a quantised model has its quantised tensors,
/// without declared axes.
/// Errors: those of tracing, reading, passes, translation and writing; `weights-missing` where a
/// graph cannot be run or translated without its constants.
OptResult optimise(const OptOptions& options);

}  // namespace t2n
