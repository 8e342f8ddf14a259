// SPDX-License-Identifier: Apache-2.0
// Matrix products: linear layers, matmul and variants, contractions of chosen axes.
#include <algorithm>

#include "ops/matrix/families.h"
#include "ops/pointwise/special.h"
#include "ops/structure/positions.h"
#include "ops/structure/product.h"
#include "src/translate/arith.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

/// A weight of rank 1 is a single row, whose axis vanishes.
void linear(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("input");
  const Ref weight = op.tensor("weight");
  const auto bias = op.opt_tensor("bias");
  if (out.rank(weight) == 2 && (!bias || out.rank(*bias) == 1))
    return out.result(linear_layer(op, out, x, weight, bias));
  const Ref y =
      out.rank(weight) == 1 ? product(op, out, x, weight) : product_transposed(op, out, x, weight);
  out.result(bias ? add(out, y, *bias) : y);
}

/// 32-bit sums; the pass integer-products emits this operator.
void integer_linear(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("input");
  const std::string rows =
      std::string("abcdefghij").substr(0, static_cast<size_t>(out.rank(x) - 1));
  out.result(out.call_list("tract_core_einsum", {x, op.tensor("weight")},
                           {{"expr", rows + "k,nk->" + rows + "n"}, {"acc", std::string("i32")}},
                           DType::i32, op.shape()));
}

/// The schemas' names for the second factor.
Ref second(const OpView& op) {
  for (const std::string_view name : {"mat2", "vec", "tensor", "other"})
    if (op.has_argument(name)) return op.tensor(name);
  T2N_ASSERT(false, "there is no second factor");
  return {};
}

void matmul(const OpView& op, Emitter& out) {
  out.result(product(op, out, op.tensor("self"), second(op)));
}

void outer(const OpView& op, Emitter& out) {
  const Ref column = out.unsqueeze(op.tensor("self"), {1});
  out.result(mul(out, column, op.tensor("vec2")));
}

/// beta * self + y. A beta of 0 drops `self`, even if it is not finite.
Ref with_self(const OpView& op, Emitter& out, Ref y) {
  const double beta = op.f64("beta");
  const Ref self = out.cast(op.tensor("self"), out.dtype(y));
  return beta == 0 ? y : add(out, scaled(out, self, beta), y);
}

/// beta * self + alpha * y.
Ref scaled_sum(const OpView& op, Emitter& out, Ref y) {
  return with_self(op, out, scaled(out, y, op.f64("alpha")));
}

/// torch multiplies f32 sums by alpha before it rounds them to f16, whose range they may leave.
Ref product_to_scale(const OpView& op, Emitter& out, Ref a, Ref b) {
  if (op.f64("alpha") == 1) return product(op, out, a, b);
  return product(op, out, widened(out, a), widened(out, b));
}

void finish_sum(const OpView& op, Emitter& out, Ref y) { finish(op, out, scaled_sum(op, out, y)); }

void addmm_activation(const OpView& op, Emitter& out) {
  const Ref y =
      scaled_sum(op, out, product_to_scale(op, out, op.tensor("mat1"), op.tensor("mat2")));
  const bool use_gelu = op.boolean("use_gelu");
  finish(op, out, use_gelu ? exact_gelu(out, y) : out.elementwise("relu", {y}));
}

struct Factors {
  std::string_view op;
  std::string_view first;
  std::string_view second;
};
constexpr Factors kSums[] = {{"aten::addmm", "mat1", "mat2"},
                             {"aten::addmv", "mat", "vec"},
                             {"aten::baddbmm", "batch1", "batch2"},
                             {"aten::addbmm", "batch1", "batch2"}};

Factors factors_of(const OpView& op) {
  return *std::find_if(std::begin(kSums), std::end(kSums),
                       [&](const Factors& row) { return row.op == op.op(); });
}

void sum_with_product(const OpView& op, Emitter& out) {
  const Factors names = factors_of(op);
  finish_sum(op, out, product_to_scale(op, out, op.tensor(names.first), op.tensor(names.second)));
}

/// The products of all matrices of the batch, added up.
void addbmm(const OpView& op, Emitter& out) {
  const Ref y = product_to_scale(op, out, op.tensor("batch1"), op.tensor("batch2"));
  finish_sum(op, out, out.squeeze(reduce(out, "sum_reduce", y, {0}), {0}));
}

/// alpha comes first, as in torch: in f16 the product alone may leave the range.
void addr(const OpView& op, Emitter& out) {
  const Ref column = scaled(out, out.unsqueeze(op.tensor("vec1"), {1}), op.f64("alpha"));
  finish(op, out, with_self(op, out, mul(out, column, op.tensor("vec2"))));
}

Dim size_along(const Shape& shape, const Ints& axes) {
  Dim count = 1;
  for (const int64_t axis : axes) count = count * shape[axis];
  return count;
}

Ints joined_axes(Ints a, const Ints& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Ints other_axes(int rank, const Ints& axes) {
  Ints out;
  for (int axis = 0; axis < rank; ++axis)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) out.push_back(axis);
  return out;
}

/// `a` and `b` summed over pairs of axes, in the order given.
Ref contracted(const OpView& op, Emitter& out, Ref a, Ref b, const Ints& axes_a,
               const Ints& axes_b) {
  const Ints free_a = other_axes(out.rank(a), axes_a);
  const Ints free_b = other_axes(out.rank(b), axes_b);
  const Dim inner = size_along(out.shape(a), axes_a);
  const Ref rows = out.reshape(out.transpose(a, joined_axes(free_a, axes_a)),
                               {size_along(out.shape(a), free_a), inner});
  const Ref columns = out.reshape(out.transpose(b, joined_axes(axes_b, free_b)),
                                  {inner, size_along(out.shape(b), free_b)});
  return out.reshape(product(op, out, rows, columns), op.shape());
}

Ints axes_argument(const OpView& op, std::string_view name, int rank) {
  Ints out = op.ints(name);
  for (int64_t& axis : out)
    if (axis < 0) axis += rank;
  return out;
}

/// Pairs of axes broadcast if one has extent 1: the other axis is summed first.
Ref summed_where_other_is_one(Emitter& out, Ref x, const Ints& axes, Ref other,
                              const Ints& other_axes) {
  Ints sums;
  for (size_t i = 0; i < axes.size(); ++i) {
    const Dim mine = out.shape(x)[axes[i]];
    if (mine != Dim(1) && out.shape(other)[other_axes[i]] == Dim(1)) sums.push_back(axes[i]);
  }
  std::sort(sums.begin(), sums.end());
  return sums.empty() ? x : reduce(out, "sum_reduce", x, sums);
}

void tensordot(const OpView& op, Emitter& out) {
  const Ref self = op.tensor("self");
  const Ref other = op.tensor("other");
  const Ints axes_self = axes_argument(op, "dims_self", out.rank(self));
  const Ints axes_other = axes_argument(op, "dims_other", out.rank(other));
  const Ref a = summed_where_other_is_one(out, self, axes_self, other, axes_other);
  const Ref b = summed_where_other_is_one(out, other, axes_other, self, axes_self);
  out.result(contracted(op, out, a, b, axes_self, axes_other));
}

/// Sums over the last axis of both; a rank-0 operand multiplies.
void inner(const OpView& op, Emitter& out) {
  const Ref self = op.tensor("self");
  const Ref other = op.tensor("other");
  if (out.rank(self) == 0 || out.rank(other) == 0) return out.result(mul(out, self, other));
  out.result(contracted(op, out, self, other, {out.rank(self) - 1}, {out.rank(other) - 1}));
}

void vecdot(const OpView& op, Emitter& out) {
  const int rank = op.rank() + 1;
  const Ints axes = {op.axis("dim", rank)};
  const Ref x = with_rank(out, op.tensor("x"), rank), y = with_rank(out, op.tensor("y"), rank);
  out.result(sum_of_products(out, x, y, axes));
}

void chain(const OpView& op, Emitter& out) {
  const std::vector<Ref> factors = op.tensors(op.has_argument("matrices") ? "matrices" : "tensors");
  Ref y = factors.at(0);
  for (size_t i = 1; i < factors.size(); ++i) y = product(op, out, y, factors[i]);
  out.result(y);
}

Ref identity(Emitter& out, Ref square) {
  if (const Dim& size = out.shape(square).back(); !size.is_constant())
    return out.cast(compare(out, "eq", iota(out, size, 0, 2), iota(out, size, 1, 2)),
                    out.dtype(square));
  const int64_t n = extent(out, square, out.rank(square) - 1);
  std::vector<double> entries(static_cast<size_t>(n * n), 0);
  for (int64_t i = 0; i < n; ++i) entries[i * (n + 1)] = 1;
  return out.constant(ir::tensor_of(out.dtype(square), {n, n}, entries), "identity");
}

void matrix_power(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const int64_t n = op.i64("n");
  if (n < 0) op.refuse("n", Limit::matrix_inverse, "use a power of at least 0");
  if (n == 0) return out.result(out.broadcast_to(identity(out, x), op.shape()));
  std::optional<Ref> y;
  Ref square = x;
  for (int64_t rest = n; rest > 0; rest /= 2) {
    if (rest % 2 != 0) y = y ? product(op, out, *y, square) : square;
    if (rest > 1) square = product(op, out, square, square);
  }
  out.result(*y);
}

/// Each axis of the result merges those of `self` (outer) and `other` (inner).
void kron(const OpView& op, Emitter& out) {
  const int rank = op.rank();
  const Ref a = with_rank(out, op.tensor("self"), rank);
  const Ref b = with_rank(out, op.tensor("other"), rank);
  Ints after, before;
  for (int axis = 0; axis < rank; ++axis) {
    after.push_back(2 * axis + 1);
    before.push_back(2 * axis);
  }
  out.result(out.reshape(mul(out, out.unsqueeze(a, after), out.unsqueeze(b, before)), op.shape()));
}

/// Without `dim`: the first axis of size 3.
int cross_axis(const OpView& op, Emitter& out, Ref x) {
  if (!op.is_none("dim")) return op.axis("dim", op.rank());
  int axis = 0;
  while (out.shape(x).at(axis) != Dim(3)) ++axis;
  return axis;
}

/// y[i] = a[i + 1] * b[i + 2] - a[i + 2] * b[i + 1]
void cross(const OpView& op, Emitter& out) {
  const int axis = cross_axis(op, out, op.tensor("self"));
  const Ref a = out.broadcast_to(op.tensor("self"), op.shape());
  const Ref b = out.broadcast_to(op.tensor("other"), op.shape());
  const std::vector<int64_t> next = {1, 2, 0}, after = {2, 0, 1};
  out.result(sub(out, mul(out, take(out, a, next, axis), take(out, b, after, axis)),
                 mul(out, take(out, a, after, axis), take(out, b, next, axis))));
}

/// y[o] = input1 . weight[o] . input2 + bias[o]
void bilinear(const OpView& op, Emitter& out) {
  const Ref a = op.tensor("input1");
  const Ref b = op.tensor("input2");
  const Ref weight = op.tensor("weight");
  const Shape sizes = out.shape(weight);
  Dim batch = 1;
  for (size_t i = 0; i + 1 < op.shape().size(); ++i) batch = batch * op.shape()[i];
  const Ref by_input =
      out.reshape(out.transpose(weight, {1, 0, 2}), {sizes[1], sizes[0] * sizes[2]});
  const Ref rows = product(op, out, out.reshape(a, {batch, sizes[1]}), by_input);
  const Ref y = product(op, out, out.reshape(rows, {batch, sizes[0], sizes[2]}),
                        out.reshape(b, {batch, sizes[2], 1}));
  const Ref shaped = out.reshape(y, op.shape());
  const auto bias = op.opt_tensor("bias");
  out.result(bias ? add(out, shaped, *bias) : shaped);
}

constexpr std::string_view kProductLimits =
    "integers other than i32 and i8: up to 2^22 single products";

/// self * other, summed over the first one's last axis.
Bounds matmul_bounds(const OperandBounds& x) {
  const ir::Shape& shape = x.shape(0);
  double out = shape.empty() ? 1 : static_cast<double>(shape.back().value());
  for (const std::string_view name : {"self", "other", "mat2", "vec", "tensor", "input", "weight"})
    out *= magnitude(x.at(name, {1, 1}));
  return up_to(out + magnitude(x.at("bias")));
}

}  // namespace

void register_matmul(Registry& r) {
  r.same({"aten::linear"}, {"linear", "input . weight^T + bias", linear, {}, kProductLimits});
  r.same({"t2n::integer_linear"},
         {"tract_core_einsum", "input . weight^T of integers, with 32-bit sums", integer_linear});
  r.same({"aten::matmul", "aten::mm", "aten::bmm", "aten::mv", "aten::dot", "aten::vdot",
          "aten::linalg_matmul"},
         {"matmul",
          "matrix product; vectors are rows at the left, columns at the right",
          matmul,
          {},
          kProductLimits});
  r.same({"aten::outer", "aten::ger"},
         {"mul", "y[i, j] = self[i] * vec2[j]", outer, ir::Promotion::operands});
  r.same(
      {"aten::addmm", "aten::addmv", "aten::baddbmm"},
      {"matmul", "beta * self + alpha * (matrix product)", sum_with_product, {}, kProductLimits});
  r.same({"aten::_addmm_activation"}, {"matmul",
                                       "relu or gelu of beta * self + alpha * mat1 . mat2",
                                       addmm_activation,
                                       {},
                                       kProductLimits});
  r.same({"aten::addbmm"}, {"matmul",
                            "beta * self + alpha * (sum over the batch of matrix products)",
                            addbmm,
                            {},
                            kProductLimits});
  r.same({"aten::addr"},
         {"mul", "beta * self + alpha * vec1[i] * vec2[j]", addr, ir::Promotion::operands});
  r.same({"aten::tensordot"},
         {"matmul", "sum of products over pairs of axes", tensordot, {}, kProductLimits});
  r.same({"aten::inner"}, {"matmul", "sum of products over the last axis of both", inner,
                           ir::Promotion::operands, kProductLimits});
  r.same({"aten::linalg_vecdot"},
         {"sum_reduce", "sum of x * y over dim", vecdot, ir::Promotion::operands});
  r.same({"aten::chain_matmul", "aten::linalg_multi_dot"},
         {"matmul", "product of all matrices, from the left", chain, {}, kProductLimits});
  r.same({"aten::linalg_matrix_power", "aten::matrix_power"},
         {"matmul", "self multiplied n times", matrix_power, {}, "n < 0 is refused"});
  r.same({"aten::kron"}, {"mul", "Kronecker product", kron, ir::Promotion::operands});
  r.same({"aten::linalg_cross", "aten::cross"},
         {"tract_core_gather", "cross product of vectors of three entries", cross,
          ir::Promotion::operands});
  r.same({"aten::bilinear"}, {"matmul", "y[o] = input1 . weight[o] . input2 + bias[o]", bilinear});
  r.bounds({bounds::product, true}, "kron");
  r.bounds({matmul_bounds, true}, "mm bmm matmul mv dot vdot inner linear");
  r.bounds({bounds::mixed_product, true},
           "addmm addbmm baddbmm addmv addr outer ger tensordot cross linalg_cross "
           "chain_matmul linalg_multi_dot");
  r.zero_signs(ZeroSign::dropped, "linear matmul mm bmm mv dot addmm addmv addbmm baddbmm");
}

}  // namespace t2n::ops
