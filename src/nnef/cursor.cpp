// SPDX-License-Identifier: Apache-2.0
// Messages of the parser: what it expected, and what it found.
#include "src/nnef/cursor.h"

#include <utility>

#include "src/diag/error.h"

namespace t2n::nnef {
namespace {

// Far above what any exporter writes.
constexpr int kMaxNesting = 100;
constexpr int kMaxOperators = 1000;
constexpr int kMaxTokens = 10'000'000;
constexpr int kMaxValues = 1'000'000;

}  // namespace

bool Cursor::accept(std::string_view text) {
  if (!is(text)) return false;
  advance();
  return true;
}

void Cursor::expect(std::string_view text, std::string_view where) {
  if (!accept(text)) fail_expected(cat(quoted(text), where));
}

void Cursor::expect_end() const {
  if (!is(TokenKind::end)) fail_expected("the end of the text");
}

void Cursor::close_angle() {
  if (!token_.text.starts_with('>')) fail_expected("'>' after the type");
  move_to(token_.offset + 1);
}

std::string Cursor::name(std::string_view what) {
  if (!is(TokenKind::identifier)) fail_expected(what);
  std::string out = decoded(token_);
  if (out.empty()) fail("a name cannot be empty");
  advance();
  return out;
}

std::vector<std::string> Cursor::names(std::string_view close) {
  std::vector<std::string> out;
  list(close, [&] { out.push_back(name("a name")); });
  return out;
}

void Cursor::fail(std::string message, std::string help) const {
  lexer_.fail(token_, std::move(message), std::move(help));
}

void Cursor::fail_expected(std::string_view what) const {
  fail(cat("expected ", what, ", found ", described(token_)));
}

void Cursor::count_operator() {
  if (++operators_ > kMaxOperators)
    fail(cat("more than ", kMaxOperators, " operators in one statement"));
}

void Cursor::count_token() {
  if (++tokens_ > kMaxTokens) fail(cat("more than ", kMaxTokens, " tokens in one text"));
}

void Cursor::count_value() {
  if (++values_ > kMaxValues) fail(cat("more than ", kMaxValues, " values in one text"));
}

Cursor::Nesting::Nesting(Cursor& cursor) : depth_(cursor.depth_) {
  if (depth_ >= kMaxNesting) cursor.fail(cat("nested more than ", kMaxNesting, " levels deep"));
  ++depth_;
}

}  // namespace t2n::nnef
