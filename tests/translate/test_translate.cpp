// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "nnef_writer/print.h"
#include "src/translate/registry.h"
#include "src/translate/translate.h"
#include "tests/translate/builder.h"
#include "tests/translate/one_op.h"

namespace t2n::ops {
namespace {

using ir::ValueId;
using test::arg;
using test::bug;
using test::Builder;
using test::message_of;

void gelu(const OpView& op, Emitter& out) {
  op.one_of("approximate", {"none", "tanh"});
  out.result(op.nnef(), {op.tensor("self")});
}
void forgets(const OpView& op, Emitter& out) { out.result("relu", {op.tensor("self")}); }
void misreads(const OpView& op, Emitter&) { op.i64("slef"); }
void wrong_dtype(const OpView& op, Emitter& out) {
  out.result(out.cast(op.tensor("self"), DType::i64));
}
void no_result(const OpView& op, Emitter&) { op.tensor("self"); }
void rank_four_only(const OpView& op, Emitter&) {
  op.refuse_op(Limit::mask_without_axes, "unsqueeze it");
}

constexpr BinaryRow kBinary[] = {{"test::mul.Tensor", "mul"}, {"test::pow.Scalar", "pow"}};
constexpr UnaryRow kUnary[] = {{"test::relu", "relu"}};

/// Operators of this test's own.
const Registry& test_table() {
  static const Registry table = [] {
    Registry r;
    r.add({.op = "test::gelu", .doc = "", .variants = {{any_target(), "gelu", gelu}}});
    r.add({.op = "test::new",
           .doc = "",
           .variants = {{has(Feature::core_cumsum), "a", gelu}, {has(Feature::copy), "b", gelu}}});
    r.add({.op = "test::fast",
           .also = {"test::fast.out"},
           .doc = "",
           .variants = {{any_target(), "slow", gelu},
                        {has(Feature::copy, Feature::core_silu), "fastest", gelu},
                        {has(Feature::copy), "fast", gelu}}});
    r.add({.op = "test::forgets", .doc = "", .variants = {{any_target(), "", forgets}}});
    r.add({.op = "test::misreads", .doc = "", .variants = {{any_target(), "", misreads}}});
    r.add({.op = "test::wrong_dtype", .doc = "", .variants = {{any_target(), "", wrong_dtype}}});
    r.add({.op = "test::no_result", .doc = "", .variants = {{any_target(), "", no_result}}});
    r.add({.op = "test::rank", .doc = "", .variants = {{any_target(), "", rank_four_only}}});
    r.unary(kUnary);
    r.binary(kBinary);
    return r;
  }();
  return table;
}

/// A model of one module `act (GELU)`, whose operations stand in consecutive lines of model.py.
struct Model : Builder {
  ir::ScopeId act;
  ValueId last;
  int line = 0;

  explicit Model(DType dtype = DType::f32) {
    act = ir::add_scope(graph, 0, "GELU", "act");
    last = input("x", {2, 3}, dtype);
  }
  Model& then(std::string_view op, std::vector<ir::Argument> more = {}, DType dtype = DType::f32) {
    more.insert(more.begin(), arg("self", last));
    last = node(op, std::move(more), cat("v", ++line), {2, 3}, dtype);
    graph.nodes.back().scope = act;
    ir::Source source;
    source.frames = {Frame{.file = "model.py", .line = line, .column = 0, .function = {}}};
    graph.nodes.back().source = ir::add_source(graph, source);
    return *this;
  }
  Model& then_gelu(std::string approximate) {
    return then("test::gelu", {{"approximate", std::move(approximate)}});
  }
  nnef::Document translated(const target::Target& target = kNew) {
    output(last, "y");
    return translate(graph, target, {}, test_table());
  }
  std::string error(const target::Target& target = kNew) {
    return message_of([&] { translated(target); });
  }
};

TEST_CASE("a refused argument is shown as it is, with its place") {
  CHECK_EQ(Model().then_gelu("fast").error(),
           "error[unsupported-argument]: test::gelu: approximate='fast' has no translation for "
           "tract@0.23.9\n"
           "  --> act (GELU), model.py:1\n"
           "  why:  known values are 'none' and 'tanh'\n");
  CHECK_EQ(Model().then_gelu("fast").then_gelu("none").then_gelu("fast").error(),
           "error[unsupported-argument]: test::gelu: approximate='fast' has no translation for "
           "tract@0.23.9\n"
           "  --> act (GELU), model.py:1\n"
           "  --> act (GELU), model.py:3\n"
           "  why:  known values are 'none' and 'tanh'\n");
}

TEST_CASE("one run lists every problem, the commonest first") {
  CHECK_EQ(Model().then("test::absent").error(),
           "error[unsupported-op]: 1 operator (1 use) has no translation for tract@0.23.9; nothing "
           "was written\n"
           "   1x test::absent   first: act (GELU), model.py:1\n");
  CHECK_EQ(Model()
               .then("test::stft")
               .then("test::_unique2")
               .then("test::_unique2")
               .then("aten::rand_like")
               .then_gelu("fast")
               .then("test::rank")
               .error(),
           "error[unsupported-op]: 4 operators (5 uses) and 1 refused argument (1 use) have no "
           "translation for tract@0.23.9; nothing was written\n"
           "   2x test::_unique2                   first: act (GELU), model.py:2\n"
           "   1x test::stft                       first: act (GELU), model.py:1\n"
           "   1x aten::rand_like                  first: act (GELU), model.py:4\n"
           "      why: it generates random numbers, so a run of the engine cannot be compared with "
           "torch\n"
           "      help: generate the random numbers outside the model, and pass them as an input\n"
           "   1x test::gelu: approximate='fast'   first: act (GELU), model.py:5\n"
           "      why: known values are 'none' and 'tanh'\n"
           "   1x test::rank                       first: act (GELU), model.py:6\n"
           "      why: a boolean mask of rank 0 adds an axis\n"
           "      help: unsqueeze it\n");
}

TEST_CASE("an operator that newer versions have says so") {
  CHECK_EQ(Model().then("test::new", {{"approximate", "none"}}).error(kOld),
           "error[unsupported-op]: 1 operator (1 use) has no translation for tract@0.22.4; nothing "
           "was written\n"
           "   1x test::new   first: act (GELU), model.py:1\n"
           "      why: supported from tract@0.23.0 on\n");
}

TEST_CASE("dtypes that tract lacks are refused where they occur") {
  CHECK_EQ(Model(DType::bf16).then("test::relu").error(),
           "error[unsupported-dtype]: input 'x': bf16 has no translation for tract@0.23.9\n"
           "  why:  tract has no bfloat16\n"
           "  help: a model in bfloat16: convert it before saving it, by model.float() or "
           "model.half(); casts in a model in float32: trace it outside of torch.autocast\n");
  CHECK_EQ(Model().then("test::relu", {}, DType::c64).error(),
           "error[unsupported-dtype]: test::relu: c64 has no translation for tract@0.23.9\n"
           "  --> act (GELU), model.py:1\n"
           "  why:  tract's released libraries have no complex numbers\n"
           "  help: compute with real tensors of a trailing axis of two (torch.view_as_real)\n");
}

TEST_CASE("mistakes of a translation are bugs that name the operator") {
  const auto run = [](std::string_view op) {
    return bug([&] { Model().then(op, {{"alpha", Dim(1)}}).translated(); });
  };
  CHECK_EQ(run("test::forgets"), "test::forgets: 'alpha' was never read");
  CHECK_EQ(run("test::misreads"), "test::misreads: there is no argument 'slef'");
  CHECK_EQ(bug([] { Model().then("test::wrong_dtype").translated(); }),
           "test::wrong_dtype: the translation gives i64[2,3] where torch gives f32[2,3] (v1)");
  CHECK_EQ(bug([] { Model().then("test::no_result").then("test::relu").translated(); }),
           "test::relu: the translation gave no result for 'v1'");
}

TEST_CASE("the variant with most features wins") {
  const auto chosen = [](std::string_view op, std::string_view target) {
    const Variant* variant = test_table().variant(ir::op_id(op), target::parse_target(target));
    return variant ? std::string(variant->nnef) : "none";
  };
  CHECK_EQ(chosen("test::fast", "tract@0.22.4"), "slow");
  CHECK_EQ(chosen("test::fast.out", "tract@0.23.0"), "fastest");
  CHECK_EQ(chosen("test::new", "tract@0.22.4"), "none");
  CHECK_EQ(chosen("test::new", "tract@0.23.0"), "b");
  CHECK_EQ(bug([&] { chosen("test::new", "tract@0.23.9"); }),
           "test::new has two variants for tract@0.23.9");
}

TEST_CASE("a second registration is a bug that names both places") {
  Registry r = test_table();
  const std::string text = message_of([&] { r.unary(kUnary); });
  CHECK(text.find("test::relu has two entries") != std::string::npos);
  const size_t first = text.find("test_translate.cpp:");
  CHECK(first != std::string::npos);
  CHECK(text.find("test_translate.cpp:", first + 1) != std::string::npos);
}

TEST_CASE("table rows take tensors and numbers on either side") {
  const auto text = [](Model model) {
    const nnef::Document document = model.translated();
    return nnef::print(document.graph.body.back().right);
  };
  CHECK_EQ(text(Model().then("test::relu")), "relu(x)");
  CHECK_EQ(text(Model().then("test::mul.Tensor", {{"other", Dim(2)}})), "mul(x, 2.0)");
  CHECK_EQ(text(Model().then("test::mul.Tensor", {{"other", 0.5}})), "mul(x, 0.5)");
  CHECK_EQ(text(Model().then("test::mul.Tensor", {{"other", true}})), "mul(x, 1.0)");
  CHECK_EQ(text(Model(DType::i64).then("test::mul.Tensor", {{"other", Dim(2)}}, DType::i64)),
           "mul(x, tract_core_cast(2, to = 'i64'))");
  CHECK_EQ(text(Model(DType::u8).then("test::mul.Tensor", {{"other", Dim(-1)}}, DType::u8)),
           "mul(x, tract_core_cast(255, to = 'u8'))");
  Model twice;
  CHECK_EQ(text(twice.then("test::mul.Tensor", {arg("other", twice.last)})), "mul(x, x)");
  Model power;
  power.last =
      power.node("test::pow.Scalar", {{"self", Dim(2)}, arg("other", power.last)}, "v", {2, 3});
  CHECK_EQ(text(power), "pow(2.0, x)");
}

/// Reads `args` of an operation over x f32[2,3] with `read`; the text of what it throws.
std::string reading(std::vector<ir::Argument> args,
                    const std::function<void(const OpView&)>& read) {
  Builder b;
  args.insert(args.begin(), arg("self", b.input("x", {2, 3})));
  b.node("test::op", std::move(args), "y", {2, 3});
  Emitter out(b.graph, kNew);
  out.begin(b.graph.nodes[0]);
  const OpView view(b.graph, b.graph.nodes[0], "op", out);
  const std::string text = message_of([&] { read(view); });
  return text.starts_with("internal error") ? bug([&] { read(view); }) : text;
}

TEST_CASE("numbers are read whatever kind of Scalar they are") {
  CHECK_EQ(reading({{"i", Dim(3)}, {"f", 2.0}, {"b", true}, {"none", ir::None{}}},
                   [](const OpView& op) {
                     CHECK_EQ(op.i64("i"), 3);
                     CHECK_EQ(op.f64("i"), 3.0);
                     CHECK_EQ(op.i64("f"), 2);
                     CHECK_EQ(op.f64("f"), 2.0);
                     CHECK_EQ(op.i64("b"), 1);
                     CHECK(op.boolean("b"));
                     CHECK(op.boolean("i"));
                     CHECK_EQ(op.opt_i64("i").value(), 3);
                     CHECK_FALSE(op.opt_f64("none").has_value());
                     CHECK_FALSE(op.opt_tensor("none").has_value());
                     CHECK(op.is_none("none"));
                     CHECK(op.is_tensor("self"));
                     CHECK_FALSE(op.is_tensor("i"));
                     op.require("f", 2);
                     op.ignore("i", "test");
                     op.tensor("self");
                     op.check_all_read();
                   }),
           "no error");
  CHECK_EQ(reading({{"f", 2.5}}, [](const OpView& op) { op.i64("f"); }), "'f' is not an integer");
  CHECK_EQ(reading({{"s", "text"}}, [](const OpView& op) { op.f64("s"); }), "'s' is not a number");
  CHECK_EQ(reading({{"n", ir::None{}}}, [](const OpView& op) { op.tensor("n"); }),
           "'n' is absent where a tensor is needed");
}

TEST_CASE("dims count from either end, lists repeat") {
  using Dims = std::vector<Dim>;
  CHECK_EQ(reading({{"a", Dim(-1)},
                    {"d", Dims{-1, 0}},
                    {"empty", Dims{}},
                    {"k", Dims{3}},
                    {"reals", std::vector<double>{}},
                    {"n", ir::None{}}},
                   [](const OpView& op) {
                     CHECK_EQ(op.axis("a"), 1);
                     CHECK_EQ(op.axis("a", 0), 0);
                     CHECK_EQ(op.axis("a", 4), 3);
                     CHECK_EQ(op.axes("d", 3), Ints{0, 2});
                     CHECK_EQ(op.axes("a", 3), Ints{2});
                     CHECK_EQ(op.axes("a", 0), Ints{});
                     CHECK_EQ(op.axes("empty", 2), Ints{0, 1});
                     CHECK_EQ(op.axes("n", 2), Ints{0, 1});
                     CHECK_EQ(op.expand_ints("k", 2), Ints{3, 3});
                     CHECK_EQ(op.ints("reals"), Ints{});
                   }),
           "no error");
  CHECK_EQ(reading({{"a", Dim(2)}}, [](const OpView& op) { op.axis("a"); }), "a=2 of rank 2");
}

TEST_CASE("refusals print the value as the user wrote it") {
  const auto refusal = [](ir::Attr value) {
    const std::string text = reading({{"a", std::move(value)}}, [](const OpView& op) {
      op.refuse("a", Limit::outside_memory, "do so");
    });
    return text.substr(0, text.find(" has no translation"));
  };
  const std::string start = "error[unsupported-argument]: test::op: a=";
  CHECK_EQ(refusal(Dim(3)), start + "3");
  CHECK_EQ(refusal(0.5), start + "0.5");
  CHECK_EQ(refusal(true), start + "true");
  CHECK_EQ(refusal("fast"), start + "'fast'");
  CHECK_EQ(refusal(std::vector<Dim>{1, 2}), start + "[1, 2]");
  CHECK_EQ(refusal(ir::TensorRef{0}), start + "f32[2,3]");
  CHECK_EQ(reading({{"beta", 0.5}}, [](const OpView& op) { op.require("beta", 1); }),
           "error[unsupported-argument]: test::op: beta=0.5 has no translation for tract@0.23.9\n"
           "  why:  the only known value is 1\n");
  CHECK_EQ(reading({{"r", Dim(3)}}, [](const OpView& op) { op.within("r", 0, 2); }),
           "error[unsupported-argument]: test::op: r=3 has no translation for tract@0.23.9\n"
           "  why:  known values are 0 to 2\n");
  CHECK_EQ(reading({{"i", ir::TensorRef{0}}}, [](const OpView& op) { op.constant("i"); }),
           "error[unsupported-argument]: test::op: i=f32[2,3] has no translation for tract@0.23.9\n"
           "  why:  its values must be known at export, but they are computed by the model\n");
  CHECK_EQ(reading({{"k", Dim::symbol("S")}}, [](const OpView& op) { op.i64("k"); }),
           "error[unsupported-argument]: test::op: k=S has no translation for tract@0.23.9\n"
           "  why:  the operator needs a size that is known at export\n");
}

TEST_CASE("list_ops counts what a model uses") {
  Model model;
  model.then("test::relu").then("test::absent").then("test::relu");
  const std::vector<OpUse> uses = list_ops(model.graph, kNew, test_table());
  REQUIRE_EQ(uses.size(), 2);
  CHECK_EQ(uses[0].op, "test::relu");
  CHECK_EQ(uses[0].count, 2);
  CHECK_EQ(uses[0].refused, 0);
  CHECK_EQ(render_where(uses[1].first), "act (GELU), model.py:2");
  CHECK_EQ(uses[1].count, 1);
  CHECK_EQ(uses[1].refused, 1);
}

TEST_CASE("list_ops counts what translate refuses, whatever the reason") {
  Model model;
  model.then("test::relu").then("test::rank").then("test::rank");
  const std::vector<OpUse> uses = list_ops(model.graph, kNew, test_table());
  REQUIRE_EQ(uses.size(), 2);
  CHECK_EQ(uses[0].refused, 0);
  CHECK_EQ(uses[1].refused, 2);
}

}  // namespace
}  // namespace t2n::ops
