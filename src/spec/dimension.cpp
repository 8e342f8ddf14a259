// Expressions in graphs are read from parsed text, those in extensions by a separate parser.
#include "src/spec/dimension.h"

#include <cctype>
#include <utility>

#include "ir/prove.h"
#include "src/diag/error.h"

namespace t2n::spec {
namespace {

using ir::Dim;
using nnef::Kind;
using nnef::Value;
using MaybeDim = std::optional<Dim>;

/// Truncated; the divisor must be a positive integer, as in tract.
MaybeDim quotient(const Dim& a, const Dim& b) {
  if (!b.is_constant() || b.value() <= 0) return {};
  if (ir::prove({a, ir::Relation::ge, 0}) == ir::Verdict::always) return floor_div(a, b);
  return floor_div(max(a, 0), b) - floor_div(max(Dim(0) - a, 0), b);
}

MaybeDim apply_operator(std::string_view op, const Dim& a, const Dim& b) {
  if (op == "+") return a + b;
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "/") return quotient(a, b);
  if (op == "min") return min(a, b);
  if (op == "max") return max(a, b);
  return {};
}

/// std::nullopt also if a number does not fit into 64 bits.
MaybeDim combined(std::string_view op, const MaybeDim& a, const MaybeDim& b) try {
  return a && b ? apply_operator(op, *a, *b) : MaybeDim{};
} catch (const Error&) {
  return {};
}

/// Recursive descent over tract's own grammar of dimensions, where `-` binds more tightly than `+`,
/// and `/` more tightly than `*`.
class DimensionReader {
 public:
  explicit DimensionReader(std::string_view text) : text_(text) {}

  std::optional<ir::Comparison> comparison() {
    const MaybeDim left = sum();
    const auto relation = this->relation();
    const MaybeDim right = sum();
    if (!left || !relation || !right || peek() != '\0') return {};
    return ir::Comparison{*left, *relation, *right};
  }

 private:
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

  std::optional<ir::Relation> relation() {
    using enum ir::Relation;
    for (const ir::Relation each : {eq, le, ge, lt, gt})
      if (accept(str(each))) return each;
    return {};
  }

  MaybeDim sum() {
    MaybeDim out = difference();
    while (out && accept("+")) out = combined("+", out, difference());
    return out;
  }
  MaybeDim difference() {
    MaybeDim out = product();
    while (out && accept("-")) out = combined("-", out, product());
    return out;
  }
  MaybeDim product() {
    MaybeDim out = ratio();
    while (out && accept("*")) out = combined("*", out, ratio());
    return out;
  }
  MaybeDim ratio() {
    MaybeDim out = atom();
    while (out && accept("/")) out = combined("/", out, number(token()));
    return out;
  }

  MaybeDim atom() {
    constexpr int kDeepest = 100;
    if (++depth_ > kDeepest) return {};
    MaybeDim out = primary();
    --depth_;
    return out;
  }
  MaybeDim primary() {
    if (accept("-")) return combined("-", Dim(0), atom());
    if (accept("(")) return closed(sum());
    const std::string_view name = token();
    const bool is_call = (name == "min" || name == "max" || name == "floor") && accept("(");
    if (is_call) return call(name);
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return number(name);
    return Dim::symbol(name);
  }
  MaybeDim closed(const MaybeDim& inner) { return accept(")") ? inner : MaybeDim{}; }
  MaybeDim call(std::string_view name) {
    MaybeDim out = sum();
    while (out && accept(",")) out = combined(name, out, sum());
    return closed(out);
  }

  std::string_view token() {
    peek();
    const size_t begin = at_;
    const auto is_part = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    };
    while (at_ < text_.size() && is_part(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  static MaybeDim number(std::string_view digits) {
    constexpr size_t kLongest = 18;
    if (digits.empty() || digits.size() > kLongest) return {};
    int64_t out = 0;
    for (const char c : digits) {
      if (c < '0' || c > '9') return {};
      out = 10 * out + (c - '0');
    }
    return Dim(out);
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
};

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

/// The text after the first word of an extension, if that is `keyword`.
std::optional<std::string_view> extension_text(std::string_view extension,
                                               std::string_view keyword) {
  extension = trimmed(extension);
  const size_t end = extension.find_first_of(" \t\r\n");
  if (end == std::string_view::npos || extension.substr(0, end) != keyword) return {};
  return trimmed(extension.substr(end));
}

MaybeDim read_call(const Value& call) {
  if (call.arguments.size() != 2 || (call.text != "min" && call.text != "max")) return {};
  return combined(call.text, read_dimension(call.arguments[0].value),
                  read_dimension(call.arguments[1].value));
}

}  // namespace

std::optional<Dim> read_dimension(const Value& expression) {
  switch (expression.kind) {
    case Kind::integer: return Dim(expression.integer);
    case Kind::identifier: return Dim::symbol(expression.text);
    case Kind::dimension: return expression.dim;
    case Kind::unary:
      if (expression.text != "-") return {};
      return combined("-", Dim(0), read_dimension(expression.items[0]));
    case Kind::binary:
      return combined(expression.text, read_dimension(expression.items[0]),
                      read_dimension(expression.items[1]));
    case Kind::invocation: return read_call(expression);
    case Kind::scalar:
    case Kind::logical:
    case Kind::string:
    case Kind::array:
    case Kind::tuple:
    case Kind::if_else:
    case Kind::subscript:
    case Kind::comprehension:
    case Kind::none: return {};
  }
  return {};
}

std::vector<Assertion> read_assertions(const nnef::Document& document) {
  std::vector<Assertion> out;
  for (const std::string& extension : document.extensions) {
    auto text = extension_text(extension, "tract_assert");
    if (!text) continue;
    std::string_view scenario;
    if (const size_t colon = text->find(':'); colon != std::string_view::npos) {
      scenario = trimmed(text->substr(0, colon));
      text = trimmed(text->substr(colon + 1));
    }
    if (auto comparison = DimensionReader(*text).comparison())
      out.push_back({std::string(*text), std::string(scenario), *std::move(comparison)});
  }
  return out;
}

Dim at_sizes(const Dim& dim, const ir::Sizes& sizes) try {
  return dim.substitute(sizes);
} catch (const Error&) {
  return dim;
}

std::optional<bool> holds(const ir::Comparison& comparison) {
  if (!comparison.left.is_constant() || !comparison.right.is_constant()) return {};
  return ir::holds(comparison.left.value(), comparison.relation, comparison.right.value());
}

std::optional<int64_t> Line::root(int64_t value) const {
  const int64_t scaled = value - offset;
  return scaled % slope == 0 ? std::optional(scaled / slope) : std::nullopt;
}

std::optional<Line> as_line(const Dim& dim) {
  if (dim.terms().size() != 1) return {};
  const ir::Term& term = dim.terms()[0];
  const bool is_line = term.atoms.size() == 1 && std::holds_alternative<ir::Symbol>(term.atoms[0]);
  return is_line ? std::optional(Line{term.factor, dim.constant_part()}) : std::nullopt;
}

std::vector<ir::Symbol> declared_symbols(const nnef::Document& document) {
  std::vector<ir::Symbol> out;
  for (const std::string& extension : document.extensions)
    if (const auto name = extension_text(extension, "tract_symbol")) out.emplace_back(*name);
  return out;
}

}  // namespace t2n::spec
