// SPDX-License-Identifier: Apache-2.0
// Replaces calls of fragments in a document by their statements, since strict NNEF is flat.
#pragma once

#include <vector>

#include "src/nnef/ast.h"

namespace t2n::extend {

/// The document with the statements of the fragments in the place of their calls. Names of new
/// statements are unique. Errors: `fragment-invalid` for expressions that a flat document lacks and
/// that have no value before the graph runs.
nnef::Document flattened(nnef::Document document, const std::vector<nnef::Fragment>& fragments);

}  // namespace t2n::extend
