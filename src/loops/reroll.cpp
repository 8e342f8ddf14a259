// SPDX-License-Identifier: Apache-2.0
#include "src/loops/reroll.h"

#include "src/diag/error.h"
#include "src/loops/comparison.h"
#include "src/loops/iteration.h"
#include "src/loops/replacement.h"

namespace t2n::loops {
namespace {

/// The first iteration stays before the scan if it differs from the others.
IterationComparison compare(Rerolling& rerolling, Iterations& all) {
  try {
    return {rerolling, all, 0};
  } catch (const Error& error) {
    if (error.diagnostic().id != "dynamic-loop") throw;
  }
  all.untag(all.loop().tags.at(0));  // the body gets the names of its first iteration
  return {rerolling, all, 1};
}

void refuse_read_slices(const ir::Graph& graph, const Recurrence& found, const ir::Symbol& number) {
  for (const ir::Node& each : found.body->nodes)
    if (mentions(each, number))
      refuse_loop(
          graph, each, "a tensor that is written slice by slice is also read in the loop",
          "read the variable that was written to the slice, or collect the slices in a list "
          "and torch.stack them after the loop");
}

std::unordered_set<std::string> names_of_parts(const ir::Graph& graph, const Iterations& all,
                                               const Recurrence& found) {
  std::unordered_set<std::string> out;
  for (const auto& [def_site, inner] : found.inner)
    if (found.parts.contains(inner))
      for (const ir::ValueId id : all.column(def_site.first, def_site.second, found.start))
        out.insert(graph.values[id].name);
  return out;
}

}  // namespace

Rerolled reroll(Rerolling& rerolling, LoopRecord loop) {
  Iterations all(rerolling.graph(), rerolling.values(), std::move(loop));
  const ir::Graph& graph = rerolling.graph();
  require_iterations(all.count(), {ir::node_where(graph, node_at(all.loop().location))});
  const std::optional<int64_t> length = sample_of(graph, all.loop().length);
  if (!length)
    refuse_loop(graph, node_at(all.loop().location),
                "the size of a result of one iteration is used after the loop",
                "use the size of a tensor that remains after the loop");
  T2N_ASSERT(*length == all.count(), "a loop of ", all.count(), " iterations has the length ",
             all.loop().length.str());
  auto names = all.names();
  all.simplify();
  std::vector<Growing> growing = all.take_growing();
  all.index();
  IterationComparison comparison = compare(rerolling, all);
  Rerolled out;
  out.has_first = comparison.found().start > 0;
  if (comparison.found().start == 1) out.tag = all.loop().tags[0];
  for (int64_t iteration = comparison.found().start + 1; iteration < all.count(); ++iteration) {
    out.names.merge(comparison.names_in(iteration));
    out.later.merge(names[iteration]);
  }
  Recurrence found = comparison.take();
  out.parts = names_of_parts(graph, all, found);
  out.has_rest = found.has_rest;
  refuse_read_slices(graph, found, all.loop().number);
  out.conditions = found.conditions;
  Replacement(rerolling, all, std::move(found), std::move(growing)).run();
  return out;
}

}  // namespace t2n::loops
