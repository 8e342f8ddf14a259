// SPDX-License-Identifier: Apache-2.0
// A model that computes in f16, for --float.
#pragma once

#include <string>
#include <vector>

#include "src/export/compressed_model.h"

namespace t2n {

struct FloatOptions {
  bool is_half = false;                    ///< --float f16
  bool has_half_ports = false;             ///< --float f16-io: inputs and outputs are f16 as well
  std::vector<std::string> keep_f32 = {};  ///< globs of --keep-f32: modules
};

/// The options as the property spec::kFloat of the file: "f16 head layers.0.*"; and the reverse.
std::string float_property(const FloatOptions& options);
FloatOptions parse_float_property(const std::string& text);

/// What computes in f16, and what does not.
struct FloatSummary {
  size_t in_f16 = 0;                                        ///< operations
  size_t in_f32 = 0;                                        ///< operations
  std::vector<std::pair<std::string, size_t>> f32_by_name;  ///< "softmax", and how often
};

struct HalfModel : CompressedModel {
  FloatSummary floats;
};

/// Runs the pass narrow-floats, and measures what it costs. Inputs and outputs keep their dtypes;
/// with half ports they are rounded, and passes::drop_port_casts() makes them f16.
/// Errors: `usage` for a glob that names nothing, and if nothing computes in f32;
/// `unsupported-argument` for a target without f16.
HalfModel half_model(const TracedModel& model, const FloatOptions& options,
                     const target::Target& target, const passes::PipelineOptions& passes,
                     const Report& report);

}  // namespace t2n
