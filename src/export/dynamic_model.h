// SPDX-License-Identifier: Apache-2.0
// Traces a model with dynamic axes at several sizes, and chooses sizes for the check.
#pragma once

#include "src/diag/steps.h"
#include "src/dynamic/probes.h"
#include "src/samples/samples.h"

namespace t2n {

/// From `--dynamic`, `--assert` and `--specialize`.
struct DynamicOptions {
  std::vector<dynamic::AxisSpec> axes;
  std::vector<ir::Comparison> asserted;
  ir::Sizes closed = {};      ///< of --specialize: sizes of symbols of a .pt2 file
  bool has_preset = false;    ///< which declares the axes, when it knows the model
  bool takes_orders = false;  ///< see dynamic::OpenOrders
  Progress progress = {};     ///< receives the sizes of probe traces, as details
};

/// Traces the session with sizes kept. The graph has its symbols in the attributes kSampleSizes and
/// kRelations. Errors: those of dynamic::trace_dynamic.
dynamic::DynamicTrace trace_dynamic_model(trace::Session& session,
                                          const std::vector<Sample>& samples,
                                          const DynamicOptions& dynamic,
                                          trace::TraceOptions options);

}  // namespace t2n
