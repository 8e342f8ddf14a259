// SPDX-License-Identifier: Apache-2.0
// What the emitter writes for sizes that are open, and for what repeats.
#include <doctest/doctest.h>

#include <functional>

#include "nnef_writer/print.h"
#include "src/translate/emitter.h"
#include "tests/translate/builder.h"
#include "tests/translate/one_op.h"

namespace t2n::ops {
namespace {

using ir::ValueId;
using test::body;
using test::Builder;

using TranslationN = std::function<Ref(Emitter& out, const std::vector<Ref>& x)>;

/// Translates `y` of these sizes from the f32 inputs x, z, … of theirs.
std::string of_inputs(const std::vector<Shape>& inputs, const Shape& result,
                      const TranslationN& translation, const target::Target& target = kNew) {
  const std::string_view names = "xzabc";
  Builder b;
  for (size_t i = 0; i < inputs.size(); ++i)
    b.graph.inputs.push_back(b.value(std::string(1, names[i]), inputs[i], DType::f32));
  b.output(b.value("y", result, DType::f32), "y");
  ir::Node node;
  node.op = ir::op_id("test::op");
  node.outputs = b.graph.outputs;
  b.graph.nodes.push_back(node);
  Emitter out(b.graph, target);
  out.begin(b.graph.nodes[0]);
  std::vector<Ref> refs;
  for (const ValueId input : b.graph.inputs) refs.push_back(out.value(input));
  out.result(translation(out, refs));
  return body(out.finish());
}

TEST_CASE("a slice of open size is gathered where its step is not 1") {
  const Dim s = Dim::symbol("S");
  CHECK_EQ(of_inputs({{s, 4}}, {s - Dim(1), 4},
                     [&](Emitter& out, const std::vector<Ref>& x) {
                       return out.slice(x[0], 0, 1, s, 1);
                     }),
           "y = slice(x, axes = [0], begin = [1], end = [S])\n");
  const std::string stepped = of_inputs(
      {{s, 4}}, {floor_div(s + Dim(1), Dim(2)), 4},
      [&](Emitter& out, const std::vector<Ref>& x) { return out.slice(x[0], 0, 0, s, 2); });
  CHECK_NE(stepped.find("y = tract_core_gather(x, "), std::string::npos);
}

TEST_CASE("sizes are hidden from tract in products of floats") {
  const Dim s = Dim::symbol("S");
  const auto product = [&](size_t inputs) {
    return of_inputs(std::vector<Shape>(inputs), {}, [&](Emitter& out, const std::vector<Ref>& x) {
      const Ref other = x.empty() ? out.scalar(0.5, DType::f32) : x[0];
      return out.elementwise("mul", {other, out.size(s, DType::f32)});
    });
  };
  CHECK_EQ(product(1),
           "y_cast = tract_core_cast(S, to = 'f32')\n"
           "y_abs = abs(y_cast)\n"
           "y_sign = sign(y_cast)\n"
           "y_mul = mul(y_abs, y_sign)\n"
           "y = mul(x, y_mul)\n");
  CHECK_EQ(product(0),
           "y_cast = tract_core_cast(S, to = 'f32')\n"
           "y_abs = abs(y_cast)\n"
           "y_sign = sign(y_cast)\n"
           "y_mul = mul(y_abs, y_sign)\n"
           "y = mul(0.5, y_mul)\n");
}

TEST_CASE("in front of a product, an axis that repeats in all operands of a sum is gathered") {
  const auto product = [](const Shape& one, const Shape& other) {
    return of_inputs({one, other, {3, 5}}, {4, 5}, [](Emitter& out, const std::vector<Ref>& x) {
      const Ref sum =
          out.elementwise("add", {out.broadcast_to(x[0], {4, 3}), out.broadcast_to(x[1], {4, 3})});
      return out.call("matmul", {sum, x[2]}, {}, DType::f32, {4, 5});
    });
  };
  CHECK_EQ(product({4, 3}, {4, 3}), "y_add = add(x, z)\ny = matmul(y_add, a)\n");
  CHECK_EQ(product({4, 3}, {1, 3}),
           "y_broadcast = tract_core_broadcast(z, shape = [4, 3])\n"
           "y_add = add(x, y_broadcast)\n"
           "y = matmul(y_add, a)\n");
  const std::string gathered = product({1, 3}, {1, 3});
  CHECK_NE(gathered.find("_gather = tract_core_gather(y_add, "), std::string::npos);
}

TEST_CASE("repetitions are gathered for engines that fold them") {
  const auto product = [](const char* target) {
    return of_inputs(
        {{4, 3}, {3, 5}}, {4, 5},
        [](Emitter& out, const std::vector<Ref>& x) {
          const Ref row = out.slice(x[0], 0, 0, 1);
          const Ref rows = out.broadcast_to(row, {4, 3});
          return out.call("matmul", {rows, x[1]}, {}, DType::f32, {4, 5});
        },
        target::parse_target(target));
  };
  CHECK_NE(product("tract").find("tract_core_gather("), std::string::npos);
  CHECK_EQ(product("khronos").find("tract_core_gather("), std::string::npos);
}

}  // namespace
}  // namespace t2n::ops
