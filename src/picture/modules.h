// SPDX-License-Identifier: Apache-2.0
// The modules that the names of an artefact's tensors contain.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "src/nnef/ast.h"

namespace t2n::picture {

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
