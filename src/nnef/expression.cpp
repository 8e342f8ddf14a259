// SPDX-License-Identifier: Apache-2.0
// Precedence climbing over binary operators, recursive descent below (NNEF 1.0.5 §3.2).
#include "src/nnef/expression.h"

#include <array>
#include <charconv>
#include <limits>
#include <string>
#include <utility>

#include "src/diag/error.h"

namespace t2n::nnef {
namespace {

/// Binary operators by precedence, lowest first.
constexpr std::array<std::array<std::string_view, 6>, 6> kLevels = {
    {{"in"}, {"&&", "||"}, {"<", "<=", ">", ">=", "==", "!="}, {"+", "-"}, {"*", "/"}, {"^"}}};

template <typename... Items>
Value node(Kind kind, std::string_view text, Items... items) {
  Value out;
  out.kind = kind;
  out.text = text;
  (out.items.push_back(std::move(items)), ...);
  return out;
}

Value binary(Cursor& cursor, size_t level);

bool is_operator(const Cursor& cursor, size_t level) {
  for (const std::string_view text : kLevels[level])
    if (!text.empty() && cursor.is(text)) return true;
  return false;
}

/// Whether the shortest decimal of the f32 equals this number, so that printing it loses nothing.
bool is_short_in_f32(double number) {
  std::array<char, 64> buffer{};
  char* const end = buffer.data() + buffer.size();
  const auto printed = std::to_chars(buffer.data(), end, static_cast<float>(number));
  double back = 0;
  std::from_chars(buffer.data(), printed.ptr, back);
  return back == number;
}

Value number(Cursor& cursor, std::string_view sign) {
  const std::string text = std::string(sign).append(cursor.token().text);
  const bool is_integer = text.find_first_of(".eE") == std::string::npos;
  const char* const end = text.data() + text.size();
  Value out = is_integer ? integer(0) : scalar(0);
  const auto parsed = is_integer ? std::from_chars(text.data(), end, out.integer)
                                 : std::from_chars(text.data(), end, out.number);
  if (parsed.ec != std::errc())
    cursor.fail(cat(quoted(text), " does not fit a 64-bit ", is_integer ? "integer" : "float"));
  out.is_f64 = !is_integer && !is_short_in_f32(out.number);
  cursor.advance();
  return out;
}

Argument argument(Cursor& cursor) {
  Argument out;
  if (cursor.is(TokenKind::identifier) && cursor.following().text == "=") {
    out.name = cursor.name("an argument");
    cursor.advance();
  }
  out.value = read_expression(cursor);
  return out;
}

Values expressions(Cursor& cursor, std::string_view close) {
  Values out;
  cursor.list(close, [&] { out.push_back(read_expression(cursor)); });
  return out;
}

Value parenthesised(Cursor& cursor) {
  Values items = expressions(cursor, ")");
  if (items.empty()) cursor.fail("the parentheses before this are empty");
  if (items.size() == 1) return std::move(items[0]);
  return tuple(std::move(items));
}

Value comprehension(Cursor& cursor) {
  cursor.advance();
  Value out;
  out.kind = Kind::comprehension;
  do {
    Loop loop;
    loop.variable = cursor.name("a loop variable");
    cursor.expect("in", " after the loop variable");
    loop.sequence = binary(cursor, 0);
    out.loops.push_back(std::move(loop));
  } while (cursor.accept(","));
  if (cursor.accept("if")) out.condition.push_back(binary(cursor, 0));
  cursor.expect("yield", " in the comprehension");
  out.items.push_back(read_expression(cursor));
  cursor.expect("]", " after the comprehension");
  return out;
}

Value array_or_comprehension(Cursor& cursor) {
  const bool loops = cursor.is("for") && cursor.following().kind == TokenKind::identifier;
  return loops ? comprehension(cursor) : array(expressions(cursor, "]"));
}

/// Distinguishes `f(` and `f<scalar>(` from the comparison `a < b`.
bool is_invocation(const Cursor& cursor) {
  const Token open = cursor.following();
  if (open.text != "<") return open.text == "(";
  const Token type = cursor.lexer().at(open.end());
  const Token close = cursor.lexer().at(type.end());
  return (type.kind == TokenKind::identifier || type.text == "?") && close.text == ">" &&
         cursor.lexer().at(close.end()).text == "(";
}

Value name_or_call(Cursor& cursor) {
  if (is_invocation(cursor)) return read_invocation(cursor);
  if (cursor.is("true") || cursor.is("false")) return logical(cursor.name("a literal") == "true");
  if (cursor.accept("inf")) return scalar(std::numeric_limits<double>::infinity());
  return identifier(cursor.name("a name"));
}

Value text(Cursor& cursor) {
  Value out = string(decoded(cursor.token()));
  cursor.advance();
  return out;
}

Value atom(Cursor& cursor) {
  cursor.count_value();
  switch (cursor.token().kind) {
    case TokenKind::number: return number(cursor, "");
    case TokenKind::string: return text(cursor);
    case TokenKind::identifier: return name_or_call(cursor);
    case TokenKind::punctuation:
      if (cursor.accept("(")) return parenthesised(cursor);
      if (cursor.accept("[")) return array_or_comprehension(cursor);
      break;
    case TokenKind::end: break;
  }
  cursor.fail_expected("an expression");
}

Value subscripted(Cursor& cursor) {
  Value out = atom(cursor);
  while (cursor.accept("[")) {
    cursor.count_operator();
    out = node(Kind::subscript, "", std::move(out));
    out.items.push_back(cursor.is(":") ? Value{} : read_expression(cursor));
    if (cursor.accept(":")) out.items.push_back(cursor.is("]") ? Value{} : read_expression(cursor));
    cursor.expect("]", " after the subscript");
  }
  return out;
}

Value unary(Cursor& cursor) {
  if (!cursor.is("-") && !cursor.is("+") && !cursor.is("!")) return subscripted(cursor);
  const std::string_view sign = cursor.token().text;
  cursor.advance();
  if (sign == "-" && cursor.following().text != "[") {  // a subscript binds more tightly
    if (cursor.is(TokenKind::number)) return number(cursor, "-");
    if (cursor.accept("inf")) return scalar(-std::numeric_limits<double>::infinity());
  }
  cursor.count_operator();
  const Cursor::Nesting nesting(cursor);
  return node(Kind::unary, sign, unary(cursor));
}

Value binary(Cursor& cursor, size_t level) {
  if (level == kLevels.size()) return unary(cursor);
  Value left = binary(cursor, level + 1);
  while (is_operator(cursor, level)) {
    cursor.count_operator();
    const std::string_view sign = cursor.token().text;
    cursor.advance();
    left = node(Kind::binary, sign, std::move(left), binary(cursor, level + 1));
  }
  return left;
}

}  // namespace

Value read_expression(Cursor& cursor) {
  const Cursor::Nesting nesting(cursor);
  Value then = binary(cursor, 0);
  if (!cursor.accept("if")) return then;
  Value condition = binary(cursor, 0);
  cursor.expect("else", " after the condition");
  return node(Kind::if_else, "", std::move(condition), std::move(then), read_expression(cursor));
}

Value read_invocation(Cursor& cursor) {
  Value out = invocation(cursor.name("an operation"), {});
  if (cursor.accept("<")) {
    out.type = cursor.token().text;
    cursor.advance();
    cursor.close_angle();
  }
  cursor.expect("(", " after the operation");
  constexpr size_t kMostArguments = 10'000;
  cursor.list(")", [&] {
    if (out.arguments.size() == kMostArguments)
      cursor.fail(cat("more than ", kMostArguments, " arguments"));
    out.arguments.push_back(argument(cursor));
  });
  return out;
}

}  // namespace t2n::nnef
