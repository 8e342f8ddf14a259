// SPDX-License-Identifier: Apache-2.0
// Documents that must not be written: what is said of them, and what to declare instead.
#include <doctest/doctest.h>

#include "src/diag/error.h"
#include "src/nnef/parser.h"
#include "src/translate/check_document.h"

namespace t2n::test {
namespace {

/// The refusal of a document for a model with the input x over these sizes, "" if there is none.
std::string refusal(const std::vector<std::string>& sizes, const std::string& statements) {
  ir::Graph graph;
  ir::Value input{"x", ir::DType::f32, {}, {}};
  std::string text = "version 1.0;\nextension tract_registry tract_core;\n";
  std::string shape;
  for (const std::string& size : sizes) {
    input.shape.push_back(ir::parse_dim(size));
    shape += cat(shape.empty() ? "" : ", ", size);
    for (const ir::Symbol& symbol : input.shape.back().symbols())
      text += cat("extension tract_symbol ", symbol, ";\n");
  }
  graph.inputs.push_back(ir::add_value(graph, input));
  text += cat("graph g(x) -> (y) {\nx = external(shape = [", shape, "]);\n", statements, "}\n");
  try {
    ops::check_tract(nnef::parse_document(text, "graph.nnef"), graph);
    return "";
  } catch (const Error& error) {
    return render_text(error.diagnostic());
  }
}

TEST_CASE("correct documents pass") {
  CHECK_EQ(refusal({"2*B", "6"}, "y = reshape(x, shape = [2, -1, 2]);\n"), "");
  CHECK_EQ(refusal({"2", "6"}, "y = reshape(x, shape = [2, -1, 2]);\n"), "");
}

TEST_CASE("a document that is wrong at all sizes is an internal error") {
  CHECK(refusal({"B", "6"}, "y = reshape(x, shape = [B, 7]);\n")
            .find("the document breaks tract's rules: 'y': 'reshape': the shape [1,7] has 7 "
                  "elements, and the input [1,6] has 6 there, at B=1") != std::string::npos);
  CHECK(refusal({"2", "6"}, "y = squeeze(x, axes = [0]);\n")
            .find("the document breaks tract's rules: 'y': 'squeeze': axis 0 of [2,6] has not the "
                  "extent 1\n") != std::string::npos);
}

TEST_CASE("a multiple is declared for each axis that holds the symbol") {
  CHECK_EQ(
      refusal({"B", "6", "3*B + 1"}, "a = reshape(x, shape = [4, -1, 3*B + 1]);\ny = a;\n"),
      "error[dynamic-declaration]: the exported model would be wrong for some sizes unless it is a "
      "multiple of 2: B\n"
      "   'a': 'reshape': 24 elements are not divisible by 16, at B=1\n"
      "  why:  all sizes that the exported model allows must be consistent\n"
      "  help: declare the multiple: --dynamic x:0=2*B --dynamic x:2=6*B + 1\n");
}

TEST_CASE("findings about bounds and equalities state them") {
  const std::string why = "  why:  all sizes that the exported model allows must be consistent\n";
  CHECK_EQ(
      refusal({"1", "S"}, "(y, i) = tract_core_topk(x, 5, axis = 1, largest = true);\n"),
      "error[dynamic-declaration]: the exported model would be wrong for some sizes below 5: S\n"
      "   'y': 'tract_core_topk': 'k' is 5 of 1 values, at S=1\n" +
          why + "  help: add the assertion: --assert \"S >= 5\"\n");
  CHECK_EQ(refusal({"S", "T"}, "a = transpose(x, axes = [1, 0]);\ny = concat([a, x], axis = 1);\n"),
           "error[dynamic-declaration]: the exported model would be wrong for some sizes that are "
           "not equal: "
           "S and T\n"
           "   'y': 'concat': the shapes [7,5] and [5,7] are incompatible, at S=5, T=7\n" +
               why + "  help: give both axes the same symbol\n");
  CHECK_EQ(refusal({"S", "T"}, "y = add(transpose(x, axes = [1, 0]), x);\n"),
           "error[dynamic-declaration]: the exported model would be wrong for some sizes that are "
           "not equal: "
           "S and T\n"
           "   'y': 'add': the shapes [7,5] and [5,7] do not broadcast: axes are matched from the "
           "first on, at S=5, T=7\n" +
               why + "  help: give both axes the same symbol, or --assert \"S == T\"\n");
  CHECK_EQ(refusal({"S", "3"}, "y = squeeze(x, axes = [0]);\n"),
           "error[dynamic-declaration]: the exported model would be wrong for some sizes\n"
           "   'y': 'squeeze': axis 0 of [5,3] has not the extent 1, at S=5\n" +
               why +
               "  help: declare fewer axes dynamic, or give those that must be equal the same "
               "symbol\n");
}

}  // namespace
}  // namespace t2n::test
