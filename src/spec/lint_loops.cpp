// Sizes that the engine cannot tell in the body of a scan.
#include <algorithm>
#include <map>

#include "src/diag/error.h"
#include "src/spec/lint_tract_parts.h"
#include "src/spec/trial_sizes.h"

namespace t2n::spec {
namespace {

/// The scans of the document, at several sizes.
struct Runs {
  std::vector<ir::Sizes> sizes;
  std::vector<std::vector<LoopShapes>> loops;  ///< by run
};

Runs run_all(ShapeRunner& runner, const std::vector<ir::Sizes>& trials) {
  Runs out;
  for (const ir::Sizes& values : trials) {
    if (runner.run(values)) return {};
    if (!out.loops.empty() && runner.loops().size() != out.loops[0].size()) return {};
    out.sizes.push_back(values);
    out.loops.push_back(runner.loops());
  }
  return out;
}

/// An extent of a loop's input, in all runs; nothing if it is not there in one of them.
std::optional<ir::Ints> extents(const Runs& runs, size_t loop, size_t input, size_t axis) {
  ir::Ints out;
  for (const std::vector<LoopShapes>& loops : runs.loops) {
    const std::vector<ir::Ints>& inputs = loops[loop].inputs;
    if (input >= inputs.size() || axis >= inputs[input].size()) return std::nullopt;
    out.push_back(inputs[input][axis]);
  }
  return out;
}

/// Whether the extents are the symbol times an integer, plus one, in all runs.
bool tells(const Runs& runs, const ir::Ints& extents, const ir::Symbol& symbol) {
  const auto value = [&](size_t run) { return runs.sizes[run].at(symbol); };
  size_t other = 1;
  while (other < extents.size() && value(other) == value(0)) ++other;
  if (other == extents.size()) return true;  // it is known
  const int64_t rise = extents[other] - extents[0], step = value(other) - value(0);
  if (rise == 0 || rise % step != 0) return false;
  for (size_t run = 0; run < extents.size(); ++run)
    if (extents[run] - extents[0] != rise / step * (value(run) - value(0))) return false;
  return true;
}

bool is_told(const Runs& runs, size_t loop, const ir::Symbol& symbol) {
  const std::vector<ir::Ints>& inputs = runs.loops[0][loop].inputs;
  for (size_t input = 0; input < inputs.size(); ++input)
    for (size_t axis = 0; axis < inputs[input].size(); ++axis)
      if (const auto found = extents(runs, loop, input, axis); found && tells(runs, *found, symbol))
        return true;
  return false;
}

}  // namespace

std::optional<TractFinding> untold_sizes(ShapeRunner& runner,
                                         const std::vector<ir::Symbol>& symbols,
                                         const std::vector<Assertion>& assertions) {
  const Runs runs = run_all(runner, trial_sizes(symbols, assertions, {}));
  if (runs.loops.size() < 2) return {};
  for (size_t loop = 0; loop < runs.loops[0].size(); ++loop) {
    std::map<ir::Symbol, Limits> told;
    for (const ir::Symbol& symbol : symbols) {
      const int64_t value = runs.sizes.back().at(symbol);
      if (is_told(runs, loop, symbol)) told[symbol] = {value, value, 1};
    }
    if (told.size() == symbols.size()) continue;
    const Runs same = run_all(runner, trial_sizes(symbols, assertions, told));
    for (size_t run = 1; run < same.loops.size(); ++run) {
      const LoopShapes& now = same.loops[run].at(loop);
      if (now.products == same.loops[0].at(loop).products) continue;
      return TractFinding{
          .name = now.name,
          .problem = cat(quoted(now.name), ": no input of ", quoted(now.body),
                         " tells the engine what the size of a product there follows from"),
          .sizes = same.sizes[run],
          .symbols = {}};
    }
  }
  return {};
}

}  // namespace t2n::spec
