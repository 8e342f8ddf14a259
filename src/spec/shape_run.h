// Computes the shapes of all tensors of a tract document, at given values of its symbols.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/symbol.h"
#include "nnef/ast.h"

namespace t2n::spec {

/// A statement that tract refuses, or fails to run.
struct ShapeProblem {
  std::string name;            ///< the statement's first result
  std::string message;         ///< "'y': 'concat': the shapes [2,3] and [2,4] do not go together"
  bool is_structural = false;  ///< found by Strictness::structure
};

/// Shapes in the body of a scan.
struct LoopShapes {
  std::string name;                        ///< the first result of the statement
  std::string body;                        ///< the fragment
  std::map<std::string, ir::Ints> inputs;  ///< those whose shapes are known
  std::vector<ir::Ints> products;          ///< results of products, in order
};

/// Attention of rank 4: the numbers of heads of queries and of keys.
struct Heads {
  std::string name;  ///< the first result of the statement
  ir::Ints counts;
};

/// The kind of problem to look for.
enum class Strictness {
  all,        ///< everything that cannot run
  structure,  ///< what tract compares as expressions while loading: joined and removed axes
};

/// Runs the statements of a graph, and of fragments that they call, on shapes only, up to the first
/// problem. The result of an operation without a rule, or with sizes that follow from data, is
/// unknown, and so is everything that follows from it; that is never a problem. Linear in what is
/// run.
class ShapeRunner {
 public:
  /// The document must outlive the runner.
  explicit ShapeRunner(const nnef::Document& document);
  ~ShapeRunner();
  std::optional<ShapeProblem> run(const ir::Sizes& values, Strictness strictness = Strictness::all);
  /// The scans of the last run, in order.
  const std::vector<LoopShapes>& loops() const;
  /// Attention in the last run, in order.
  const std::vector<Heads>& heads() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace t2n::spec
