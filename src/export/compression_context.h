// SPDX-License-Identifier: Apache-2.0
// What compression passes need: settings by module, and a calibration set.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/compress/calibrate/calibrate.h"
#include "src/compress/settings/search.h"
#include "src/compress/settings/settings.h"
#include "src/model/model.h"
#include "src/passes/context.h"
#include "src/samples/calibration_set.h"

namespace t2n {

struct CompressOptions {
  std::vector<compress::SettingsEntry> entries;  ///< of --compress, --ignore and --only
  std::vector<std::string> calibrate;            ///< of --calibrate: files and folders
  std::string labels;                            ///< of --labels: a .npy of integers; "": none
  compress::Goal goal;                           ///< of --max-loss and --budget
  bool has_settings = true;                      ///< false: there is only a calibration set

  bool has_goal() const { return goal.max_loss || goal.budget; }
};

/// Adds the settings that the model's modules carry; the options override them. Nothing if there
/// are none.   Errors: `usage` for invalid settings.
std::optional<CompressOptions> with_model_settings(const std::optional<CompressOptions>& options,
                                                   const trace::ModelInfo& model);

/// Lets the confined process read the files in the options. Call it before the model is loaded.
void may_read(const CompressOptions& options);

/// For one graph, which must not move while passes run.
class CompressionContext {
 public:
  /// `samples`: the model's. Errors: `usage` for settings that contradict one another.
  CompressionContext(const CompressOptions& options, std::vector<Sample> samples);

  /// Stores the settings and the calibration in the context.
  void enter(passes::PassContext& context);
  const compress::Settings& settings() const { return settings_; }
  /// Uses the entries of the options and `more` from now on.
  void add(std::vector<compress::SettingsEntry> more);
  /// The calibration set, if one was requested or is needed. Errors: `calibration`.
  std::optional<CalibrationSet>& set_for(const ir::Graph& graph);

 private:
  void calibrate(ir::Graph& graph, const ir::Evaluator& evaluate);
  /// Shares of clipped values over the first batches of the set.
  std::map<std::string, double> clipped(const ir::Graph& graph, const ir::Evaluator& evaluate);

  const CompressOptions& options_;
  std::vector<Sample> samples_;
  compress::Settings settings_;
  std::optional<CalibrationSet> set_;
  compress::Calibration seen_;  ///< shared by all candidates of a search
};

}  // namespace t2n
