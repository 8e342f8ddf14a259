// SPDX-License-Identifier: Apache-2.0
// A shape rule's view of an operation: arguments by schema name, with symbolic shapes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/node_args.h"
#include "src/shapes/constraint_set.h"

namespace t2n::shapes {

class ShapeView {
 public:
  ShapeView(const ir::Graph& graph, const ir::Node& node, ConstraintSet& constraints)
      : args_(graph, node), constraints_(constraints) {}

  std::string_view op() const { return args_.op(); }
  size_t outputs() const { return args_.node().outputs.size(); }
  /// The shape of a result in the sample.
  const ir::Shape& traced(size_t output) const {
    return args_.value(args_.node().outputs[output]).shape;
  }
  ir::DType result_dtype() const { return args_.value(args_.node().outputs.front()).dtype; }
  ConstraintSet& constraints() const { return constraints_; }
  /// True if the schema has the argument and the call sets it.
  bool has(std::string_view name) const { return args_.find(name) != nullptr; }

  // Tensors.
  bool is_tensor(std::string_view name) const { return args_.is_tensor(name); }
  const ir::Shape& shape(std::string_view name) const;
  ir::DType dtype(std::string_view name) const;
  /// The shapes of a tensor list; an absent tensor has none.
  std::vector<std::optional<ir::Shape>> opt_shapes(std::string_view name) const;
  std::vector<ir::Shape> shapes(std::string_view name) const;
  std::vector<ir::DType> dtypes(std::string_view name) const;
  /// The number in a one-element tensor, if it is known now.
  std::optional<int64_t> number(std::string_view name) const;
  /// The shapes of every tensor among the arguments, except those in lists, in order.
  std::vector<ir::Shape> operands() const;
  const ir::Shape& first() const;  ///< of the first tensor argument

  // Plain values.
  bool is_text(std::string_view name) const;
  bool is_symbolic(std::string_view name) const { return args_.is_symbolic(name); }
  ir::Dim dim(std::string_view name) const;  ///< integer-valued floats count as integers
  ir::Shape dims(std::string_view name) const;
  /// A list of `count`; torch repeats a single element. `fallback` if there is none.
  ir::Shape dims(std::string_view name, size_t count, const ir::Dim& fallback) const;
  int64_t i64(std::string_view name) const;
  std::optional<double> f64(std::string_view name) const;
  std::vector<double> f64s(std::string_view name) const;
  bool boolean(std::string_view name, bool fallback = false) const;
  std::string str(std::string_view name) const;
  ir::DType dtype_argument(std::string_view name) const;
  /// A dim in [0, rank).
  int axis(std::string_view name, int rank) const;
  /// Dims in [0, rank), ascending; all if none are given.
  ir::Ints axes(std::string_view name, int rank) const;

  // Sizes.
  /// One size for both, which must be equal.
  ir::Dim unified(const ir::Dim& a, const ir::Dim& b) const;
  ir::Shape unified(const ir::Shape& a, const ir::Shape& b) const;
  ir::Dim broadcast_dim(const ir::Dim& a, const ir::Dim& b) const;
  ir::Shape broadcast(const ir::Shape& a, const ir::Shape& b) const;
  ir::Shape broadcast(const std::vector<ir::Shape>& shapes) const;
  /// `values` must broadcast to `destination`, which keeps its shape.
  void require_fit(ir::Shape values, const ir::Shape& destination) const;
  /// The same for a tensor that is optional.
  void require_fit(std::string_view name, const ir::Shape& destination) const;
  /// The result of `a relation b`, which must be the same in all probes.
  bool holds(const ir::Dim& a, Relation relation, const ir::Dim& b) const;
  /// The operator requires this relation: the exported model asserts it unless it is implied.
  void require(const ir::Dim& a, Relation relation, const ir::Dim& b) const;
  /// The integers of a tensor, or of entry `position` of a tensor list, index an axis of `size`: if
  /// their range is known (index_range.h), the exported model asserts that it fits.
  void require_in_range(std::string_view name, const ir::Dim& size, size_t position = 0) const;
  /// Throws: the rule cannot give shapes for this use.
  [[noreturn]] void unknown(std::string_view why) const;

 private:
  /// The argument; it must not be absent.
  const ir::Attr& attr(std::string_view name) const;

  ir::NodeArgs args_;
  ConstraintSet& constraints_;
};

}  // namespace t2n::shapes
