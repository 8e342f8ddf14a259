// SPDX-License-Identifier: Apache-2.0
#include "src/nnef_ops/arith.h"

#include <numeric>
#include <utility>

#include "src/nnef_ops/strict_call.h"

namespace t2n::nnef_ops {

Ref add(Builder& out, Ref a, Ref b) {
  return out.elementwise(a.dtype == DType::boolean ? "or" : "add", {a, b});
}

Ref sub(Builder& out, Ref a, Ref b) { return out.elementwise("sub", {a, b}); }
Ref mul(Builder& out, Ref a, Ref b) { return out.elementwise("mul", {a, b}); }
Ref div(Builder& out, Ref a, Ref b) { return out.elementwise("div", {a, b}); }
Ref minimum(Builder& out, Ref a, Ref b) { return out.elementwise("min", {a, b}); }
Ref maximum(Builder& out, Ref a, Ref b) { return out.elementwise("max", {a, b}); }
Ref neg(Builder& out, Ref x) { return out.elementwise("neg", {x}); }

Ref compare(Builder& out, std::string_view op, Ref a, Ref b) {
  return out.elementwise(op, {a, b}, DType::boolean);
}

Ref logical_and(Builder& out, Ref a, Ref b) { return out.elementwise("and", {a, b}); }
Ref logical_not(Builder& out, Ref x) { return out.elementwise("not", {x}); }

Ref select(Builder& out, Ref condition, Ref then, Ref otherwise) {
  return out.elementwise("select", {condition, then, otherwise}, then.dtype);
}

Ref reduce(Builder& out, std::string_view op, Ref x, const Ints& axes) {
  Shape shape = out.shape(x);
  for (const int64_t axis : axes) shape[axis] = 1;
  return out.call(op, {x}, {{"axes", axes}}, x.dtype, shape);
}

Ref iota(Builder& out, const Dim& n, int axis, int rank) {
  Ints shape(static_cast<size_t>(rank), 1);
  shape[axis] = n.value();
  std::vector<int64_t> values(n.value());
  std::iota(values.begin(), values.end(), 0);
  return int_constant(out, values, shape, "iota");
}

Ref index_range(Builder& out, const Dim& n, int axis, int rank) {
  return as_number(out, iota(out, n, axis, rank));
}

Ref int_constant(Builder& out, const std::vector<int64_t>& values, const Ints& shape,
                 std::string_view name) {
  return out.constant(ir::tensor_of(DType::i64, shape, values), name);
}

/// In the merged axis, the diagonal is every (n + 1)-th entry.
Ref diagonal_of(Builder& out, Ref x, int first, int second) {
  const int rank = out.rank(x);
  Ints order;
  for (int axis = 0; axis < rank; ++axis)
    if (axis != first && axis != second) order.push_back(axis);
  order.push_back(first);
  order.push_back(second);
  const Ref last = out.transpose(x, order);
  const int64_t n = extent(out, last, rank - 1);
  Shape flat(out.shape(last).begin(), out.shape(last).end() - 2);
  flat.emplace_back(n * n);
  return out.slice(out.reshape(last, flat), rank - 2, 0, n * n, n + 1);
}

int64_t extent(const Builder& out, Ref x, int64_t axis) { return out.shape(x).at(axis).value(); }

}  // namespace t2n::nnef_ops
