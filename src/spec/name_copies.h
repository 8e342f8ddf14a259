// SPDX-License-Identifier: Apache-2.0
// Statements that only give a result its name in tract, which otherwise calls it after the last
// node that it makes for the operation.
#pragma once

#include <string>
#include <string_view>

#include "src/nnef/ast.h"

namespace t2n::spec {

/// Ends the graph with `name = sum_reduce(name_value, axes = [])` for a result, unless the
/// statement that computes it keeps the name. The values are numbers: tract has no sum of booleans.
void add_name_copy(nnef::Document& document, const std::string& name);

/// Whether a statement of the document is such a copy, by the name of its result.
bool is_name_copy(const nnef::Document& document, std::string_view name);

/// The same document without what add_name_copy() adds.
nnef::Document without_name_copies(nnef::Document document);

}  // namespace t2n::spec
