// SPDX-License-Identifier: Apache-2.0
// Dtypes and sizes of tensors, and what is left unknown rather than guessed.
#include <doctest/doctest.h>

#include "src/lint/tensor_types.h"
#include "tests/spec/documents.h"

namespace t2n::spec {
namespace {

/// The type of `y` in a graph with the input x of this shape, over the symbols N and M.
std::string type_of_y(const std::string& shape, const std::string& body,
                      const std::string& fragments = {}) {
  nnef::Artefact artefact;
  artefact.document =
      document_of({"extension tract_registry tract_core;\nextension tract_symbol N;\n"
                   "extension tract_symbol M;\n",
                   {shape},
                   {"N >= 2"},
                   fragments,
                   body});
  auto types = tensor_types(artefact);
  return type_str(types["y"]);
}

}  // namespace

TEST_CASE("sizes are the symbol, a multiple, a sum, with a constant; others are unknown") {
  CHECK_EQ(type_of_y("1, 3", "y = relu(x);"), "f32[1,3]");
  CHECK_EQ(type_of_y("N, 3", "y = relu(x);"), "f32[N,3]");
  CHECK_EQ(type_of_y("N, M", "y = transpose(x, axes = [1, 0]);"), "f32[M,N]");
  CHECK_EQ(type_of_y("N, 3", "y = concat([x, x], axis = 0);"), "f32[2*N,3]");
  CHECK_EQ(type_of_y("N, 3", "y = pad(x, padding = [(1, 0), (0, 0)]);"), "f32[N + 1,3]");
  CHECK_EQ(type_of_y("N, M",
                     "t = transpose(x, axes = [1, 0]); z = concat([t, t], axis = 0); "
                     "y = squeeze(slice(z, axes = [1], begin = [0], end = [1]), axes = [1]);"),
           "f32[2*M]");
  // A half is no sum of symbols.
  CHECK_EQ(type_of_y("1, 1, N",
                     "y = max_pool(x, size = [1, 1, 2], stride = [1, 1, 2], "
                     "padding = [(0, 0), (0, 0), (0, 0)], border = 'ignore');"),
           "f32[1,1,?]");
}

TEST_CASE("dtypes are those of statements, and in the body of a scan") {
  CHECK_EQ(type_of_y("2, 3", "y = lt(x, 0.0);"), "bool[2,3]");
  CHECK_EQ(type_of_y("2, 3", "y = argmax_reduce(x, axes = [1]);"), "i64[2,1]");
  CHECK_EQ(type_of_y("2, 3", "y = tract_core_cast(x, to = 'f16');"), "f16[2,3]");
  // That of the values, which are no operands.
  CHECK_EQ(type_of_y("2",
                     "i = tract_core_cast(x, to = 'i64'); "
                     "y = tract_core_one_hot(i, axis = 1, dim = 4);"),
           "[2,4]");
  const std::string body =
      "fragment step(i: tensor<scalar>, a: tensor<scalar>, s: tensor<scalar>) -> (n: "
      "tensor<scalar>)"
      "{ f = tract_core_cast(i, to = 'f32'); n = s + a * f; }\n";
  const std::string scan =
      "i = tract_core_cast(x, to = 'i64');\n"
      "y = tract_core_scan(body = 'step', scan = [('i', i, 0, 1)], full = [('a', 2.0)], "
      "state = [('s', 0.0, 'n')], output = [('n', 'full', 0, 1)], skip = 0);\n";
  CHECK(type_of_y("N", scan, body).starts_with("f32"));
}

TEST_CASE("a fragment has the tensors of a list that it is called with") {
  const std::string fragments =
      "fragment inner(xs: tensor<scalar>[], i0: tensor<scalar>) -> (out: tensor<scalar>)"
      "{ out = concat(xs, axis = 1) * 2.0; }\n"
      "fragment outer(list: tensor<scalar>[]) -> (out: tensor<scalar>)"
      "{ first = relu(concat(list, axis = 1)); out = inner([first, first], first); }\n";
  CHECK_EQ(type_of_y("N, 3", "z = concat([x, x], axis = 1); y = outer([x, z]);", fragments),
           "f32[N,18]");
}

TEST_CASE("a document that is wrong has no types where nothing can be known") {
  CHECK_EQ(type_of_y("2, 3", "y = squeez(x);"), "");
  CHECK_EQ(type_of_y("2, 3", "y = concat([x, x], axis = 5);"), "f32");
}

}  // namespace t2n::spec
