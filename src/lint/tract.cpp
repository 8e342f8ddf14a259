// SPDX-License-Identifier: Apache-2.0
// Finds sizes at which a document is wrong, and declarations that exclude them.
#include "src/lint/tract.h"

#include <cstdlib>

#include "src/diag/error.h"
#include "src/lint/probe_sizes.h"
#include "src/lint/shape_run.h"
#include "src/lint/tract_parts.h"

namespace t2n::spec {
namespace {

using Cure = TractFinding::Cure;

class TractLint {
 public:
  TractLint(const nnef::Document& document, int64_t budget)
      : runner_(document),
        statements_(static_cast<int64_t>(document.graph.body.size())),
        budget_(budget),
        symbols_(document.symbols),
        assertions_(document.assertions) {}

  std::optional<TractFinding> run() {
    const std::vector<ir::Sizes> probes = probe_sizes(symbols_, assertions_, {});
    for (const ir::Sizes& values : probes)
      if (const auto problem = runner_.run(values, strictness_)) {
        TractFinding out{.name = problem->name,
                         .problem = problem->message,
                         .sizes = values,
                         .is_structural = problem->is_structural,
                         .symbols = {}};
        if (!symbols_.empty()) find_cure(out, probes);
        return out;
      }
    return {};
  }

  std::optional<TractFinding> run_states(const nnef::Document& document) {
    return unread_states(document, runner_.loops());
  }

  std::optional<TractFinding> run_loops() {
    if (symbols_.empty() || runner_.loops().empty()) return {};
    return unknown_sizes(runner_, symbols_, assertions_);
  }

  /// Attention of rank 4 needs a known number of heads.
  std::optional<TractFinding> run_heads() {
    std::vector<Heads> first;
    for (const ir::Sizes& values : probe_sizes(symbols_, assertions_, {})) {
      if (runner_.run(values)) return {};
      const std::vector<Heads>& heads = runner_.heads();
      if (first.empty()) first = heads;
      for (size_t i = 0; i < std::min(first.size(), heads.size()); ++i)
        if (first[i].counts != heads[i].counts && first[i].counts.size() == heads[i].counts.size())
          return TractFinding{
              .name = heads[i].name,
              .problem = cat(quoted(heads[i].name),
                             ": 'tract_transformers_sdpa' with an unknown number of heads"),
              .sizes = values,
              .cure = Cure::unknown,
              .symbols = {}};
    }
    return {};
  }

  /// Runs again without equalities, which tract ignores while loading.
  std::optional<TractFinding> run_structure() {
    strictness_ = Strictness::structure;
    const size_t count = std::erase_if(assertions_, [](const Assertion& each) {
      return each.comparison.relation == ir::Relation::eq;
    });
    return count == 0 ? std::nullopt : run();
  }

 private:
  bool is_valid_under(const std::vector<Assertion>& assertions,
                      const std::map<ir::Symbol, Limits>& limits) {
    const std::vector<ir::Sizes> probes = probe_sizes(symbols_, assertions, limits);
    for (const ir::Sizes& values : probes) {
      budget_ -= statements_;
      if (budget_ < 0 || runner_.run(values, strictness_)) return false;
    }
    return !probes.empty();
  }

  bool is_valid_under(const std::vector<ir::Symbol>& symbols, const Limits& limit) {
    std::map<ir::Symbol, Limits> limits;
    for (const ir::Symbol& symbol : symbols) limits[symbol] = limit;
    return is_valid_under(assertions_, limits);
  }

  /// A single symbol, if that suffices, else all.
  std::vector<std::vector<ir::Symbol>> choices() const {
    std::vector<std::vector<ir::Symbol>> out;
    for (const ir::Symbol& symbol : symbols_) out.push_back({symbol});
    if (symbols_.size() > 1) out.push_back(symbols_);
    return out;
  }

  void find_cure(TractFinding& finding, const std::vector<ir::Sizes>& probes) {
    for (const auto& symbols : choices())
      if (find_bound(symbols, Cure::least, finding) || find_multiple(symbols, finding)) return;
    if (find_equal(finding)) return;
    for (const auto& symbols : choices())
      if (!finding.is_structural && find_bound(symbols, Cure::most, finding)) return;
    if (strictness_ == Strictness::structure || budget_ < 0) finding.cure = Cure::unknown;
    for (const ir::Sizes& values : probes)
      if (!runner_.run(values, strictness_)) finding.cure = Cure::unknown;
  }

  bool find_bound(const std::vector<ir::Symbol>& symbols, Cure cure, TractFinding& finding) {
    constexpr int64_t kFar = int64_t{1} << 16;
    const auto is_valid = [&](int64_t bound) {
      const bool is_least = cure == Cure::least;
      return is_valid_under(symbols, {is_least ? bound : 1, is_least ? INT64_MAX : bound, 1});
    };
    int64_t valid = cure == Cure::least ? kFar : 1, invalid = cure == Cure::least ? 1 : kFar;
    if (!is_valid(valid)) return false;
    while (std::abs(valid - invalid) > 1) {
      const int64_t middle = (valid + invalid) / 2;
      (is_valid(middle) ? valid : invalid) = middle;
    }
    if (budget_ < 0) return false;
    finding.cure = cure;
    finding.symbols = symbols;
    finding.number = valid;
    return true;
  }

  bool find_equal(TractFinding& finding) {
    for (size_t a = 0; a < symbols_.size(); ++a)
      for (size_t b = a + 1; b < symbols_.size(); ++b) {
        std::vector<Assertion> assertions = assertions_;
        const auto symbol = [&](size_t i) { return ir::Dim::symbol(symbols_[i]); };
        assertions.push_back({"", {symbol(a), ir::Relation::eq, symbol(b)}});
        if (!is_valid_under(assertions, {})) continue;
        finding.cure = Cure::equal;
        finding.symbols = {symbols_[a], symbols_[b]};
        return true;
      }
    return false;
  }

  bool find_multiple(const std::vector<ir::Symbol>& symbols, TractFinding& finding) {
    constexpr int64_t kMost = 64;
    for (int64_t multiple = 2; multiple <= kMost; ++multiple) {
      if (!is_valid_under(symbols, {1, INT64_MAX, multiple})) continue;
      finding.cure = Cure::multiple;
      finding.symbols = symbols;
      finding.number = multiple;
      return true;
    }
    return false;
  }

  ShapeRunner runner_;
  int64_t statements_;
  int64_t budget_;  ///< statements that may still be run to find a cure
  std::vector<ir::Symbol> symbols_;
  std::vector<Assertion> assertions_;
  Strictness strictness_ = Strictness::all;
};

}  // namespace

std::optional<TractFinding> lint_tract(const nnef::Document& document, int64_t budget) {
  TractLint lint(document, budget);
  auto found = lint.run();
  if (!found) found = lint.run_states(document);
  if (!found) found = lint.run_loops();
  if (!found) found = lint.run_heads();
  if (!found) found = packed_joins(document);
  if (!found) found = joined_matrices(document);
  if (!found) found = large_regions(document);
  if (!found) found = lint.run_structure();
  return found ? found : unequal_sizes(document);
}

std::vector<TractFinding> lint_tract_all(const nnef::Document& document,
                                         const std::set<std::string>& skipped) {
  std::vector<TractFinding> out;
  std::set<std::string> seen = skipped;
  ShapeRunner runner(document);
  for (const ir::Sizes& values : probe_sizes(document.symbols, document.assertions, {}))
    for (ShapeProblem& problem : runner.run_all(values, seen)) {
      if (problem.name.empty() || seen.insert(problem.name).second)
        out.push_back({.name = problem.name,
                       .problem = std::move(problem.message),
                       .sizes = values,
                       .is_structural = problem.is_structural,
                       .symbols = {}});
      if (problem.name.empty()) return out;  // it cannot be told from others
    }
  if (out.empty() && skipped.empty())
    if (auto found = lint_tract(document)) out.push_back(*std::move(found));
  return out;
}

std::string values_str(const ir::Sizes& values) {
  std::string out;
  for (const auto& [symbol, value] : values)
    out += cat(out.empty() ? "" : ", ", symbol, "=", value);
  return out;
}

}  // namespace t2n::spec
