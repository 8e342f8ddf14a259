// SPDX-License-Identifier: Apache-2.0
// Strict NNEF, word for word: what the rules of src/strict make of models' operators.
// That every operator case computes the right thing is tested by all other families
// (strict_case.h).
#include <doctest/doctest.h>

#include <limits>

#include "tests/ops/expressions.h"

namespace t2n::test::strict_tests {
namespace {

using ir::DType;

const target::Target kStrict = target::parse_target("khronos");

/// The statements of the graph, without the frame around.
std::string statements(const std::string& expression, const std::vector<ir::Tensor>& inputs) {
  const std::string text =
      export_text(expression_script(expression, inputs.size()), inputs, kStrict);
  const size_t begin = text.find("{\n") + 2;
  return text.substr(begin, text.rfind('}') - begin);
}

std::string strict_refusal(const std::string& expression, const std::vector<ir::Tensor>& inputs) {
  return export_error(expression_script(expression, inputs.size()), inputs, kStrict);
}

const ir::Tensor kX = randn({2, 3}, 1);
const ir::Tensor kIndex = values({2}, {2, 0}, DType::i64);

}  // namespace

TEST_CASE("a document has a version, a graph and nothing else") {
  CHECK_EQ(export_text(expression_script("torch.relu(x)", 1), {kX}, kStrict),
           "version 1.0;\n\n"
           "graph Model(x) -> (output_0)\n"
           "{\n"
           "    x = external<scalar>(shape = [2, 3]);\n"
           "    output_0 = relu(x);\n"
           "}\n");
}

TEST_CASE("floats of every width are scalars, and casts between them vanish") {
  const std::string same =
      "    x = external<scalar>(shape = [2, 3]);\n"
      "    output_0 = relu(x);\n";
  CHECK_EQ(statements("torch.relu(x)", {randn({2, 3}, 1, DType::f64)}), same);
  CHECK_EQ(statements("torch.relu(x.double()).half()", {kX}), same);
}

TEST_CASE("integers are computed as scalars, and come in and go out as integers") {
  CHECK_EQ(statements("x * 2 + 1", {kIndex}),
           "    x = external<integer>(shape = [2]);\n"
           "    mul_cast = cast<scalar>(x);\n"
           "    mul = mul(mul_cast, 2.0);\n"
           "    add = add(mul, 1.0);\n"
           "    output_0 = cast<integer>(add);\n");
  CHECK_EQ(statements("x.reshape([1, 2])", {kIndex}),
           "    x = external<integer>(shape = [2]);\n"
           "    output_0 = reshape(x, shape = [1, 2]);\n");
}

TEST_CASE("indices count from the front, or are changed to do so") {
  CHECK_EQ(statements("torch.index_select(x, 0, y)", {randn({3, 2}, 2), kIndex}),
           "    x = external<scalar>(shape = [3, 2]);\n"
           "    y = external<integer>(shape = [2]);\n"
           "    output_0 = gather(x, y, axis = 0);\n");
  CHECK_EQ(statements("x[y]", {randn({3, 2}, 2), kIndex}),
           "    x = external<scalar>(shape = [3, 2]);\n"
           "    y = external<integer>(shape = [2]);\n"
           "    index_cast = cast<scalar>(y);\n"
           "    index_add = add(index_cast, 3.0);\n"
           "    index_lt = lt(index_cast, 0.0);\n"
           "    index_select = select(index_lt, index_add, index_cast);\n"
           "    index_cast_1 = cast<integer>(index_select);\n"
           "    output_0 = gather(x, index_cast_1, axis = 0);\n");
}

TEST_CASE("fragments become statements") {
  CHECK_EQ(statements("torch.layer_norm(x, [3])", {kX}),
           "    x = external<scalar>(shape = [2, 3]);\n"
           "    layer_norm_mean_reduce = mean_reduce(x, axes = [1]);\n"
           "    layer_norm_sub = sub(x, layer_norm_mean_reduce);\n"
           "    layer_norm_sqr = sqr(layer_norm_sub);\n"
           "    layer_norm_mean_reduce_1 = mean_reduce(layer_norm_sqr, axes = [1]);\n"
           "    layer_norm_add = add(layer_norm_mean_reduce_1, 1e-5);\n"
           "    layer_norm_sqrt = sqrt(layer_norm_add);\n"
           "    layer_norm_div = div(1.0, layer_norm_sqrt);\n"
           "    output_0 = mul(layer_norm_sub, layer_norm_div);\n");
}

TEST_CASE("outputs that are inputs, or given twice, are copies") {
  CHECK_EQ(statements("[x, torch.relu(x), torch.relu(x)]", {kX}),
           "    x = external<scalar>(shape = [2, 3]);\n"
           "    output_1 = relu(x);\n"
           "    output_0 = copy(x);\n"
           "    output_2 = copy(output_1);\n");
}

TEST_CASE("values that strict NNEF cannot hold are refused") {
  CHECK_EQ(strict_refusal("torch.ones([2])", {}),
           "error[unsupported-argument]: a graph without inputs has no translation for "
           "khronos@1.0.5\n"
           "  why:  the graphs of standard NNEF have one input or more\n"
           "  help: export for tract, or give the model an input that its outputs depend on\n");
  CHECK_EQ(
      strict_refusal("x + 16777217", {kIndex}),
      "error[unsupported-argument]: aten::add.Scalar: integers beyond 2^24 have no translation "
      "for khronos@1.0.5\n"
      "  --> the model (Model)\n"
      "  why:  standard NNEF computes with scalars only, which readers store as f32\n"
      "  help: export for tract, which has integers of 64 bits\n");
  CHECK_EQ(strict_refusal("torch.relu(x)", {values({0, 3}, {})}),
           "error[unsupported-argument]: an input without elements has no translation for "
           "khronos@1.0.5: 'x' is f32[0,3]\n"
           "  why:  the sizes of NNEF's tensors are 1 or more\n"
           "  help: give a larger sample\n");
}

TEST_CASE("lowerings with too many statements or too much memory are refused") {
  CHECK_EQ(strict_refusal("torch.sort(x)[0]", {randn({5000}, 3)}),
           "error[unsupported-argument]: aten::sort has no translation for khronos@1.0.5\n"
           "  --> the model (Model)\n"
           "  why:  standard NNEF expresses it by comparing every pair of elements, here "
           "25000000 pairs\n"
           "  help: export for tract\n");
  const ir::Tensor weights = randn({4, 1}, 4), sequence = randn({513, 1, 1}, 5);
  Script model = expression_script(
      "torch.lstm(x, [y, y], [self.w, self.u], False, 1, 0.0, False, False, False)[0]", 2);
  model = model.with("w", weights).with("u", weights);
  CHECK_EQ(export_error(model, {sequence, randn({1, 1, 1}, 6)}, kStrict),
           "error[unsupported-argument]: aten::lstm.input has no translation for khronos@1.0.5\n"
           "  --> the model (Model)\n"
           "  why:  NNEF has no loops: recurrent layers are unrolled, up to 512 steps, "
           "not 513\n"
           "  help: export with a shorter input, or for tract\n");
}

TEST_CASE("bits of integers are taken apart, and narrow ones wrap around") {
  for (const char* expression : {"x & 12", "x | 5", "x ^ 9", "~x", "x * 7", "x - 200"})
    check_each({expression}, {values({4}, {0, 7, 100, 255}, DType::u8)}, 0);
}

namespace {

/// On the newest tract, and with that in strict NNEF.
void check_newest(const std::string& expression, const std::vector<ir::Tensor>& inputs) {
  CAPTURE(expression);
  const Run run =
      export_and_run(expression_script(expression, inputs.size()), inputs, newest_target());
  CHECK_CLOSE(run, rel(1e-5));
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("infinities are ordinary elements") {
  const ir::Tensor x = values({4}, {1, -kInfinity, -kInfinity, -kInfinity});
  for (const char* expression : {"torch.topk(x, 3)[0]", "torch.cumsum(x, 0)", "x.sort()[0]"})
    check_newest(expression, {x});
  check_newest("torch.topk(x, 2, -1, False)[0]", {values({4}, {kInfinity, 1, kInfinity, 2})});
  check_newest("x.remainder(y)", {values({2}, {5, -5}), values({2}, {kInfinity, 3})});
}

TEST_CASE("quotients beyond 2^24 leave exact remainders") {
  check_newest("torch.remainder(x, 7.0)", {values({3}, {1e9, -1e9, 123456789})});
  check_newest("torch.fmod(x, y)", {values({2}, {3e10, 1e12}), values({2}, {0.7, 13})});
}

TEST_CASE("products of 16 bits wrap around") {
  const ir::Tensor x = values({4}, {32767, -32768, 181, -12345}, DType::i16);
  const ir::Tensor y = values({4}, {32767, 32767, 182, 27101}, DType::i16);
  check_newest("x * y", {x, y});
  CHECK_EQ(strict_refusal("x ** y", {x, y}),
           "error[unsupported-op]: aten::pow.Tensor_Tensor has no translation for khronos@1.0.5 "
           "here\n"
           "  --> the model (Model)\n"
           "  why:  standard NNEF computes with scalars, which do not wrap around as these "
           "integers do\n"
           "  help: compute the power in float32 or int64\n");
}

TEST_CASE("integers of 16 bits keep the low bits of wider ones") {
  const ir::Tensor x = values({5}, {70000, -70000, 32768, -32769, 12}, DType::i32);
  check_newest("x.to(2)", {x});
  check_newest("x.to(1)", {x});
}

TEST_CASE("an f64 number beyond f32 becomes the largest one, not infinity") {
  check_newest("torch.softmax(x.masked_fill(x < 0, -1e300), 0)",
               {values({2}, {-2, -1}, DType::f64)});
}

}  // namespace t2n::test::strict_tests
