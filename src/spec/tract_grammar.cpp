// SPDX-License-Identifier: Apache-2.0
#include "src/spec/tract_grammar.h"

namespace t2n::spec {

bool tract_executes(const nnef::Value& value) {
  const std::string& text = value.text;
  switch (value.kind) {
    case nnef::Kind::unary:
    case nnef::Kind::if_else:
    case nnef::Kind::comprehension: return false;
    case nnef::Kind::subscript: return value.items.size() == 2;
    case nnef::Kind::binary: return text != "&&" && text != "||" && text != "in";
    case nnef::Kind::identifier:
    case nnef::Kind::integer:
    case nnef::Kind::scalar:
    case nnef::Kind::logical:
    case nnef::Kind::string:
    case nnef::Kind::array:
    case nnef::Kind::tuple:
    case nnef::Kind::invocation:
    case nnef::Kind::dimension:
    case nnef::Kind::reference:
    case nnef::Kind::none: return true;
  }
  return true;
}

}  // namespace t2n::spec
