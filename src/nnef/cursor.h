// SPDX-License-Identifier: Apache-2.0
// The parser's position in the text, and the operations common to all grammar rules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/nnef/lexer.h"

namespace t2n::nnef {

/// Errors of all functions: `nnef-syntax`, at the current token.
class Cursor {
 public:
  Cursor(std::string_view text, std::string_view origin)
      : lexer_(text, origin), token_(lexer_.at(0)) {}

  const Lexer& lexer() const { return lexer_; }
  const Token& token() const { return token_; }
  Token following() const { return lexer_.at(token_.end()); }
  void advance() {
    count_token();
    token_ = following();
  }
  void move_to(size_t offset) { token_ = lexer_.at(offset); }

  bool is(std::string_view text) const { return token_.text == text; }
  bool is(TokenKind kind) const { return token_.kind == kind; }
  /// Skips `text` if it comes next.
  bool accept(std::string_view text);
  /// `where` continues the message: " after the statement".
  void expect(std::string_view text, std::string_view where);
  void expect_end() const;
  /// A single `>`, which may be followed by `=`.
  void close_angle();
  /// `what` names it in the message: "a parameter".
  std::string name(std::string_view what);

  /// Items up to `close`, separated by commas; the opening bracket has been read.
  template <typename ReadItem>
  void list(std::string_view close, ReadItem read_item) {
    if (accept(close)) return;
    do {
      read_item();
    } while (accept(","));
    expect(close, " or ','");
  }
  std::vector<std::string> names(std::string_view close);

  [[noreturn]] void fail(std::string message, std::string help = {}) const;
  [[noreturn]] void fail_expected(std::string_view what) const;

  /// Limits the depth of trees, for the stack of recursive visitors. `a + a + a…` is a tree as deep
  /// as it is long, so operators count as well.
  void start_statement() { operators_ = 0; }
  void count_operator();
  /// Limits the memory of the document: a value takes a hundred times the space of its text.
  void count_value();

  class Nesting {
   public:
    explicit Nesting(Cursor& cursor);
    ~Nesting() { --depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    int& depth_;
  };

 private:
  void count_token();

  Lexer lexer_;
  Token token_;
  int depth_ = 0;
  int operators_ = 0;
  int values_ = 0;
  int tokens_ = 0;
};

}  // namespace t2n::nnef
