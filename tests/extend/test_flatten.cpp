// SPDX-License-Identifier: Apache-2.0
// Calls of fragments become the statements of their bodies.
#include <doctest/doctest.h>

#include "nnef_writer/print.h"
#include "src/diag/error.h"
#include "src/extend/flatten.h"
#include "src/nnef/parser.h"

namespace t2n::extend {
namespace {

constexpr const char* kFragments =
    "fragment twice(x: tensor<scalar>) -> (y: tensor<scalar>) { y = add(x, x); }\n"
    "fragment scaled(x: tensor<scalar>, by: scalar = 2.0) -> (y: tensor<scalar>)\n"
    "{ t = twice(x); y = mul(t, by); }\n"
    "fragment halves(x: tensor<scalar>) -> (a: tensor<scalar>, b: tensor<scalar>)\n"
    "{ a = neg(x); b = abs(x); }\n";

/// The statements of the flat graph after the input.
std::string flat(const std::string& body) {
  const nnef::Document document =
      nnef::parse_document(cat("version 1.0;\n", kFragments,
                               "graph g(x) -> (y) {\nx = external(shape = [2]);\n", body, "}\n"),
                           "test");
  std::string out;
  const nnef::Document result = flattened(document, document.fragments);
  for (size_t i = 1; i < result.graph.body.size(); ++i)
    out += cat(nnef::print(result.graph.body[i].left), " = ",
               nnef::print(result.graph.body[i].right), "; ");
  return out;
}

TEST_CASE("the results keep their names, statements within get new ones, defaults are inserted") {
  CHECK(flat("y = twice(x);\n") == "y = add(x, x); ");
  CHECK(flat("y = scaled(x);\n") == "y_t = add(x, x); y = mul(y_t, 2.0); ");
  CHECK(flat("y = scaled(x, by = 3.0);\n") == "y_t = add(x, x); y = mul(y_t, 3.0); ");
}

TEST_CASE("a name of the document is never taken") {
  CHECK(flat("y_t = neg(x);\nz = scaled(y_t);\ny = scaled(z);\n").find("y_t = add") ==
        std::string::npos);
}

TEST_CASE("fragments with several results") {
  CHECK(flat("(p, q) = halves(x);\ny = add(p, q);\n") == "p = neg(x); q = abs(x); y = add(p, q); ");
}

}  // namespace
}  // namespace t2n::extend
