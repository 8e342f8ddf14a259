// SPDX-License-Identifier: Apache-2.0
// NNEF documents, fragments and expressions as text, independent of the locale.
#pragma once

#include <string>
#include <vector>

#include "src/nnef/ast.h"

namespace t2n::nnef {

/// The text of graph.nnef: one statement per line, ending in a newline.
std::string print(const Document& document);

/// A definition, or a declaration ending in `;` if the body is empty; ends in a newline.
std::string print(const Fragment& fragment);

/// An expression on one line, with the parentheses that every reader needs. NaN is an internal
/// error.
std::string print(const Value& value);

/// "S <= 4", for readers and in `extension tract_assert`.
std::string assertion_text(const Assertion& assertion);
/// The text of all extensions, between `extension` and `;`.
std::vector<std::string> extension_lines(const Document& document);
/// The registries that a reader needs: "tract_core", of the line `tract_registry tract_core`.
std::vector<std::string> registries(const Document& document);

/// `i"…"` if it is not a plain identifier.
std::string print_identifier(const std::string& name);

}  // namespace t2n::nnef
