// SPDX-License-Identifier: Apache-2.0
// Proofs by contradiction. Products of atoms are unknowns of a linear system, to which facts about
// quotients, remainders, minima, maxima and products are added.
#include "ir/prove.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ir/linear.h"
#include "ir/quotients.h"
#include "src/diag/error.h"

namespace t2n::ir {
namespace {

using Assumptions = std::span<const Comparison>;
using ConstraintSet = std::vector<Dim>;  ///< none of them negative
constexpr int kMaxDepth = 3;
constexpr size_t kMaxFacts = 80, kMaxSplits = 4;
constexpr int64_t kStepsPerQuery = 20'000'000;

/// If the comparison holds, all facts of one of the lists hold.
std::vector<ConstraintSet> alternatives(const Comparison& c) {
  const Dim gap = c.left - c.right, back = c.right - c.left;
  switch (c.relation) {
    case Relation::lt: return {{back - 1}};
    case Relation::le: return {{back}};
    case Relation::gt: return {{gap - 1}};
    case Relation::ge: return {{gap}};
    case Relation::eq: return {{gap, back}};
    case Relation::ne: return {{gap - 1}, {back - 1}};
  }
  T2N_ASSERT(false, "no such relation");
}

bool mentions_any(const Comparison& c, const std::vector<Symbol>& symbols) {
  return std::any_of(symbols.begin(), symbols.end(), [&](const Symbol& symbol) {
    return c.left.mentions(symbol) || c.right.mentions(symbol);
  });
}

/// The assumptions about the symbols of the comparison, and about symbols that these introduce.
std::vector<Comparison> relevant(const Comparison& comparison, Assumptions assumptions) {
  std::vector<bool> taken(assumptions.size());
  std::vector<Comparison> out = {comparison};
  for (size_t i = 0; i < out.size(); ++i) {
    std::vector<Symbol> symbols = out[i].left.symbols();
    for (const Symbol& symbol : out[i].right.symbols()) symbols.push_back(symbol);
    for (size_t k = 0; k < assumptions.size(); ++k) {
      if (taken[k] || !mentions_any(assumptions[k], symbols)) continue;
      taken[k] = true;
      out.push_back(assumptions[k]);
    }
  }
  out.erase(out.begin());
  return out;
}

/// The value of an expression; nothing if it does not fit, or a divisor is not positive.
std::optional<int64_t> value_at(const Dim& dim, const Sizes& sizes) {
  int64_t sum = dim.constant_part();
  for (const Term& term : dim.terms()) {
    int64_t product = term.factor;
    for (const Atom& atom : term.atoms) {
      std::optional<int64_t> value;
      if (const Operands* operands = operands_of(atom)) {
        const auto a = value_at(operands->a, sizes), b = value_at(operands->b, sizes);
        if (!a || !b) return std::nullopt;
        if (std::holds_alternative<Min>(atom)) value = std::min(*a, *b);
        if (std::holds_alternative<Max>(atom)) value = std::max(*a, *b);
        if (!value && *b <= 0) return std::nullopt;
        if (std::holds_alternative<FloorDiv>(atom)) value = floor_div_int(*a, *b);
        if (std::holds_alternative<Mod>(atom)) value = floor_mod_int(*a, *b);
      } else {
        value = sizes.at(std::get<Symbol>(atom));
      }
      if (__builtin_mul_overflow(product, *value, &product)) return std::nullopt;
    }
    if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
  }
  return sum;
}

std::optional<bool> holds_at(const Comparison& comparison, const Sizes& sizes) {
  const auto left = value_at(comparison.left, sizes), right = value_at(comparison.right, sizes);
  return left && right ? std::optional(holds(*left, comparison.relation, *right)) : std::nullopt;
}

/// The results of the comparison for a few sizes that satisfy the assumptions. A counterexample
/// makes a proof attempt unnecessary.
struct Samples {
  bool is_true = false;
  bool is_false = false;
};

Samples sample(const Comparison& comparison, Assumptions assumptions) {
  constexpr std::array<int64_t, 8> kSizes = {1, 2, 3, 5, 8, 0, 31, 64};
  constexpr size_t kPoints = 24;
  Sizes sizes;
  const auto add = [&](const Comparison& each) {
    for (const Dim& side : {each.left, each.right})
      for (const Symbol& symbol : side.symbols()) sizes.emplace(symbol, 0);
  };
  add(comparison);
  for (const Comparison& each : assumptions) add(each);
  Samples out;
  for (size_t point = 0; point < kPoints && !(out.is_true && out.is_false); ++point) {
    // First all sizes are equal, then they differ.
    size_t at = point;
    for (auto& [symbol, size] : sizes) {
      size = kSizes.at(at % kSizes.size());
      if (point < kSizes.size()) continue;
      size += static_cast<int64_t>(at % 3);
      at = at * 5 + 3 + point / kSizes.size();
    }
    const bool is_allowed =
        std::all_of(assumptions.begin(), assumptions.end(),
                    [&](const Comparison& each) { return holds_at(each, sizes).value_or(false); });
    const auto answer = is_allowed ? holds_at(comparison, sizes) : std::nullopt;
    if (answer) (*answer ? out.is_true : out.is_false) = true;
  }
  return out;
}

/// One query with its intermediate results.
class Proof {
 public:
  explicit Proof(Assumptions assumptions) : assumptions_(assumptions) {}

  bool follows(const Comparison& comparison, int depth);
  Assumptions assumptions() const { return assumptions_; }
  int64_t& steps() { return steps_; }

 private:
  Assumptions assumptions_;
  int64_t steps_ = kStepsPerQuery;
  std::map<std::pair<std::string, int>, bool> known_;
};

/// Adds assumptions about the symbols in `facts`, and about symbols that these introduce.
void add_relevant(ConstraintSet& facts, Assumptions assumptions) {
  std::vector<bool> taken(assumptions.size());
  for (size_t i = 0; i < facts.size(); ++i) {
    const std::vector<Symbol> symbols = facts[i].symbols();
    for (size_t k = 0; k < assumptions.size(); ++k) {
      if (taken[k] || !mentions_any(assumptions[k], symbols)) continue;
      taken[k] = true;
      const std::vector<ConstraintSet> cases = alternatives(assumptions[k]);
      if (cases.size() == 1) facts.insert(facts.end(), cases[0].begin(), cases[0].end());
    }
  }
}

/// Shows that facts contradict one another.
class Refutation {
 public:
  Refutation(ConstraintSet facts, Proof& proof, int depth)
      : facts_(std::move(facts)), proof_(proof), depth_(depth) {}

  bool run() {
    add_relevant(facts_, proof_.assumptions());
    for (size_t i = 0; i < facts_.size(); ++i) {
      if (facts_.size() > kMaxFacts) return false;
      const Dim fact = facts_[i];
      for (const Term& term : fact.terms())
        for (const Atom& atom : term.atoms) explain(atom);
    }
    multiply();
    return is_refuted(facts_, 0);
  }

 private:
  bool is_always(const Dim& a, Relation relation, const Dim& b) const {
    return depth_ > 0 && proof_.follows({a, relation, b}, depth_ - 1);
  }

  bool is_natural(const Atom& atom) const {
    const Operands* operands = operands_of(atom);
    if (operands == nullptr) return true;
    if (std::holds_alternative<Min>(atom))
      return is_natural(operands->a) && is_natural(operands->b);
    if (std::holds_alternative<Max>(atom))
      return is_natural(operands->a) || is_natural(operands->b);
    const bool is_divided = is_always(operands->b, Relation::ge, 1);
    return is_divided && (std::holds_alternative<Mod>(atom) || is_natural(operands->a));
  }
  bool is_sum_of_naturals(const Dim& dim) const {
    return dim.constant_part() >= 0 &&
           std::all_of(dim.terms().begin(), dim.terms().end(), [&](const Term& term) {
             return term.factor > 0 &&
                    std::all_of(term.atoms.begin(), term.atoms.end(),
                                [&](const Atom& atom) { return is_natural(atom); });
           });
  }
  bool is_natural(const Dim& dim) const {
    return is_sum_of_naturals(dim) || is_always(dim, Relation::ge, 0);
  }

  /// A lower bound that the facts state.
  int64_t least(const Atom& natural) const {
    int64_t out = 0;
    for (const Dim& fact : facts_)
      if (fact.terms() == std::vector{Term{1, {natural}}})
        out = std::max(out, -fact.constant_part());
    return out;
  }
  int64_t least(const Dim& natural) const {
    if (!is_sum_of_naturals(natural)) return 0;
    Dim sum = natural.constant_part();
    for (const Term& term : natural.terms())
      if (term.atoms.size() == 1) sum = sum + Dim(term.factor) * Dim(least(term.atoms[0]));
    return sum.value();
  }

  void explain(const Atom& atom) {
    if (std::find(explained_.begin(), explained_.end(), atom) != explained_.end()) return;
    explained_.push_back(atom);
    const Dim self = sum_of({Term{1, {atom}}});
    const Operands* operands = operands_of(atom);
    if (operands == nullptr)
      facts_.push_back(self);
    else if (std::holds_alternative<Min>(atom) || std::holds_alternative<Max>(atom))
      explain_choice(self, *operands, std::holds_alternative<Min>(atom) ? 1 : -1);
    else if (is_always(operands->b, Relation::ge, 1))
      explain_quotient(self, *operands, std::holds_alternative<Mod>(atom));
  }

  /// `sign` is -1 for a maximum.
  void explain_choice(const Dim& self, const Operands& operands, int64_t sign) {
    const Dim to_a = Dim(sign) * (operands.a - self), to_b = Dim(sign) * (operands.b - self);
    facts_.insert(facts_.end(), {to_a, to_b});
    splits_.emplace_back(Dim(-1) * to_a, Dim(-1) * to_b);
  }

  void explain_quotient(const Dim& self, const Operands& operands, bool is_remainder) {
    const Dim rest = is_remainder ? self : operands.a - operands.b * self;
    facts_.insert(facts_.end(), {rest, operands.b - rest - 1});
    if (is_remainder) {
      const Dim gap = operands.a - operands.b * floor_div(operands.a, operands.b) - self;
      facts_.insert(facts_.end(), {gap, Dim(-1) * gap});
    }
    if (is_remainder || !is_natural(operands.a)) return;
    const bool is_known = operands.b.is_constant() && operands.b.value() > 0;
    const int64_t bound = is_known ? floor_div_int(least(operands.a), operands.b.value()) : 0;
    facts_.push_back(self - bound);  // needed for its products
  }

  /// Products of non-negative facts are non-negative.
  void multiply() {
    std::vector<std::vector<Atom>> products;
    for (const Dim& fact : facts_)
      for (const Term& term : fact.terms())
        if (term.atoms.size() > 1 &&
            std::find(products.begin(), products.end(), term.atoms) == products.end())
          products.push_back(term.atoms);
    const size_t known = facts_.size();
    for (size_t i = 0; i < products.size(); ++i)
      for (size_t at = 0; at < products[i].size(); ++at) {
        const Atom atom = products[i][at];
        std::vector<Atom> rest = products[i];
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at));
        if (!std::all_of(rest.begin(), rest.end(), [&](const Atom& a) { return is_natural(a); }))
          continue;
        multiply(atom, rest, known);
        if (rest.size() > 1 && std::find(products.begin(), products.end(), rest) == products.end())
          products.push_back(rest);
      }
  }

  void multiply(const Atom& atom, const std::vector<Atom>& by, size_t known) {
    const Dim factor = sum_of({Term{1, by}});
    for (const Dim& fact : linear_facts(atom, known))
      if (facts_.size() < 2 * kMaxFacts) facts_.push_back(fact * factor);
    if (by.size() == 1) multiply_bounds(atom, by[0], known);
    facts_.push_back(factor);
  }

  /// (S - 2)*(T - 1) >= 0 for S >= 2 and T >= 1.
  void multiply_bounds(const Atom& atom, const Atom& other, size_t known) {
    for (const Dim& fact : linear_facts(atom, known))
      for (const Dim& bound : linear_facts(other, known))
        if (facts_.size() < 2 * kMaxFacts && fact.terms().size() == 1 &&
            bound.terms().size() == 1 && fact.constant_part() < 0 && bound.constant_part() < 0)
          facts_.push_back(fact * bound);
  }

  /// The initial facts that are sums of atoms and contain `atom`.
  std::vector<Dim> linear_facts(const Atom& atom, size_t known) const {
    std::vector<Dim> out;
    for (size_t i = 0; i < known; ++i) {
      const std::vector<Term>& terms = facts_[i].terms();
      const bool is_linear = std::all_of(terms.begin(), terms.end(),
                                         [](const Term& term) { return term.atoms.size() == 1; });
      if (is_linear && std::any_of(terms.begin(), terms.end(),
                                   [&](const Term& term) { return term.atoms[0] == atom; }))
        out.push_back(facts_[i]);
    }
    return out;
  }

  /// Case analysis: each minimum and maximum equals one of its operands.
  bool is_refuted(const ConstraintSet& facts, size_t split) const {
    if (is_linear_contradiction(facts)) return true;
    if (split >= std::min(splits_.size(), kMaxSplits) || proof_.steps() < 0) return false;
    ConstraintSet one = facts, other = facts;
    one.push_back(splits_[split].first);
    other.push_back(splits_[split].second);
    return is_refuted(one, split + 1) && is_refuted(other, split + 1);
  }

  bool is_linear_contradiction(const ConstraintSet& facts) const {
    std::vector<std::vector<Atom>> unknowns;
    for (const Dim& fact : facts)
      for (const Term& term : fact.terms())
        if (std::find(unknowns.begin(), unknowns.end(), term.atoms) == unknowns.end())
          unknowns.push_back(term.atoms);
    std::vector<Inequality> system;
    for (const Dim& fact : facts) {
      Inequality& row = system.emplace_back();
      row.constant = fact.constant_part();
      row.factors.resize(unknowns.size());
      for (const Term& term : fact.terms()) {
        const auto found = std::find(unknowns.begin(), unknowns.end(), term.atoms);
        row.factors[found - unknowns.begin()] = term.factor;
      }
    }
    return is_contradiction(system, proof_.steps());
  }

  ConstraintSet facts_;
  Proof& proof_;
  int depth_;
  std::vector<Atom> explained_;
  std::vector<std::pair<Dim, Dim>> splits_;  ///< at least one of each pair is non-negative
};

bool Proof::follows(const Comparison& comparison, int depth) {
  const Dim gap = with_fewer_terms(comparison.left - comparison.right);
  if (gap.is_constant()) return holds(gap.value(), comparison.relation, 0);
  const std::pair key(cat(gap.str(), str(comparison.relation)), depth);
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  const std::vector<ConstraintSet> negations = alternatives(negated(comparison));
  const bool out = std::all_of(negations.begin(), negations.end(), [&](const ConstraintSet& facts) {
    return Refutation(facts, *this, depth).run();
  });
  return known_.emplace(key, out).first->second;
}

/// The verdict, and the number of steps taken.
std::pair<Verdict, int64_t> decide(const Comparison& comparison, Assumptions assumptions) {
  const Samples at = sample(comparison, assumptions);
  Proof proof(assumptions);
  const auto result = [&](Verdict verdict) {
    return std::pair(verdict, kStepsPerQuery - proof.steps());
  };
  try {
    if (!at.is_false && proof.follows(comparison, kMaxDepth)) return result(Verdict::always);
    if (!at.is_true && proof.follows(negated(comparison), kMaxDepth)) return result(Verdict::never);
  } catch (const Error& error) {
    if (error.diagnostic().id != "unsupported-argument") throw;  // a number does not fit
  }
  return result(Verdict::unknown);
}

thread_local ProofBudget* current = nullptr;

}  // namespace

ProofBudget::ProofBudget(int64_t steps) : remaining_(steps), outer_(std::exchange(current, this)) {}
ProofBudget::~ProofBudget() { current = outer_; }

Verdict prove(const Comparison& comparison, Assumptions assumptions) {
  const Dim &left = comparison.left, &right = comparison.right;
  if (left.is_constant() && right.is_constant())
    return holds(left.value(), comparison.relation, right.value()) ? Verdict::always
                                                                   : Verdict::never;
  const std::vector<Comparison> needed = relevant(comparison, assumptions);
  if (current == nullptr) return decide(comparison, needed).first;
  std::string key = str(comparison);
  for (const Comparison& each : needed) key += cat("; ", str(each));
  const auto known = current->known_.find(key);
  if (known != current->known_.end()) return known->second;
  if (current->remaining_ < 0)
    throw Error("dynamic-size", "comparing sizes takes too many steps",
                cat("whether ", str(comparison), " was not decided"),
                "declare fewer axes dynamic, or state with --assert how sizes compare");
  const auto [verdict, steps] = decide(comparison, needed);
  current->remaining_ -= steps;
  return current->known_.emplace(std::move(key), verdict).first->second;
}

}  // namespace t2n::ir
