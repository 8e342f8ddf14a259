// SPDX-License-Identifier: Apache-2.0
// What the emitter writes: documents, names, operands, extensions.
#include <doctest/doctest.h>

#include "nnef_writer/print.h"
#include "tests/translate/one_op.h"

namespace t2n::ops {
namespace {

using ir::ValueId;
using test::body;
using test::bug;
using test::Builder;
using test::message_of;

TEST_CASE("sizes are spelled as tract computes them") {
  const auto text = [](std::string_view size) {
    return nnef::print(Attribute("size", ir::parse_dim(size)).value);
  };
  CHECK_EQ(text("2*S + 1"), "2*S + 1");
  CHECK_EQ(text("B*S - B"), "B*(S - 1)");
  CHECK_EQ(text("12 - S"), "12 - S");
  CHECK_EQ(text("(S + 1) // 2"), "((S + 1)/2)");
  CHECK_EQ(text("min(S, 4) + max(B - 2, 0)"), "max(B - 2, 0) + min(S, 4)");
  // Its quotients are rounded towards zero, and it has no remainder.
  CHECK_EQ(text("(S - 3) // 4"), "((S + 1)/4) - 1");
  CHECK_EQ(text("S % 4"), "S - 4*((S)/4)");
  // It takes S - S/2 for S/2.
  CHECK_EQ(text("S - S // 2"), "((S + 1)/2)");
  CHECK_EQ(text("2*S - 2*(S // 2)"), "2*((S + 1)/2)");
  CHECK_EQ(text("(S - S // 2) * ((B + 1) // 2)"), "((B + 1)/2)*((S + 1)/2)");
  CHECK_EQ(text("S - S // 2 + B // 3"), "((B)/3) + ((S + 1)/2)");
  CHECK(message_of([&] { text("S // B"); }).find("has no form in NNEF") != std::string::npos);
}

TEST_CASE("a document has provenance, inputs in order, and outputs under their names") {
  Builder b;
  const ValueId x = b.input("x.1", {2, 3});
  const ValueId flag = b.input("info", {}, DType::boolean);
  const ValueId unused = b.input("ids", {4}, DType::i64);
  const ValueId hidden = b.node("test::a", {}, "layer1.relu", {2, 3});
  b.output(b.node("test::b", {}, "layer2.relu", {2, 3}), "logits");
  Emitter out(b.graph, kNew);
  CHECK_EQ(out.rank(out.value(flag)), 0);
  CHECK(out.dtype(out.value(unused)) == DType::i64);
  out.begin(b.graph.nodes[0]);
  out.result("relu", {out.call("tract_core_round_even", {out.value(x)}, {}, DType::f32, {2, 3})});
  out.begin(b.graph.nodes[1]);
  out.result("relu", {out.value(hidden)});
  CHECK_EQ(nnef::print(out.finish()),
           R"(version 1.0;

extension tract_registry tract_core;

fragment tract_core_properties() -> (properties: (string, tensor<scalar>)[])
{
    properties = [('t2nnef_version', '0.1.0'), ('tract_target_version', '0.23.9')];
}

graph model(x_1, _info, ids) -> (logits)
{
    x_1 = tract_core_external(shape = [2, 3], datum_type = 'f32');
    _info = tract_core_external(shape = [], datum_type = 'bool');
    ids = tract_core_external(shape = [4], datum_type = 'i64');
    layer1_relu_round_even = tract_core_round_even(x_1);
    layer1_relu = relu(layer1_relu_round_even);
    logits = relu(layer1_relu);
}
)");
}

TEST_CASE("an output that has a name already gets an identity") {
  for (const auto& [target, identity] :
       {std::pair{kNew, "copy($)"}, {kOld, "squeeze($, axes = [])"}}) {
    const auto same = [&, form = std::string(identity)](std::string_view name) {
      return cat(form.substr(0, form.find('$')), name, form.substr(form.find('$') + 1));
    };
    Builder b;
    const ValueId x = b.input("x", {2});
    const ValueId y = b.node("test::op", {}, "relu", {2});
    const ValueId w = b.constant("fc.weight", iota({2}));
    b.output(x, "same");
    b.output(y, "first");
    b.output(y, "second");
    b.output(w, "weight");
    b.output(w, "again");
    Emitter out(b.graph, target);
    out.begin(b.graph.nodes[0]);
    out.result("relu", {out.value(x)});
    CHECK_EQ(body(out.finish()),
             cat("first = relu(x)\nsame = ", same("x"), "\nsecond = ", same("first"),
                 "\nweight = variable<scalar>(label = 'fc.weight', shape = [2])\n"
                 "again = ",
                 same("weight"), "\n"));
  }
}

TEST_CASE("elementwise operands are aligned at the right, constants without a statement") {
  CHECK_EQ(statements(
               [](Emitter& out, Ref x) {
                 const Ref row = out.reshape(out.slice(x, 0, 0, 1), {Dim(3)});
                 return out.elementwise("add", {x, row});
               },
               {2, 3}),
           "layer_0_op_slice = slice(x, axes = [0], begin = [0], end = [1])\n"
           "layer_0_op_reshape = reshape(layer_0_op_slice, shape = [3])\n"
           "layer_0_op_unsqueeze = unsqueeze(layer_0_op_reshape, axes = [0])\n"
           "y = add(x, layer_0_op_unsqueeze)\n");
  CHECK_EQ(statements(
               [](Emitter& out, Ref x) {
                 return out.elementwise("add", {x, out.constant(iota({3}), "bias")});
               },
               {2, 3}),
           "bias = variable<scalar>(label = 'bias', shape = [1, 3])\ny = add(x, bias)\n");
  // One element: a literal, unless it brings a rank of its own.
  const Translation1 add_one = [](Emitter& out, Ref x) {
    return out.elementwise("add", {x, out.constant(iota({1, 1}), "one")});
  };
  CHECK_EQ(statements(
               [&](Emitter& out, Ref x) {
                 return add_one(out, out.reshape(out.call("t", {x}, {}, DType::f32, {1}), {}));
               },
               {1, 1}),
           "layer_0_op_t = t(x)\n"
           "layer_0_op_squeeze = squeeze(layer_0_op_t, axes = [0])\n"
           "one = variable<scalar>(label = 'one', shape = [1, 1])\n"
           "y = add(layer_0_op_squeeze, one)\n");
}

TEST_CASE("comparisons name the dtype of their result, and dtypes never mix") {
  CHECK_EQ(statements(
               [](Emitter& out, Ref x) {
                 return out.elementwise("lt", {x, out.scalar(1.0, DType::f32)}, DType::boolean);
               },
               {2, 3}, DType::boolean),
           "y = lt(x, 1.0)\n");
  CHECK_EQ(bug([] {
             statements(
                 [](Emitter& out, Ref x) {
                   return out.elementwise("add", {x, out.scalar(int64_t{1}, DType::i64)});
                 },
                 {2, 3});
           }),
           "add: operands of f32 and i64");
  CHECK_EQ(
      bug([] {
        statements(
            [](Emitter& out, Ref x) {
              const Ref c = out.elementwise("lt", {x, x}, DType::boolean);
              return out.elementwise("select", {c, x, out.scalar(0.0, DType::f16)}, DType::f32);
            },
            {2, 3});
      }),
      "select: operands of f32 and f16");
}

TEST_CASE("tensors gain and lose rank 0 by squeeze and unsqueeze") {
  CHECK_EQ(statements(
               [](Emitter& out, Ref x) {
                 const Ref one = out.slice(out.slice(x, 0, 1, 2), 1, 2, 3);
                 return out.reshape(out.reshape(one, {}), {1, 1, 1});
               },
               {1, 1, 1}),
           "layer_0_op_slice = slice(x, axes = [0], begin = [1], end = [2])\n"
           "layer_0_op_slice_1 = slice(layer_0_op_slice, axes = [1], begin = [2], end = [3])\n"
           "layer_0_op_squeeze = squeeze(layer_0_op_slice_1, axes = [0, 1])\n"
           "y = unsqueeze(layer_0_op_squeeze, axes = [0, 1, 2])\n");
}

TEST_CASE("documents on which tract would crash are internal errors") {
  const auto run = [](const Translation1& translation, const Ints& shape = {2, 3}) {
    return bug([&] { statements(translation, shape); });
  };
  CHECK_EQ(run([](Emitter& out, Ref x) {
             return out.call("softmax", {x}, {{"axes", Ints{-1}}}, DType::f32, {2, 3});
           }),
           "softmax: negative axis -1");
  CHECK_EQ(run([](Emitter& out, Ref x) {
             return out.transpose(x, {0, 0});
           }),
           "transpose needs each axis once");
  CHECK_EQ(run([](Emitter& out, Ref x) { return out.slice(x, 1, 0, 4); }), "slice 0:4:1 of 3");
  CHECK_EQ(run([](Emitter& out, Ref x) {
             return out.call("t2n_nothing", {x}, {}, DType::f32, {2, 3});
           }),
           "no fragment is called 't2n_nothing'");
  CHECK_EQ(run([](Emitter&, Ref x) { return x; }, {3, 2}),
           "the translation gives f32[2,3] where torch gives f32[3,2] (layer.0.op)");
}

TEST_CASE("unused operations and constants are neither emitted nor stored") {
  const nnef::Document document = one_op(
      [](Emitter& out, Ref x) {
        const Ref used = out.elementwise("add", {x, out.constant(iota({3}), "used")});
        const Ref unused = out.elementwise("sub", {used, out.constant(iota({2, 3}), "unused")});
        out.elementwise("mul", {used, unused});
        return out.call("relu", {used}, {}, DType::f32, {2, 3});
      },
      {2, 3});
  CHECK_EQ(body(document),
           "used = variable<scalar>(label = 'used', shape = [1, 3])\n"
           "layer_0_op_add = add(x, used)\n"
           "y = relu(layer_0_op_add)\n");
  CHECK_EQ(document.blobs.size(), 1);
}

TEST_CASE("padding of booleans goes through numbers") {
  CHECK_EQ(statements(
               [](Emitter& out, Ref x) {
                 return out.pad(x, {{0, 1}, {2, 0}}, 1);
               },
               {3, 5}, DType::boolean, DType::boolean),
           "layer_0_op_cast = tract_core_cast(x, to = 'u8')\n"
           "layer_0_op_pad = pad(layer_0_op_cast, padding = [(0, 1), (2, 0)], border = 'constant', "
           "value = 1.0)\n"
           "y = tract_core_cast(layer_0_op_pad, to = 'bool')\n");
}

TEST_CASE("extension lines follow from the operations and symbols that occur") {
  Builder b;
  const Dim s = Dim::symbol("S");
  const ValueId x = b.value("x", {s, Dim(4)}, DType::f32);
  b.graph.inputs = {x};
  b.output(b.value("y", {s * Dim(2), Dim(2)}, DType::f32), "y");
  ir::Node node;
  node.op = ir::op_id("test::op");
  node.outputs = b.graph.outputs;
  b.graph.nodes.push_back(node);
  Emitter out(b.graph, kNew);
  out.begin(b.graph.nodes[0]);
  const Ref sums = out.calls("tract_onnx_two", {out.value(x)}, {},
                             {{DType::f32, {s, Dim(4)}}, {DType::f32, {}}})[0];
  out.result(out.reshape(out.call("tract_transformers_silu", {sums}, {}, DType::f32, {s, Dim(4)}),
                         {s * Dim(2), Dim(2)}));
  const nnef::Document document = out.finish();
  CHECK_EQ(nnef::extension_lines(document),
           std::vector<std::string>{"tract_registry tract_core", "tract_registry tract_onnx",
                                    "tract_registry tract_transformers", "tract_symbol S"});
  CHECK_EQ(body(document),
           "(y_two, y_two_1) = tract_onnx_two(x)\n"
           "y_silu = tract_transformers_silu(y_two)\n"
           "y = reshape(y_silu, shape = [2*S, 2])\n");
}

}  // namespace
}  // namespace t2n::ops
