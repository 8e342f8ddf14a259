// SPDX-License-Identifier: Apache-2.0
// Reading NNEF text: round trips through the printer, liberties of other exporters, syntax errors.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "nnef_writer/print.h"
#include "nnef_writer/quant.h"
#include "src/diag/error.h"
#include "src/nnef/parser.h"
#include "tests/nnef/document.h"

namespace t2n::nnef {
namespace {

std::string reprinted(std::string_view text) { return print(parse_value(text)); }

TEST_CASE("canonical expressions come back unchanged") {
  for (const char* text : {"x",
                           "i\"a.b\"",
                           "1",
                           "-1",
                           "-9223372036854775808",
                           "1.0",
                           "-0.0",
                           "1e-5",
                           "0.1",
                           "1e300",
                           "0.10000000149011612",
                           "inf",
                           "-inf",
                           "true",
                           "'same'",
                           "'it\\'s'",
                           "'{\\{x}}'",
                           "[]",
                           "[1, (0, 1)]",
                           "f()",
                           "external<scalar>(shape = [1, 2*S + 1])",
                           "copy<?>(x)",
                           "conv(x, y, border = 'constant', groups = -1)",
                           "x + y*2 - z/2",
                           "(x + y)*2",
                           "x - (y - 1)",
                           "x^2^3",
                           "x^(2^3)",
                           "(-x) + 1",
                           "-x",
                           "!x",
                           "x - (-1.0)",
                           "a < b && c >= d || e != f",
                           "x in [1, 2]",
                           "0.0 if x < 0.0 else x",
                           "a if b else (c if d else e)",
                           "x[0]",
                           "x[1:2]",
                           "x[:2]",
                           "x[1:]",
                           "x[:]",
                           "-1[0]",
                           "(-1)[0]",
                           "(x[0])[1]",
                           "shape_of(x)[0]",
                           "[a, b] + [c]*2",
                           "[for i in range_of(x) yield x[i]*2]",
                           "[for i in a, j in b if i > j yield (i, j)]",
                           "f(g(x), h = [k(y)])",
                           "info",
                           "true_div(x, 2)"}) {
    CAPTURE(text);
    CHECK(reprinted(text) == text);
  }
}

TEST_CASE("other spellings of the same expressions") {
  CHECK(reprinted("  x  # a comment\n") == "x");
  CHECK(reprinted("((x))") == "x");
  CHECK(reprinted("1.") == "1.0");
  CHECK(reprinted("1E+5") == "1e5");
  CHECK(reprinted("- 1") == "-1");
  CHECK(reprinted("\"a 'b'\"") == "'a \\'b\\''");
  CHECK(reprinted("i\"plain\"") == "plain");
  CHECK(reprinted("a+b*c^d") == "a + b*c^d");
  CHECK(reprinted("-x+1") == "(-x) + 1");
  CHECK(reprinted("a if b else c if d else e") == "a if b else (c if d else e)");
  CHECK(reprinted("f < 1") == "f < 1");
  CHECK(reprinted("a < b > (c)") == "a<b>(c)");
  CHECK(reprinted("a < b > +c") == "(a < b) > (+c)");
  CHECK(reprinted("--0") == "-(0)");
  CHECK(reprinted("x[0][1]") == "(x[0])[1]");
  CHECK(reprinted("f(in, for = for, i\"if\")") == "f(i\"in\", for = i\"for\", i\"if\")");
  CHECK(reprinted("[for, x]") == "[i\"for\", x]");
  CHECK(parse_value(reprinted("i\"true\"")).kind == Kind::identifier);
  CHECK(parse_value(reprinted("i\"inf\"")).kind == Kind::identifier);
}

TEST_CASE("numbers keep their kind and value") {
  CHECK(parse_value("3").kind == Kind::integer);
  CHECK(parse_value("3.0").kind == Kind::scalar);
  CHECK(parse_value("3e0").kind == Kind::scalar);
  CHECK(parse_value("0.1").number == 0.1);
  CHECK_FALSE(parse_value("0.1").is_f64);
  CHECK(parse_value("0.1234567890123").is_f64);
  CHECK(std::isinf(parse_value("inf").number));
}

TEST_CASE("a document comes back unchanged") {
  const Document document = parse_document(kDocument, "graph.nnef");
  CHECK(print(document) == kDocument);
  REQUIRE(document.assertions.size() == 1);
  CHECK(document.assertions[0].comparison ==
        ir::Comparison{ir::Dim::symbol("S"), ir::Relation::ge, 1});
  CHECK(document.fragments[0].parameters[2].default_value->number == 1e-5);
  CHECK(document.fragments[1].body.empty());
  CHECK(document.graph.parameters == std::vector<std::string>{"x", "a.b"});
  CHECK(document.graph.body[1].left.kind == Kind::array);
  CHECK(document.graph.body[2].comment == "model.py:88");
}

TEST_CASE("layout of the text does not matter") {
  const Document document = parse_document(
      "# generated\nversion 1.0;extension\n  tract_registry\ttract_core ;\r\ngraph n(x)->(y,z){"
      "x=external(shape=[1]);y,z=f(x);}  # end",
      "graph.nnef");
  CHECK(document.extensions == std::vector<std::string>{"tract_registry tract_core"});
  CHECK(print(document.graph.body[1].left) == "(y, z)");
  CHECK(print(parse_fragments("fragment f(x: tensor<scalar>= 0.0)->(y:tensor< ? >[]) ;",
                              "f.nnef")[0]) ==
        "fragment f(x: tensor<scalar> = 0.0) -> (y: tensor<?>[]);\n");
}

TEST_CASE("results are taken apart at any depth") {
  const auto left = [](const std::string& text) {
    const std::string graph = cat("version 1.0; graph g(x) -> (a) { ", text, " = f(x); }");
    return print(parse_document(graph, "graph.nnef").graph.body[0].left);
  };
  CHECK(left("[a, (b, c)]") == "[a, (b, c)]");
  CHECK(left("(a, [b])") == "(a, [b])");
  CHECK(left("a, (b, [c, d]), e") == "(a, (b, [c, d]), e)");
  CHECK(left("((a))") == "a");
  CHECK(left("[]") == "[]");
}

TEST_CASE("graph.quant comes back unchanged") {
  const std::string text =
      "\"w\": zero_point_linear_quantize(zero_point = 10, scale = 0.5, bits = 8);\n"
      "i\"a.b\": linear_quantize(min = -5.0, max = 122.5, bits = 8);\n";
  const auto entries = parse_quant("# scales\n" + text, "graph.quant");
  CHECK(entries.size() == 2);
  CHECK(entries[1].name == "a.b");
  CHECK(print_quant(entries) == text);
  CHECK(parse_quant("'x': f(a = 1); i'y': f(a = [[1.0], [2.0]]);", "graph.quant").size() == 2);
}

/// Random expressions of every kind, at most `depth` deep.
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Value expression(int depth) {
    if (depth == 0 || pick(4) == 0) return leaf();
    switch (pick(9)) {
      case 0: return array(items(depth, 0));
      case 1: return tuple(items(depth, 2));
      case 2: return call(depth);
      case 3: return node(Kind::unary, kSigns[pick(3)], {identifier(name())});
      case 4: return node(Kind::if_else, "", items(depth, 3, 3));
      case 5: return node(Kind::subscript, "", items(depth, 2, 3));
      case 6: return comprehension(depth);
      default: return node(Kind::binary, kOperators[pick(14)], items(depth, 2, 2));
    }
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static constexpr const char* kSigns[] = {"-", "+", "!"};
  static constexpr const char* kOperators[] = {
      "in", "&&", "||", "<", "<=", ">", ">=", "==", "!=", "+", "-", "*", "/", "^"};

  size_t pick(size_t count) { return random_() % count; }
  std::string name() { return std::string("abcxyz").substr(pick(5), 1 + pick(2)); }

  Value leaf() {
    switch (pick(6)) {
      case 0: return integer(static_cast<int64_t>(random_()) - 500);
      case 1:
        return scalar(
            std::ldexp(static_cast<double>(random_()) - 2e9, static_cast<int>(pick(80)) - 70));
      case 2: return logical(pick(2) == 0);
      case 3: return string("'\\\"{#" + name());
      case 4: return scalar(pick(2) == 0 ? kInfinity : -kInfinity);
      default: return identifier(pick(5) == 0 ? "a.b" : name());
    }
  }
  Values items(int depth, size_t least, size_t most = 4) {
    Values out;
    for (size_t i = least + pick(most - least + 1); i > 0; --i)
      out.push_back(expression(depth - 1));
    return out;
  }
  static Value node(Kind kind, std::string text, Values items) {
    Value out;
    out.kind = kind;
    out.text = std::move(text);
    out.items = std::move(items);
    return out;
  }
  Value call(int depth) {
    std::vector<Argument> arguments;
    for (Value& item : items(depth, 0))
      arguments.push_back({pick(2) == 0 ? "" : name(), std::move(item)});
    return invocation(name(), std::move(arguments), pick(3) == 0 ? "integer" : "");
  }
  Value comprehension(int depth) {
    Value out = node(Kind::comprehension, "", items(depth, 1, 1));
    for (Value& item : items(depth, 1, 2)) out.loops.push_back({name(), std::move(item)});
    if (pick(2) == 0) out.condition = items(depth, 1, 1);
    return out;
  }

  std::mt19937 random_;
};

TEST_CASE("whatever is printed reads back and prints the same") {
  Generator generator(11);
  for (int i = 0; i < 3000; ++i) {
    const std::string text = print(generator.expression(5));
    CAPTURE(text);
    CHECK(reprinted(text) == text);
  }
}

}  // namespace
}  // namespace t2n::nnef
