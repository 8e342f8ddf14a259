// SPDX-License-Identifier: Apache-2.0
// Products of groups of rows, or columns, each with its own matrix, as in mixtures of experts.
#include "ops/matrix/families.h"
#include "ops/structure/product.h"
#include "src/translate/arith.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

/// [groups, size]: True if the index is in the group. A group ends where the next one begins.
Ref members(Emitter& out, Ref ends, const Dim& size) {
  const Dim& groups = out.shape(ends)[0];
  const Ref none = out.full(out.scalar(0, DType::i64), {Dim(1)});
  const Ref last = out.cast(ends, DType::i64);
  const Ref begins = out.slice(out.concat({none, last}, 0), 0, Dim(0), groups);
  const Ref indices = iota(out, size, 1, 2);
  return logical_and(out, compare(out, "ge", indices, out.unsqueeze(begins, {1})),
                     compare(out, "lt", indices, out.unsqueeze(last, {1})));
}

/// Zeros where the mask, which has an axis more, is not true.
Ref kept(Emitter& out, Ref mask, Ref x) { return select(out, mask, x, like(out, 0, x)); }

/// x [rows, k] . w [groups, k, n]: repeats each row once per group, zero in all groups but its own,
/// and multiplies by the stacked matrices.
Ref by_rows(const OpView& op, Emitter& out, Ref x, Ref w, Ref ends) {
  const Shape &rows = out.shape(x), &all = out.shape(w);
  const Ref mask = out.transpose(members(out, ends, rows[0]), {1, 0});
  const Ref separate = kept(out, out.unsqueeze(mask, {2}), out.unsqueeze(x, {1}));
  const Dim width = all[0] * all[1];
  return product(op, out, out.reshape(separate, {rows[0], width}), out.reshape(w, {width, all[2]}));
}

/// x [m, k] . w [k, n]: one product for each group of the summed axis.
Ref by_terms(const OpView& op, Emitter& out, Ref x, Ref w, Ref ends) {
  const Ref mask = out.unsqueeze(members(out, ends, out.shape(x)[1]), {1});
  return product(op, out, kept(out, mask, out.unsqueeze(x, {0})), w);
}

/// x [groups, m, k] . w [k, n]: each group computes its own columns of the product.
Ref by_columns(const OpView& op, Emitter& out, Ref x, Ref w, Ref ends) {
  const Ref mask = out.unsqueeze(members(out, ends, out.shape(w)[1]), {1});
  const Ref y = kept(out, mask, product(op, out, x, w));
  return out.squeeze(reduce(out, "sum_reduce", y, {0}), {0});
}

/// Rows outside all groups are zeros; torch leaves them unwritten.
void grouped_mm(const OpView& op, Emitter& out) {
  ignore_present(op, {"bias", "out_dtype"}, "torch takes none, and the result's dtype shows it");
  const Ref x = widened(out, op.tensor("self")), w = widened(out, op.tensor("mat2"));
  const auto ends = op.opt_tensor("offs");
  const bool is_batch = out.rank(x) == 3 && out.rank(w) == 3;
  const Ref y = is_batch || !ends  ? product(op, out, x, w)
                : out.rank(w) == 3 ? by_rows(op, out, x, w, *ends)
                : out.rank(x) == 3 ? by_columns(op, out, x, w, *ends)
                                   : by_terms(op, out, x, w, *ends);
  out.result(out.cast(y, op.dtype()));
}

/// One product per group. Groups are batches, or ranges (`offs`) of rows, of columns, or of the
/// summed axis.
Shapes grouped_shapes(const ShapeView& op) {
  const Shape &a = op.shape("self"), &b = op.shape("mat2");
  op.unified(a.back(), b.at(b.size() - 2));
  if (a.size() == 3 && b.size() == 3) return {{op.unified(a.at(0), b.at(0)), a.at(1), b.at(2)}};
  const Dim groups = op.shape("offs").at(0);
  if (b.size() == 3) op.unified(groups, b.at(0));
  if (b.size() == 3) return {{a.at(0), b.at(2)}};
  if (a.size() == 2) return {{groups, a.at(0), b.at(1)}};
  op.unified(groups, a.at(0));
  return {{a.at(1), b.at(1)}};
}

}  // namespace

void register_grouped(Registry& r) {
  r.same({"aten::_grouped_mm"},
         {"matmul", "products of groups of rows, terms or columns, which end at offs", grouped_mm});
  r.shapes(grouped_shapes, "_grouped_mm");
}

}  // namespace t2n::ops
