// Symbolic integer arithmetic in canonical form: a sum of terms, each a coefficient times sorted
// atoms.
#include "ir/shape.h"

#include <algorithm>
#include <cctype>

#include "src/diag/error.h"

namespace t2n::ir {

/// A symbol, or a non-polynomial operation (`/` floor division, `%` remainder, `<` min, `>` max).
struct Dim::Atom {
  char kind = 's';
  std::string text;  ///< the symbol's name, or the whole operation as printed: equality and order
  std::vector<Dim> operands;
};

struct Dim::Term {
  int64_t factor = 0;
  std::vector<Atom> atoms;  ///< sorted by text; empty for the constant term

  std::string key() const {
    std::string out;
    for (const Atom& atom : atoms) out += atom.text + "*";
    return out;
  }
};

struct Dim::Expr {
  std::vector<Term> terms;  ///< sorted by key, constant last, no zero factors
};

namespace {

[[noreturn]] void too_large() {
  throw Error("unsupported-argument", "a size does not fit into 64 bits");
}

int64_t add_sizes(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) too_large();
  return sum;
}

int64_t multiply_sizes(int64_t a, int64_t b) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) too_large();
  return product;
}

}  // namespace

int64_t floor_div_int(int64_t a, int64_t b) {
  if (b == -1) return multiply_sizes(a, -1);  // the one quotient that may not fit
  const int64_t quotient = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

int64_t floor_mod_int(int64_t a, int64_t b) { return b == -1 ? 0 : a - floor_div_int(a, b) * b; }

Dim Dim::symbol(std::string_view name) {
  return from_atom(Atom{.kind = 's', .text = std::string(name), .operands = {}});
}

Dim Dim::from_atom(Atom atom) {
  Dim out;
  out.expr_ = std::make_shared<const Expr>(Expr{{Term{1, {std::move(atom)}}}});
  return out;
}

int64_t Dim::value() const {
  T2N_ASSERT(is_constant(), "the size '", str(), "' is symbolic where an integer is needed");
  return value_;
}

std::vector<Dim::Term> Dim::terms() const {
  if (expr_) return expr_->terms;
  if (value_ == 0) return {};
  return {Term{value_, {}}};
}

Dim Dim::from_terms(std::vector<Term> terms) {
  std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
    if (a.atoms.empty() != b.atoms.empty()) return b.atoms.empty();
    return a.key() < b.key();
  });
  std::vector<Term> merged;
  for (Term& term : terms) {
    if (!merged.empty() && merged.back().key() == term.key())
      merged.back().factor = add_sizes(merged.back().factor, term.factor);
    else
      merged.push_back(std::move(term));
  }
  std::erase_if(merged, [](const Term& term) { return term.factor == 0; });
  if (merged.empty()) return Dim(0);
  if (merged.size() == 1 && merged[0].atoms.empty()) return Dim(merged[0].factor);
  Dim out;
  out.expr_ = std::make_shared<const Expr>(Expr{std::move(merged)});
  return out;
}

Dim operator+(const Dim& a, const Dim& b) {
  if (a.is_constant() && b.is_constant()) return Dim(add_sizes(a.value_, b.value_));
  std::vector<Dim::Term> terms = a.terms();
  for (Dim::Term& term : b.terms()) terms.push_back(std::move(term));
  return Dim::from_terms(std::move(terms));
}

Dim operator-(const Dim& a, const Dim& b) { return a + Dim(-1) * b; }

Dim operator*(const Dim& a, const Dim& b) {
  if (a.is_constant() && b.is_constant()) return Dim(multiply_sizes(a.value_, b.value_));
  std::vector<Dim::Term> terms;
  for (const Dim::Term& x : a.terms())
    for (const Dim::Term& y : b.terms()) {
      Dim::Term product{multiply_sizes(x.factor, y.factor), x.atoms};
      product.atoms.insert(product.atoms.end(), y.atoms.begin(), y.atoms.end());
      std::sort(product.atoms.begin(), product.atoms.end(),
                [](const Dim::Atom& p, const Dim::Atom& q) { return p.text < q.text; });
      terms.push_back(std::move(product));
    }
  return Dim::from_terms(std::move(terms));
}

bool operator==(const Dim& a, const Dim& b) {
  if (a.is_constant() || b.is_constant())
    return a.is_constant() && b.is_constant() && a.value_ == b.value_;
  return a.str() == b.str();
}

Dim Dim::binary(char kind, const Dim& a, const Dim& b) {
  std::string text;
  if (kind == '/')
    text = cat("((", a.str(), ") // (", b.str(), "))");
  else if (kind == '%')
    text = cat("((", a.str(), ") % (", b.str(), "))");
  else
    text = cat(kind == '<' ? "min(" : "max(", a.str(), ", ", b.str(), ")");
  return from_atom(Atom{kind, std::move(text), {a, b}});
}

Dim floor_div(const Dim& a, const Dim& b) {
  if (b.is_constant()) {
    T2N_ASSERT(b.value_ != 0, "division of a size by zero");
    if (a.is_constant()) return Dim(floor_div_int(a.value_, b.value_));
    std::vector<Dim::Term> terms = a.terms();
    const bool exact = std::all_of(terms.begin(), terms.end(),
                                   [&](const auto& t) { return t.factor % b.value_ == 0; });
    if (exact) {
      for (Dim::Term& term : terms) term.factor /= b.value_;
      return Dim::from_terms(std::move(terms));
    }
  }
  if (a == b) return Dim(1);
  return Dim::binary('/', a, b);
}

Dim floor_mod(const Dim& a, const Dim& b) {
  if (b.is_constant()) {
    T2N_ASSERT(b.value_ != 0, "remainder of a size by zero");
    if (a.is_constant()) return Dim(floor_mod_int(a.value_, b.value_));
    const std::vector<Dim::Term> terms = a.terms();
    if (std::all_of(terms.begin(), terms.end(),
                    [&](const auto& t) { return t.factor % b.value_ == 0; }))
      return Dim(0);
  }
  if (a == b) return Dim(0);
  return Dim::binary('%', a, b);
}

Dim min(const Dim& a, const Dim& b) {
  if (a.is_constant() && b.is_constant()) return Dim(std::min(a.value_, b.value_));
  return a == b ? a : Dim::binary('<', a, b);
}

Dim max(const Dim& a, const Dim& b) {
  if (a.is_constant() && b.is_constant()) return Dim(std::max(a.value_, b.value_));
  return a == b ? a : Dim::binary('>', a, b);
}

std::vector<std::string> Dim::symbols() const {
  std::vector<std::string> out;
  const auto add = [&](const std::string& name) {
    if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
  };
  for (const Term& term : terms())
    for (const Atom& atom : term.atoms) {
      if (atom.kind == 's') add(atom.text);
      for (const Dim& operand : atom.operands)
        for (const std::string& name : operand.symbols()) add(name);
    }
  return out;
}

Dim Dim::substitute(const std::function<std::optional<Dim>(std::string_view)>& lookup) const {
  if (is_constant()) return *this;
  Dim sum = 0;
  for (const Term& term : terms()) {
    Dim product = term.factor;
    for (const Atom& atom : term.atoms) {
      Dim value;
      if (atom.kind == 's') {
        value = lookup(atom.text).value_or(from_atom(atom));
      } else {
        const Dim a = atom.operands[0].substitute(lookup);
        const Dim b = atom.operands[1].substitute(lookup);
        value = atom.kind == '/'   ? floor_div(a, b)
                : atom.kind == '%' ? floor_mod(a, b)
                : atom.kind == '<' ? min(a, b)
                                   : max(a, b);
      }
      product = product * value;
    }
    sum = sum + product;
  }
  return sum;
}

std::string Dim::str() const {
  if (is_constant()) return std::to_string(value_);
  std::string out;
  for (const Term& term : terms()) {
    const bool negative = term.factor < 0;
    if (out.empty())
      out += negative ? "-" : "";
    else
      out += negative ? " - " : " + ";
    const int64_t magnitude = negative ? -term.factor : term.factor;
    std::string product;
    if (magnitude != 1 || term.atoms.empty()) product = std::to_string(magnitude);
    for (const Atom& atom : term.atoms) product += (product.empty() ? "" : "*") + atom.text;
    out += product;
  }
  return out;
}

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
    const auto is_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == ':';
    };
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    const std::string word(text_.substr(begin, at_ - begin));
    if (word.empty()) fail();
    if (std::isdigit(static_cast<unsigned char>(word[0])) == 0) return Dim::symbol(word);
    if (word.find_first_not_of("0123456789") != std::string::npos || word.size() > 19) fail();
    return Dim(static_cast<int64_t>(std::stoull(word)));
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Dim parse_dim(std::string_view text) { return DimParser(text).parse(); }

std::string shape_str(const Shape& shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i) out += (i == 0 ? "" : ",") + shape[i].str();
  return out + "]";
}

Ints static_shape(const Shape& shape) {
  Ints out;
  for (const Dim& dim : shape) out.push_back(dim.value());
  return out;
}

Shape to_shape(const Ints& sizes) { return Shape(sizes.begin(), sizes.end()); }

int64_t element_count(const Ints& sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count *= size;
  return count;
}

}  // namespace t2n::ir
