// SPDX-License-Identifier: Apache-2.0
// Rewrites a graph node by node: reads a node's arguments, and emits operations that replace it.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/node_args.h"
#include "ir/scan.h"
#include "src/passes/rewrite.h"

namespace t2n::passes {

ir::Shape broadcast(const ir::Shape& a, const ir::Shape& b);  ///< aligned at the right

/// Takes the nodes of a graph in order; every node is kept, or its outputs are redefined.
class Rewriter {
 public:
  explicit Rewriter(ir::Graph& graph);

  /// Starts the next node; operations emitted from now on replace it.
  void begin(ir::Node node);
  void keep();  ///< unchanged
  /// Keeps the operation with other operands: `operand` maps each old operand to its replacement.
  void keep_with(const std::function<ir::ValueId(ir::ValueId)>& operand);
  /// Replaces the graph by the new one. Operations that no output needs are dropped, unless kept.
  void finish(bool keeps_dead = false);
  /// Runs the rewrite on all nodes: `define` replaces a node, or returns false to keep it. True if
  /// any node changed.
  bool replace_where(const std::function<bool()>& define, bool keeps_dead = false);

  const ir::Node& node() const { return node_; }
  std::string_view base_name() const { return base_name_; }
  // The node's arguments; an absent one is an internal error, except for `has` and `find`.
  bool has(std::string_view argument) const { return args_.has_argument(argument); }
  const ir::Attr* find(std::string_view argument) const { return args_.argument(argument); }
  bool is_none(std::string_view argument) const { return args_.is_none(argument); }
  ir::ValueId tensor(std::string_view argument) const;  ///< in the new graph; kNoValue for a number
  int64_t integer(std::string_view argument, int64_t fallback) const;
  double scalar(std::string_view argument, double fallback) const;
  bool flag(std::string_view argument, bool fallback) const;
  std::string text(std::string_view argument, std::string_view fallback) const;
  std::vector<ir::Dim> dims(std::string_view argument) const;  ///< one integer becomes a list
  ir::Ints axes(std::string_view argument, int rank) const;    ///< the same, in [0, rank)
  /// Arguments that do not affect the rule, for the reason `why`; they must not contain sizes.
  void ignore(std::initializer_list<std::string_view> arguments, std::string_view why) const;
  void ignore_rest(std::string_view /*why*/) const { args_.read_all(); }
  /// An argument that was not read since `begin`; "" if there is none.
  std::string unread() const { return args_.unread(); }
  // Values, by their id in the new graph.
  ir::ValueId resolve(ir::ValueId id) const { return replacements_.at(id); }
  ir::DType dtype(ir::ValueId id) const { return value(id).dtype; }
  const ir::Shape& shape(ir::ValueId id) const { return value(id).shape; }
  int rank(ir::ValueId id) const { return static_cast<int>(shape(id).size()); }
  const ir::Value& output(int index = 0) const;
  // Building; operands are ids of the new graph.
  /// From now on, names of emitted values derive from that value, not from the node's result.
  void name_after(ir::ValueId id) { named_after_ = value(id).name; }
  void swap_names(ir::ValueId a, ir::ValueId b) { std::swap(value(a).name, value(b).name); }
  std::vector<ir::ValueId> emit_all(std::string_view op, std::vector<ir::Argument> args,
                                    const std::vector<std::pair<ir::DType, ir::Shape>>& results);
  ir::ValueId emit(std::string_view op, std::vector<ir::Argument> args, ir::DType dtype,
                   ir::Shape shape);
  ir::ValueId unary(std::string_view op, ir::ValueId x);
  /// The result has the dtype of `a`; comparisons and logic give booleans.
  ir::ValueId binary(std::string_view op, ir::ValueId a, ir::ValueId b);
  ir::ValueId where(ir::ValueId condition, ir::ValueId a, ir::ValueId b);
  ir::ValueId cast(ir::ValueId x, ir::DType dtype);
  ir::ValueId number(double value, ir::DType dtype);  ///< of rank 0
  ir::ValueId constant(const ir::Ints& shape, const std::vector<double>& values, ir::DType dtype);
  ir::ValueId constant(ir::Tensor data);
  ir::ValueId expand(ir::ValueId x, const ir::Shape& shape);
  ir::ValueId reshape(ir::ValueId x, const ir::Shape& shape);
  ir::ValueId unsqueeze(ir::ValueId x, int axis);
  ir::ValueId select(ir::ValueId x, int axis, int64_t index);
  ir::ValueId slice(ir::ValueId x, int axis, const ir::Dim& start, const ir::Dim& end);
  ir::ValueId permute(ir::ValueId x, const ir::Ints& order);
  /// A loop over `body`, whose inputs and outputs must be as the scan requires. Results: the
  /// stacked tensors, then the last states.
  std::vector<ir::ValueId> loop(const ir::Scan& scan, ir::Graph body);
  /// Zeros around one axis.
  ir::ValueId pad(ir::ValueId x, int axis, int64_t before, int64_t after);
  /// Defines an output by a value, which is cast if its dtype differs.
  void define(ir::ValueId value, int index = 0);

 protected:
  /// The operation on such `tensors` cannot be expressed: an error if its result is needed.
  void refuse_for(std::string_view tensors, std::string_view why, std::string_view help);
  const ir::Attr& required(std::string_view argument) const { return args_.required(argument); }
  [[noreturn]] void refuse_dynamic_argument(std::string_view argument) const;
  ir::Value& value(ir::ValueId id) { return graph_.values[id]; }
  const ir::Value& value(ir::ValueId id) const { return graph_.values[id]; }

  ir::Graph& graph_;
  ir::Node node_;

 private:
  ir::ValueId add_value(std::string name, ir::DType dtype, ir::Shape shape);

  FreshNames names_;
  FreshCalls calls_;
  size_t first_count_;                     ///< the initial number of values
  std::vector<ir::ValueId> replacements_;  ///< by the old id: the value that replaces it
  std::map<std::pair<double, ir::DType>, ir::ValueId> numbers_;
  std::unordered_set<ir::ValueId> named_;  ///< values with the names of values that they replace
  std::vector<ir::Node> done_;
  std::string_view base_name_;
  std::string named_after_;  ///< the base of emitted names; "": the result
  ir::NodeArgs args_{graph_, node_};
  size_t first_new_ = 0;
};

}  // namespace t2n::passes
