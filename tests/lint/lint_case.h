// SPDX-License-Identifier: Apache-2.0
// Documents for tests of the lint of tract documents.
#pragma once

#include <string>
#include <vector>

#include "tests/spec/documents.h"

namespace t2n::spec {

struct LintCase {
  std::vector<std::string> shapes;  ///< of the inputs x, y, z
  std::string body;                 ///< statements
  std::vector<std::string> assertions = {};
  std::string fragments = {};
};

inline nnef::Document document(const LintCase& given) {
  std::string head = "extension tract_registry tract_core;\n";
  for (const char* symbol : {"B", "S", "T"})
    for (const std::string& shape : given.shapes)
      if (shape.find(symbol) != std::string::npos)
        head += cat("extension tract_symbol ", symbol, ";\n");
  return document_of({head, given.shapes, given.assertions, given.fragments, given.body});
}

}  // namespace t2n::spec
