// SPDX-License-Identifier: Apache-2.0
// The arguments of a node by schema name, as translations, shape rules and rewrites read them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/graph.h"

namespace t2n::ir {

/// A view: the graph and the node must outlive it. None and an absent tensor (`Tensor?`) count as
/// absent. It records what was read, so that no argument is forgotten.
class NodeArgs {
 public:
  NodeArgs(const Graph& graph, const Node& node);

  const Graph& graph() const { return *graph_; }
  const Node& node() const { return *node_; }
  std::string_view op() const { return op_name(node_->op); }
  const Value& value(ValueId id) const { return graph_->values[id]; }

  // These do not count as reading.
  bool has_argument(std::string_view name) const { return node_->find(name) != nullptr; }
  bool is_tensor(std::string_view name) const;
  bool is_symbolic(std::string_view name) const;  ///< a number, or a list, over symbolic sizes

  /// nullptr if the schema lacks it.
  const Attr* argument(std::string_view name) const;
  /// The same, but an internal error if the schema lacks it.
  const Attr& required(std::string_view name) const;
  /// nullptr also if it is absent.
  const Attr* find(std::string_view name) const;
  /// Whether it is absent. The schema must have it.
  bool is_none(std::string_view name) const;

  // The schema must have these arguments. Nothing if they are absent, or have another type.
  ValueId tensor(std::string_view name) const;  ///< kNoValue if it is none
  /// An integer, a boolean as 0 or 1, or an integer-valued float; it may be symbolic.
  std::optional<Dim> integer(std::string_view name) const;
  /// A float, a boolean as 0 or 1, or an integer that is not symbolic.
  std::optional<double> scalar(std::string_view name) const;
  /// A list of integers, which may be symbolic. An integer counts as a list of one; an empty list
  /// has no element type.
  std::optional<Shape> dims(std::string_view name) const;

  /// All arguments count as read.
  void read_all() const { read_ = ~uint64_t{0}; }
  /// An argument that was not read; "" if there is none.
  std::string unread() const;

 private:
  const Graph* graph_;
  const Node* node_;
  mutable uint64_t read_ = 0;  ///< a bit for each argument
};

/// A dim in [0, rank); negative ones count from the end. Rank 0 counts as 1, as in torch. `name`:
/// the argument, for messages.
int64_t from_front(int64_t axis, int64_t rank, std::string_view name = "axis");

}  // namespace t2n::ir
