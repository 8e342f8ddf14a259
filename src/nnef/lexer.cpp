// SPDX-License-Identifier: Apache-2.0
// A hand-written scanner: NNEF has few tokens, and errors need columns.
#include "src/nnef/lexer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "src/diag/error.h"
#include "src/diag/one_of.h"
#include "src/nnef/names.h"

namespace t2n::nnef {
namespace {

constexpr size_t kMaxText = size_t{64} << 20;
constexpr size_t kMaxExcerpt = 96;
constexpr std::array<std::string_view, 7> kPairs = {"->", "<=", ">=", "==", "!=", "&&", "||"};
constexpr std::string_view kSingles = "()[]{}<>=,;:+-*/^!?";

// Unlike those of <cctype>, independent of the locale.
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool is_quote(char c) { return c == '\'' || c == '"'; }

/// UTF-8 continuation bytes do not count as columns.
size_t columns(std::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U; });
}

std::string base_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

}  // namespace

Lexer::Lexer(std::string_view text, std::string_view origin)
    : text_(text), origin_(base_name(origin)) {
  if (text.size() > kMaxText)
    throw Error("nnef-syntax", cat(quoted(origin_), " is larger than ", kMaxText >> 20, " MiB"),
                "weights belong in .dat files; the text of real models is much smaller");
  for (size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    line_starts_.push_back(at + 1);
}

Where Lexer::where(const Token& token) const {
  size_t offset = token.offset;
  if (token.kind == TokenKind::end)  // an empty last line would show nothing
    offset = text_.find_last_not_of(" \t\r\n") + 1;
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const size_t begin = *std::prev(after);
  const size_t end = std::min(text_.find('\n', offset), text_.size());
  size_t shown = begin;
  while (shown < offset && is_blank(text_[shown])) ++shown;
  if (offset - shown > kMaxExcerpt / 2) shown = offset - kMaxExcerpt / 2;
  std::string excerpt(text_.substr(shown, std::min(end - shown, kMaxExcerpt)));
  std::replace_if(
      excerpt.begin(), excerpt.end(), [](char c) { return c == '\t' || c == '\r'; }, ' ');
  const size_t room = shown + excerpt.size() - offset;
  Where out;
  out.frames.push_back(
      {.file = origin_,
       .line = static_cast<int>(after - line_starts_.begin()),
       .column = 1 + static_cast<int>(columns(text_.substr(begin, offset - begin))),
       .function = {}});
  out.caret = static_cast<int>(columns(std::string_view(excerpt).substr(0, offset - shown)));
  out.caret_width = std::max(
      1, static_cast<int>(columns(text_.substr(offset, std::min(token.text.size(), room)))));
  out.excerpt = std::move(excerpt);
  return out;
}

void Lexer::fail(const Token& token, std::string message, std::string help) const {
  throw Error(Diagnostic{.id = "nnef-syntax",
                         .message = std::move(message),
                         .where = {where(token)},
                         .details = {},
                         .why = {},
                         .help = std::move(help)});
}

size_t Lexer::skip_blanks(size_t offset) const {
  while (offset < text_.size()) {
    if (is_blank(text_[offset]))
      ++offset;
    else if (text_[offset] == '#')
      offset = std::min(text_.find('\n', offset), text_.size());
    else
      break;
  }
  return offset;
}

Token Lexer::at(size_t offset) const {
  offset = skip_blanks(offset);
  if (offset >= text_.size()) return {TokenKind::end, text_.size(), {}};
  const char c = text_[offset];
  const char next = offset + 1 < text_.size() ? text_[offset + 1] : '\0';
  if (is_quote(c)) return quoted_text(TokenKind::string, offset, offset);
  if (c == 'i' && is_quote(next)) return quoted_text(TokenKind::identifier, offset, offset + 1);
  if (is_digit(c)) return number(offset);
  if (!is_identifier_char(c)) return punctuation(offset);
  size_t end = offset;
  while (end < text_.size() && is_identifier_char(text_[end])) ++end;
  return {TokenKind::identifier, offset, text_.substr(offset, end - offset)};
}

Token Lexer::number(size_t offset) const {
  size_t end = offset;
  const auto has = [&](size_t at, std::string_view any) {
    return at < text_.size() && any.find(text_[at]) != std::string_view::npos;
  };
  const auto skip_digits = [&] {
    while (end < text_.size() && is_digit(text_[end])) ++end;
  };
  skip_digits();
  if (has(end, ".")) ++end;
  skip_digits();
  if (has(end, "eE")) {
    ++end;
    if (has(end, "+-")) ++end;
    skip_digits();
  }
  // "1.0.5", "1e" and "2x" are not numbers followed by something else.
  const bool well_formed = is_digit(text_[end - 1]) || text_[end - 1] == '.';
  const bool ends = end >= text_.size() || !(is_identifier_char(text_[end]) || text_[end] == '.');
  while (end < text_.size() && (is_identifier_char(text_[end]) || text_[end] == '.')) ++end;
  const Token token{TokenKind::number, offset, text_.substr(offset, end - offset)};
  if (!well_formed || !ends) fail(token, cat(quoted(token.text), " is not a number"));
  return token;
}

Token Lexer::quoted_text(TokenKind kind, size_t offset, size_t quote) const {
  size_t end = quote + 1;
  while (end < text_.size() && text_[end] != text_[quote]) end += text_[end] == '\\' ? 2 : 1;
  if (end >= text_.size())
    fail({kind, offset, text_.substr(offset, quote + 1 - offset)},
         "this text has no closing quote");
  return {kind, offset, text_.substr(offset, end + 1 - offset)};
}

Token Lexer::punctuation(size_t offset) const {
  const std::string_view pair = text_.substr(offset, 2);
  if (is_one_of(pair, kPairs)) return {TokenKind::punctuation, offset, pair};
  const Token token{TokenKind::punctuation, offset, text_.substr(offset, 1)};
  if (kSingles.find(text_[offset]) != std::string_view::npos) return token;
  if (text_[offset] == '.')
    fail(token, "a number cannot begin with a point", "write '0.5' for '.5'");
  const auto byte = static_cast<unsigned char>(text_[offset]);
  constexpr std::string_view kHex = "0123456789abcdef";
  const std::string shown = byte > ' ' && byte < 0x7f
                                ? quoted(token.text)
                                : cat("the byte 0x", kHex[byte >> 4U], kHex[byte & 15U]);
  fail(token, cat(shown, " has no meaning in NNEF"));
}

std::string Lexer::trailing_comment(size_t offset) const {
  while (offset < text_.size() && (text_[offset] == ' ' || text_[offset] == '\t')) ++offset;
  if (offset >= text_.size() || text_[offset] != '#') return {};
  std::string_view comment = text_.substr(offset + 1, text_.find('\n', offset) - offset - 1);
  while (!comment.empty() && is_blank(comment.front())) comment.remove_prefix(1);
  while (!comment.empty() && is_blank(comment.back())) comment.remove_suffix(1);
  return std::string(comment);
}

std::string_view Lexer::until(char stop, size_t offset) const {
  return text_.substr(offset, std::min(text_.find(stop, offset), text_.size()) - offset);
}

std::string decoded(const Token& token) {
  const size_t quote = token.kind == TokenKind::identifier ? 1 : 0;
  if (token.text.size() <= quote || !is_quote(token.text[quote])) return std::string(token.text);
  std::string out;
  for (size_t i = quote + 1; i + 1 < token.text.size(); ++i) {
    if (token.text[i] == '\\') ++i;
    out += token.text[i];
  }
  return out;
}

std::string described(const Token& token) {
  if (token.kind == TokenKind::end) return "the end of the text";
  constexpr size_t kShown = 40;
  if (token.text.size() <= kShown) return quoted(token.text);
  return quoted(cat(token.text.substr(0, kShown), "..."));
}

}  // namespace t2n::nnef
