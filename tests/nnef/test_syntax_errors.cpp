// SPDX-License-Identifier: Apache-2.0
// NNEF text that is none: messages with their place, bounded depth, damaged documents.
#include <doctest/doctest.h>

#include <string>

#include "nnef_writer/print.h"
#include "nnef_writer/quant.h"
#include "src/diag/error.h"
#include "src/nnef/parser.h"
#include "tests/nnef/document.h"

namespace t2n::nnef {
namespace {

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
  CHECK(first_line(value_failure("1.0.5")) == "'1.0.5' is not a number");
  CHECK(first_line(value_failure("1e")) == "'1e' is not a number");
  CHECK(first_line(value_failure("2x")) == "'2x' is not a number");
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
        "  why:  weights belong in .dat files; the text of real models is much smaller\n");
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
