// SPDX-License-Identifier: Apache-2.0
// Parses NNEF text, flat or compositional, into the structs that the writer prints.
#pragma once

#include <string_view>
#include <vector>

#include "src/diag/diagnostic.h"
#include "src/nnef/ast.h"

namespace t2n::nnef {

// `origin` is the file's name in errors. Keywords are accepted as names where the grammar is
// unambiguous: tract reads such files. Comments after a statement are kept, others dropped. All
// functions throw `nnef-syntax` with line, column and source line.

/// Parses a graph.nnef. Blobs and quantisation are left empty.
Document parse_document(std::string_view text, std::string_view origin);

/// The location of each statement of the graph, in order.
std::vector<Where> statement_locations(std::string_view text, std::string_view origin);

/// Parses fragment definitions and declarations only.
std::vector<Fragment> parse_fragments(std::string_view text, std::string_view origin);

/// Parses one expression.
Value parse_value(std::string_view text);

/// Parses a graph.quant.
std::vector<QuantEntry> parse_quant(std::string_view text, std::string_view origin);

}  // namespace t2n::nnef
