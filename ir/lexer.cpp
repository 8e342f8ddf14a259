// SPDX-License-Identifier: Apache-2.0
// Tokens of the text form.
#include "ir/lexer.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "src/diag/error.h"

namespace t2n::ir {
namespace {

bool is_identifier_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.';
}

/// Part of a line around `column`: lines may be very long.
struct Excerpt {
  std::string text;
  size_t column;
};

Excerpt excerpt(std::string_view line, size_t column) {
  constexpr size_t kBefore = 60;
  constexpr size_t kLength = 100;
  const size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const size_t begin = std::min(column, std::max(indent, column > kBefore ? column - kBefore : 0));
  return {std::string(line.substr(begin, kLength)), column - begin};
}

}  // namespace

void Lexer::skip() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '#')
      at_ = std::min(text_.find('\n', at_), text_.size());
    else if (c == ' ' || c == '\n' || c == '\t' || c == '\r')
      ++at_;
    else
      return;
  }
}

void Lexer::mark() {
  skip();
  token_ = at_;
}

char Lexer::peek() {
  skip();
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool Lexer::accept(std::string_view symbol) {
  mark();
  if (!text_.substr(at_).starts_with(symbol)) return false;
  at_ += symbol.size();
  return true;
}

void Lexer::expect(std::string_view symbol) {
  if (!accept(symbol)) fail(cat("expected ", quoted(symbol)));
}

bool Lexer::accept_token(std::string_view expected) {
  const size_t begin = at_;
  if (identifier() == expected) return true;
  at_ = begin;
  return false;
}

void Lexer::expect_token(std::string_view expected) {
  if (!accept_token(expected)) fail(cat("expected ", quoted(expected)));
}

std::string_view Lexer::identifier(bool colons) {
  mark();
  while (at_ < text_.size() && (is_identifier_char(text_[at_]) || (colons && text_[at_] == ':')))
    ++at_;
  return text_.substr(token_, at_ - token_);
}

std::string Lexer::name(std::string_view what) {
  if (peek() == '"') return string();
  const std::string_view plain = identifier();
  if (plain.empty()) fail(cat("expected ", what));
  return std::string(plain);
}

char Lexer::escape() {
  if (at_ >= text_.size()) fail("the string does not end");
  switch (text_[at_++]) {
    case 'n': return '\n';
    case 't': return '\t';
    case '"': return '"';
    case '\\': return '\\';
    case 'x': break;
    default: fail("supported escapes are \\n, \\t, \\\", \\\\ and \\x00");
  }
  unsigned byte = 0;
  const std::string_view digits = text_.substr(at_, 2);
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16).ptr;
  if (end != digits.data() + 2) fail("\\x needs two hexadecimal digits");
  at_ += 2;
  return static_cast<char>(byte);
}

std::string Lexer::string() {
  expect("\"");
  std::string out;
  while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') {
    const char c = text_[at_++];
    out += c == '\\' ? escape() : c;
  }
  if (at_ >= text_.size() || text_[at_] != '"') fail("the string does not end");
  ++at_;
  return out;
}

int64_t Lexer::integer() {
  mark();
  int64_t value = 0;
  const char* const begin = text_.data() + at_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (error != std::errc()) fail("expected an integer");
  at_ += static_cast<size_t>(end - begin);
  return value;
}

int Lexer::count() {
  const int64_t value = integer();
  if (value < 0 || value > std::numeric_limits<int>::max()) fail("this number is out of range");
  return static_cast<int>(value);
}

uint64_t Lexer::hex() {
  mark();
  uint64_t value = 0;
  const char* const begin = text_.data() + at_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value, 16);
  if (error != std::errc()) fail("expected a hexadecimal number");
  at_ += static_cast<size_t>(end - begin);
  return value;
}

std::string_view Lexer::raw() {
  mark();
  for (int depth = 0; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
    const char c = text_[at_];
    if (depth == 0 && (c == ',' || c == ')' || c == ']' || c == '}')) break;
    if (c == '(' && ++depth > 100) fail("brackets are nested too deeply");
    if (c == ')') --depth;
  }
  const std::string_view out = text_.substr(token_, at_ - token_);
  return out.substr(0, out.find_last_not_of(" \t\r") + 1);
}

std::string_view Lexer::rest_of_line() {
  token_ = at_;
  at_ = std::min(text_.find('\n', at_), text_.size());
  std::string_view out = text_.substr(token_, at_ - token_);
  out.remove_prefix(std::min(out.find_first_not_of(' '), out.size()));
  return out;
}

void Lexer::fail(const std::string& problem) const { fail_at(token_, problem); }

void Lexer::fail_at(size_t position, const std::string& problem) const {
  const std::string_view before = text_.substr(0, position);
  const auto line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
  const size_t begin = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
  const int column = static_cast<int>(position - begin) + 1;
  const size_t end = std::min(text_.find('\n', position), text_.size());
  const Excerpt shown = excerpt(text_.substr(begin, end - begin), position - begin);
  const size_t width = position == token_ && at_ > token_ ? at_ - token_ : 1;
  const size_t shown_width = std::min(width, shown.text.size() - shown.column);

  Where where;
  where.frames.push_back({.file = "text", .line = line, .column = column, .function = {}});
  where.excerpt = shown.text;
  where.caret = static_cast<int>(shown.column);
  where.caret_width = std::max(1, static_cast<int>(shown_width));
  Diagnostic out;
  out.id = "ir-syntax";
  out.message = cat("line ", line, ", column ", column, ": ", problem);
  out.where = {std::move(where)};
  throw Error(std::move(out));
}

}  // namespace t2n::ir
