// SPDX-License-Identifier: Apache-2.0
// The language of NNEF 1.0.5 §3: expressions, fragments, symbols, variables, and what is wrong.
#include <doctest/doctest.h>

#include "src/check/runner.h"
#include "src/diag/error.h"
#include "src/model/torch_module.h"
#include "src/nnef/parser.h"
#include "tests/interp/standard.h"
#include "tests/support/example.h"
#include "tests/support/reference.h"
#include "tests/support/script.h"

namespace t2n::test {
namespace {

using ir::DType;

void check_expression(const std::string& expression, const ir::Tensor& expected) {
  check_standard({"out = " + expression + ";", {values({2}, {3, 5})}}, {expected});
}

TEST_CASE("signs between tensors and literals") {
  check_expression("x * 2.0 + 1.0", values({2}, {7, 11}));
  check_expression("(x + 1.0) ^ 2.0 / 4.0", values({2}, {4, 9}));
  check_expression("x > 4.0 && x < 9.0", values({2}, {0, 1}, DType::boolean));
  check_expression("!(x == 3.0) || x != x", values({2}, {0, 1}, DType::boolean));
  check_expression("-x", values({2}, {-3, -5}));
  check_expression("1.0 if x > 4.0 else x", values({2}, {3, 1}));
}

TEST_CASE("constant expressions: arrays, tuples, words, comprehensions") {
  check_expression("x * scalar(length_of([1, 2, 3]))", values({2}, {9, 15}));
  check_expression("x * [1.0, 10.0, 100.0][1]", values({2}, {30, 50}));
  check_expression("x + (1.0 if (2 in [1, 2]) && !(3 in [1]) else nothing)", values({2}, {4, 6}));
  check_expression("reshape(x, shape = [1] + [2] + [1] * 2)", values({1, 2, 1, 1}, {3, 5}));
  check_expression("tile(x, repeats = [for i in range_of([7, 7, 7, 7]) if i > 2 yield i])",
                   values({6}, {3, 5, 3, 5, 3, 5}));
  check_expression("add_n([for i in [1, 2], j in [10, 20] yield x * scalar(i + j)])",
                   values({2}, {99, 165}));
  check_expression("reshape(x, shape = [5, 1, 2, 7][1:3])", values({1, 2}, {3, 5}));
  check_expression("reshape(x, shape = [1, 2][:])", values({1, 2}, {3, 5}));
  check_expression("x * scalar(shape_of(x)[0])", values({2}, {6, 10}));
  check_expression("x * scalar(integer(-1.5) + integer(true) + 7 / 2)", values({2}, {6, 10}));
  check_expression("x * scalar('2.5')", values({2}, {7.5, 12.5}));
}

TEST_CASE("fragments: defaults, several results, results that are lists, calls of themselves") {
  const std::string fragments =
      "fragment scaled(x: tensor<scalar>, by: scalar = 2.0) -> (y: tensor<scalar>)"
      " { y = x * by; }\n"
      "fragment both(x: tensor<scalar>) -> (low: tensor<scalar>, high: tensor<scalar>)"
      " { low = min_reduce(x, axes = [0]); high = scaled(max_reduce(x, axes = [0]), by = 10.0); }\n"
      "fragment times(x: tensor<scalar>, n: integer) -> (y: tensor<scalar>)"
      " { y = x + times(x, n = n - 1) if n > 1 else x; }\n"
      "fragment endless(x: tensor<scalar>) -> (y: tensor<scalar>) { y = endless(x); }\n";
  const ir::Tensor x = values({2}, {3, 5});
  check_standard({"out = scaled(scaled(x), by = 10.0);", {x}, fragments}, {values({2}, {60, 100})});
  check_standard({"(out, out2) = both(x);", {x}, fragments}, {values({1}, {3}), values({1}, {50})});
  check_standard({"out = times(x, n = 4);", {x}, fragments}, {values({2}, {12, 20})});
  check_standard_refused({"out = endless(x);", {x}, fragments},
                         "fragments call each other 256 levels deep");
}

TEST_CASE("statements are named where something fails, with those that called them") {
  const std::string fragments =
      "fragment inner(x: tensor<scalar>) -> (y: tensor<scalar>)"
      " { y = reshape(x, shape = [9]); }\n";
  const std::string text = standard_text({"out = inner(x);", {values({2}, {3, 5})}, fragments});
  const std::string said = error_of([&] {
    run_reference_text(text, {values({2}, {3, 5})}, spec::Dialect::khronos);
  });
  CHECK_EQ(said,
           "error[engine-failed]: a tensor of [2] has no shape [9]\n"
           "   in `y = reshape(x, shape = [9]);`\n"
           "   called by `out = inner(x);`\n");
}

TEST_CASE("unknown operations") {
  check_standard_refused({"out = relux(x);", {values({2}, {3, 5})}}, "relux");
  check_standard_refused({"out = tract_core_erf(x);", {values({2}, {3, 5})}}, "tract_core_erf");
  check_refused_here({"out = rcp(x);", {values({2}, {3, 5})}}, "rcp");
}

TEST_CASE("expressions that tract reads and cannot execute") {
  for (const std::string expression : {"-x", "x if true else x", "[for i in [x] yield i]"})
    check_refused_here({"out = " + expression + ";", {values({2}, {3, 5})}},
                       "tract parses this expression but cannot execute it");
}

ir::Tensor run_symbols(const std::string& shape, const std::string& body, const ir::Tensor& x) {
  const std::string text =
      "version 1.0; extension tract_registry tract_core;\n"
      "extension tract_symbol S; extension tract_symbol T;\n"
      "graph g(x) -> (out) { x = external(shape = [" +
      shape + "]); out = " + body + "; }";
  return run_reference_text(text, {x})[0];
}

TEST_CASE("symbols get their numbers from the sizes of inputs") {
  const ir::Tensor x = values({2, 7}, std::vector<double>(14, 1));
  CHECK_EQ(run_symbols("S, T", "reshape(x, shape = [T, S])", x).shape, ir::Ints{7, 2});
  CHECK_EQ(run_symbols("S, 2*T + 1", "slice(x, axes = [1], begin = [T], end = [T + 2])", x).shape,
           ir::Ints{2, 2});
  CHECK_EQ(run_symbols("S, 3*S + T", "tile(x, repeats = [S, T])", x).shape, ir::Ints{4, 7});
  CHECK_EQ(run_symbols("2*S, T", "reshape(x, shape = [T*S*2/7, 7])", x).shape, ir::Ints{2, 7});
  const std::string clash = error_of([&] { run_symbols("S, S", "relu(x)", x); });
  CHECK(clash.find("   'x', axis 0: S = 2\n   'x', axis 1: S = 7\n") != std::string::npos);
}

TEST_CASE("variables keep what updates give them until a reset") {
  nnef::Artefact artefact;
  artefact.document = nnef::parse_document(
      "version 1.0; graph g(x) -> (y) { x = external(shape = [1]); "
      "v = variable(shape = [1], label = 'v'); s = add(v, x); u = update(v, s); y = mul(v, 1.0); }",
      "graph.nnef");
  nnef::StoredTensor stored;
  stored.label = "v";
  stored.values = values({1}, {100});
  artefact.tensors = {stored};
  const interp::InterpModule& module = interp_module();
  const auto program = module.load(artefact, spec::Dialect::khronos);
  const auto run = [&] { return ir::to_f64(module.run(*program, {values({1}, {3})})[0])[0]; };
  CHECK_EQ(run(), 100);
  CHECK_EQ(run(), 103);
  CHECK_EQ(run(), 106);
  module.reset(*program);
  CHECK_EQ(run(), 100);
  CHECK_EQ(ir::to_f64(module.run_to(*program, {values({1}, {3})}, {"s"})[0])[0], 106);
}

TEST_CASE("inputs and outputs are listed") {
  nnef::Artefact artefact;
  artefact.document = nnef::parse_document(
      "version 1.0; graph g(a, b) -> (d, c) { b = external<integer>(shape = [1]); "
      "a = external(shape = [2, 3]); c = copy(a); d = copy(b); }",
      "graph.nnef");
  const interp::InterpModule& module = interp_module();
  const auto names = [&](spec::Dialect dialect) {
    std::string out;
    const auto program = module.load(artefact, dialect);
    for (const interp::ProgramPort& port : module.inputs(*program))
      out += port.name + ":" + std::string(ir::dtype_name(port.dtype)) + ir::shape_str(port.shape) +
             " ";
    for (const interp::ProgramPort& port : module.outputs(*program)) out += port.name + " ";
    return out;
  };
  CHECK_EQ(names(spec::Dialect::khronos), "a:f32[2,3] b:i64[1] d c ");
  CHECK_EQ(names(spec::Dialect::tract), "b:i64[1] a:f32[2,3] d c ");
}

TEST_CASE("inputs that do not fit") {
  const std::string text = standard_text({"out = copy(x);", {values({2}, {1, 2})}});
  const auto said = [&](const std::vector<ir::Tensor>& inputs) {
    return error_of([&] { run_reference_text(text, inputs, spec::Dialect::khronos); });
  };
  CHECK(said({}).find("the model has 1 inputs, got 0") != std::string::npos);
  CHECK(said({values({3}, {1, 2, 3})})
            .find("the input 'x' has the size 3 along axis 0\n  why:  the artefact takes 2\n") !=
        std::string::npos);
  CHECK(said({values({2, 1}, {1, 2})})
            .find("the input 'x' has the shape [2,1]\n  why:  the artefact takes [2]\n") !=
        std::string::npos);
  CHECK(said({values({2}, {1, 2}, DType::i64)}).find("is of f32, not a tensor of i64 [2]") !=
        std::string::npos);
}

}  // namespace
}  // namespace t2n::test
