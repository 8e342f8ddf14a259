// SPDX-License-Identifier: Apache-2.0
// Documents for tests of sizes, made of their parts.
#pragma once

#include <string>
#include <vector>

#include "src/diag/error.h"
#include "src/nnef/parser.h"

namespace t2n::spec {

/// The parts of a document whose graph has the inputs x, y, z.
struct DocumentParts {
  std::string head;                 ///< extensions
  std::vector<std::string> shapes;  ///< of the inputs
  std::vector<std::string> assertions;
  std::string fragments = {};
  std::string body = {};  ///< further statements
};

inline nnef::Document document_of(const DocumentParts& parts) {
  std::string text = cat("version 1.0;\n", parts.head);
  for (const std::string& assertion : parts.assertions)
    text += cat("extension tract_assert ", assertion, ";\n");
  std::string names, body;
  for (size_t i = 0; i < parts.shapes.size(); ++i) {
    const char name = static_cast<char>('x' + i);
    names += cat(names.empty() ? "" : ", ", name);
    body += cat(name, " = external(shape = [", parts.shapes[i], "]);\n");
  }
  return nnef::parse_document(
      cat(text, parts.fragments, "graph g(", names, ") -> (x) {\n", body, parts.body, "}\n"),
      "graph");
}

}  // namespace t2n::spec
