// Traces a model with dynamic axes at several sizes, and chooses sizes for the check.
#pragma once

#include "src/dynamic/probes.h"
#include "src/export/samples.h"

namespace t2n {

/// From `--dynamic` and `--assert`.
struct DynamicOptions {
  std::vector<dynamic::AxisSpec> axes;
  std::vector<ir::Comparison> asserted;
  bool takes_orders = false;  ///< see dynamic::OpenOrders
};

/// The samples with the graph inputs' shapes at `sizes`; `names` are the inputs' names.
std::vector<Sample> samples_at(const std::vector<Sample>& samples,
                               const std::vector<std::string>& names,
                               const std::vector<ir::Shape>& shapes, const dynamic::Sizes& sizes);

/// Values for every tensor: the samples' if `seed` is 0, else others that lead to other
/// data-dependent sizes.
std::vector<trace::SampleInput> drawn(const std::vector<Sample>& samples, uint64_t seed);

/// Whether a sample is the one for graph input `index`, called `name`.
bool is_sample_of(const trace::SampleInput& sample, const std::string& name, size_t index);
/// Adds the ranges that the trace found to the samples of the graph inputs `names`, even to samples
/// with values: varied values respect them.
std::vector<Sample> with_ranges(std::vector<Sample> samples, const std::vector<std::string>& names,
                                const std::vector<std::optional<trace::IntegerRange>>& ranges);

/// Traces the session with sizes kept. The graph has its symbols in the attributes kSampleSizes and
/// kRelations. Errors: those of dynamic::trace_dynamic.
dynamic::DynamicTrace trace_dynamic_model(trace::Session& session,
                                          const std::vector<Sample>& samples,
                                          const DynamicOptions& dynamic,
                                          trace::TraceOptions options);

}  // namespace t2n
