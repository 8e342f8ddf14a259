// NNEF text, flat or compositional, into the structs that the writer prints.
#pragma once

#include <string_view>
#include <vector>

#include "nnef/ast.h"
#include "src/diag/diagnostic.h"

namespace t2n::nnef {

// `origin` is the file's name in errors. Keywords serve as names where the grammar leaves no doubt:
// tract reads such files. Comments behind a statement are kept, others dropped.
// Errors of all: `nnef-syntax`, with line, column and the source line.

/// The text of a graph.nnef. Blobs and quantisation are left empty.
Document parse_document(std::string_view text, std::string_view origin);

/// Where each statement of the graph begins, in their order.
std::vector<Where> statement_places(std::string_view text, std::string_view origin);

/// Fragment definitions and declarations alone.
std::vector<Fragment> parse_fragments(std::string_view text, std::string_view origin);

/// One expression.
Value parse_value(std::string_view text);

/// The text of a graph.quant.
std::vector<QuantEntry> parse_quant(std::string_view text, std::string_view origin);

}  // namespace t2n::nnef
