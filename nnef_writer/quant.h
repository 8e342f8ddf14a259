// graph.quant: which integers stand for which reals.
#pragma once

#include <string>
#include <vector>

#include "nnef/ast.h"

namespace t2n::nnef {

/// The text of graph.quant, a line per entry; "" where nothing is quantised.
std::string print_quant(const std::vector<QuantEntry>& entries);

}  // namespace t2n::nnef
