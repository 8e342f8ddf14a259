// SPDX-License-Identifier: Apache-2.0
// Numbers and constants: literals, geometry, repetition, and what is stored once.
#include <doctest/doctest.h>

#include "nnef_writer/print.h"
#include "tests/translate/one_op.h"

namespace t2n::ops {
namespace {

using ir::ValueId;
using test::arg;
using test::body;
using test::Builder;

TEST_CASE("numbers are literals where tract reads them exactly") {
  const auto times = [](auto value, DType dtype) {
    return statements(
        [=](Emitter& out, Ref x) {
          return out.elementwise("mul", {x, out.scalar(value, dtype)});
        },
        {2, 3}, dtype, dtype);
  };
  CHECK_EQ(times(0.1, DType::f32), "y = mul(x, 0.1)\n");
  CHECK_EQ(times(int64_t{2}, DType::f32), "y = mul(x, 2.0)\n");
  CHECK_EQ(times(-INFINITY, DType::f32), "y = mul(x, -inf)\n");
  CHECK_EQ(times(0.5, DType::f16), "y = mul(x, tract_core_cast(0.5, to = 'f16'))\n");
  CHECK_EQ(times(0.5, DType::f64), "y = mul(x, tract_core_cast(0.5, to = 'f64'))\n");
  CHECK_EQ(times(int64_t{-3}, DType::i64), "y = mul(x, tract_core_cast(-3, to = 'i64'))\n");
  CHECK_EQ(times(int64_t{3}, DType::u8), "y = mul(x, tract_core_cast(3, to = 'u8'))\n");
  // 0.1 is no f32, NaN has no literal.
  CHECK_EQ(times(0.1, DType::f64),
           "const = variable<scalar>(label = 'const', shape = [])\ny = mul(x, const)\n");
  CHECK_EQ(times(NAN, DType::f32),
           "const = variable<scalar>(label = 'const', shape = [])\ny = mul(x, const)\n");
  CHECK_EQ(statements(
               [](Emitter& out, Ref x) {
                 return out.elementwise("and", {x, out.scalar(true)});
               },
               {2, 3}, DType::boolean, DType::boolean),
           "y = and(x, true)\n");
}

TEST_CASE("geometry of constants is folded into their strides") {
  const auto use = [](const std::function<Ref(Emitter&, Ref)>& change, const Ints& shape) {
    return one_op(
        [&](Emitter& out, Ref) {
          return change(out, out.constant(iota({2, 3}), "w"));
        },
        shape);
  };
  const auto stored = [](const nnef::Document& document) {
    CHECK_EQ(document.graph.body.size(), 2);
    const nnef::Blob& blob = document.blobs.at(0);
    CHECK_EQ(blob.shape, blob.parts.at(0).shape);
    return ir::to_i64(blob.parts.at(0));
  };
  using Values = std::vector<int64_t>;
  CHECK_EQ(stored(use(
               [](Emitter& out, Ref w) {
                 return out.transpose(w, {1, 0});
               },
               {3, 2})),
           Values{0, 3, 1, 4, 2, 5});
  CHECK_EQ(stored(use(
               [](Emitter& out, Ref w) {
                 return out.reshape(w, {Dim(3), Dim(2)});
               },
               {3, 2})),
           Values{0, 1, 2, 3, 4, 5});
  // Strides cannot say this one: a copy is made.
  CHECK_EQ(stored(use(
               [](Emitter& out, Ref w) {
                 return out.reshape(out.transpose(w, {1, 0}), {Dim(6)});
               },
               {6})),
           Values{0, 3, 1, 4, 2, 5});
  CHECK_EQ(stored(use([](Emitter& out, Ref w) { return out.slice(w, 1, 1, 3); }, {2, 2})),
           Values{1, 2, 4, 5});
  CHECK_EQ(stored(use([](Emitter& out, Ref w) { return out.slice(w, 1, 0, 3, 2); }, {2, 2})),
           Values{0, 2, 3, 5});
  CHECK_EQ(stored(use(
               [](Emitter& out, Ref w) {
                 return out.squeeze(out.unsqueeze(w, {0, 3}), {0});
               },
               {2, 3, 1})),
           Values{0, 1, 2, 3, 4, 5});
}

TEST_CASE("repetition is written, not stored") {
  CHECK_EQ(statements(
               [](Emitter& out, Ref) {
                 return out.full(out.scalar(2.0, DType::f32), {2, 3});
               },
               {2, 3}),
           "y = tract_core_broadcast(2.0, shape = [2, 3])\n");
  CHECK_EQ(statements(
               [](Emitter& out, Ref) {
                 return out.broadcast_to(out.constant(iota({3}), "row"), {4, 2, 3});
               },
               {4, 2, 3}),
           "row = variable<scalar>(label = 'row', shape = [1, 1, 3])\n"
           "y = tract_core_broadcast(row, shape = [4, 2, 3])\n");
  CHECK_EQ(statements(
               [](Emitter& out, Ref x) {
                 return out.elementwise("add", {x, out.full(out.scalar(1.0, DType::f32), {2, 3})});
               },
               {2, 3}),
           "y = add(x, 1.0)\n");
}

TEST_CASE("constants convert where they are, unless a value does not fit") {
  const auto convert = [](ir::Tensor values, DType to) {
    return one_op([&](Emitter& out, Ref) { return out.cast(out.constant(values, "c"), to); }, {3},
                  to);
  };
  const nnef::Document whole = convert(iota({3}), DType::i64);
  CHECK_EQ(body(whole), "y = variable<integer>(label = 'c', shape = [3])\n");
  CHECK(whole.blobs.at(0).parts.at(0).dtype == DType::i64);
  CHECK_EQ(body(convert(ir::tensor_of(DType::f32, {3}, std::vector<double>{-1, 0, 1}), DType::u8)),
           "c = variable<integer>(label = 'c', shape = [3])\n"
           "y = tract_core_cast(c, to = 'u8')\n");
  CHECK_EQ(
      statements([](Emitter& out, Ref x) { return out.cast(x, DType::u8); }, {2, 3}, DType::u8),
      "layer_0_op_cast = tract_core_cast(x, to = 'i64')\n"
      "y = tract_core_cast(layer_0_op_cast, to = 'u8')\n");
  CHECK_EQ(statements([](Emitter& out, Ref x) { return out.cast(x, DType::f32); }, {2, 3}),
           "y = copy(x)\n");
}

TEST_CASE("joined constants are stored as parts, others are a statement") {
  const nnef::Document known = one_op(
      [](Emitter& out, Ref) {
        return out.concat({out.constant(iota({2, 1}), "a"), out.constant(iota({2, 2}), "b")}, 1);
      },
      {2, 3});
  CHECK_EQ(body(known), "y = variable<scalar>(label = 'a', shape = [2, 3])\n");
  CHECK_EQ(known.blobs.at(0).parts.size(), 2);
  CHECK_EQ(known.blobs.at(0).axis, 1);
  CHECK_EQ(statements(
               [](Emitter& out, Ref x) {
                 return out.concat(
                     {x, out.constant(iota({1, 3}), "b"), out.constant(iota({0, 3}), "none")}, 0);
               },
               {3, 3}),
           "b = variable<scalar>(label = 'b', shape = [1, 3])\n"
           "y = concat([x, b], axis = 0)\n");
  // A join that is then read element by element is one tensor.
  const nnef::Document turned = one_op(
      [](Emitter& out, Ref) {
        const Ref both =
            out.concat({out.constant(iota({2, 1}), "a"), out.constant(iota({2, 2}), "b")}, 1);
        return out.transpose(both, {1, 0});
      },
      {3, 2});
  CHECK_EQ(ir::to_i64(turned.blobs.at(0).parts.at(0)), std::vector<int64_t>{0, 1, 0, 2, 1, 3});
}

TEST_CASE("large weights that others use too are stored once") {
  const auto twice = [](int64_t rows) {
    Builder b;
    const ValueId w = b.constant("emb.weight", iota({rows, 4}));
    b.output(b.node("test::a", {arg("self", w)}, "a", {rows, 4}), "a");
    b.output(b.node("test::b", {arg("self", w)}, "b", {4, rows}), "b");
    Emitter out(b.graph, kNew);
    out.begin(b.graph.nodes[0]);
    out.result("relu", {out.value(w)});
    out.begin(b.graph.nodes[1]);
    out.result("relu", {out.transpose(out.value(w), {1, 0})});
    return body(out.finish());
  };
  CHECK_EQ(twice(2),
           "emb_weight = variable<scalar>(label = 'emb.weight', shape = [2, 4])\n"
           "a = relu(emb_weight)\n"
           "emb_weight_1 = variable<scalar>(label = 'emb.weight_1', shape = [4, 2])\n"
           "b = relu(emb_weight_1)\n");
  CHECK_EQ(twice(5000),
           "emb_weight = variable<scalar>(label = 'emb.weight', shape = [5000, 4])\n"
           "a = relu(emb_weight)\n"
           "b_transpose = transpose(emb_weight, axes = [1, 0])\n"
           "b = relu(b_transpose)\n");
}

TEST_CASE("equal constants of translations share a blob, labels differ without case") {
  Builder b;
  const ValueId upper = b.constant("W", iota({2}));
  const ValueId lower = b.constant("w", iota({2}));
  b.output(b.node("test::a", {}, "a", {2}), "a");
  Emitter out(b.graph, kNew);
  out.begin(b.graph.nodes[0]);
  const Ref sum = out.elementwise("add", {out.value(upper), out.value(lower)});
  const Ref twice =
      out.elementwise("add", {out.constant(iota({2}), "k"), out.constant(iota({2}), "k")});
  out.result(out.elementwise("add", {sum, twice}));
  CHECK_EQ(body(out.finish()),
           "W = variable<scalar>(label = 'W', shape = [2])\n"
           "w_1 = variable<scalar>(label = 'w_1', shape = [2])\n"
           "a_add = add(W, w_1)\n"
           "k = variable<scalar>(label = 'k', shape = [2])\n"
           "a_add_1 = add(k, k)\n"
           "a = add(a_add, a_add_1)\n");
}

}  // namespace
}  // namespace t2n::ops
