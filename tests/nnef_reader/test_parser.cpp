// Reading NNEF text: round trips through the printer, liberties of other exporters, syntax errors.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "nnef_writer/print.h"
#include "nnef_writer/quant.h"
#include "src/diag/error.h"
#include "src/nnef_reader/parser.h"

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

TEST_CASE("other spellings of the same") {
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

constexpr std::string_view kDocument = R"(version 1.0;

extension tract_registry tract_core;
extension tract_assert S >= 1;

fragment norm<? = scalar>(x: tensor<?>, axes: integer[], eps: scalar = 1e-5) -> (y: tensor<?>, n: tensor<>)
{
    n = sum_reduce(sqr(x), axes = axes);
    y = x/sqrt(n + eps);
}

fragment pads(p: (integer, integer)[] = [(0, 1)], s: string = 'x') -> (q: integer);

graph network(x, i"a.b") -> (y, z)
{
    x = external<scalar>(shape = [1, S]);
    [y, w] = split(x, axis = 1, ratios = [1, 1]);
    (z, n) = norm(w, axes = [1]);  # model.py:88
}
)";

TEST_CASE("a document comes back unchanged") {
  const Document document = parse_document(kDocument, "graph.nnef");
  CHECK(print(document) == kDocument);
  CHECK(document.extensions[1] == "tract_assert S >= 1");
  CHECK(document.fragments[0].parameters[2].default_value->number == 1e-5);
  CHECK(document.fragments[1].body.empty());
  CHECK(document.graph.parameters == std::vector<std::string>{"x", "a.b"});
  CHECK(document.graph.body[1].left.kind == Kind::array);
  CHECK(document.graph.body[2].comment == "model.py:88");
}

TEST_CASE("layout is free") {
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

template <typename Parse>
std::string failure(Parse parse) {
  try {
    parse();
  } catch (const Error& error) {
    return error.what();
  }
  return "parsed";
}

std::string value_failure(std::string_view text) {
  return failure([&] { parse_value(text); });
}
std::string document_failure(std::string_view text) {
  return failure([&] { parse_document(text, "some/folder/graph.nnef"); });
}

TEST_CASE("syntax errors show the place") {
  CHECK(
      document_failure(
          "version 1.0;\ngraph g(x) -> (y)\n{\n    x = external(shape = [1])\n    y = f(x);\n}") ==
      "error[nnef-syntax]: expected ';' after the statement, found 'y'\n"
      "  --> graph.nnef:5:5\n"
      "   |  y = f(x);\n"
      "   |  ^\n");
  CHECK(document_failure("version 1.0;\ngraph g(x) -> (y)\n{\n\ty = conv(x, [1, 2) ;\n}") ==
        "error[nnef-syntax]: expected ']' or ',', found ')'\n"
        "  --> graph.nnef:4:19\n"
        "   |  y = conv(x, [1, 2) ;\n"
        "   |                   ^\n");
  CHECK(document_failure("version 1.1;") ==
        "error[nnef-syntax]: version '1.1' is not supported\n"
        "  --> graph.nnef:1:9\n"
        "   |  version 1.1;\n"
        "   |          ^^^\n"
        "  help: write 'version 1.0;'\n");
  CHECK(document_failure("version 1.0;\ngraph g(x) -> (y) {\n  y = f(x);\n\n") ==
        "error[nnef-syntax]: expected a result, found the end of the text\n"
        "  --> graph.nnef:3:12\n"
        "   |  y = f(x);\n"
        "   |           ^\n");
  CHECK(document_failure("") ==
        "error[nnef-syntax]: expected 'version' at the start of the document, found the end of the "
        "text\n"
        "  --> graph.nnef:1:1\n");
}

TEST_CASE("messages of the rules") {
  const auto first_line = [](const std::string& text) {
    return text.substr(0, text.find('\n')).substr(std::string("error[nnef-syntax]: ").size());
  };
  CHECK(first_line(value_failure("f(x")) == "expected ')' or ',', found the end of the text");
  CHECK(first_line(value_failure("x y")) == "expected the end of the text, found 'y'");
  CHECK(first_line(value_failure("x +")) == "expected an expression, found the end of the text");
  CHECK(first_line(value_failure("()")) == "the parentheses before this are empty");
  CHECK(first_line(value_failure("'abc")) == "this text has no closing quote");
  CHECK(first_line(value_failure("'abc\\'")) == "this text has no closing quote");
  CHECK(first_line(value_failure("1.0.5")) == "'1.0.5' is no number");
  CHECK(first_line(value_failure("1e")) == "'1e' is no number");
  CHECK(first_line(value_failure("2x")) == "'2x' is no number");
  CHECK(first_line(value_failure(".5")) == "a number cannot begin with a point");
  CHECK(first_line(value_failure("x @ y")) == "'@' has no meaning in NNEF");
  CHECK(first_line(value_failure("\xc3\xa4")) == "the byte 0xc3 has no meaning in NNEF");
  CHECK(first_line(value_failure("9223372036854775808")) ==
        "'9223372036854775808' does not fit a 64-bit integer");
  CHECK(first_line(value_failure("1e400")) == "'1e400' does not fit a 64-bit float");
  CHECK(first_line(value_failure("a if b")) ==
        "expected 'else' after the condition, found the end of the text");
  CHECK(first_line(value_failure("[for i in x]")) ==
        "expected 'yield' in the comprehension, found ']'");
  CHECK(first_line(value_failure("x[1:2:3]")) == "expected ']' after the subscript, found ':'");
  CHECK(first_line(value_failure(std::string("'") + std::string(60, 'a') + "' 'b'")) ==
        "expected the end of the text, found ''b''");
  CHECK(first_line(document_failure("version 1.0;\nextension ;")) == "an extension needs a name");
  CHECK(first_line(document_failure("version 1.0;\nextension a")) ==
        "expected ';' after the extension, found the end of the text");
  CHECK(first_line(document_failure("version 1.0; graph g() -> () { () = f(x); }")) ==
        "the parentheses before this are empty");
  CHECK(first_line(failure([] { parse_quant("w: f(a = 1);", "graph.quant"); })) ==
        "expected a tensor's name in double quotes, found 'w'");
  CHECK(first_line(failure([] {
          parse_fragments("fragment f(x: tensor<scalar) -> (y: ?);", "f");
        })) == "expected '>' after the type, found ')'");
}

TEST_CASE("long lines are shown around the error, columns count characters") {
  CHECK(value_failure("f('\xc3\xa4\xc3\xa4', @)") ==
        "error[nnef-syntax]: '@' has no meaning in NNEF\n"
        "  --> expression:1:9\n"
        "   |  f('\xc3\xa4\xc3\xa4', @)\n"
        "   |          ^\n");
  const std::string text = std::string(200, 'a') + " " + std::string(200, 'b');
  CHECK(value_failure(text) == "error[nnef-syntax]: expected the end of the text, found '" +
                                   std::string(40, 'b') +
                                   "...'\n"
                                   "  --> expression:1:202\n"
                                   "   |  " +
                                   std::string(47, 'a') + " " + std::string(48, 'b') +
                                   "\n"
                                   "   |  " +
                                   std::string(48, ' ') + std::string(48, '^') + "\n");
}

TEST_CASE("depth is bounded, so that no file can overflow the stack") {
  const auto repeated = [](std::string_view text, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += text;
    return out;
  };
  CHECK(value_failure(repeated("(", 100000)).find("nested more than 100 levels deep") !=
        std::string::npos);
  CHECK(value_failure(repeated("-", 100000)).find("nested more than 100 levels deep") !=
        std::string::npos);
  CHECK(value_failure(repeated("x if y else ", 100000)).find("nested more than 100") !=
        std::string::npos);
  CHECK(value_failure("x" + repeated(" + x", 100000)).find("more than 1000 operators") !=
        std::string::npos);
  CHECK(value_failure("x" + repeated("[0]", 100000)).find("more than 1000 operators") !=
        std::string::npos);
  CHECK(failure([&] {
          parse_fragments("fragment f(x: " + repeated("(", 1000), "f");
        }).find("nested more than 100") != std::string::npos);
  CHECK(value_failure("x" + repeated(" + x", 1000)) == "parsed");
  CHECK(parse_value("[" + repeated("1, ", 100000) + "1]").items.size() == 100001);
  CHECK(value_failure(std::string((size_t{64} << 20) + 1, ' ')) ==
        "error[nnef-syntax]: 'expression' is larger than 64 MiB\n"
        "  why:  weights belong into .dat files, so no real model comes near this\n");
}

TEST_CASE("every prefix and every damaged byte of a document parses or fails cleanly") {
  const auto attempt = [](const std::string& text) {
    try {
      print(parse_document(text, "graph.nnef"));
    } catch (const Error& error) {
      if (error.diagnostic().id != "nnef-syntax") FAIL_CHECK(error.what());
    }
  };
  for (size_t i = 0; i < kDocument.size(); ++i) {
    attempt(std::string(kDocument.substr(0, i)));
    for (const char c : {'\0', '\'', '(', ';', '\\', 'x', '\xff'}) {
      std::string text(kDocument);
      text[i] = c;
      attempt(text);
    }
  }
}

}  // namespace
}  // namespace t2n::nnef
