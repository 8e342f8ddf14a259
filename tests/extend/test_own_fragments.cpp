// SPDX-License-Identifier: Apache-2.0
// What fragments of a user stand for, and what is refused before a model is loaded.
#include <doctest/doctest.h>

#include <fstream>

#include "nnef_writer/print.h"
#include "src/diag/error.h"
#include "src/extend/own_call.h"
#include "tests/support/temporary.h"

namespace t2n::extend {
namespace {

constexpr const char* kSwish =
    "fragment mine__swish(x: tensor<scalar>, beta: scalar = 1.0) -> (y: tensor<scalar>)\n"
    "{ y = x * sigmoid(beta * x); }\n";

Extensions read(const std::string& text, std::vector<ModuleOp> modules = {},
                std::optional<spec::Dialect> dialect = {}) {
  const test::TemporaryFolder folder;
  const std::string file = (folder.path() / "own.nnef").string();
  std::ofstream(file) << text;
  return read_extensions({file}, std::move(modules), dialect);
}

/// "id: reason" of what is refused, or "".
std::string refusal(const std::string& text, std::vector<ModuleOp> modules = {}) {
  try {
    read(text, std::move(modules));
    return "";
  } catch (const Error& error) {
    return cat(error.diagnostic().id, ": ", error.diagnostic().why);
  }
}

TEST_CASE("a name with two underscores stands for an operator, a third part for its overload") {
  CHECK(operator_named("mine__swish") == "mine::swish");
  CHECK(operator_named("aten__foo__Tensor") == "aten::foo.Tensor");
  CHECK(operator_named("a_b__c_d") == "a_b::c_d");
  CHECK(operator_named("my_norm").empty());
  CHECK(operator_named("__swish").empty());
}

TEST_CASE("the schema of an operator is made of the fragment's parameters") {
  const Extensions own = read(kSwish);
  REQUIRE(own.operators.size() == 1);
  CHECK(schema_of(own.operators[0]) == "mine::swish(Tensor x, Scalar beta=1.) -> Tensor");
  const Extensions many = read(
      "fragment mine__many(x: tensor<scalar>, y: tensor<scalar> = 0.0, n: integer, s: string = 'a',"
      " l: integer[] = [1, 2], b: logical = false) -> (p: tensor<scalar>, q: tensor<scalar>)\n"
      "{ p = x + y; q = x - y; }\n");
  CHECK(schema_of(many.operators[0]) ==
        "mine::many(Tensor x, Tensor? y=None, int n, str s=\"a\", int[] l=[1, 2], bool b=False) -> "
        "(Tensor, Tensor)");
}

TEST_CASE("without a target, the dialect is that of the operations that fragments call") {
  CHECK(read(kSwish).dialect == spec::Dialect::khronos);
  CHECK(read("fragment a__b(x: tensor<scalar>) -> (y: tensor<scalar>) { y = tract_core_erf(x); }")
            .dialect == spec::Dialect::tract);
  CHECK(read(kSwish, {}, spec::Dialect::tract).dialect == spec::Dialect::tract);
}

TEST_CASE("fragments that stand for nothing, call themselves or do not fit are refused") {
  CHECK(refusal(kSwish).empty());
  CHECK(refusal("fragment norm(x: tensor<scalar>) -> (y: tensor<scalar>) { y = x * 2.0; }")
            .starts_with("fragment-invalid: its name is no operator's"));
  CHECK(refusal("fragment a__b(x: tensor<scalar>) -> (y: tensor<scalar>) { y = a__b(x); }")
            .starts_with("fragment-invalid: it would never end"));
  CHECK(refusal("fragment a__b(x: tensor<scalar>) -> (y: tensor<scalar>) { y = x + z; }")
            .starts_with("fragment-invalid: 'z' is not defined before it"));
  CHECK(refusal("fragment a__b(n: scalar, x: tensor<scalar>) -> (y: tensor<scalar>) { y = x + n; }")
            .starts_with("fragment-invalid: tensors come first"));
  CHECK(refusal("fragment a__b(x: tensor<scalar>) -> (y: scalar) { y = 1.0; }")
            .starts_with("fragment-invalid: an operator's results are tensors"));
  CHECK(refusal(std::string(kSwish) + kSwish).starts_with("fragment-invalid"));
  CHECK(refusal(kSwish, {{"blocks.*", "my_norm"}}).starts_with("usage"));
}

TEST_CASE("--module-op is a glob and a fragment") {
  const ModuleOp parsed = parse_module_op("blocks.*.norm=my_norm");
  CHECK(parsed.glob == "blocks.*.norm");
  CHECK(parsed.fragment == "my_norm");
  for (const char* const wrong : {"my_norm", "=my_norm", "blocks="})
    CHECK_THROWS_AS(parse_module_op(wrong), Error);
}

TEST_CASE("the shapes of a call are those of the operations in the body") {
  use(
      read("fragment a__b(x: tensor<scalar>, w: tensor<scalar>) -> (y: tensor<scalar>)"
           "{ y = sum_reduce(matmul(x, w), axes = [0]); }"));
  const OwnOperator& own = *extensions().find("a::b");
  const OwnCall call{own, {{ir::DType::f32, {2, 3}}, {ir::DType::f32, {3, 5}, 1}}, {}};
  CHECK(result_shapes(call) == std::vector<std::optional<ir::Ints>>{ir::Ints{1, 5}});
  const OwnCall wrong{own, {{ir::DType::f32, {2, 3}}, {ir::DType::f32, {4, 5}, 1}}, {}};
  CHECK_THROWS_AS(result_shapes(wrong), Error);
  use({});
}

TEST_CASE("a list of tensors is one parameter, which may be empty") {
  const std::string text =
      "fragment a__b(x: tensor<scalar>, list: tensor<scalar>[], w: tensor<scalar>) -> "
      "(y: tensor<scalar>) { y = concat([x, w], axis = 0); }";
  use(read(text));
  const OwnOperator& own = *extensions().find("a::b");
  CHECK(schema_of(own) == "a::b(Tensor x, Tensor[] list, Tensor w) -> Tensor");
  const OwnCall::Operand x = {ir::DType::f32, {2, 3}, 0}, w = {ir::DType::f32, {1, 3}, 2};
  const auto call_text = [&](std::vector<OwnCall::Operand> operands) {
    const nnef::Document document = document_of({own, std::move(operands), {}});
    return nnef::print(document.graph.body.back().right);
  };
  CHECK(call_text({x, {ir::DType::f32, {4}, 1}, {ir::DType::f32, {5}, 1}, w}) ==
        "a__b(i0, list = [i1, i2], w = i3)");
  CHECK(call_text({x, w}) == "a__b(i0, list = [], w = i1)");
  CHECK(result_shapes({own, {x, w}, {}})[0] == ir::Ints{3, 3});
  use({});
  CHECK(refusal("fragment a__b(x: tensor<scalar>[] = []) -> (y: tensor<scalar>) { y = x; }")
            .starts_with("fragment-invalid: a call passes each list"));
  CHECK(refusal("fragment a__b(x: tensor<scalar>) -> (y: tensor<scalar>[]) { y = [x]; }")
            .starts_with("fragment-invalid: an operator's results are tensors"));
}

}  // namespace
}  // namespace t2n::extend
