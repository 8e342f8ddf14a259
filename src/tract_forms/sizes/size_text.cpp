// SPDX-License-Identifier: Apache-2.0
// Sizes in tract's notation.
#include "src/tract_forms/sizes/size_text.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "ir/prove.h"
#include "ir/quotients.h"
#include "src/diag/error.h"

namespace t2n::tract_forms {
namespace {

using ir::Dim;
using ir::FloorDiv;
using ir::Term;
using Sum = std::vector<Term>;  ///< the constant part is a last term without atoms

[[noreturn]] void refuse_size(const Dim& dim, const char* why) {
  throw Error("unsupported-argument", cat("the size ", dim.str(), " has no form in NNEF"), why,
              "export without --dynamic for this axis");
}

Sum terms_of(const Dim& dim) {
  Sum out = dim.terms();
  if (dim.constant_part() != 0) out.push_back({dim.constant_part(), {}});
  return out;
}

/// The dimension without remainders.
Dim lowered(const Dim& dim) {
  return ir::with_fewer_terms(dim.map([](const ir::Atom& atom) {
    const ir::Operands* operands = ir::operands_of(atom);
    if (operands == nullptr) return Dim::symbol(std::get<ir::Symbol>(atom));
    const Dim a = lowered(operands->a), b = lowered(operands->b);
    if (!std::holds_alternative<ir::Mod>(atom)) return ir::with_operands(atom, a, b);
    return a - b * floor_div(a, b);
  }));
}

/// Whether naturals to these powers are at least as many: T*T*S for T*S.
bool is_at_least(const Term& powers, const Term& term) {
  const auto count = [](const Term& in, const ir::Atom& atom) {
    return std::count(in.atoms.begin(), in.atoms.end(), atom);
  };
  return std::all_of(
             term.atoms.begin(), term.atoms.end(),
             [&](const ir::Atom& atom) { return count(powers, atom) >= count(term, atom); }) &&
         std::all_of(powers.atoms.begin(), powers.atoms.end(),
                     [&](const ir::Atom& atom) { return count(term, atom) > 0; });
}

/// The terms without the subtracted ones that others outweigh, as T*T does T.
Sum without_outweighed(Sum terms) {
  for (Term& term : terms)
    for (Term& other : terms)
      if (term.factor < 0 && other.factor >= -term.factor && is_at_least(other, term)) {
        other.factor += term.factor;
        term.factor = 0;
      }
  std::erase_if(terms, [](const Term& term) { return term.factor == 0; });
  return terms;
}

/// Whether it is provably non-negative.
bool is_natural(const Dim& dim) {
  const auto is_natural_atom = [](const ir::Atom& atom) {
    const ir::Operands* operands = ir::operands_of(atom);
    if (operands == nullptr) return true;
    const bool a = is_natural(operands->a), b = is_natural(operands->b);
    return std::holds_alternative<ir::Max>(atom) ? a || b : a && b;
  };
  const auto is_natural_product = [&](const Term& term) {
    return std::all_of(term.atoms.begin(), term.atoms.end(), is_natural_atom);
  };
  const Sum rest = without_outweighed(dim.terms());
  return dim.constant_part() >= 0 &&
         std::all_of(dim.terms().begin(), dim.terms().end(), is_natural_product) &&
         std::all_of(rest.begin(), rest.end(), [](const Term& term) { return term.factor > 0; });
}

std::string text_of(const Dim& dim);
std::string quotient_or_sum_text(const Dim& dim);
std::string product_text(uint64_t factor, const std::vector<ir::Atom>& atoms);

int64_t common_factor(const Dim& dim) {
  int64_t factor = dim.constant_part();
  for (const Term& term : dim.terms()) factor = std::gcd(factor, term.factor);
  return factor;
}

/// tract 0.23 has two forms of (2*B + 2)/3, and of every numerator with a common factor that the
/// divisor lacks, and takes them for different sizes. The equal (4*B + 5)/6 has one form.
std::string quotient_text(const Dim& numerator, int64_t divisor) {
  const int64_t factor = common_factor(numerator);
  const bool is_stable = terms_of(numerator).size() < 2 || factor / std::gcd(factor, divisor) == 1;
  Dim dividend = numerator;
  for (int64_t times = 2; !is_stable && common_factor(dividend) != 1; ++times) {
    dividend = Dim(times) * numerator + Dim(1);
    if (common_factor(dividend) == 1) divisor *= times;
  }
  return cat("((", quotient_or_sum_text(dividend), ")/", divisor, ")");
}

bool has_two_forms(const Dim& dim) { return terms_of(dim).size() > 1 && common_factor(dim) != 1; }

/// tract changes max(T, 2*S + 2) to max(T, 2*(S + 1)) and back, each time that it simplifies a sum
/// with it, and takes them for different sizes. The equal max(T - 2, 2*S) + 2 has one form.
std::string choice_text(const char* name, const ir::Operands& operands) {
  constexpr int kMostParts = 4;
  Dim a = operands.a, b = operands.b, added;
  for (int i = 0; i < kMostParts && (has_two_forms(a) || has_two_forms(b)); ++i) {
    const Dim& split = has_two_forms(a) ? a : b;
    const Dim part = split.constant_part() != 0 ? Dim(split.constant_part())
                                                : ir::sum_of({{1, split.terms().at(0).atoms}});
    added = added + part;
    std::tie(a, b) = std::pair(a - part, b - part);
  }
  if (has_two_forms(a) || has_two_forms(b)) {
    // No common part helps, as in max(2*B - 6, 6 - 2*B): a number, and a sum with 1.
    const Dim difference = b - a;
    const Dim number = Dim(1 - difference.constant_part());
    added = added + a - number;
    std::tie(a, b) = std::pair(number, difference + number);
  }
  std::string out = cat(name, "(", text_of(a), ", ", text_of(b), ")");
  if (added == Dim(0)) return out;
  for (const Term& term : terms_of(added))
    out += cat(term.factor < 0 ? " - " : " + ",
               product_text(static_cast<uint64_t>(std::abs(term.factor)), term.atoms));
  return cat("(", out, ")");
}

std::string text_of(const ir::Atom& atom) {
  const ir::Operands* operands = ir::operands_of(atom);
  if (operands == nullptr) return std::get<ir::Symbol>(atom).str();
  if (std::holds_alternative<FloorDiv>(atom)) {
    const Dim size = ir::sum_of({{1, {atom}}});
    if (!operands->b.is_constant() || operands->b.value() <= 0)
      refuse_size(size, "tract divides sizes by positive integers only");
    if (!is_natural(operands->a))
      refuse_size(size, "tract rounds quotients towards zero, and this may be negative");
    return quotient_text(operands->a, operands->b.value());
  }
  return choice_text(std::holds_alternative<ir::Min>(atom) ? "min" : "max", *operands);
}

std::string product_text(uint64_t factor, const std::vector<ir::Atom>& atoms) {
  std::string out;
  if (factor != 1 || atoms.empty()) out = std::to_string(factor);
  for (const ir::Atom& atom : atoms) out += cat(out.empty() ? "" : "*", text_of(atom));
  return out;
}

/// Positive terms first: a sum must not begin with a sign.
Sum in_order(const Dim& dim) {
  Sum sum = terms_of(dim);
  std::stable_partition(sum.begin(), sum.end(), [](const Term& term) { return term.factor > 0; });
  return sum;
}

std::string sum_text(const Dim& dim) {
  const Sum sum = in_order(dim);
  if (sum.empty()) return "0";
  std::string out = sum[0].factor < 0 ? "0" : "";
  for (const Term& term : sum) {
    const bool is_minus = term.factor < 0;
    const auto factor = static_cast<uint64_t>(term.factor);
    out += cat(out.empty() ? ""
               : is_minus  ? " - "
                           : " + ",
               product_text(is_minus ? -factor : factor, term.atoms));
  }
  return out;
}

const FloorDiv* as_quotient(const Term& term) {
  return term.atoms.size() == 1 ? std::get_if<FloorDiv>(&term.atoms[0]) : nullptr;
}

/// One quotient for a sum that contains one: tract 0.23 computes `S - S/2` as `S/2`.
std::optional<FloorDiv> as_one_quotient(const Dim& dim) {
  const Sum sum = terms_of(dim);
  const auto found = std::find_if(sum.begin(), sum.end(),
                                  [](const Term& term) { return as_quotient(term) != nullptr; });
  if (found == sum.end() || (found->factor != 1 && found->factor != -1)) return std::nullopt;
  const auto opposes = [&](const Term& term) {
    return (term.factor < 0) != (found->factor < 0) && !term.atoms.empty();
  };
  const FloorDiv& quotient = *as_quotient(*found);
  if (std::none_of(sum.begin(), sum.end(), opposes) || !quotient.b.is_constant())
    return std::nullopt;
  const Dim rest = dim - ir::sum_of({*found});
  const Dim up = found->factor < 0 ? quotient.b - Dim(1) : Dim(0);
  const Dim numerator = quotient.b * rest + Dim(found->factor) * quotient.a + up;
  if (!is_natural(numerator)) return std::nullopt;
  return FloorDiv{{numerator, quotient.b}};
}

bool mentions_any(const Dim& dim, const std::vector<ir::Symbol>& symbols) {
  return std::any_of(symbols.begin(), symbols.end(),
                     [&](const ir::Symbol& symbol) { return dim.mentions(symbol); });
}

/// The numerator after tract joins a quotient with the rest of the sum.
Dim joined_numerator(const Dim& dim, const Term& part) {
  const FloorDiv& quotient = *as_quotient(part);
  return quotient.b * (dim - ir::sum_of({part})) + quotient.a;
}

/// tract moves a subtracted number back out of the joined quotient, unless all terms of the
/// numerator share a factor: (3*x + 2)/4 - 5 becomes 3*(x - 6)/4.
void refuse_common_factors(const Dim& dim) {
  for (const Term& part : dim.terms()) {
    if (part.factor != 1 || as_quotient(part) == nullptr) continue;
    const Dim numerator = joined_numerator(dim, part);
    if (!is_natural(numerator) && common_factor(numerator) > 1)
      refuse_size(dim, "tract rewrites such a difference as one quotient that rounds towards zero");
  }
}

/// Whether the joined quotient rounds like the original one, because it is non-negative.
bool is_joined_exactly(const Dim& dim, const Term& part) {
  if (part.factor != 1) return false;
  const ir::Comparison is_natural = {joined_numerator(dim, part), ir::Relation::ge, 0};
  return ir::prove(is_natural) == ir::Verdict::always;
}

/// Whether tract keeps the subtracted quotient; it only joins cases such as x - (3*x)/4 to x/4.
bool is_kept_separate(const Term& part) {
  const FloorDiv& quotient = *as_quotient(part);
  const std::vector<Term>& terms = quotient.a.terms();
  const bool is_of_symbol = terms.size() == 1 && terms[0].atoms.size() == 1 &&
                            ir::operands_of(terms[0].atoms[0]) == nullptr;
  return part.factor < 0 && is_of_symbol && quotient.b.is_constant() &&
         terms[0].factor + 1 < quotient.b.value();
}

/// Differences with quotients that are not one quotient: tract computes x - x/2 as x/2, and joins
/// (x + 3*y)/4 - y and (x + 2)/3 - y into a quotient that it truncates.
void refuse_differences(const Dim& dim) {
  for (const Term& part : dim.terms())
    for (const Term& term : dim.terms()) {
      const FloorDiv* quotient = as_quotient(part);
      if (quotient == nullptr || (term.factor < 0) == (part.factor < 0)) continue;
      if (is_joined_exactly(dim, part) || is_kept_separate(part)) continue;
      const bool is_half = quotient->b == Dim(2) && term.factor == -part.factor;
      const bool is_alone = part.factor == 1 || part.factor == -1;
      const bool is_rounded = part.factor == 1 && quotient->a.constant_part() != 0;
      const bool is_joined = mentions_any(quotient->a, ir::sum_of({term}).symbols());
      if (is_half || (is_alone && is_joined) || is_rounded)
        refuse_size(dim,
                    "tract rewrites such a difference as one quotient that rounds towards zero");
    }
}

/// The common factor of all terms.
Term common_part(const Sum& sum) {
  Term common{0, sum.at(0).atoms};
  for (const Term& term : sum) {
    common.factor = std::gcd(common.factor, term.factor);
    std::erase_if(common.atoms, [&](const ir::Atom& atom) {
      return std::find(term.atoms.begin(), term.atoms.end(), atom) == term.atoms.end();
    });
  }
  common.atoms.erase(std::unique(common.atoms.begin(), common.atoms.end()), common.atoms.end());
  return common;
}

Dim without(const Term& common, Sum sum) {
  for (Term& term : sum) {
    term.factor /= common.factor;
    for (const ir::Atom& atom : common.atoms)
      term.atoms.erase(std::find(term.atoms.begin(), term.atoms.end(), atom));
  }
  return ir::sum_of(std::move(sum));
}

/// tract reads a sum from left to right, and factors out what its terms share at each step.
void refuse_prefixes(const Dim& dim) {
  Sum prefix;
  for (const Term& term : in_order(dim)) {
    prefix.push_back(term);
    const Dim rest = without(common_part(prefix), prefix);
    refuse_differences(rest);
    refuse_common_factors(rest);
  }
}

std::string quotient_or_sum_text(const Dim& dim) {
  if (const auto quotient = as_one_quotient(dim))
    return quotient_text(quotient->a, quotient->b.value());
  refuse_prefixes(dim);
  return sum_text(dim);
}

/// `B*(S - 1)` for `B*S - B`: tract up to 0.22 does not see that they are equal, and computes the
/// former.
std::string text_of(const Dim& dim) {
  const Sum sum = terms_of(dim);
  if (sum.size() < 2) return sum_text(dim);
  const Term common = common_part(sum);
  if (common.factor == 1 && common.atoms.empty()) return quotient_or_sum_text(dim);
  return cat(product_text(static_cast<uint64_t>(common.factor), common.atoms), "*(",
             quotient_or_sum_text(without(common, sum)), ")");
}

int64_t quotients_in(const Dim& dim) {
  int64_t out = 0;
  for (const Term& term : dim.terms())
    for (const ir::Atom& atom : term.atoms)
      if (const ir::Operands* operands = ir::operands_of(atom))
        out += 1 + quotients_in(operands->a) + quotients_in(operands->b);
  return out;
}

}  // namespace

void refuse_many_quotients(const Dim& dim) {
  constexpr int64_t kMost = 64;  // some seconds; the time doubles with every other one
  if (quotients_in(lowered(dim)) > kMost)
    throw Error("unsupported-argument", "a size of more than 64 quotients has no form in NNEF",
                "tract takes exponential time for nested quotients",
                "compute it with tensors, or export without --dynamic for this axis");
}

std::string size_text(const Dim& dim) {
  const Dim size = lowered(dim);
  refuse_many_quotients(size);
  return text_of(size);
}

ir::Dim parsed_form(const Dim& dim) {
  const Dim size = lowered(dim);
  const Sum sum = terms_of(size);
  if (sum.size() < 2) return size;
  const Term common = common_part(sum);
  const auto quotient = as_one_quotient(without(common, sum));
  return quotient ? ir::sum_of({common}) * ir::sum_of({{1, {*quotient}}}) : size;
}

bool has_size_text(const Dim& dim) {
  try {
    (void)size_text(dim);
    return true;
  } catch (const Error& error) {
    if (error.diagnostic().id == "internal") throw;
    return false;
  }
}

}  // namespace t2n::tract_forms
