// A shape rule's view of an operation: arguments by schema name, with symbolic shapes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "src/dynamic/constraint_set.h"

namespace t2n::dynamic {

class ShapeView {
 public:
  ShapeView(const ir::Graph& graph, const ir::Node& node, ConstraintSet& constraints)
      : graph_(graph), node_(node), constraints_(constraints) {}

  std::string_view op() const { return ir::op_name(node_.op); }
  size_t outputs() const { return node_.outputs.size(); }
  /// The shape of a result in the sample.
  const ir::Shape& traced(size_t output) const { return value(node_.outputs[output]).shape; }
  ir::DType result_dtype() const { return value(node_.outputs.front()).dtype; }
  ConstraintSet& constraints() const { return constraints_; }
  /// Whether the schema has the argument and a value was given.
  bool has(std::string_view name) const;

  // Tensors.
  bool is_tensor(std::string_view name) const;
  const ir::Shape& shape(std::string_view name) const;
  ir::DType dtype(std::string_view name) const;
  /// The shapes of a tensor list; an absent tensor has none.
  std::vector<std::optional<ir::Shape>> opt_shapes(std::string_view name) const;
  std::vector<ir::Shape> shapes(std::string_view name) const;
  std::vector<ir::DType> dtypes(std::string_view name) const;
  /// The only number of a tensor that is known now.
  std::optional<int64_t> number(std::string_view name) const;
  /// The shapes of every tensor among the arguments, except those in lists, in order.
  std::vector<ir::Shape> operands() const;
  const ir::Shape& first() const;  ///< of the first tensor argument

  // Plain values.
  bool is_text(std::string_view name) const;
  bool is_plain(std::string_view name) const;  ///< a number without symbols
  ir::Dim dim(std::string_view name) const;    ///< whole floats count as integers
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
  /// `values` must broadcast to `place`, which keeps its shape.
  void require_fit(ir::Shape values, const ir::Shape& place) const;
  /// The same for a tensor that is optional.
  void require_fit(std::string_view name, const ir::Shape& place) const;
  /// The truth of a relation b, which is the same in all trials.
  bool holds(const ir::Dim& a, Relation relation, const ir::Dim& b) const;
  /// The operator needs this relation: the file asserts it, unless it follows.
  void require(const ir::Dim& a, Relation relation, const ir::Dim& b) const;
  /// The integers of a tensor, or of the `place`-th one of a list, are positions on an axis of
  /// `size`: if they are known (index_range.h), the file asserts that they are inside.
  void require_in_range(std::string_view name, const ir::Dim& size, size_t place = 0) const;
  /// Throws: the rule has no answer for this use.
  [[noreturn]] void unknown(std::string_view why) const;

 private:
  const ir::Attr* find(std::string_view name) const;
  const ir::Attr& attr(std::string_view name) const;
  const ir::Value& value(ir::ValueId id) const { return graph_.values[static_cast<size_t>(id)]; }

  const ir::Graph& graph_;
  const ir::Node& node_;
  ConstraintSet& constraints_;
};

}  // namespace t2n::dynamic
