// Sizes in tract's spelling: its division truncates, it knows no remainder, and no minus sign
// alone.
#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

#include "ops/emitter_state.h"
#include "src/diag/error.h"

namespace t2n::ops {
namespace {

struct Term;
using Sum = std::vector<Term>;

/// A factor in tract's spelling; of a quotient, what it is made of.
struct Atom {
  std::string text;
  Sum numerator = {};
  int64_t divisor = 0;
  friend bool operator==(const Atom& a, const Atom& b) { return a.text == b.text; }
};

struct Term {
  int64_t factor = 1;
  std::vector<Atom> atoms;
  bool is_natural = true;  ///< the product of the atoms is never negative
  bool is_quotient() const { return atoms.size() == 1 && atoms[0].divisor != 0; }
};

std::string product_text(int64_t factor, const std::vector<Atom>& atoms) {
  std::string out;
  if (factor != 1 || atoms.empty()) out = std::to_string(factor);
  for (const Atom& atom : atoms) out += cat(out.empty() ? "" : "*", atom.text);
  return out;
}

/// Positive terms first: a sum must not begin with a sign.
std::string sum_text(Sum sum) {
  std::stable_partition(sum.begin(), sum.end(), [](const Term& term) { return term.factor > 0; });
  std::string out;
  for (const Term& term : sum) {
    if (out.empty())
      out = product_text(term.factor, term.atoms);
    else
      out += (term.factor < 0 ? " - " : " + ") + product_text(std::abs(term.factor), term.atoms);
  }
  return out.empty() ? "0" : out;
}

std::string spelled(const Sum& sum);

Term quotient_of(Sum numerator, int64_t divisor) {
  const std::string text = cat("((", spelled(numerator), ")/", divisor, ")");
  return {.factor = 1, .atoms = {{text, std::move(numerator), divisor}}};
}

void add_term(Sum& sum, Term term) {
  std::sort(term.atoms.begin(), term.atoms.end(),
            [](const Atom& a, const Atom& b) { return a.text < b.text; });
  for (Term& known : sum)
    if (known.atoms == term.atoms) {
      known.factor += term.factor;
      return;
    }
  sum.push_back(std::move(term));
}

/// One quotient for a sum that holds one: tract 0.23 computes `S - S/2` as `S/2`.
Sum with_one_quotient(const Sum& sum) {
  const auto found =
      std::find_if(sum.begin(), sum.end(), [](const Term& term) { return term.is_quotient(); });
  if (found == sum.end() || std::abs(found->factor) != 1) return sum;
  const auto opposes = [&](const Term& term) {
    return (term.factor < 0) != (found->factor < 0) && !term.atoms.empty();
  };
  if (std::none_of(sum.begin(), sum.end(), opposes)) return sum;
  const Atom quotient = found->atoms[0];
  Sum numerator;
  for (Term term : sum) {
    term.factor *= quotient.divisor;
    if (!(term.atoms == found->atoms)) add_term(numerator, std::move(term));
  }
  for (Term term : quotient.numerator) {
    term.factor *= found->factor;
    add_term(numerator, std::move(term));
  }
  if (found->factor < 0) add_term(numerator, {.factor = quotient.divisor - 1, .atoms = {}});
  std::erase_if(numerator, [](const Term& term) { return term.factor == 0; });
  const bool is_natural = std::all_of(numerator.begin(), numerator.end(), [](const Term& term) {
    return term.factor > 0 && term.is_natural;
  });
  return is_natural ? Sum{quotient_of(std::move(numerator), quotient.divisor)} : sum;
}

/// Differences with halves that are no single quotient.
void refuse_halves(const Sum& sum) {
  for (const Term& half : sum)
    for (const Term& term : sum)
      if (half.is_quotient() && half.atoms[0].divisor == 2 && !term.atoms.empty() &&
          term.factor == -half.factor)
        throw Error("unsupported-argument", cat("the size ", sum_text(sum), " has no form in NNEF"),
                    "tract may compute x - x/2 as x/2", "export without --dynamic for this axis");
}

std::string spelled(const Sum& sum) {
  const Sum safe = with_one_quotient(sum);
  refuse_halves(safe);
  return sum_text(safe);
}

/// What all terms have in common, taken out of them.
Term taken_out(Sum& sum) {
  Term common{.factor = 0, .atoms = sum.at(0).atoms};
  for (const Term& term : sum) {
    common.factor = std::gcd(common.factor, term.factor);
    std::erase_if(common.atoms, [&](const Atom& atom) {
      return std::find(term.atoms.begin(), term.atoms.end(), atom) == term.atoms.end();
    });
  }
  common.atoms.erase(std::unique(common.atoms.begin(), common.atoms.end()), common.atoms.end());
  for (Term& term : sum) {
    term.factor /= common.factor;
    for (const Atom& atom : common.atoms)
      term.atoms.erase(std::find(term.atoms.begin(), term.atoms.end(), atom));
  }
  return common;
}

/// `B*(S - 1)` for `B*S - B`: up to 0.22 tract does not see that these are equal, and computes the
/// first.
std::string text_of(Sum sum) {
  if (sum.size() < 2) return sum_text(std::move(sum));
  const Term common = taken_out(sum);
  if (common.factor == 1 && common.atoms.empty()) return spelled(sum);
  return cat(product_text(common.factor, common.atoms), "*(", spelled(sum), ")");
}

/// Reads what Dim::str() prints.
class Reader {
 public:
  explicit Reader(std::string text) : text_(std::move(text)) {}
  Sum read() { return sum(); }

 private:
  [[noreturn]] void fail(const char* why) const {
    throw Error("unsupported-argument", cat("the size ", text_, " has no form in NNEF"), why,
                "export without --dynamic for this axis");
  }
  bool accept(std::string_view token) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (!std::string_view(text_).substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  Sum sum() {
    Sum out;
    int64_t sign = accept("-") ? -1 : 1;
    while (true) {
      for (Term& term : product()) {
        term.factor *= sign;
        out.push_back(std::move(term));
      }
      if (accept("+"))
        sign = 1;
      else if (accept("-"))
        sign = -1;
      else
        return out;
    }
  }

  /// A sum in brackets stays one factor, unless it is all there is.
  Sum product() {
    Sum out = quotient();
    while (accept("*")) {
      const Sum next = quotient();
      out = {multiplied(as_term(out), as_term(next))};
    }
    return out;
  }
  static Term multiplied(Term a, const Term& b) {
    a.factor *= b.factor;
    a.atoms.insert(a.atoms.end(), b.atoms.begin(), b.atoms.end());
    a.is_natural = a.is_natural && b.is_natural;
    return a;
  }
  static bool is_natural(const Sum& sum) {
    return std::all_of(sum.begin(), sum.end(),
                       [](const Term& term) { return term.is_natural && term.factor >= 0; });
  }
  static Term as_term(const Sum& sum) {
    if (sum.size() == 1) return sum[0];
    return {.factor = 1, .atoms = {{cat("(", text_of(sum), ")")}}, .is_natural = is_natural(sum)};
  }

  Sum quotient() {
    Sum out = atom();
    while (true) {
      if (accept("//")) {
        out = divided(out, divisor());
      } else if (accept("%")) {
        const int64_t by = divisor();
        for (Term& term : divided(out, by)) {
          term.factor *= -by;
          out.push_back(std::move(term));
        }
      } else {
        return out;
      }
    }
  }
  int64_t divisor() {
    const Sum by = atom();
    if (by.size() != 1 || !by[0].atoms.empty() || by[0].factor <= 0)
      fail("tract divides sizes by positive integers only");
    return by[0].factor;
  }
  /// Rounded down: what may be negative is kept out of the quotient.
  Sum divided(const Sum& sum, int64_t by) const {
    Sum inside, out;
    for (Term term : sum) {
      if (!term.is_natural) fail("tract rounds quotients towards zero, and this may be negative");
      Term whole = term;
      whole.factor = term.factor < 0 ? ir::floor_div_int(term.factor, by) : 0;
      term.factor -= whole.factor * by;
      if (whole.factor != 0) out.push_back(std::move(whole));
      if (term.factor != 0) inside.push_back(std::move(term));
    }
    if (!inside.empty()) out.insert(out.begin(), quotient_of(std::move(inside), by));
    return out;
  }

  Sum atom() {
    for (const bool is_min : {true, false}) {
      if (!accept(is_min ? "min(" : "max(")) continue;
      const Sum a = sum();
      accept(",");
      const Sum b = sum();
      accept(")");
      const bool natural = is_min ? is_natural(a) && is_natural(b) : is_natural(a) || is_natural(b);
      const std::string text = cat(is_min ? "min(" : "max(", text_of(a), ", ", text_of(b), ")");
      return {{.factor = 1, .atoms = {{text}}, .is_natural = natural}};
    }
    if (accept("(")) {
      Sum out = sum();
      accept(")");
      return out;
    }
    const size_t begin = at_;
    const auto is_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == ':';
    };
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    const std::string word = text_.substr(begin, at_ - begin);
    T2N_ASSERT(!word.empty(), "cannot read the size ", text_);
    if (std::isdigit(static_cast<unsigned char>(word[0])) == 0)
      return {{.factor = 1, .atoms = {{word}}}};
    return {{.factor = static_cast<int64_t>(std::stoull(word)), .atoms = {}}};
  }

  std::string text_;
  size_t at_ = 0;
};

}  // namespace

nnef::Value dim_value(const Dim& dim) {
  if (dim.is_constant()) return nnef::integer(dim.value());
  return nnef::raw(text_of(Reader(dim.str()).read()));
}

}  // namespace t2n::ops
