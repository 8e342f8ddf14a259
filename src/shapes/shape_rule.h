// SPDX-License-Identifier: Apache-2.0
// Shape inference for symbolic sizes: one rule per operator.
#pragma once

#include <string_view>
#include <vector>

#include "src/shapes/shape_view.h"

namespace t2n::shapes {

/// Gives the shapes of all outputs. Throws `dynamic-size` (ShapeView::unknown) if it cannot.
using ShapeRule = std::vector<ir::Shape> (*)(const ShapeView& op);

/// What the book of operators says of the results' shapes.
struct ResultShapes {
  ShapeRule rule = nullptr;
  /// All tensors among the arguments broadcast to the shape of the results.
  bool is_elementwise = false;
};

/// The result of a rule.
struct RuleResult {
  std::vector<ir::Shape> shapes;  ///< of the outputs; empty if the rule cannot give them
  std::string why;                ///< the reason if there are none
  bool is_broken = false;         ///< the rule is wrong: a bug of ours
};
RuleResult apply_shape_rule(ShapeRule rule, const ShapeView& op);

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
/// With two axes exchanged.
Shapes swapped(ir::Shape shape, int a, int b);
/// The shape with `rank` or more axes, as atleast_1d, _2d and _3d give it.
ir::Shape atleast_nd(ir::Shape shape, size_t rank);
/// The last `count` dims, or all but these.
ir::Shape last_dims(const ir::Shape& shape, size_t count);
ir::Shape all_but_last(const ir::Shape& shape, size_t count);
/// One shape for every output.
Shapes repeated(const ShapeView& op, const ir::Shape& shape);
/// The first tensor without `dim`: an integer, a list, or all axes if none is given.
ir::Shape reduced(const ShapeView& op);

// Rules.
/// The shape that all tensors among the arguments broadcast to.
Shapes broadcast(const ShapeView& op);
Shapes same(const ShapeView& op);     ///< that of the first tensor
Shapes numbers(const ShapeView& op);  ///< no axes
Shapes reduce(const ShapeView& op);
/// Pairs are reduced over `dim`, which is 1 or -1 if the schema gives no other.
Shapes reduce_pairs(const ShapeView& op);

}  // namespace t2n::shapes
