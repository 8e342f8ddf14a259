// The user's own names for the inputs and outputs of an artefact.
#pragma once

#include <string>
#include <vector>

#include "nnef/ast.h"

namespace t2n {

struct ExportResult;
struct Port;

/// Each "NEW", for the first input or output, the second…, or "OLD=NEW", where OLD is a name that
/// the artefact would have, or `input_N` or `output_N`.
struct PortNames {
  std::vector<std::string> inputs;   ///< of --input-name
  std::vector<std::string> outputs;  ///< of --output-name
};

std::vector<std::string> port_names(const std::vector<Port>& ports);

/// In the document, and in what is said of it. Whatever else has one of the names gets another.
/// Errors: `usage` for names that NNEF does not take, that are given twice, or of what does not
/// exist.
void rename_ports(const PortNames& names, nnef::Document& document, ExportResult& result);

}  // namespace t2n
