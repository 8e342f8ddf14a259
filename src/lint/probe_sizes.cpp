// SPDX-License-Identifier: Apache-2.0
// A bounded search for each kind of values; an equality determines its last unknown symbol.
#include "src/lint/probe_sizes.h"

#include <algorithm>
#include <optional>
#include <set>

namespace t2n::spec {
namespace {

using ir::Dim;

constexpr int64_t kLarge = 100003;

/// Applies `S relation bound`, from an assertion about one symbol.
void tighten(const Assertion& assertion, std::map<ir::Symbol, Limits>& limits) {
  using ir::Relation;
  const auto& [left, relation, right] = assertion.comparison;
  const ir::Symbol* const symbol = left.as_symbol();
  if (symbol == nullptr || !right.is_constant()) return;
  const auto found = limits.find(*symbol);
  if (found == limits.end()) return;
  Limits& limit = found->second;
  const int64_t bound = right.value();
  if (relation == Relation::gt || relation == Relation::ge)
    limit.least = std::max(limit.least, bound + (relation == Relation::gt ? 1 : 0));
  if (relation == Relation::lt || relation == Relation::le)
    limit.most = std::min(limit.most, bound - (relation == Relation::lt ? 1 : 0));
}

enum class Choice { least, primes, even, large, odd, most };
constexpr Choice kChoices[] = {Choice::least, Choice::primes, Choice::even,
                               Choice::large, Choice::odd,    Choice::most};

class Search {
 public:
  Search(const std::vector<ir::Symbol>& symbols, const std::vector<Assertion>& assertions,
         const std::map<ir::Symbol, Limits>& limits)
      : symbols_(symbols), assertions_(assertions) {
    for (const ir::Symbol& symbol : symbols) {
      const auto found = limits.find(symbol);
      limits_[symbol] = found == limits.end() ? Limits{} : found->second;
    }
    for (const Assertion& assertion : assertions)
      if (assertion.scenario.empty()) tighten(assertion, limits_);
  }

  std::vector<ir::Sizes> run() {
    std::vector<ir::Sizes> out;
    for (const Choice choice : kChoices) {
      ir::Sizes values;
      budget_ = 300;
      const bool is_found = assign(choice, 0, values);
      if (is_found && std::find(out.begin(), out.end(), values) == out.end())
        out.push_back(std::move(values));
    }
    return out;
  }

 private:
  bool assign(Choice choice, size_t at, ir::Sizes& values) {
    if (at == symbols_.size()) return true;
    const ir::Symbol& symbol = symbols_[at];
    for (const int64_t value : candidates(choice, at, values)) {
      if (--budget_ < 0) break;
      if (!allowed(symbol, value)) continue;
      values[symbol] = value;
      if (all_hold(values) && assign(choice, at + 1, values)) return true;
    }
    values.erase(symbol);
    return false;
  }

  bool allowed(const ir::Symbol& symbol, int64_t value) const {
    const Limits& limit = limits_.at(symbol);
    return value >= limit.least && value <= limit.most && value % limit.multiple == 0;
  }

  bool all_hold(const ir::Sizes& values) const {
    for (const Assertion& assertion : assertions_) {
      const auto& [left, relation, right] = assertion.comparison;
      const auto is_satisfied = holds({at_sizes(left, values), relation, at_sizes(right, values)});
      if (assertion.scenario.empty() && !is_satisfied.value_or(true)) return false;
    }
    return true;
  }

  /// The value of the symbol that an equality determines.
  std::optional<int64_t> determined(const ir::Symbol& symbol, const ir::Sizes& values) const {
    for (const Assertion& assertion : assertions_) {
      if (assertion.comparison.relation != ir::Relation::eq || !assertion.scenario.empty())
        continue;
      const Dim difference = assertion.comparison.left - assertion.comparison.right;
      const Dim remaining = at_sizes(difference, values);
      const auto line = as_line(remaining);
      if (line && remaining.symbols()[0] == symbol) return line->root(0);
    }
    return {};
  }

  std::vector<int64_t> candidates(Choice choice, size_t at, const ir::Sizes& values) const {
    if (const auto value = determined(symbols_[at], values)) return {*value};
    const Limits& limit = limits_.at(symbols_[at]);
    const int64_t step = limit.multiple;
    const int64_t least = (limit.least + step - 1) / step * step;
    std::vector<int64_t> out = preferred(choice, at, limit, least);
    for (int64_t i = 0; i < 16; ++i) out.push_back(least + i * step);
    return out;
  }

  /// Different values for each symbol, except the least, so that mixed-up symbols show.
  static std::vector<int64_t> preferred(Choice choice, size_t at, const Limits& limit,
                                        int64_t least) {
    constexpr int64_t kPrimes[] = {5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43};
    const int64_t prime = kPrimes[at % std::size(kPrimes)], step = limit.multiple;
    const auto index = static_cast<int64_t>(at);
    switch (choice) {
      case Choice::least: return {};
      case Choice::primes: return {prime * step, (prime + least / step / 2 * 2) * step};
      case Choice::even: return {2 * prime * step, (2 * prime + least / step / 2 * 2) * step};
      case Choice::odd: return {(prime + 4 + least / step / 2 * 2) * step};
      case Choice::large: return {(kLarge + 2 * index) * step};
      case Choice::most: break;
    }
    const int64_t most = std::min(limit.most, kLarge * step);
    return {most - most % step, most - most % step - step};
  }

  const std::vector<ir::Symbol>& symbols_;
  const std::vector<Assertion>& assertions_;
  std::map<ir::Symbol, Limits> limits_;
  int budget_ = 0;
};

}  // namespace

std::vector<ir::Sizes> probe_sizes(const std::vector<ir::Symbol>& symbols,
                                   const std::vector<Assertion>& assertions,
                                   const std::map<ir::Symbol, Limits>& limits) {
  return Search(symbols, assertions, limits).run();
}

}  // namespace t2n::spec
