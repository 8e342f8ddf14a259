// SPDX-License-Identifier: Apache-2.0
// Tokens of NNEF text, and syntax errors with their location.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/diag/diagnostic.h"

namespace t2n::nnef {

enum class TokenKind {
  end,
  identifier,   ///< an identifier or keyword, or `i"…"`
  number,       ///< without a sign
  string,       ///< with its quotes
  punctuation,  ///< one or two characters
};

struct Token {
  TokenKind kind = TokenKind::end;
  size_t offset = 0;
  std::string_view text;  ///< as written; a view into the source

  size_t end() const { return offset + text.size(); }
};

/// Splits text into tokens on demand. It keeps no position, so looking ahead is free. Errors:
/// `nnef-syntax`.
class Lexer {
 public:
  /// `origin` is the file's name in errors. The text must outlive the lexer and its tokens.
  Lexer(std::string_view text, std::string_view origin);

  /// The first token at or after `offset`; blanks and comments are skipped.
  Token at(size_t offset) const;

  /// The comment that follows on the same line, without `#` and surrounding blanks, or "".
  std::string trailing_comment(size_t offset) const;

  /// The text up to `stop`, for engine-specific lines.
  std::string_view until(char stop, size_t offset) const;

  /// Line, column and source line of a token.
  Where where(const Token& token) const;

  [[noreturn]] void fail(const Token& where, std::string message, std::string help = {}) const;

 private:
  size_t skip_blanks(size_t offset) const;
  Token number(size_t offset) const;
  Token quoted_text(TokenKind kind, size_t offset, size_t quote) const;
  Token punctuation(size_t offset) const;

  std::string_view text_;
  std::string origin_;
  std::vector<size_t> line_starts_ = {0};
};

/// The text of a string or an `i"…"` identifier; other tokens unchanged.
std::string decoded(const Token& token);

/// "'token'", or "the end of the text", for messages.
std::string described(const Token& token);

}  // namespace t2n::nnef
