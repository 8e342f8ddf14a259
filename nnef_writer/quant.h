// SPDX-License-Identifier: Apache-2.0
// graph.quant: the quantisation parameters of tensors.
#pragma once

#include <string>
#include <vector>

#include "src/nnef/ast.h"

namespace t2n::nnef {

/// The text of graph.quant, one line per entry; "" if nothing is quantised.
std::string print_quant(const std::vector<QuantEntry>& entries);

}  // namespace t2n::nnef
