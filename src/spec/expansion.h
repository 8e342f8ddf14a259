// How many statements a document is once every call of its fragments is written out.
#pragma once

#include "nnef/ast.h"

namespace t2n::spec {

/// Engines expand fragments before they look at anything: a few lines can stand for billions.
/// Errors: `nnef-limit`; `nnef-invalid` where the graph names a result that no statement gives.
void check_document(const nnef::Document& document);

}  // namespace t2n::spec
