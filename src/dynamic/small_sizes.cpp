#include "src/dynamic/small_sizes.h"

#include <algorithm>

#include "src/diag/error.h"
#include "src/dynamic/births.h"
#include "src/dynamic/other_values.h"

namespace t2n::dynamic {
namespace {

constexpr const char* kSeen =
    "the model was seen to do something else at smaller sizes, or not to run there";

/// Whether no output has an element. Then there are no other values that other inputs could give.
bool gives_nothing(const trace::Traced& traced) {
  return std::all_of(traced.outputs.begin(), traced.outputs.end(),
                     [](const ir::Tensor& output) { return output.elements() == 0; });
}

}  // namespace

bool SmallSizes::computes_for_none(const Need& need) const {
  const std::vector<const TraceAt*> runs = runs_of_none(need, traced_, small_);
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
  if (is_alike_there(traced_, run) || is_right(run)) return;
  const Sizes sizes = born_sizes(traced_.graph, run.traced.graph);
  // A loop may be short although more elements are counted.
  const bool has_small = std::any_of(sizes.begin(), sizes.end(),
                                     [](const auto& each) { return each.second < kFew; });
  for (const auto& [symbol, size] : sizes)
    if (size < kFew || !has_small)
      out.add({{ir::Dim::symbol(symbol), Relation::ge, size + 1}, std::nullopt, kSeen, true});
}

void SmallSizes::try_ones(const std::set<Symbol>& symbols, Assertions& out) const {
  constexpr int64_t kMost = 32;
  int64_t sample = 1;
  for (const Symbol& symbol : symbols) sample = std::max(sample, sample_.at(symbol));
  int64_t least = 1;
  Tried last;
  for (int64_t size = 1; size <= std::min(kMost, sample); ++size) {
    Sizes sizes = sample_;
    for (const Symbol& symbol : symbols) sizes[symbol] = size;
    if (sizes == sample_ || !all_hold(out.all(), sizes)) continue;
    last = tried(sizes);
    if (!last.is_right) least = size + 1;
    if (!last.is_short) break;
  }
  if (last.is_short && sample > kMost) least = sample;  // sizes between them were not tried
  if (least == 1) return;
  for (const Symbol& symbol : symbols)
    out.add({{ir::Dim::symbol(symbol), Relation::ge, std::min(least, sample_.at(symbol))},
             std::nullopt,
             kSeen,
             true});
}

void SmallSizes::try_empty(const ir::Dim& size, Assertions& out) const {
  Sizes sizes = sample_;
  sizes[size.symbols()[0]] = 0;
  if (all_hold(out.all(), sizes) && !tried(sizes).is_right)
    out.add({{size, Relation::ge, 1}, {}, "without entries the model does something else"});
}

/// Whether the graph gives what torch gives at these sizes, from these values and from others,
/// except those that torch refuses.
bool SmallSizes::computes(const TraceAt& there) const {
  constexpr uint64_t kDraws = 5;
  if (!is_right(there)) return false;
  for (uint64_t draw = 1; draw <= kDraws; ++draw) {
    std::optional<TraceAt> run;
    try {
      run = {there.sizes, request_.trace(there.sizes, draw, rewrites_), draw};
    } catch (const Error& error) {
      if (error.diagnostic().id != "forward-failed") throw;
    }
    if (run && !is_right(*run)) return false;
  }
  return true;
}

/// If a loop is too short, compares what the graph computes with what torch does.
SmallSizes::Tried SmallSizes::tried(const Sizes& sizes) const {
  try {
    const TraceAt there{sizes, request_.trace(sizes, 0, rewrites_)};
    return {is_alike_there(traced_, there) || computes(there), false};
  } catch (const Error& error) {
    if (error.diagnostic().id == "internal") throw;
    if (rewrites_.rolled_loops.empty()) return {};
    const std::string& id = error.diagnostic().id;
    if (id != "dynamic-loop" && id != "short-loop") return {false, true};
  }
  try {
    Rewrites unrolled = rewrites_;
    unrolled.rolled_loops.clear();
    const TraceAt there{sizes, request_.trace(sizes, 0, unrolled)};
    return {request_.is_right(traced_.graph, there), true};
  } catch (const Error& error) {
    if (error.diagnostic().id == "internal") throw;
    return {false, true};
  }
}

}  // namespace t2n::dynamic
