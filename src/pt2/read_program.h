// SPDX-License-Identifier: Apache-2.0
// Reads the tables of a .pt2 file.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "src/pt2/program.h"

namespace t2n::pt2 {

/// `text`: of the record `models/NAME.json`. Errors: `model-corrupt`; `model-too-new` for a schema
/// of another major version.
Program read_program(std::string_view text, const std::string& record);

/// A tensor that a .pt2 file stores.
struct Payload {
  std::string file;  ///< in the table's folder
  bool is_pickled = false;
  std::optional<TensorMeta> meta;
};
/// `text`: of `model_weights_config.json` or `model_constants_config.json`. By address.
std::map<std::string, Payload> read_payloads(std::string_view text, const std::string& record);

}  // namespace t2n::pt2
