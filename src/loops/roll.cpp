#include "src/loops/roll.h"

#include "src/diag/error.h"
#include "src/loops/comparison.h"
#include "src/loops/iteration.h"
#include "src/loops/replacement.h"

namespace t2n::loops {
namespace {

/// The first iteration stays outside of the scan if it is unlike the others.
IterationComparison compare(Rolling& rolling, Iterations& all) {
  try {
    return {rolling, all, 0};
  } catch (const Error& error) {
    if (error.diagnostic().id != "dynamic-loop") throw;
  }
  all.untag(all.loop().tags.at(0));  // so that the body has the names of the first iteration in it
  return {rolling, all, 1};
}

void refuse_read_slices(const ir::Graph& graph, const Recurrence& found, const ir::Symbol& number) {
  for (const ir::Node& each : found.body->nodes)
    if (mentions(each, number))
      refuse_loop(graph, each,
                  "a tensor that is written slice by slice is read in the loop as well",
                  "read what was written from the variable that it was written from, or collect "
                  "the slices in a list and torch.stack it after the loop");
}

}  // namespace

Rolled roll(Rolling& rolling, LoopRecord loop) {
  Iterations all(rolling.graph(), rolling.values(), std::move(loop));
  const ir::Graph& graph = rolling.graph();
  require_iterations(all.count(), {ir::node_where(graph, node_at(all.loop().place))});
  const std::optional<int64_t> length = sample_of(graph, all.loop().length);
  if (!length)
    refuse_loop(graph, node_at(all.loop().place),
                "the size of what one iteration computed is used after the loop",
                "take the size of a tensor that the loop leaves, once it has ended");
  T2N_ASSERT(*length == all.count(), "a loop of ", all.count(), " iterations has the length ",
             all.loop().length.str());
  auto made = all.names();
  all.simplify();
  std::vector<Growing> growing = all.take_growing();
  all.index();
  IterationComparison comparison = compare(rolling, all);
  Rolled out;
  out.has_first = comparison.found().start > 0;
  if (comparison.found().start == 1) out.tag = all.loop().tags[0];
  for (int64_t iteration = comparison.found().start + 1; iteration < all.count(); ++iteration) {
    out.names.merge(comparison.names_in(iteration));
    out.later.merge(made[static_cast<size_t>(iteration)]);
  }
  Recurrence found = comparison.take();
  refuse_read_slices(graph, found, all.loop().number);
  out.conditions = found.conditions;
  Replacement(rolling, all, std::move(found), std::move(growing)).run();
  return out;
}

}  // namespace t2n::loops
