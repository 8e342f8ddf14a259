// A model with dynamic axes: traced at several sizes, and the sizes to check it at.
#pragma once

#include "src/dynamic/trials.h"
#include "src/export/samples.h"

namespace t2n {

/// Of `--dynamic` and `--assert`.
struct DynamicOptions {
  std::vector<dynamic::AxisSpec> axes;
  std::vector<ir::Comparison> asserted;
};

/// The samples with the shapes of the graph inputs, of which `names` are the names, at `sizes`.
std::vector<Sample> samples_at(const std::vector<Sample>& samples,
                               const std::vector<std::string>& names,
                               const std::vector<ir::Shape>& shapes, const dynamic::Sizes& sizes);

/// Values for every tensor: the samples' where `draw` is 0, else others, so that other sizes
/// follow.
std::vector<trace::SampleInput> drawn(const std::vector<Sample>& samples, uint64_t draw);

/// Whether a sample is the one for graph input `index`, called `name`.
bool is_sample_of(const trace::SampleInput& sample, const std::string& name, size_t index);

/// Shapes of results, for every operator that is translated.
const dynamic::ShapeRules& shape_rules();

/// Traces the session with sizes kept. The graph has its symbols in the attributes kSampleSizes and
/// kRelations. Errors: those of dynamic::trace_dynamic.
dynamic::DynamicTrace trace_dynamic_model(trace::Session& session,
                                          const std::vector<Sample>& samples,
                                          const DynamicOptions& dynamic,
                                          trace::TraceOptions options);

/// Two further settings of all symbols that the model takes, 1 among them where allowed.
std::vector<dynamic::Sizes> sizes_to_check(dynamic::Chooser chooser,
                                           const std::function<bool(const dynamic::Sizes&)>& runs);

}  // namespace t2n
