// SPDX-License-Identifier: Apache-2.0
// Random documents, printed and read back: the same data, not just the same text.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>

#include "nnef_writer/print.h"
#include "nnef_writer/quant.h"
#include "src/nnef/parser.h"

namespace t2n::nnef {

bool operator==(const Value& a, const Value& b);
bool operator==(const Argument& a, const Argument& b) {
  return a.name == b.name && a.value == b.value;
}
bool operator==(const Loop& a, const Loop& b) {
  return a.variable == b.variable && a.sequence == b.sequence;
}
/// Scalars of f32 come back as the same f32.
bool same_number(const Value& a, const Value& b) {
  const bool same = a.number == b.number ||
                    (!a.is_f64 && static_cast<float>(a.number) == static_cast<float>(b.number));
  return same && std::signbit(a.number) == std::signbit(b.number);
}
bool operator==(const Value& a, const Value& b) {
  return a.kind == b.kind && a.text == b.text && a.type == b.type && a.integer == b.integer &&
         same_number(b, a) && a.logical == b.logical && a.items == b.items &&
         a.arguments == b.arguments && a.loops == b.loops && a.condition == b.condition;
}
bool operator==(const Assignment& a, const Assignment& b) {
  return a.left == b.left && a.right == b.right && a.comment == b.comment;
}
bool operator==(const Parameter& a, const Parameter& b) {
  return a.name == b.name && a.type == b.type && a.default_value == b.default_value;
}
bool operator==(const Fragment& a, const Fragment& b) {
  return a.name == b.name && a.generic == b.generic && a.parameters == b.parameters &&
         a.results == b.results && a.body == b.body;
}
bool operator==(const QuantEntry& a, const QuantEntry& b) {
  return a.name == b.name && a.invocation == b.invocation;
}

namespace {

using rc::Gen;
namespace gen = rc::gen;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Plain words, keywords, and what only `i"…"` can say.
Gen<std::string> name() {
  return gen::weightedOneOf<std::string>(
      {{8,
        gen::element<std::string>("a", "b", "x_1", "info", "in", "for", "tensor", "true", "inf")},
       {1, gen::nonEmpty(gen::container<std::string>(gen::inRange(' ', '\x7f')))}});
}

Gen<std::vector<std::string>> names() { return gen::container<std::vector<std::string>>(name()); }

Gen<std::string> type() {
  return gen::element<std::string>("integer", "scalar[]", "tensor<scalar>", "tensor<>", "tensor<?>",
                                   "(integer, tensor<logical>[])[]", "?", "string");
}

/// At least `least` items, few of them.
template <typename Item>
Gen<std::vector<Item>> few(Gen<Item> item, int least = 0, int most = 3) {
  return gen::mapcat(gen::inRange(least, most + 1), [=](int count) {
    return gen::container<std::vector<Item>>(static_cast<size_t>(count), item);
  });
}

Gen<Value> number() {
  const Gen<double> real = gen::oneOf(
      gen::map(gen::arbitrary<double>(), [](double x) { return std::isnan(x) ? 0.0 : x; }),
      gen::map(gen::arbitrary<float>(), [](float x) { return std::isnan(x) ? 0.0 : double{x}; }),
      gen::element(kInfinity, -kInfinity, -0.0, 1e-310, 0.1));
  return gen::map(real, [](double x) {
    Value out = scalar(x);
    out.is_f64 = static_cast<float>(x) != x;
    return out;
  });
}

Gen<Value> leaf() {
  return gen::oneOf(gen::map(gen::arbitrary<int64_t>(), &integer), number(),
                    gen::map(gen::arbitrary<bool>(), &logical),
                    gen::map(gen::container<std::string>(gen::inRange(' ', '\x7f')), &string),
                    gen::map(name(), &identifier));
}

Gen<Value> expression(int depth);

Gen<Value> node(Kind kind, std::vector<std::string> texts, int depth, int least, int most) {
  return gen::mapcat(gen::inRange(least, most + 1), [=](int count) {
    return gen::apply(
        [=](std::string text, Values items) {
          Value out;
          out.kind = kind;
          out.text = std::move(text);
          out.items = std::move(items);
          return out;
        },
        gen::elementOf(texts),
        gen::container<Values>(static_cast<size_t>(count), expression(depth - 1)));
  });
}

Gen<Argument> argument(int depth) {
  return gen::apply(
      [](std::string text, Value value) {
        return Argument{std::move(text), std::move(value)};
      },
      gen::oneOf(gen::just(std::string()), name()), expression(depth - 1));
}

Gen<Value> call(int depth) {
  return gen::apply(&invocation, name(), few(argument(depth)),
                    gen::element<std::string>("", "integer", "?"));
}

Gen<Value> comprehension(int depth) {
  const Gen<Loop> loop = gen::apply(
      [](std::string variable, Value sequence) {
        return Loop{std::move(variable), std::move(sequence)};
      },
      name(), expression(depth - 1));
  return gen::apply(
      [](std::vector<Loop> loops, Values condition, Value item) {
        Value out;
        out.kind = Kind::comprehension;
        out.loops = std::move(loops);
        out.condition = std::move(condition);
        out.items = {std::move(item)};
        return out;
      },
      few(loop, 1, 2), few(expression(depth - 1), 0, 1), expression(depth - 1));
}

Gen<Value> expression(int depth) {
  if (depth == 0) return leaf();
  return gen::lazy([depth] {
    return gen::oneOf(
        leaf(), call(depth), comprehension(depth), node(Kind::array, {""}, depth, 0, 3),
        node(Kind::tuple, {""}, depth, 2, 3), node(Kind::unary, {"-", "+", "!"}, depth, 1, 1),
        node(Kind::if_else, {""}, depth, 3, 3), node(Kind::subscript, {""}, depth, 2, 3),
        node(Kind::binary, {"in", "&&", "<", ">", "<=", "==", "!=", "+", "-", "*", "/", "^"}, depth,
             2, 2));
  });
}

Gen<Value> target() {
  const Gen<Value> one = gen::map(name(), &identifier);
  return gen::oneOf(one, gen::map(few(one), &array), gen::map(few(one, 2, 3), &tuple));
}

Gen<std::vector<Assignment>> body(int least) {
  const Gen<Assignment> one = gen::apply(
      [](Value left, Value right, std::string comment) {
        return Assignment{std::move(left), std::move(right), std::move(comment)};
      },
      target(), expression(2), gen::element<std::string>("", "model.py:88", "a; b # c"));
  return few(one, least, 3);
}

Gen<Parameter> parameter(bool with_default) {
  return gen::apply(
      [](std::string text, std::string kind, Values values) {
        Parameter out{std::move(text), std::move(kind), {}};
        if (!values.empty()) out.default_value = std::move(values[0]);
        return out;
      },
      name(), type(), few(expression(1), 0, with_default ? 1 : 0));
}

Gen<Fragment> fragment() {
  return gen::apply(
      [](std::string text, std::string generic, std::vector<Parameter> parameters,
         std::vector<Parameter> results, std::vector<Assignment> statements) {
        return Fragment{std::move(text), std::move(generic), std::move(parameters),
                        std::move(results), std::move(statements)};
      },
      name(), gen::element<std::string>("", "?", "? = scalar"), few(parameter(true)),
      few(parameter(false)), body(0));
}

Gen<Assertion> assertion() {
  return gen::map(gen::inRange<int64_t>(1, 4), [](int64_t factor) {
    const ir::Dim half = floor_div(ir::Dim::symbol("S") + 1, 2);
    return Assertion{factor == 2 ? "short" : "", {ir::Dim(factor) * half, ir::Relation::le, 8}};
  });
}

Gen<Document> document() {
  return gen::apply(
      [](std::vector<std::string> extensions, std::vector<ir::Symbol> symbols,
         std::vector<Assertion> assertions, std::vector<Fragment> fragments, std::string text,
         std::vector<std::string> parameters, std::vector<std::string> results,
         std::vector<Assignment> statements) {
        Document out;
        out.extensions = std::move(extensions);
        out.symbols = std::move(symbols);
        out.assertions = std::move(assertions);
        out.fragments = std::move(fragments);
        out.graph = {std::move(text), std::move(parameters), std::move(results),
                     std::move(statements)};
        return out;
      },
      few(gen::element<std::string>("KHR_enable_operator_expressions",
                                    "tract_assert 2*S + 1 >= T % 3")),
      few(gen::element<ir::Symbol>("S", "T.1")), few(assertion()), few(fragment()), name(), names(),
      names(), body(0));
}

Gen<QuantEntry> quant_entry() {
  const Gen<Argument> named = gen::apply(
      [](std::string text, Value value) {
        return Argument{std::move(text), std::move(value)};
      },
      name(), expression(2));
  return gen::apply(
      [](std::string text, std::string operation, std::vector<Argument> arguments) {
        return QuantEntry{std::move(text), invocation(std::move(operation), std::move(arguments))};
      },
      name(), name(), few(named));
}

/// The same cases every time; RC_PARAMS=max_success=5000 hunts for more.
bool check_always(const char* what, void (*property)()) {
  setenv("RC_PARAMS", "seed=6 max_success=300", 0);
  return rc::check(what, property);
}

TEST_CASE("documents come back as they were") {
  CHECK(check_always("document", [] {
    const Document before = *document();
    RC_LOG() << print(before);
    const Document after = parse_document(print(before), "graph.nnef");
    RC_ASSERT(after.extensions == before.extensions);
    RC_ASSERT(after.symbols == before.symbols);
    RC_ASSERT(after.assertions.size() == before.assertions.size());
    for (size_t i = 0; i < after.assertions.size(); ++i) {
      RC_ASSERT(after.assertions[i].scenario == before.assertions[i].scenario);
      RC_ASSERT(after.assertions[i].comparison == before.assertions[i].comparison);
    }
    RC_ASSERT(after.fragments == before.fragments);
    RC_ASSERT(after.graph.name == before.graph.name);
    RC_ASSERT(after.graph.parameters == before.graph.parameters);
    RC_ASSERT(after.graph.results == before.graph.results);
    RC_ASSERT(after.graph.body == before.graph.body);
  }));
}

TEST_CASE("quantisation files come back as they were") {
  CHECK(check_always("graph.quant", [] {
    const std::vector<QuantEntry> before = *few(quant_entry());
    RC_LOG() << print_quant(before);
    RC_ASSERT(parse_quant(print_quant(before), "graph.quant") == before);
  }));
}

}  // namespace
}  // namespace t2n::nnef
