// SPDX-License-Identifier: Apache-2.0
// Recognises arithmetic in any notation: expressions are compared as polynomials.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace t2n::passes {

/// Coefficients by the powers of two values, x and e. {{1, 1}, 0.5} means 0.5 * x * e.
using Polynomial = std::map<std::pair<int, int>, double>;

/// Same terms, with coefficients equal to a relative 1e-6 (literals often have few digits, or were
/// stored in f32).
bool is_close(const Polynomial& a, const Polynomial& b);

/// True for an argument that is None, or that the schema does not have.
bool is_none(const ir::Attr* attr);

/// Queries on a graph that does not change meanwhile, except for nodes overwritten in place.
class Pattern {
 public:
  explicit Pattern(const ir::Graph& graph);

  const ir::Value& value(ir::ValueId id) const { return graph_.values[id]; }
  int uses(ir::ValueId id) const { return uses_[id]; }
  /// The node that computes the value; nullptr for inputs and constants.
  const ir::Node* producer(ir::ValueId id) const;
  /// The only reader of a value; nullptr if there are several or none, or if it is a graph output.
  const ir::Node* only_user(ir::ValueId id) const;

  /// A plain number, or the content of a constant of rank 0.
  std::optional<double> number(const ir::Attr* attr) const;
  std::optional<double> number(ir::ValueId id) const;
  /// A tensor operand that is not such a constant, or kNoValue.
  ir::ValueId tensor(const ir::Attr* attr) const;

  /// `root` as a polynomial in x and e. Values in between must have no other readers, and the dtype
  /// of x.
  std::optional<Polynomial> expand(ir::ValueId root, ir::ValueId x, ir::ValueId e) const;
  /// The only value that `root` depends on as a polynomial; kNoValue if there are several.
  ir::ValueId only_variable(ir::ValueId root) const;

 private:
  struct Variables {
    ir::ValueId x;
    ir::ValueId e;
  };
  std::optional<Polynomial> term(const ir::Attr* attr, Variables variables, int depth) const;
  std::optional<Polynomial> term(ir::ValueId id, Variables variables, int depth) const;
  std::optional<Polynomial> node_term(const ir::Node& node, Variables variables, int depth) const;

  const ir::Graph& graph_;
  std::vector<int> producers_;
  std::vector<int> constants_;
  std::vector<int> uses_;
  std::vector<int> last_user_;
};

}  // namespace t2n::passes
