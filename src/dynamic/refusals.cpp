// SPDX-License-Identifier: Apache-2.0
#include "src/dynamic/refusals.h"

#include <algorithm>
#include <utility>

namespace t2n::dynamic {
namespace {

bool are_equal(const Where& a, const Where& b) {
  return a.caret == b.caret && a.caret_width == b.caret_width && render_where(a) == render_where(b);
}

bool contains(const std::vector<Diagnostic>& refusals, const Where& where) {
  return std::any_of(refusals.begin(), refusals.end(), [&](const Diagnostic& each) {
    return std::any_of(each.where.begin(), each.where.end(),
                       [&](const Where& known) { return are_equal(known, where); });
  });
}

/// The runs with the first one's operations, as probes.
std::vector<Probe> equal_probes(const std::vector<TraceAt>& runs) {
  std::vector<Probe> out;
  for (const TraceAt& run : runs)
    if (!difference(runs[0], run)) out.push_back({run.sizes, run.traced.graph});
  return out;
}

/// Sizes of a run at which the condition does not hold.
const Sizes* counterexample(const Comparison& condition, const std::vector<TraceAt>& runs) {
  for (const TraceAt& run : runs)
    if ((condition.left - condition.right).substitute(run.sizes).is_constant() &&
        !holds(condition, run.sizes))
      return &run.sizes;
  return nullptr;
}

/// Branches with another direction in a run, which the rewriter could not fix. `traced`: the first
/// run, whose sizes are expressions: under them, no earlier branch is the cause.
std::vector<Diagnostic> other_directions(trace::Traced traced, const Sizes& symbols,
                                         const std::vector<TraceAt>& runs,
                                         const RunRewriter& rewriter) {
  std::erase_if(traced.decisions, [&](const trace::Decision& decision) {
    return decision.kind != trace::Decision::Kind::branch || decision.is_guard ||
           !rewriter.is_unfixable(decision.id);
  });
  std::vector<Diagnostic> inexpressible, out;
  for (const Need& need : branch_needs(traced, symbols, &inexpressible))
    if (const Sizes* sizes = counterexample(need.comparison, runs))
      out.push_back(branch_refusal(need, sizes_str(*sizes)));
  return out;
}

/// Whether a need is the model's: only more runs show whether an equality holds by chance, and the
/// sizes of refused results have symbols of their own.
bool is_of_model(const Need& need) {
  const Comparison& comparison = need.comparison;
  if (comparison.relation == Relation::eq) return false;
  const std::vector<Symbol> symbols = (comparison.left - comparison.right).symbols();
  return std::none_of(symbols.begin(), symbols.end(),
                      [](const Symbol& symbol) { return symbol.axis_size() != nullptr; });
}

/// What operators require of sizes, and NNEF cannot express.
void add_refused_needs(const RefusedRuns& refused, const std::vector<Probe>& probes,
                       Refusals& all) {
  Seen seen;
  for (const Probe& probe : probes) seen.push_back(probe.symbols);
  Assertions assertions(std::move(seen), refused.options.known, {});
  const Multiples multiples = multiples_of(refused.needs, refused.options.known);
  all.attempt([&] { refuse_multiples(multiples, refused.axes); });
  for (const Need& need : refused.needs)
    if (is_of_model(need) && !multiples.imply(need.comparison))
      all.attempt([&] { assertions.add(need); });
}

}  // namespace

void Refusals::add(const std::vector<Diagnostic>& found) {
  for (Diagnostic each : found) {
    const bool is_located = !each.where.empty();
    std::erase_if(each.where, [&](const Where& where) { return contains(found_, where); });
    const auto is_same = [&](const Diagnostic& known) {
      return known.id == each.id && known.message == each.message && known.where.empty();
    };
    if (is_located ? !each.where.empty() : std::none_of(found_.begin(), found_.end(), is_same))
      found_.push_back(std::move(each));
  }
}

void Refusals::attempt(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    if (error.code() != ExitCode::unsupported) throw;
    add({error.diagnostic()});
    add(error.others());
  }
}

std::optional<Error> Refusals::error() const {
  if (found_.empty()) return std::nullopt;
  return Error(found_[0], {found_.begin() + 1, found_.end()});
}

Error with_refusals_of_runs(const Error& first, RefusedRuns refused) {
  Refusals all;
  all.add({first.diagnostic()});
  all.add(first.others());
  std::vector<Diagnostic> found;
  std::vector<Probe> probes = equal_probes(refused.runs);
  refused.options.refusals = &found;
  try {
    for (Assumption& each : infer_shapes(probes, refused.options, refused.operators))
      refused.needs.push_back(need_of(std::move(each)));
    trace::Traced traced = refused.runs[0].traced;
    traced.graph = std::move(probes[0].graph);
    (void)branch_needs(traced, probes[0].symbols, &found);
    all.add(other_directions(std::move(traced), probes[0].symbols, refused.runs, refused.rewriter));
    add_refused_needs(refused, probes, all);
  } catch (const Error& error) {
    if (error.code() == ExitCode::bug) throw;
    // What was found until then is reported.
  }
  all.add(found);
  return *all.error();
}

}  // namespace t2n::dynamic
