// SPDX-License-Identifier: Apache-2.0
// The number of statements of a document with all calls of fragments expanded.
#pragma once

#include "src/nnef/ast.h"

namespace t2n::spec {

/// Engines first expand fragments: a few lines can expand to billions of statements. Errors:
/// `nnef-limit`; `nnef-invalid` if the graph names a result that no statement defines.
void check_document(const nnef::Document& document);

}  // namespace t2n::spec
