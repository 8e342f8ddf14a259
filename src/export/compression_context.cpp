#include "src/export/compression_context.h"

#include <utility>

#include "src/compress/calibrate.h"
#include "src/confine/confine.h"
#include "src/export/graph_yardstick.h"

namespace t2n {

void may_read(const CompressOptions& options) {
  for (const std::string& spec : options.calibrate) confine::may_read(calibration_path(spec));
  if (!options.labels.empty()) confine::may_read(options.labels);
}

CompressionContext::CompressionContext(const CompressOptions& options, std::vector<Sample> samples)
    : options_(options), samples_(std::move(samples)), settings_(options.entries) {}

void CompressionContext::enter(passes::PassContext& context) {
  context.settings = &settings_;
  context.calibrate = [this, evaluate = context.evaluate](ir::Graph& graph) {
    calibrate(graph, evaluate);
  };
}

std::optional<CalibrationSet>& CompressionContext::set_for(const ir::Graph& graph) {
  if (!set_ && (!options_.calibrate.empty() || compress::needs_calibration(graph)))
    set_.emplace(graph, samples_, options_.calibrate);
  return set_;
}

void CompressionContext::calibrate(ir::Graph& graph, const ir::Evaluator& evaluate) {
  CalibrationSet& set = *set_for(graph);
  compress::calibrate(
      graph, [&] { return set.next(); },
      [&](const std::vector<ir::Tensor>& batch) { return at_sizes(graph, set.sizes_of(batch)); },
      evaluate);
  set.rewind();
}

}  // namespace t2n
