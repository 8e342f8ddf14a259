// Reads size expressions from text.
#include <cctype>
#include <charconv>

#include "ir/shape.h"
#include "src/diag/error.h"

namespace t2n::ir {
namespace {

/// Recursive descent over `+ - * // % ( ) min max` and symbols.
class DimParser {
 public:
  explicit DimParser(std::string_view text) : text_(text) {}

  Dim parse() {
    const Dim out = sum();
    if (peek() != '\0') fail();
    return out;
  }

 private:
  [[noreturn]] void fail() const {
    throw Error("ir-syntax", cat("cannot read the size expression ", quoted(text_)));
  }
  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(std::string_view token) {
    peek();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  Dim sum() {
    Dim out = accept("-") ? Dim(-1) * product() : product();
    while (true) {
      if (accept("+"))
        out = out + product();
      else if (accept("-"))
        out = out - product();
      else
        return out;
    }
  }
  Dim product() {
    Dim out = atom();
    while (true) {
      if (accept("//"))
        out = floor_div(out, atom());
      else if (accept("%"))
        out = floor_mod(out, atom());
      else if (accept("*"))
        out = out * atom();
      else
        return out;
    }
  }
  Dim pair(Dim (*combine)(const Dim&, const Dim&)) {
    const Dim a = sum();
    if (!accept(",")) fail();
    const Dim b = sum();
    if (!accept(")")) fail();
    return combine(a, b);
  }
  Dim atom() {
    if (accept("min(")) return pair(&min);
    if (accept("max(")) return pair(&max);
    if (accept("(")) {
      const Dim out = sum();
      if (!accept(")")) fail();
      return out;
    }
    const size_t begin = (peek(), at_);
    const auto is_name_char = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == ':';
    };
    while (at_ < text_.size() && is_name_char(text_[at_])) ++at_;
    const std::string token(text_.substr(begin, at_ - begin));
    if (token.empty()) fail();
    if (std::isdigit(static_cast<unsigned char>(token[0])) == 0)
      return Dim::symbol(parse_symbol(token));
    int64_t number = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
    if (error != std::errc() || end != token.data() + token.size()) fail();
    return number;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Dim parse_dim(std::string_view text) { return DimParser(text).parse(); }

}  // namespace t2n::ir
