// SPDX-License-Identifier: Apache-2.0
// Types of an artefact's tensors as text, and the modules that its names contain.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "src/nnef/artefact.h"

namespace t2n::picture {

/// By name: "f32[1,64,S]"; a size that depends on symbols otherwise is "?", and an unknown dtype or
/// shape is left out.
std::map<std::string, std::string, std::less<>> artefact_types(const nnef::Artefact& artefact);

/// Finds the module of a tensor by its name: "encoder_layers_0_relu" belongs to "encoder.layers.0"
/// if a label is "encoder.layers.0.weight".
class Modules {
 public:
  explicit Modules(const nnef::Document& document);
  /// "" for the model itself, or an unknown module.
  std::string_view of_name(std::string_view name) const;
  /// The module of a label: all but its last part.
  static std::string_view of_label(std::string_view label);

 private:
  std::map<std::string, std::string, std::less<>> by_identifier_;
};

}  // namespace t2n::picture
