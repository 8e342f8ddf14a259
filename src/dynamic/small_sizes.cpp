// SPDX-License-Identifier: Apache-2.0
#include "src/dynamic/small_sizes.h"

#include <algorithm>

#include "ir/prove.h"
#include "src/diag/error.h"
#include "src/dynamic/other_values.h"
#include "src/dynamic/unbacked_sizes.h"

namespace t2n::dynamic {

using ir::Dim;

namespace {

/// The largest size that is tried because smaller ones were wrong.
constexpr int64_t kMostTried = 32;
constexpr const char* kDiffers =
    "the model behaves differently at smaller sizes, or does not run there";

/// True if no output has an element. Then other inputs cannot give other values.
bool gives_nothing(const trace::Traced& traced) {
  return std::all_of(traced.outputs.begin(), traced.outputs.end(),
                     [](const ir::Tensor& output) { return output.elements() == 0; });
}

Dim without_remainders(const Dim& dim) {
  return dim.map([](const ir::Atom& atom) {
    const ir::Operands* operands = ir::operands_of(atom);
    if (operands == nullptr) return Dim::symbol(std::get<Symbol>(atom));
    const Dim a = without_remainders(operands->a), b = without_remainders(operands->b);
    if (!std::holds_alternative<ir::Mod>(atom)) return ir::with_operands(atom, a, b);
    return a - b * floor_div(a, b);
  });
}

/// The largest integer in a dimension expression, beyond which nothing changes but by its symbols.
int64_t largest_in(const Dim& dim) {
  constexpr int64_t kUnbounded = int64_t{1} << 31;  // the ends of slices
  const auto bounded = [](int64_t value) {
    const int64_t size = std::abs(std::max(value, -kUnbounded));
    return size < kUnbounded ? size : 0;
  };
  int64_t out = bounded(dim.constant_part());
  for (const ir::Term& term : dim.terms()) {
    out = std::max(out, bounded(term.factor));
    for (const ir::Atom& atom : term.atoms)
      if (const ir::Operands* const operands = ir::operands_of(atom))
        out = std::max({out, largest_in(operands->a), largest_in(operands->b)});
  }
  return out;
}

/// The same of all arguments and decisions of a program.
int64_t largest_constant(const trace::Traced& traced) {
  int64_t out = 0;
  for (const ir::Node& node : traced.graph.nodes)
    for (const ir::Argument& arg : node.args) {
      if (const auto* const one = std::get_if<Dim>(&arg.value))
        out = std::max(out, largest_in(*one));
      if (const auto* const many = std::get_if<std::vector<Dim>>(&arg.value))
        for (const Dim& each : *many) out = std::max(out, largest_in(each));
    }
  for (const trace::Decision& decision : traced.decisions)
    if (decision.comparison)
      out = std::max(
          {out, largest_in(decision.comparison->left), largest_in(decision.comparison->right)});
  return out;
}

/// The sizes that represent those which a condition on one symbol excludes.
struct Excluded {
  int64_t last = 0;   ///< beyond it, the condition always holds or repeats; 0 if it does neither
  int64_t cycle = 0;  ///< after which it repeats; 0 if it does not
};

Excluded excluded_by(const Comparison& c, const Symbol& symbol) {
  constexpr int64_t kMostPeriod = 64, kPeriods = 3, kLong = 10;
  const Comparison larger{Dim::symbol(symbol), Relation::gt, kMostTried};
  if (ir::prove(c, {&larger, 1}) == ir::Verdict::always) return {kMostTried, 0};
  const Dim gap = without_remainders(c.left - c.right);
  const int64_t cycle = period(c.left - c.right);
  const Dim later = gap.substitute([&](const Symbol& each) {
    return std::optional(Dim::symbol(each) + (each == symbol ? cycle : 0));
  });
  if (cycle > kMostPeriod || later != gap) return {};
  return {cycle * (cycle < kLong ? kPeriods : 2), cycle};
}

}  // namespace

bool SmallSizes::computes_empty(const Need& need) const {
  const std::vector<const TraceAt*> runs = runs_with_zero(need, traced_, small_);
  return runs.size() > 1 && std::all_of(runs.begin(), runs.end(), [&](const TraceAt* run) {
           return gives_nothing(run->traced) && is_right(*run);
         });
}

bool SmallSizes::is_right(const TraceAt& run) const {
  try {
    return request_.is_right(traced_.graph, run);
  } catch (const Error& error) {
    if (error.diagnostic().id == "internal") throw;
    return false;
  }
}

void SmallSizes::try_small(const TraceAt& run, Assertions& out) const {
  if (matches_run(traced_, run) || is_right(run)) return;
  const Sizes sizes = unbacked_sizes(traced_.graph, run.traced.graph);
  // A loop may be short although no size is small.
  const bool has_small =
      std::any_of(sizes.begin(), sizes.end(), [](const auto& each) { return each.second < kFew; });
  for (const auto& [symbol, size] : sizes)
    if (size < kFew || !has_small)
      out.add({{ir::Dim::symbol(symbol), Relation::ge, size + 1}, std::nullopt, kDiffers, true});
}

int64_t SmallSizes::least_of(const Symbol& symbol, const std::vector<Comparison>& all) const {
  Sizes sizes = sample_;
  for (int64_t size = 1; size < std::min(kMostTried + 1, sample_.at(symbol)); ++size) {
    sizes[symbol] = size;
    if (all_hold(all, sizes)) return size;
  }
  return sample_.at(symbol);
}

void SmallSizes::need(const Symbol& symbol, int64_t least, Assertions& out) const {
  out.add({{ir::Dim::symbol(symbol), Relation::ge, std::min(least, sample_.at(symbol))},
           std::nullopt,
           kDiffers,
           true});
}

void SmallSizes::try_one(const Symbol& symbol, Assertions& out) const {
  const int64_t sample = sample_.at(symbol);
  int64_t least = 1;
  Outcome last;
  for (int64_t size = 1; size <= std::min(kMostTried, sample); ++size) {
    Sizes sizes = sample_;
    sizes[symbol] = size;
    if (sizes == sample_ || !all_hold(out.all(), sizes)) continue;
    last = outcome_at(sizes);
    if (!last.is_right) least = size + 1;
    if (last.is_right && !last.is_short) break;
  }
  if (last.is_short && sample > kMostTried) least = sample;  // sizes between them were not tried
  if (least > 1) need(symbol, least, out);
}

/// Raises the bound of one symbol if that is enough, else the bounds of all.
void SmallSizes::raise(const Sizes& wrong, Assertions& out) const {
  for (const auto& [symbol, size] : wrong)
    for (const int64_t more : {size + 1, sample_.at(symbol)}) {
      Sizes sizes = wrong;
      sizes[symbol] = more;
      if (more > sample_.at(symbol) || sizes == sample_ || !outcome_at(sizes).is_right) continue;
      int64_t least = size + 1;
      for (sizes[symbol] = least; least < more && !outcome_at(sizes).is_right; ++least)
        sizes[symbol] = least + 1;
      return need(symbol, least, out);
    }
  for (const auto& [symbol, size] : wrong) need(symbol, size + 1, out);
}

void SmallSizes::try_together(const std::set<Symbol>& symbols, Assertions& out) const {
  constexpr int kRounds = 8;
  for (int round = 0; round < kRounds; ++round) {
    Sizes each = sample_;
    for (const Symbol& symbol : symbols) each[symbol] = least_of(symbol, out.all());
    Sizes equal = sample_;
    for (int64_t size = 1; size <= kMostTried; ++size) {
      for (const Symbol& symbol : symbols) equal[symbol] = size;
      if (all_hold(out.all(), equal)) break;
    }
    std::optional<Sizes> wrong;
    for (const Sizes& sizes : {each, equal})
      if (!wrong && sizes != sample_ && all_hold(out.all(), sizes) && !outcome_at(sizes).is_right)
        wrong = sizes;
    if (!wrong) return;
    std::erase_if(*wrong, [&](const auto& size) { return !symbols.contains(size.first); });
    raise(*wrong, out);
  }
}

bool SmallSizes::holds_where_excluded(const Need& need, const Sizes& second,
                                      const Assertions& known) const {
  constexpr size_t kMost = 16, kRounds = 3;
  constexpr int64_t kLargest = 1 << 14;
  const Comparison& c = need.comparison;
  const std::vector<Symbol> symbols = (c.left - c.right).symbols();
  if (symbols.size() != 1 || !sample_.contains(symbols[0]) || symbols[0].unbacked() != nullptr)
    return false;
  const Symbol& symbol = symbols[0];
  const Excluded range = excluded_by(c, symbol);
  int64_t largest = largest_constant(traced_);
  std::set<Sizes> tried;
  // Whether the graph is right at these sizes, if the condition excludes them.
  const auto is_right_at = [&](const Sizes& sizes) {
    if (holds(c, sizes) || !all_hold(known.all(), sizes) || !tried.insert(sizes).second)
      return true;
    if (const auto run = plain_run(sizes))
      largest = std::max(largest, largest_constant(run->traced));
    std::set<Sizes> seen = {sizes};
    return tried.size() <= kMost && stays_equal(sizes, symbol, known) &&
           outcome_at(sizes).is_right && holds_with_others(sizes, symbol, known, seen);
  };
  for (const Sizes& others : {sample_, second})
    for (int64_t size = 1; size <= range.last; ++size) {
      Sizes sizes = others;
      int64_t& own = sizes[symbol] = size;
      if (holds(c, sizes)) continue;
      // The model may not run at small sizes: the same remainder at the sample's size and beyond.
      const bool repeats = range.cycle > 0 && size < sample_.at(symbol);
      if (repeats && (!all_hold(known.all(), sizes) || !plain_run(sizes)))
        own += (sample_.at(symbol) - size + range.cycle - 1) / range.cycle * range.cycle;
      if (!is_right_at(sizes)) return false;
    }
  if (tried.empty() || range.cycle == 0) return !tried.empty();
  // A branch may cut off what only large sizes have: each symbol beyond all constants, alone.
  const std::set<Sizes> small = tried;
  for (size_t round = 0; round < kRounds; ++round) {
    const int64_t bound = 2 * std::max(largest, range.last);
    if (bound > kLargest) return false;
    tried.clear();
    // Quotients of quotients begin at products of constants.
    for (const int64_t base : {bound, std::clamp(largest * largest, bound, kLargest)})
      for (int64_t size = base + 1; size <= base + range.cycle; ++size)
        if (!is_right_at(with_largest(sample_, symbol, size, range.cycle, known))) return false;
    for (const auto& [other, at] : sample_)
      if (other != symbol && !is_right_at(with_largest(*small.begin(), other, bound + 1, 1, known)))
        return false;
    if (2 * std::max(largest, range.last) <= bound) return true;
  }
  return false;
}

/// The sizes with one symbol as large as the assertions allow, at most `size`, less a multiple of
/// `step`.
Sizes SmallSizes::with_largest(Sizes sizes, const Symbol& symbol, int64_t size, int64_t step,
                               const Assertions& known) {
  for (sizes[symbol] = size; size > step && !all_hold(known.all(), sizes); size -= step)
    sizes[symbol] = size - step;
  return sizes;
}

/// True if the graph computes what torch does even where other sizes change a branch's direction:
/// `T % 4 == 0` matters in `B % 4 != 0 or T % 4 != 0` only if B is a multiple of 4.
bool SmallSizes::holds_with_others(const Sizes& sizes, const Symbol& symbol,
                                   const Assertions& known, std::set<Sizes>& seen) const {
  constexpr size_t kMostDirections = 8;
  Rewrites unfixed = rewrites_;
  unfixed.fixed_branches.clear();
  if (rewrites_.fixed_branches.empty()) return true;
  const std::vector<Comparison> asserted = known.all();
  for (const Need& need : branch_needs(shaped(run_unrolled_if_short(sizes, unfixed)), sizes)) {
    const Comparison& condition = need.comparison;
    if (ir::prove(condition, asserted) == ir::Verdict::always) continue;
    for (const Symbol& other : (condition.left - condition.right).symbols()) {
      if (other == symbol) continue;
      Sizes at = sizes;
      for (int64_t size = 1; size <= kMostTried && holds(condition, at); ++size) at[other] = size;
      if (holds(condition, at)) return false;
      if (!all_hold(asserted, at) || !seen.insert(at).second) continue;
      if (seen.size() > kMostDirections || !outcome_at(at).is_right ||
          !holds_with_others(at, symbol, known, seen))
        return false;
    }
  }
  return true;
}

/// The run with symbols for the sizes of its inputs.
trace::Traced SmallSizes::shaped(TraceAt run) const {
  for (size_t i = 0; i < run.traced.graph.inputs.size(); ++i)
    run.traced.graph.values[run.traced.graph.inputs[i]].shape =
        traced_.graph.values[traced_.graph.inputs[i]].shape;
  return std::move(run.traced);
}

/// Unrolls loops that are too short to compare at these sizes.
TraceAt SmallSizes::run_unrolled_if_short(const Sizes& sizes, const Rewrites& rewrites) const {
  try {
    return run_at(sizes, rewrites);
  } catch (const Error& error) {
    if (error.diagnostic().id != "short-loop") throw;
  }
  Rewrites unrolled = rewrites;
  unrolled.rerolled_loops.clear();
  return run_at(sizes, unrolled);
}

/// True if the run at these sizes constrains the other symbols only as the graph or its assertions
/// do. If the second half of a condition decides, as in `B < 2 and T == 5`, one more size of T
/// shows nothing about the others.
bool SmallSizes::stays_equal(const Sizes& sizes, const Symbol& symbol,
                             const Assertions& known) const {
  const auto mentions_others = [&](const Need& need) {
    const std::vector<Symbol> symbols = (need.comparison.left - need.comparison.right).symbols();
    return std::any_of(symbols.begin(), symbols.end(),
                       [&](const Symbol& each) { return each != symbol; });
  };
  try {
    std::vector<Comparison> asserted = known.all();
    for (const Need& need : branch_needs(traced_, sample_)) {
      if (mentions_others(need)) asserted.push_back(need.comparison);
    }
    const TraceAt run = run_unrolled_if_short(sizes, rewrites_);
    if (rewrites_.rerolled_loops.empty() && !computes_the_same(traced_.graph, run.traced.graph))
      return false;
    const std::vector<Need> needs = branch_needs(shaped(run), sizes);
    return std::all_of(needs.begin(), needs.end(), [&](const Need& need) {
      return !mentions_others(need) ||
             std::find(asserted.begin(), asserted.end(), need.comparison) != asserted.end() ||
             ir::prove(need.comparison, asserted) == ir::Verdict::always;
    });
  } catch (const Error& error) {
    if (error.diagnostic().id == "internal") throw;
    return false;
  }
}

void SmallSizes::try_empty(const ir::Dim& size, Assertions& out) const {
  Sizes sizes = sample_;
  sizes[size.symbols()[0]] = 0;
  if (all_hold(out.all(), sizes) && !outcome_at(sizes).is_right)
    out.add({{size, Relation::ge, 1}, {}, "the model behaves differently on an empty axis"});
}

/// True if the graph gives what torch gives at these sizes, for these values and for others that
/// torch accepts.
bool SmallSizes::computes(const TraceAt& run) const {
  constexpr uint64_t kSeeds = 5;
  if (!is_right(run)) return false;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    std::optional<TraceAt> other;
    try {
      other = {run.sizes, request_.trace(run.sizes, seed, rewrites_), seed};
    } catch (const Error& error) {
      if (!may_be_of_values(error)) throw;
    }
    if (other && !is_right(*other)) return false;
  }
  return true;
}

/// The program as it is, without branches that are fixed; nothing if it does not run.
std::optional<TraceAt> SmallSizes::plain_run(const Sizes& sizes) const {
  Rewrites unfixed = rewrites_;
  unfixed.fixed_branches.clear();
  try {
    return run_unrolled_if_short(sizes, unfixed);
  } catch (const Error& error) {
    if (error.diagnostic().id == "internal") throw;
    return std::nullopt;
  }
}

/// If torch rejects the values, tries others: the sizes may not be the reason.
TraceAt SmallSizes::run_at(const Sizes& sizes, const Rewrites& rewrites) const {
  for (const uint64_t seed : kOtherSeeds) try {
      return {sizes, request_.trace(sizes, seed, rewrites), seed};
    } catch (const Error& error) {
      if (seed == kOtherSeeds.back() || !may_be_of_values(error)) throw;
    }
  T2N_ASSERT(false, "no seeds");
}

/// If a loop is too short, compares what the graph computes with what torch does.
SmallSizes::Outcome SmallSizes::outcome_at(const Sizes& sizes) const {
  try {
    const TraceAt run = run_at(sizes, rewrites_);
    return {matches_run(traced_, run) || computes(run), false};
  } catch (const Error& error) {
    if (error.diagnostic().id == "internal") throw;
    if (rewrites_.rerolled_loops.empty()) return {};
    const std::string& id = error.diagnostic().id;
    if (id != "dynamic-loop" && id != "short-loop") return {false, true};
  }
  try {
    Rewrites unrolled = rewrites_;
    unrolled.rerolled_loops.clear();
    return {request_.is_right(traced_.graph, run_at(sizes, unrolled)), true};
  } catch (const Error& error) {
    if (error.diagnostic().id == "internal") throw;
    return {false, true};
  }
}

}  // namespace t2n::dynamic
