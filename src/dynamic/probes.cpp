// SPDX-License-Identifier: Apache-2.0
#include "src/dynamic/probes.h"

#include <algorithm>
#include <map>

#include "ir/prove.h"
#include "src/diag/error.h"
#include "src/dynamic/assumptions.h"
#include "src/dynamic/empty_axes.h"
#include "src/dynamic/open_orders.h"
#include "src/dynamic/other_values.h"
#include "src/dynamic/refusals.h"
#include "src/dynamic/small_sizes.h"
#include "src/dynamic/suspects.h"
#include "src/dynamic/unbacked_sizes.h"
#include "src/dynamic/varying.h"

namespace t2n::dynamic {
namespace {

using trace::Traced;

/// `n >= 1` of a slice `x[:-n]`, where n is never negative.
bool is_positive_count(const Assumption& assumption) {
  const Comparison& c = assumption.relation;
  if (assumption.op != "aten::slice.Tensor" || c.relation == Relation::eq) return false;
  const ir::Dim gap = c.relation == Relation::le ? c.right - c.left : c.left - c.right;
  return ir::prove({gap, Relation::ge, -1}) == ir::Verdict::always;
}

/// Traces until the graphs have so many values that tracing took about a minute. A trace without an
/// end counts as one of a million values.
Tracer with_budget(const Tracer& trace) {
  static constexpr int64_t kMostValues = 4'000'000, kEndless = 1'000'000;
  return [trace, traced = int64_t{0}](const Sizes& sizes, uint64_t seed,
                                      const Rewrites& rewrites) mutable {
    if (traced > kMostValues)
      throw Error("dynamic-failed",
                  cat("tracing the model at other sizes takes more than ", kMostValues,
                      " results of operations"),
                  cat("it is being traced at ", sizes_str(sizes)),
                  "declare fewer axes, or give smaller sample inputs");
    try {
      Traced out = trace(sizes, seed, rewrites);
      traced += static_cast<int64_t>(out.graph.values.size());
      return out;
    } catch (const Error& error) {
      if (error.diagnostic().id == "trace-limit") traced += kEndless;
      throw;
    }
  };
}

/// Runs the probes, and finds out which sizes the model accepts.
class Probes {
 public:
  Probes(Traced sample, const Request& request)
      : request_(request),
        declared_(bind_axes(request.axes, sample.graph)),
        caches_(sizes_of_caches(sample.graph, declared_.shapes, request.asserted)),
        asserted_(joined(request.asserted, caches_)),
        known_(joined(positivity(declared_.sample, asserted_), asserted_)),
        chooser_(declared_.sample, asserted_, extents_of(sample.graph)),
        orders_(request.takes_orders) {
    if (!all_hold(request.asserted, declared_.sample))
      throw Error("usage",
                  cat("the sample (", sizes_str(declared_.sample), ") contradicts --assert"));
    runs_.push_back({declared_.sample, std::move(sample)});
  }

  DynamicTrace run() {
    if (!request_.axes.empty()) runs_.push_back(second());
    second_ = runs_.back().sizes;
    if (has_unbacked_sizes(runs_[0].traced.graph)) vary_values();
    const trace::Traced sample = runs_[0].traced;
    prefer_large(runs_, declared_.sample);
    rewriter_.rewrite();
    separate_small_runs();
    require_same(runs_);
    if (!request_.axes.empty()) vary_parity();
    std::vector<Probe> probes;
    std::vector<Assumption> assumed = infer(probes);
    while (refute(assumed) || vary_branches(probes[0])) assumed = infer(probes);
    for (Assumption& each : assumed) needs_.push_back(need_of(std::move(each)));
    Traced traced = std::move(runs_[0].traced);
    traced.graph = std::move(probes[0].graph);
    traced.outputs = sample.outputs;
    traced.ranges = sample.ranges;
    traced.states = sample.states;
    sample_ = probes[0].symbols;
    for (const Probe& probe : probes) seen_.push_back(probe.symbols);
    are_compared_ = true;
    Assertions needed = assertions(traced);
    complete_runtime_assertions(needed, traced.graph, unbacked_sizes(traced.graph, sample.graph));
    const bool has_orders = dynamic::has_orders(traced.graph);
    DynamicTrace out{.traced = std::move(traced),
                     .inputs = declared_.shapes,
                     .relations = needed.all(),
                     .runtime_assertions = needed.runtime_assertions(),
                     .sample = sample_,
                     .has_orders = has_orders,
                     .chooser = chooser_};
    for (const Comparison& each : out.relations) out.chooser.add(each);
    return out;
  }

  /// The error with the refusals of the stages that it kept from running.
  Error with_others(const Error& error) const {
    if (are_compared_ || error.code() != ExitCode::unsupported) return error;
    return with_refusals_of_runs(
        error, {runs_, rewriter_, request_.axes, needs_, infer_options(), request_.operators});
  }

 private:
  /// Nothing if the model does not run with these values, or reads a number that is not a size.
  std::optional<TraceAt> attempt(const Sizes& sizes, uint64_t seed) {
    try {
      return TraceAt{sizes, request_.trace(sizes, seed, rewriter_.rewrites()), seed};
    } catch (const Error& error) {
      const std::string& id = error.diagnostic().id;
      const bool reads_data = seed != 0 && id == "data-dependent-value";
      if (!may_be_of_values(error) && id != "short-loop" && !reads_data) throw;
      if (!failure_) failure_ = {sizes, error.diagnostic()};
      return {};
    }
  }

  /// Nothing if the model does not run at these sizes with any of a few seeds.
  std::optional<TraceAt> attempt(const Sizes& sizes) {
    std::optional<TraceAt> out;
    for (const uint64_t seed : kOtherSeeds)
      if (!out) out = attempt(sizes, seed);
    return out;
  }

  std::optional<TraceAt> attempt_next(const std::set<Symbol>& vary, bool upwards) {
    const auto sizes = chooser_.next(vary, upwards);
    if (!sizes)
      throw Error(request_.asserted.empty() ? "dynamic-failed" : "usage",
                  request_.asserted.empty() ? "there is no other size than the sample's to try"
                                            : "--assert allows no other size than the sample's",
                  {}, "leave the axis out of --dynamic if it is fixed");
    return attempt(*sizes);
  }

  /// Varies all symbols at once; if the model does not run there, each one alone.
  TraceAt second() {
    const auto all = symbols_of(declared_.sample);
    if (auto run = attempt_next(all, true)) return *std::move(run);
    Sizes together;
    for (const Symbol& symbol : all) together[symbol] = working_size(symbol);
    failure_.reset();
    if (all_differ(together) && all_hold(asserted_, together))
      if (auto run = attempt(together)) return *std::move(run);
    if (auto run = attempt_next(all, true)) return *std::move(run);
    refuse_others(*failure_, declared_.sample,
                  all.size() > 1 ? "if axes must be equal, give them the same symbol; " : "");
  }

  /// A size of one symbol at which the model runs: any, one below a bound, or one that shares a
  /// divisor with the sample.
  int64_t working_size(const Symbol& symbol) {
    const int64_t sample = declared_.sample.at(symbol);
    const auto larger = chooser_.next({symbol}, true);
    if (larger && attempt(*larger)) return larger->at(symbol);
    if (larger && larger->at(symbol) > sample) {
      const auto smaller = chooser_.next({symbol}, false);
      if (smaller && smaller->at(symbol) < sample && attempt(*smaller)) {
        chooser_.limit(symbol, {1, larger->at(symbol)});
        return smaller->at(symbol);
      }
    }
    for (int64_t divisor = 2; divisor < sample; ++divisor) {
      if (sample % divisor != 0) continue;
      chooser_.limit(symbol, {divisor, INT64_MAX});
      // Two sizes are tried: one may fit by chance.
      if (const auto first = chooser_.next({symbol}, true); !first || !attempt(*first)) continue;
      const auto sizes = chooser_.next({symbol}, true);
      if (!sizes || !attempt(*sizes)) continue;
      const ir::Dim size = ir::Dim::symbol(symbol);
      needs_.push_back({{size, Relation::eq, ir::Dim(divisor) * floor_div(size, divisor)},
                        std::nullopt,
                        "torch rejects the other sizes that were tried"});
      return sizes->at(symbol);
    }
    chooser_.limit(symbol, {});
    refuse_others(*failure_, declared_.sample, equal_axes_hint(symbol, declared_));
  }

  /// Tries other values than the sample's, which give other data-dependent sizes.
  void vary_values() {
    // Branches on such sizes need more runs: they show what happens where each size is zero.
    const bool branches = !runs_[0].traced.decisions.empty();
    const uint64_t seeds = branches ? 32 : 14;
    const size_t max_extents = branches ? 16 : 9;
    std::map<ir::Ints, int> seen = {{unbacked_extents(runs_[0].traced.graph), 1}};
    for (uint64_t seed = 1; seed <= seeds && seen.size() < max_extents; ++seed)
      if (auto run = attempt(declared_.sample, seed)) {
        // Small sizes may select another program, which two runs have to confirm.
        const int max_runs = has_small_unbacked_sizes(run->traced.graph) ? 2 : 1;
        if (++seen[unbacked_extents(run->traced.graph)] <= max_runs)
          runs_.push_back(*std::move(run));
      }
    failure_.reset();
    if (seen.size() == 1 && request_.report) request_.report(unvaried());
  }

  /// Separates runs with a data-dependent size of 0 or 1, where programs sometimes differ. The
  /// graph is checked against them at the end. One run has to remain at other sizes.
  void separate_small_runs() {
    for (TraceAt& run : take_small(runs_)) small_.push_back(std::move(run));
    if (!request_.axes.empty()) keep_other_sizes();
  }

  /// Keeps a run at other sizes than the sample's: otherwise all sizes would seem to be fixed.
  void keep_other_sizes() {
    const auto is_other = [&](const TraceAt& run) { return run.sizes != declared_.sample; };
    if (std::ranges::any_of(runs_, is_other)) return;
    for (uint64_t seed = 1; seed <= 16; ++seed)
      if (auto run = attempt(second_, seed); run && !difference(runs_[0], *run)) {
        runs_.push_back(*std::move(run));
        failure_.reset();
        return;
      }
    throw Error(*difference(runs_[0], *std::ranges::find_if(small_, is_other)));
  }

  /// Adds a run of the other parity: two odd or two even sizes hide the effect of halving.
  void vary_parity() {
    Sizes sizes = runs_[1].sizes;
    for (auto& [symbol, size] : sizes) {
      const int64_t step = chooser_.bounds(symbol).multiple;
      if ((size / step - runs_[0].sizes.at(symbol) / step) % 2 == 0) size += step;
    }
    if (sizes == second_ || !all_hold(asserted_, sizes)) return;
    if (auto run = attempt(sizes)) add_run(*std::move(run));
  }

  /// Runs a branch whose condition no assertion can express at sizes where it takes the other
  /// direction. Returns true if that adds a run.
  bool vary_branches(const Probe& probe) {
    Traced traced = runs_[0].traced;
    traced.graph = probe.graph;
    std::vector<Diagnostic> inexpressible;  // assertions() refuses them with the others
    for (const Need& need : branch_needs(traced, probe.symbols, &inexpressible)) {
      const Comparison& condition = need.comparison;
      if (need.is_guard || is_unbacked(condition) || !holds(condition, declared_.sample) ||
          expressible(condition, {declared_.sample}, known_) ||
          !examined_branches_.insert(ir::str(condition)).second)
        continue;
      if (run_against(condition)) return true;
    }
    return false;
  }

  /// Adds a run at sizes at which the relation does not hold. Returns false if the model runs at
  /// none of a few.
  bool run_against(const Comparison& relation) {
    failure_.reset();
    for (const Sizes& sizes : sizes_against(relation, chooser_))
      if (auto run = attempt(sizes)) {
        add_run(*std::move(run));
        return true;
      }
    return false;
  }

  /// Adds a run that shows the shape rules that they cannot rely on `relation`, if they can do
  /// without it.
  bool run_without(const Comparison& relation) {
    for (const Sizes& sizes : sizes_against(relation, chooser_)) {
      auto run = attempt(sizes);
      if (!run || difference(runs_[0], *run)) continue;
      runs_.push_back(*std::move(run));
      try {
        std::vector<Probe> probes;
        infer(probes);
        return true;
      } catch (const Error&) {
        runs_.pop_back();
      }
    }
    failure_.reset();
    return false;
  }

  void add_run(TraceAt run) {
    runs_.push_back(std::move(run));
    while (difference(runs_[0], runs_.back()) && rewriter_.fix_branches()) continue;
    require_same(runs_);
  }

  /// The needs of operators, then of branches and loops, then of small sizes.
  Assertions assertions(const Traced& traced) {
    Assertions out(seen_, known_, request_.report);
    const SmallSizes small(request_, rewriter_.rewrites(), declared_.sample, traced, small_);
    add_needs(traced, small, out);
    const auto all = symbols_of(declared_.sample);
    for (const Symbol& symbol : all) small.try_one(symbol, out);
    if (all.size() > 1) small.try_together(all, out);
    for (const Comparison& size : caches_) small.try_empty(size.left, out);
    for (const TraceAt& run : small_) small.try_small(run, out);
    out.finish();
    return out;
  }

  /// Errors: all refusals of needs.
  void add_needs(const Traced& traced, const SmallSizes& small, Assertions& out) {
    Refusals refused;
    const Multiples multiples = multiples_of(needs_, known_);
    refused.attempt([&] { refuse_multiples(multiples, request_.axes); });
    for (const Need& need : needs_)
      refused.attempt([&] {
        if (!multiples.imply(need.comparison) && !small.computes_empty(need)) out.add(need);
      });
    for (const Need& need : loop_needs(traced.graph, sample_))
      refused.attempt([&] { out.add(need); });
    std::vector<Diagnostic> inexpressible;
    for (const Need& need : branch_needs(traced, sample_, &inexpressible))
      refused.attempt([&] {
        if (!multiples.imply(need.comparison)) add_branch(need, traced, small, out);
      });
    refused.add(inexpressible);
    if (const auto error = refused.error()) {
      out.finish();
      throw Error(*error);
    }
  }

  void add_branch(const Need& need, const Traced& traced, const SmallSizes& small,
                  Assertions& out) {
    if (const auto number = tests_sign(need.comparison, traced.graph)) out.warn_sign(need, *number);
    if (!is_redundant(need, traced, small_) && !is_bounded(need, traced, known_) &&
        !small.computes_empty(need) && !small.holds_where_excluded(need, second_, out))
      out.add_branch(need);
  }

  std::vector<Assumption> infer(std::vector<Probe>& probes) {
    return orders_.infer(runs_, probes, infer_options(), request_.operators);
  }

  InferOptions infer_options() const { return {declared_.shapes, known_, {}}; }

  /// Two sizes may be equal by chance, as H // 16 of neighbouring sizes. Tries sizes at which they
  /// differ, and returns true if that adds a run; the same where a slice counts from the end.
  /// Refuses an equality that the model requires and that holds for few sizes only: no axis would
  /// remain dynamic.
  bool refute(const std::vector<Assumption>& assumed) {
    for (const Assumption& assumption : assumed) {
      const bool is_equality = assumption.relation.relation == Relation::eq;
      if (is_unbacked(assumption.relation) || !(is_equality || is_positive_count(assumption)) ||
          !examined_.insert(ir::str(assumption.relation)).second)
        continue;
      if (!is_equality && run_without(assumption.relation)) return true;
      if (!is_equality) continue;
      if (run_against(assumption.relation)) return true;
      if (failure_ && !holds_at_larger(assumption.relation, declared_.sample))
        refuse_others(*failure_, declared_.sample, "");
    }
    return false;
  }

  const Request& request_;
  DynamicInputs declared_;
  std::vector<Comparison> caches_;    ///< sizes that may be 0 although the user did not declare it
  std::vector<Comparison> asserted_;  ///< these, and the user's
  std::vector<Comparison> known_;     ///< and the implicit ones: other sizes are at least 1
  Chooser chooser_;
  std::vector<TraceAt> runs_;
  std::vector<TraceAt> small_;  ///< runs with size 0 or 1, or short loops: other graphs
  RunRewriter rewriter_ = RunRewriter(request_, declared_.sample, runs_, small_);
  bool are_compared_ = false;  ///< the runs have one graph, whose needs are examined
  Sizes sample_;               ///< declared and data-dependent ones
  Seen seen_;                  ///< the same for every run
  Sizes second_;               ///< of the first run at other sizes, if there is one
  std::vector<Need> needs_;
  std::set<std::string> examined_, examined_branches_;  ///< assumptions and conditions
  OpenOrders orders_;
  std::optional<Failure> failure_;
};

}  // namespace

DynamicTrace trace_dynamic(Traced sample, const Request& original) {
  const ir::ProofBudget budget;
  Request request = original;
  request.trace = with_budget(original.trace);
  Probes probes(std::move(sample), request);
  try {
    DynamicTrace out = probes.run();
    if (!request.axes.empty()) report_suspects(out.traced.graph, out.sample, request.report);
    return out;
  } catch (const Error& error) {
    throw Error(probes.with_others(error));
  }
}

}  // namespace t2n::dynamic
