// Symbolic integer arithmetic in canonical form: a sum of terms, each a coefficient times sorted
// atoms.
#include "ir/shape.h"

#include <algorithm>
#include <numeric>

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

/// a / b if that leaves no remainder, term by term of the leading ones.
std::optional<Dim> Dim::exact_quotient(Dim a, const Dim& b) {
  const auto leading = [](const Dim& dim) {
    std::vector<Term> terms = dim.terms();
    return *std::max_element(terms.begin(), terms.end(), [](const Term& x, const Term& y) {
      return x.atoms.size() != y.atoms.size() ? x.atoms.size() < y.atoms.size() : x.key() < y.key();
    });
  };
  const Term divisor = leading(b);
  Dim quotient = 0;
  constexpr int kMaxSteps = 32;
  for (int step = 0; step < kMaxSteps && a != Dim(0); ++step) {
    Term term = leading(a);
    if (term.factor % divisor.factor != 0) return std::nullopt;
    term.factor /= divisor.factor;
    for (const Atom& atom : divisor.atoms) {
      const auto same = [&](const Atom& other) { return other.text == atom.text; };
      const auto found = std::find_if(term.atoms.begin(), term.atoms.end(), same);
      if (found == term.atoms.end()) return std::nullopt;
      term.atoms.erase(found);
    }
    const Dim part = from_terms({std::move(term)});
    quotient = quotient + part;
    a = a - part * b;
  }
  return a == Dim(0) ? std::optional<Dim>(quotient) : std::nullopt;
}

/// a // b where 0 <= every factor of `a` < b: common factors and divisions inside divisions go.
Dim Dim::reduced_quotient(const Dim& a, int64_t b) {
  if (a.is_constant()) return Dim(floor_div_int(a.value_, b));
  std::vector<Term> terms = a.terms();
  int64_t common = b, offset = 0;
  for (const Term& term : terms) {
    if (term.atoms.empty())
      offset = term.factor;
    else
      common = std::gcd(common, term.factor);
  }
  for (Term& term : terms) term.factor = floor_div_int(term.factor, common);
  b /= common;
  offset /= common;
  if (b == 1) return from_terms(std::move(terms));
  const Term& first = terms.front();
  const bool is_nested = first.factor == 1 && first.atoms.size() == 1 &&
                         first.atoms[0].kind == '/' && first.atoms[0].operands[1].is_constant() &&
                         (terms.size() == 1 || terms[1].atoms.empty());
  if (!is_nested) return binary('/', from_terms(std::move(terms)), Dim(b));
  const int64_t inner = first.atoms[0].operands[1].value_;
  return floor_div(first.atoms[0].operands[0] + multiply_sizes(offset, inner),
                   Dim(multiply_sizes(inner, b)));
}

/// Multiples of `b` leave the numerator, so that what is left is not negative for sizes >= 0.
Dim Dim::integer_quotient(const Dim& a, int64_t b) {
  if (b < 0) return integer_quotient(Dim(-1) * a, multiply_sizes(b, -1));
  std::vector<Term> whole = a.terms(), rest = whole;
  for (const Term& term : whole) {
    if (term.atoms.empty() || term.factor % b == 0) continue;
    // -((-S) // 2), which is how one rounds up, reads (S + 1) // 2.
    if (term.factor < 0) return Dim(-1) * integer_quotient(Dim(-1) * a + Dim(add_sizes(b, -1)), b);
    break;
  }
  for (Term& term : whole) term.factor = floor_div_int(term.factor, b);
  for (Term& term : rest) term.factor = floor_mod_int(term.factor, b);
  return from_terms(std::move(whole)) + reduced_quotient(from_terms(std::move(rest)), b);
}

Dim floor_div(const Dim& a, const Dim& b) {
  T2N_ASSERT(b != Dim(0), "division of a size by zero");
  if (b.is_constant()) return Dim::integer_quotient(a, b.value_);
  if (const auto exact = Dim::exact_quotient(a, b)) return *exact;
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

Dim Dim::map(const std::function<Dim(const Atom&)>& replace) const {
  Dim sum = 0;
  for (const Term& term : terms()) {
    Dim product = term.factor;
    for (const Atom& atom : term.atoms) product = product * replace(atom);
    sum = sum + product;
  }
  return sum;
}

Dim Dim::substitute(const std::function<std::optional<Dim>(std::string_view)>& lookup) const {
  return map([&](const Atom& atom) {
    if (atom.kind == 's') return lookup(atom.text).value_or(from_atom(atom));
    const Dim a = atom.operands[0].substitute(lookup);
    const Dim b = atom.operands[1].substitute(lookup);
    return atom.kind == '/'   ? floor_div(a, b)
           : atom.kind == '%' ? floor_mod(a, b)
           : atom.kind == '<' ? min(a, b)
                              : max(a, b);
  });
}

Dim Dim::rewrite(const Combine& combine) const {
  return map([&](const Atom& atom) {
    if (atom.kind == 's') return from_atom(atom);
    return combine(atom.kind, atom.operands[0].rewrite(combine), atom.operands[1].rewrite(combine));
  });
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
