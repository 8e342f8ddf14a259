// SPDX-License-Identifier: Apache-2.0
// Tokens of the text form, and errors that show the source line.
#pragma once

#include <string>
#include <string_view>

namespace t2n::ir {

/// A cursor over the text. Every function first skips blanks, comments and line ends.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  /// The next character; '\0' at the end.
  char peek();
  bool accept(std::string_view symbol);
  void expect(std::string_view symbol);
  /// Accepts `expected` if it is the next identifier: letters, digits, '_' and '.'.
  bool accept_token(std::string_view expected);
  void expect_token(std::string_view expected);

  /// The next identifier, ':' included if `colons`; empty if there is none.
  std::string_view identifier(bool colons = false);
  /// An identifier, or a string literal for names with other characters.
  std::string name(std::string_view what);
  std::string string();
  int64_t integer();
  int count();  ///< a non-negative integer
  uint64_t hex();
  /// Everything up to a ',', ')', ']' or '}' outside parentheses, or a line end; trimmed.
  std::string_view raw();
  /// Everything up to the end of the line.
  std::string_view rest_of_line();

  /// The start of the last token read.
  size_t position() const { return token_; }
  /// Makes the next token the current position.
  void mark();
  /// Throws `ir-syntax` with the line of the last token read, or of an earlier position.
  [[noreturn]] void fail(const std::string& problem) const;
  [[noreturn]] void fail_at(size_t position, const std::string& problem) const;

 private:
  void skip();
  char escape();

  std::string_view text_;
  size_t at_ = 0;
  size_t token_ = 0;  ///< beginning of the last token read
};

}  // namespace t2n::ir
