// SPDX-License-Identifier: Apache-2.0
// Symbolic integer arithmetic in canonical form: a sum of coefficients times sorted atoms.
#include "ir/shape.h"

#include <algorithm>
#include <numeric>

#include "ir/quotients.h"
#include "src/diag/error.h"

namespace t2n::ir {
namespace {

[[noreturn]] void too_large() {
  throw Error("unsupported-argument", "a size does not fit into 64 bits");
}

int64_t checked_add(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum)) too_large();
  return sum;
}

int64_t checked_multiply(int64_t a, int64_t b) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) too_large();
  return product;
}

std::string text_of(const Atom& atom) {
  const Operands* operands = operands_of(atom);
  if (operands == nullptr) return std::get<Symbol>(atom).str();
  const std::string a = operands->a.str(), b = operands->b.str();
  if (std::holds_alternative<Min>(atom)) return cat("min(", a, ", ", b, ")");
  if (std::holds_alternative<Max>(atom)) return cat("max(", a, ", ", b, ")");
  const char* sign = std::holds_alternative<FloorDiv>(atom) ? "//" : "%";
  return cat("((", a, ") ", sign, " (", b, "))");
}

std::string key_of(const Term& term) {
  std::string out;
  for (const Atom& atom : term.atoms) out += text_of(atom) + "*";
  return out;
}

Dim from_atom(Atom atom) { return sum_of({Term{1, {std::move(atom)}}}); }

/// The terms, with the constant part as another term.
std::vector<Term> all_terms(const Dim& dim) {
  std::vector<Term> out = dim.terms();
  if (dim.constant_part() != 0) out.push_back({dim.constant_part(), {}});
  return out;
}

/// The term with the most factors; `dim` is not 0.
Term leading(const Dim& dim) {
  const std::vector<Term> terms = all_terms(dim);
  return *std::max_element(terms.begin(), terms.end(), [](const Term& x, const Term& y) {
    return x.atoms.size() != y.atoms.size() ? x.atoms.size() < y.atoms.size()
                                            : key_of(x) < key_of(y);
  });
}

/// A lower bound of the divisor `b`, or 0 if `b` may be negative.
int64_t least_divisor(const Dim& b) {
  const bool is_natural = std::all_of(b.terms().begin(), b.terms().end(), [](const Term& term) {
    return term.factor > 0 &&
           std::all_of(term.atoms.begin(), term.atoms.end(), [](const Atom& atom) {
             const auto* symbol = std::get_if<Symbol>(&atom);
             return symbol != nullptr && symbol->unbacked() == nullptr;
           });
  });
  return is_natural && b.constant_part() >= 0 ? std::max<int64_t>(b.constant_part(), 1) : 0;
}

/// a // b by division of leading terms, if the remainder is 0, or a constant that gives the same
/// quotient at all sizes: (B*T - 1) // T is B - 1.
std::optional<Dim> polynomial_quotient(Dim a, const Dim& b) {
  const Term divisor = leading(b);
  Dim quotient = 0;
  constexpr int kMaxSteps = 32;
  for (int step = 0; step < kMaxSteps && !a.is_constant(); ++step) {
    Term term = leading(a);
    if (floor_mod_int(term.factor, divisor.factor) != 0) return std::nullopt;
    term.factor = floor_div_int(term.factor, divisor.factor);
    for (const Atom& atom : divisor.atoms) {
      const auto found = std::find(term.atoms.begin(), term.atoms.end(), atom);
      if (found == term.atoms.end()) return std::nullopt;
      term.atoms.erase(found);
    }
    const Dim part = sum_of({std::move(term)});
    quotient = quotient + part;
    a = a - part * b;
  }
  if (a == Dim(0)) return quotient;
  const int64_t least = least_divisor(b);
  if (!a.is_constant() || a.value() < -least || a.value() >= least) return std::nullopt;
  return quotient + Dim(a.value() < 0 ? -1 : 0);
}

/// The quotient, if the terms are a single `a // n` with a coefficient of 1.
const FloorDiv* nested_quotient(const std::vector<Term>& terms) {
  if (terms.size() != 1 || terms[0].factor != 1 || terms[0].atoms.size() != 1) return nullptr;
  const auto* inner = std::get_if<FloorDiv>(&terms[0].atoms[0]);
  return inner != nullptr && inner->b.is_constant() && inner->b.value() > 0 ? inner : nullptr;
}

/// a // b where 0 <= every factor of `a` < b: removes common factors and nested divisions.
Dim reduced_quotient(const Dim& a, int64_t b) {
  if (a.is_constant()) return floor_div_int(a.value(), b);
  std::vector<Term> terms = a.terms();
  int64_t common = b;
  for (const Term& term : terms) common = std::gcd(common, term.factor);
  for (Term& term : terms) term.factor /= common;
  b /= common;
  const int64_t offset = floor_div_int(a.constant_part(), common);
  const Dim rest = sum_of(terms, offset);
  if (b == 1) return rest;
  const FloorDiv* inner = nested_quotient(terms);
  if (inner == nullptr) return from_atom(FloorDiv{rest, b});
  const int64_t by = inner->b.value();
  return floor_div(inner->a + checked_multiply(offset, by), checked_multiply(by, b));
}

/// Moves multiples of `b` out of the numerator, so that the rest is not negative for sizes >= 0.
Dim integer_quotient(const Dim& numerator, int64_t b) {
  const Dim a = with_fewer_terms(numerator);
  if (b < 0) return integer_quotient(Dim(-1) * a, checked_multiply(b, -1));
  std::vector<Term> quotients = a.terms(), rest = quotients;
  for (const Term& term : quotients) {
    if (term.factor % b == 0) continue;
    // -((-S) // 2), which rounds up, becomes (S + 1) // 2.
    if (term.factor < 0) return Dim(-1) * integer_quotient(Dim(-1) * a + Dim(b - 1), b);
    break;
  }
  for (Term& term : quotients) term.factor = floor_div_int(term.factor, b);
  for (Term& term : rest) term.factor = floor_mod_int(term.factor, b);
  const int64_t constant = a.constant_part();
  return sum_of(std::move(quotients), floor_div_int(constant, b)) +
         reduced_quotient(sum_of(std::move(rest), floor_mod_int(constant, b)), b);
}

bool is_multiple(const Dim& a, int64_t b) {
  return floor_mod_int(a.constant_part(), b) == 0 &&
         std::all_of(a.terms().begin(), a.terms().end(),
                     [&](const Term& term) { return floor_mod_int(term.factor, b) == 0; });
}

void add_symbols(const Dim& dim, std::vector<Symbol>& out) {
  for (const Term& term : dim.terms())
    for (const Atom& atom : term.atoms) {
      if (const Operands* operands = operands_of(atom)) {
        add_symbols(operands->a, out);
        add_symbols(operands->b, out);
      } else if (const Symbol& symbol = std::get<Symbol>(atom);
                 std::find(out.begin(), out.end(), symbol) == out.end()) {
        out.push_back(symbol);
      }
    }
}

}  // namespace

int64_t floor_div_int(int64_t a, int64_t b) {
  if (b == -1) return checked_multiply(a, -1);  // the only quotient that may overflow
  const int64_t quotient = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

int64_t floor_mod_int(int64_t a, int64_t b) { return b == -1 ? 0 : a - floor_div_int(a, b) * b; }

const Operands* operands_of(const Atom& atom) {
  return std::visit(
      [](const auto& each) -> const Operands* {
        if constexpr (std::is_same_v<std::decay_t<decltype(each)>, Symbol>)
          return nullptr;
        else
          return &each;
      },
      atom);
}

Dim with_operands(const Atom& original, const Dim& a, const Dim& b) {
  if (std::holds_alternative<FloorDiv>(original)) return floor_div(a, b);
  if (std::holds_alternative<Mod>(original)) return floor_mod(a, b);
  return std::holds_alternative<Min>(original) ? min(a, b) : max(a, b);
}

Dim Dim::symbol(Symbol symbol) { return from_atom(std::move(symbol)); }

int64_t Dim::value() const {
  if (!is_constant())
    throw Error("dynamic-size", cat("the size '", str(), "' is dynamic where an integer is needed"),
                cat("the exported model cannot compute ", str(), " here at run time"),
                "remove the axis that it depends on from --dynamic");
  return constant_;
}

const std::vector<Term>& Dim::terms() const {
  static const std::vector<Term> none;
  return terms_ ? *terms_ : none;
}

const Symbol* Dim::as_symbol() const {
  const bool is_atom = terms().size() == 1 && constant_ == 0 && terms()[0].factor == 1 &&
                       terms()[0].atoms.size() == 1;
  return is_atom ? std::get_if<Symbol>(&terms()[0].atoms[0]) : nullptr;
}

Dim sum_of(std::vector<Term> terms, int64_t constant) {
  std::vector<std::pair<std::string, Term>> sorted;
  for (Term& term : terms) {
    if (term.atoms.empty())
      constant = checked_add(constant, term.factor);
    else
      sorted.emplace_back(terms.size() == 1 ? "" : key_of(term), std::move(term));
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Term> merged;
  for (auto& [key, term] : sorted) {
    if (!merged.empty() && merged.back().atoms == term.atoms)
      merged.back().factor = checked_add(merged.back().factor, term.factor);
    else
      merged.push_back(std::move(term));
  }
  std::erase_if(merged, [](const Term& term) { return term.factor == 0; });
  Dim out(constant);
  if (!merged.empty()) out.terms_ = std::make_shared<const std::vector<Term>>(std::move(merged));
  return out;
}

Dim operator+(const Dim& a, const Dim& b) {
  const int64_t constant = checked_add(a.constant_, b.constant_);
  if (a.is_constant() && b.is_constant()) return constant;
  std::vector<Term> terms = a.terms();
  terms.insert(terms.end(), b.terms().begin(), b.terms().end());
  return sum_of(std::move(terms), constant);
}

Dim operator-(const Dim& a, const Dim& b) { return a + Dim(-1) * b; }

Dim operator*(const Dim& a, const Dim& b) {
  if (a.is_constant() && b.is_constant()) return checked_multiply(a.constant_, b.constant_);
  std::vector<Term> terms;
  for (const Term& x : all_terms(a))
    for (const Term& y : all_terms(b)) {
      Term product{checked_multiply(x.factor, y.factor), x.atoms};
      product.atoms.insert(product.atoms.end(), y.atoms.begin(), y.atoms.end());
      if (!x.atoms.empty() && !y.atoms.empty())
        std::stable_sort(product.atoms.begin(), product.atoms.end(),
                         [](const Atom& p, const Atom& q) { return text_of(p) < text_of(q); });
      terms.push_back(std::move(product));
    }
  return sum_of(std::move(terms));
}

bool operator==(const Dim& a, const Dim& b) {
  return a.constant_ == b.constant_ && (a.terms_ == b.terms_ || a.terms() == b.terms());
}

namespace {

/// A divisor may become zero when sizes replace its symbols.
void refuse_zero(const Dim& a, const Dim& b, std::string_view operation) {
  if (b == Dim(0))
    throw Error("dynamic-size", cat("a size is divided by zero: ", a.str(), " ", operation, " 0"),
                "the model is undefined for this size",
                "declare other dynamic axes, or divide by a constant in the model");
}

}  // namespace

Dim floor_div(const Dim& a, const Dim& b) {
  refuse_zero(a, b, "//");
  if (b.is_constant()) return integer_quotient(a, b.value());
  if (const auto quotient = polynomial_quotient(a, b)) return *quotient;
  return from_atom(FloorDiv{a, b});
}

Dim floor_mod(const Dim& a, const Dim& b) {
  refuse_zero(a, b, "%");
  if (a.is_constant() && b.is_constant()) return floor_mod_int(a.value(), b.value());
  if (a == b || (b.is_constant() && is_multiple(a, b.value()))) return 0;
  return from_atom(Mod{a, b});
}

Dim min(const Dim& a, const Dim& b) {
  if ((a - b).is_constant()) return (a - b).value() <= 0 ? a : b;
  return from_atom(Min{a, b});
}

Dim max(const Dim& a, const Dim& b) {
  if ((a - b).is_constant()) return (a - b).value() >= 0 ? a : b;
  return from_atom(Max{a, b});
}

std::vector<Symbol> Dim::symbols() const {
  std::vector<Symbol> out;
  add_symbols(*this, out);
  return out;
}

bool Dim::mentions(const Symbol& symbol) const {
  const std::vector<Symbol> all = symbols();
  return std::find(all.begin(), all.end(), symbol) != all.end();
}

Dim Dim::map(const std::function<Dim(const Atom&)>& replace) const {
  Dim sum = constant_;
  for (const Term& term : terms()) {
    Dim product = term.factor;
    for (const Atom& atom : term.atoms) product = product * replace(atom);
    sum = sum + product;
  }
  return sum;
}

Dim Dim::substitute(const std::function<std::optional<Dim>(const Symbol&)>& lookup) const {
  if (is_constant()) return *this;
  return map([&](const Atom& atom) {
    if (const Operands* operands = operands_of(atom))
      return with_operands(atom, operands->a.substitute(lookup), operands->b.substitute(lookup));
    return lookup(std::get<Symbol>(atom)).value_or(from_atom(atom));
  });
}

Dim Dim::substitute(const Sizes& sizes) const {
  return substitute([&](const Symbol& symbol) -> std::optional<Dim> {
    const auto found = sizes.find(symbol);
    return found == sizes.end() ? std::nullopt : std::optional<Dim>(found->second);
  });
}

std::string Dim::str() const {
  if (is_constant()) return std::to_string(constant_);
  std::string out;
  const auto add = [&](int64_t factor, const std::string& product) {
    const auto bits = static_cast<uint64_t>(factor);
    const uint64_t magnitude = factor < 0 ? -bits : bits;
    if (out.empty())
      out += factor < 0 ? "-" : "";
    else
      out += factor < 0 ? " - " : " + ";
    if (magnitude != 1 || product.empty()) out += std::to_string(magnitude);
    if (magnitude != 1 && !product.empty()) out += "*";
    out += product;
  };
  for (const Term& term : terms()) {
    std::string product = key_of(term);
    product.pop_back();
    add(term.factor, product);
  }
  if (constant_ != 0) add(constant_, "");
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

bool is_unbacked(const Dim& dim) {
  const std::vector<Symbol> symbols = dim.symbols();
  return std::any_of(symbols.begin(), symbols.end(),
                     [](const Symbol& symbol) { return symbol.unbacked() != nullptr; });
}

bool is_unbacked(const Shape& shape) {
  return std::any_of(shape.begin(), shape.end(), [](const Dim& dim) { return is_unbacked(dim); });
}

Dim as_written(const Dim& dim) {
  return dim.substitute([](const Symbol& symbol) {
    const Symbol::Unbacked* unbacked = symbol.unbacked();
    return unbacked == nullptr ? std::nullopt : std::optional(Dim::symbol(unbacked->name));
  });
}

Shape as_written(const Shape& shape) {
  Shape out;
  for (const Dim& dim : shape) out.push_back(as_written(dim));
  return out;
}

int64_t element_count(const Ints& sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) count = checked_multiply(count, size);
  return count;
}

}  // namespace t2n::ir
