// SPDX-License-Identifier: Apache-2.0
// Finds loops whose states begin anew in each run.
#pragma once

#include <string>
#include <vector>

#include "ir/symbol.h"
#include "src/draft/notes.h"
#include "src/nnef/ast.h"

namespace t2n::stream {

struct Reset {
  std::string name;   ///< the first result of the loop
  ir::Symbol symbol;  ///< the dynamic size that it runs along
};

/// The loops along a dynamic axis that begin with other states than inputs of the graph, or run
/// backwards: the pieces of an input give other results than the input.
std::vector<Reset> find_resets(const nnef::Document& document, const draft::Notes& notes);

}  // namespace t2n::stream
