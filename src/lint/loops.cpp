// SPDX-License-Identifier: Apache-2.0
// Finds sizes that the engine cannot infer in the body of a scan.
#include <algorithm>
#include <map>

#include "src/diag/error.h"
#include "src/lint/probe_sizes.h"
#include "src/lint/tract_parts.h"

namespace t2n::spec {
namespace {

/// The scans of the document, at several sizes.
struct Runs {
  std::vector<ir::Sizes> sizes;
  std::vector<std::vector<LoopShapes>> loops;  ///< by run
};

Runs run_all(ShapeRunner& runner, const std::vector<ir::Sizes>& probes) {
  Runs out;
  for (const ir::Sizes& values : probes) {
    if (runner.run(values)) return {};
    if (!out.loops.empty() && runner.loops().size() != out.loops[0].size()) return {};
    out.sizes.push_back(values);
    out.loops.push_back(runner.loops());
  }
  return out;
}

/// An extent of a loop's input and the value of a symbol, in one run.
struct Point {
  int64_t extent;
  int64_t value;
};

/// The points of all runs in which the extent is known.
std::vector<Point> points(const Runs& runs, size_t loop, const std::string& input, size_t axis,
                          const ir::Symbol& symbol) {
  std::vector<Point> out;
  for (size_t run = 0; run < runs.loops.size(); ++run) {
    const std::map<std::string, ir::Ints>& inputs = runs.loops[run][loop].inputs;
    const auto found = inputs.find(input);
    if (found != inputs.end() && axis < found->second.size())
      out.push_back({found->second[axis], runs.sizes[run].at(symbol)});
  }
  return out;
}

/// Whether the extents are the symbol times an integer plus an integer, in all runs.
bool determines(const std::vector<Point>& points) {
  const auto other = std::find_if(points.begin(), points.end(),
                                  [&](const Point& each) { return each.value != points[0].value; });
  if (other == points.end()) return true;  // the symbol is constant
  const int64_t rise = other->extent - points[0].extent, step = other->value - points[0].value;
  return rise != 0 && rise % step == 0 &&
         std::all_of(points.begin(), points.end(), [&](const Point& each) {
           return each.extent - points[0].extent == rise / step * (each.value - points[0].value);
         });
}

bool is_determined(const Runs& runs, size_t loop, const ir::Symbol& symbol) {
  for (const std::vector<LoopShapes>& loops : runs.loops)
    for (const auto& [input, shape] : loops[loop].inputs)
      for (size_t axis = 0; axis < shape.size(); ++axis)
        if (determines(points(runs, loop, input, axis, symbol))) return true;
  return false;
}

/// Whether a product has different sizes in two runs. A run with unknown sizes lacks products.
bool have_different_products(const LoopShapes& a, const LoopShapes& b) {
  return a.products.size() == b.products.size() && a.products != b.products;
}

}  // namespace

std::optional<TractFinding> unknown_sizes(ShapeRunner& runner,
                                          const std::vector<ir::Symbol>& symbols,
                                          const std::vector<Assertion>& assertions) {
  const Runs runs = run_all(runner, probe_sizes(symbols, assertions, {}));
  if (runs.loops.size() < 2) return {};
  for (size_t loop = 0; loop < runs.loops[0].size(); ++loop) {
    std::map<ir::Symbol, Limits> determined;
    for (const ir::Symbol& symbol : symbols) {
      const int64_t value = runs.sizes.back().at(symbol);
      if (is_determined(runs, loop, symbol)) determined[symbol] = {value, value, 1};
    }
    if (determined.size() == symbols.size()) continue;
    const Runs reruns = run_all(runner, probe_sizes(symbols, assertions, determined));
    for (size_t run = 1; run < reruns.loops.size(); ++run) {
      const LoopShapes& shapes = reruns.loops[run].at(loop);
      const auto differs = [&](const std::vector<LoopShapes>& loops) {
        return have_different_products(loops.at(loop), shapes);
      };
      if (std::none_of(reruns.loops.begin(),
                       reruns.loops.begin() + static_cast<std::ptrdiff_t>(run), differs))
        continue;
      return TractFinding{.name = shapes.name,
                          .problem = cat(quoted(shapes.name), ": no input of ", quoted(shapes.body),
                                         " determines the size of a product there"),
                          .sizes = reruns.sizes[run],
                          .symbols = {}};
    }
  }
  return {};
}

}  // namespace t2n::spec
