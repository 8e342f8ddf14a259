// SPDX-License-Identifier: Apache-2.0
// The user's own names for the inputs and outputs of an artefact.
#pragma once

#include <string>
#include <vector>

#include "src/nnef/ast.h"

namespace t2n {

struct ExportResult;
struct Port;

/// Each is "NEW", for the first, second… input or output, or "OLD=NEW", where OLD is the name that
/// the artefact would have, or `input_N` or `output_N`; both may have one `*`: "cache_*=past_*".
struct PortNames {
  std::vector<std::string> inputs;   ///< of --input-name
  std::vector<std::string> outputs;  ///< of --output-name
};

std::vector<std::string> port_names(const std::vector<Port>& ports);

/// Renames in the document and in the result. Other tensors with one of the names get another name.
/// Errors: `usage` for names that NNEF does not allow, that are given twice, or of ports that do
/// not exist.
void rename_ports(const PortNames& names, nnef::Document& document, ExportResult& result);

}  // namespace t2n
