// What passes of compression ask of the world: settings by module, and a set to calibrate with.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/compress/calibrate.h"
#include "src/compress/search.h"
#include "src/compress/settings.h"
#include "src/export/calibration_set.h"
#include "src/model/model.h"
#include "src/passes/context.h"

namespace t2n {

struct CompressOptions {
  std::vector<compress::Entry> entries;  ///< of --compress, --ignore and --only
  std::vector<std::string> calibrate;    ///< of --calibrate: files and folders
  std::string labels;                    ///< of --labels: a .npy of integers; "": none
  compress::Goal goal;                   ///< of --max-loss and --budget

  bool has_goal() const { return goal.max_loss || goal.budget; }
};

/// With the settings that the model's own modules carry, over which those of the options win.
/// Nothing where neither asks for anything.   Errors: `usage` for settings that are none.
std::optional<CompressOptions> with_own_settings(const std::optional<CompressOptions>& options,
                                                 const trace::ModelInfo& model);

/// Lets the confined process read what the options name. Before the model is loaded.
void may_read(const CompressOptions& options);

/// Of one graph. It stays where it is while passes run.
class CompressionContext {
 public:
  /// `samples`: of the model. Errors: `usage` for settings that contradict themselves.
  CompressionContext(const CompressOptions& options, std::vector<Sample> samples);

  /// Gives passes the settings, and what they calibrate with.
  void enter(passes::PassContext& context);
  const compress::Settings& settings() const { return settings_; }
  /// From now on, the entries of the options and these.
  void add(std::vector<compress::Entry> more);
  /// The set that was named, or is needed; nothing else is opened. Errors: `calibration`.
  std::optional<CalibrationSet>& set_for(const ir::Graph& graph);

 private:
  void calibrate(ir::Graph& graph, const ir::Evaluator& evaluate);
  /// Over the first batches of the set.
  std::map<std::string, double> clipped(const ir::Graph& graph, const ir::Evaluator& evaluate);

  const CompressOptions& options_;
  std::vector<Sample> samples_;
  compress::Settings settings_;
  std::optional<CalibrationSet> set_;
  compress::Calibration seen_;  ///< where many choices are tried
};

}  // namespace t2n
