// SPDX-License-Identifier: Apache-2.0
// Reads size expressions from text.
#include "ir/size_reader.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "src/diag/error.h"

namespace t2n::ir {
namespace {

/// Recursive descent.
class SizeReader {
 public:
  SizeReader(std::string_view text, const SizeGrammar& grammar) : text_(text), grammar_(grammar) {}

  Dim expression() { return operation(0); }
  Relation relation() {
    using enum Relation;
    for (const Relation each : {eq, le, ge, lt, gt})
      if (accept(str(each))) return each;
    fail();
  }
  void expect_end() {
    if (peek() != '\0') fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw Error("ir-syntax", cat("cannot read the size expression ", quoted(text_)));
  }
  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(std::string_view token) {
    peek();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail();
  }

  /// The operator at this position that is one of `operators`; "" if there is none.
  std::string_view accepted(const std::vector<std::string_view>& operators) {
    for (const std::string_view each : operators)
      if (accept(each)) return each;
    return {};
  }
  Dim operation(size_t level) {
    if (level == grammar_.operators.size()) return operand();
    const bool is_negative = level == 0 && !grammar_.has_signed_operands && accept("-");
    Dim out = operation(level + 1);
    if (is_negative) out = Dim(-1) * out;
    for (std::string_view op; !(op = accepted(grammar_.operators[level])).empty();)
      out = grammar_.apply(op, out, operation(level + 1));
    return out;
  }
  Dim operand() {
    constexpr int kDeepest = 1000;
    if (++depth_ > kDeepest) fail();
    const Dim out = primary();
    --depth_;
    return out;
  }
  Dim primary() {
    if (grammar_.has_signed_operands && accept("-")) return Dim(0) - operand();
    if (accept("(")) {
      const Dim out = expression();
      expect(")");
      return out;
    }
    const std::string_view token = this->token();
    if (is_function(token) && accept("(")) return call(token);
    if (token.empty()) fail();
    if (std::isdigit(static_cast<unsigned char>(token[0])) == 0)
      return Dim::symbol(grammar_.symbol(token));
    int64_t number = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), number);
    if (error != std::errc() || end != token.data() + token.size()) fail();
    return number;
  }
  bool is_function(std::string_view name) const {
    const std::vector<std::string_view>& all = grammar_.functions;
    return std::find(all.begin(), all.end(), name) != all.end();
  }
  Dim call(std::string_view name) {
    Dim out = expression();
    while (accept(",")) out = grammar_.apply(name, out, expression());
    expect(")");
    return out;
  }
  std::string_view token() {
    peek();
    const size_t begin = at_;
    const auto is_part = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == ':';
    };
    while (at_ < text_.size() && is_part(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  std::string_view text_;
  const SizeGrammar& grammar_;
  size_t at_ = 0;
  int depth_ = 0;
};

Dim applied(std::string_view op, const Dim& a, const Dim& b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "//") return floor_div(a, b);
  if (op == "%") return floor_mod(a, b);
  return op == "min" ? min(a, b) : max(a, b);
}

}  // namespace

Dim read_size(std::string_view text, const SizeGrammar& grammar) {
  SizeReader reader(text, grammar);
  const Dim out = reader.expression();
  reader.expect_end();
  return out;
}

std::optional<Comparison> read_comparison(std::string_view text, const SizeGrammar& grammar) try {
  SizeReader reader(text, grammar);
  const Dim left = reader.expression();
  const Relation relation = reader.relation();
  const Dim right = reader.expression();
  reader.expect_end();
  return Comparison{left, relation, right};
} catch (const Error& error) {
  if (error.diagnostic().id == "internal") throw;
  return {};
}

Dim parse_dim(std::string_view text) {
  static const SizeGrammar grammar = {
      {{"+", "-"}, {"//", "%", "*"}}, {"min", "max"}, applied, parse_symbol};
  return read_size(text, grammar);
}

}  // namespace t2n::ir
