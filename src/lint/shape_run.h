// SPDX-License-Identifier: Apache-2.0
// Computes the shapes of all tensors of a tract document, at given values of its symbols.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ir/symbol.h"
#include "src/nnef/ast.h"

namespace t2n::spec {

/// A statement that tract refuses, or fails to run.
struct ShapeProblem {
  std::string name;            ///< the statement's first result
  std::string message;         ///< "'y': 'concat': the shapes [2,3] and [2,4] are incompatible"
  bool is_structural = false;  ///< found by Strictness::structure
};

/// Shapes in the body of a scan.
struct LoopShapes {
  std::string name;                              ///< the first result of the statement
  std::string body;                              ///< the fragment
  std::map<std::string, ir::Ints> inputs;        ///< those whose shapes are known
  std::vector<ir::Ints> products;                ///< results of products, in order
  std::map<std::string, ir::Ints> tensors = {};  ///< of the body, those whose shapes are known
};

/// Attention of rank 4: the numbers of heads of queries and of keys.
struct Heads {
  std::string name;  ///< the first result of the statement
  ir::Ints counts;
};

/// The kind of problem to look for.
enum class Strictness {
  all,        ///< everything that cannot run
  structure,  ///< sizes that tract compares as expressions while loading: concatenated and removed
              ///< axes
};

/// Runs the statements of a graph, and of fragments that they call, on shapes only, up to the first
/// problem. The result of an operation without a rule, or with data-dependent sizes, is unknown,
/// and so are all results that depend on it; that is never a problem. Linear in the number of
/// statements run.
class ShapeRunner {
 public:
  /// The document must outlive the runner.
  explicit ShapeRunner(const nnef::Document& document);
  ~ShapeRunner();
  std::optional<ShapeProblem> run(const ir::Sizes& values, Strictness strictness = Strictness::all);
  /// The problems of all statements but those whose first result is in `skipped`. The results of
  /// both are unknown.
  std::vector<ShapeProblem> run_all(const ir::Sizes& values, const std::set<std::string>& skipped);
  /// The shape of a tensor of the graph in the last run; nothing if it is unknown.
  std::optional<ir::Ints> shape(std::string_view name) const;
  /// The scans of the last run, in order.
  const std::vector<LoopShapes>& loops() const;
  /// Attention in the last run, in order.
  const std::vector<Heads>& heads() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace t2n::spec
