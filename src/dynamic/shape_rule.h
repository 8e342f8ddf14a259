// Shape inference for symbolic sizes: one rule per operator.
#pragma once

#include <functional>
#include <source_location>
#include <string_view>
#include <vector>

#include "src/dynamic/shape_view.h"

namespace t2n::dynamic {

/// Gives the shapes of all outputs. Throws `dynamic-size` (ShapeView::unknown) if it cannot.
using ShapeRule = std::vector<ir::Shape> (*)(const ShapeView& op);

/// The table of rules, each under one or more operators.
class ShapeRules {
 public:
  using Predicate = std::function<bool(ir::OpId)>;

  /// Rules of all families. Elementwise operators need no rule of their own: all their tensors
  /// broadcast to the shape of the results.
  explicit ShapeRules(Predicate is_elementwise);
  bool is_elementwise(ir::OpId op) const { return is_elementwise_(op); }
  /// `names` are separated by spaces; the namespace is aten by default. A name without overload
  /// stands for all overloads.
  void add(ShapeRule rule, std::string_view names,
           const std::source_location& location = std::source_location::current());
  /// The rule of an operator, first that of its overload; nullptr if there is none.
  ShapeRule find(ir::OpId op) const;

 private:
  Predicate is_elementwise_;
  ir::Column<ShapeRule> rules_{"shape rule"};
};

/// The result of a rule.
struct RuleResult {
  std::vector<ir::Shape> shapes;  ///< of the outputs; empty if the rule cannot give them
  std::string why;                ///< the reason if there are none
  bool is_broken = false;         ///< the rule is wrong: a bug of ours
};
RuleResult apply_shape_rule(ShapeRule rule, const ShapeView& op);

// One function per family, called by the constructor of ShapeRules.
void add_elementwise_rules(ShapeRules& r);
void add_reduce_rules(ShapeRules& r);
void add_view_rules(ShapeRules& r);
void add_split_rules(ShapeRules& r);
void add_join_rules(ShapeRules& r);
void add_index_rules(ShapeRules& r);
void add_creation_rules(ShapeRules& r);
void add_conv_pool_rules(ShapeRules& r);
void add_resize_rules(ShapeRules& r);
void add_matmul_rules(ShapeRules& r);
void add_norm_rules(ShapeRules& r);
void add_loss_rules(ShapeRules& r);
void add_signal_rules(ShapeRules& r);
void add_rnn_attention_rules(ShapeRules& r);

// Shared by several families.
using Shapes = std::vector<ir::Shape>;
/// The size of an axis that depends on the operands' values. An operator has at most one: it is
/// a placeholder in the rule's result until it gets a name (unbacked_sizes.h).
ir::Dim unbacked_size();
/// True if an index of this type is a mask.
bool is_mask(ir::DType dtype);
ir::Dim product(const ir::Shape& dims);
/// (a + b - 1) // b
ir::Dim ceil_div(const ir::Dim& a, const ir::Dim& b);
/// The rank of a tensor for dims: a number counts as one axis.
int dim_rank(const ir::Shape& shape);
ir::Shape with_dim(ir::Shape shape, int axis, const ir::Dim& size);
ir::Shape without(const ir::Shape& shape, const ir::Ints& axes, bool keepdim);
/// The shape with `rank` or more axes, as atleast_1d, _2d and _3d give it.
ir::Shape atleast_nd(ir::Shape shape, size_t rank);
/// The last `count` dims, or all but these.
ir::Shape last_dims(const ir::Shape& shape, size_t count);
ir::Shape all_but_last(const ir::Shape& shape, size_t count);
/// The shape that all tensors among the arguments broadcast to.
Shapes broadcast(const ShapeView& op);
Shapes same(const ShapeView& op);
/// One shape for every output.
Shapes repeated(const ShapeView& op, const ir::Shape& shape);

}  // namespace t2n::dynamic
