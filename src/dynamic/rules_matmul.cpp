// Products of vectors and matrices.
#include <algorithm>
#include <map>

#include "src/diag/error.h"
#include "src/dynamic/shape_rule.h"

namespace t2n::dynamic {
namespace {

using ir::Dim;
using ir::Shape;

/// The shape that torch.matmul gives: vectors are rows on the left and columns on the right;
/// batches broadcast.
Shape product_shape(const ShapeView& op, const Shape& a, const Shape& b) {
  if (!a.empty() && !b.empty()) op.unified(a.back(), b[b.size() - std::min<size_t>(2, b.size())]);
  Shape out;
  if (a.size() > 2 || b.size() > 2)
    out = op.broadcast(all_but_last(a, std::min<size_t>(2, a.size())),
                       all_but_last(b, std::min<size_t>(2, b.size())));
  if (a.size() > 1) out.push_back(a[a.size() - 2]);
  if (b.size() > 1) out.push_back(b.back());
  return out;
}

Shapes matmul(const ShapeView& op) {
  const std::vector<Shape> x = op.operands();
  return {product_shape(op, x.at(0), x.at(1))};
}

/// self + a @ b: self is broadcast to the product.
Shapes add_product(const ShapeView& op) {
  const std::vector<Shape> x = op.operands();
  const Shape product = product_shape(op, x.at(1), x.at(2));
  op.require_fit(x.at(0), product);
  return {product};
}

/// One product per group. Groups are batches, or ranges (`offs`) of rows, of columns, or of the
/// summed axis.
Shapes grouped(const ShapeView& op) {
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

/// The products are summed over the batch.
Shapes addbmm(const ShapeView& op) {
  const Shape out = {op.shape("batch1").at(1), op.shape("batch2").at(2)};
  op.unified(op.shape("batch1").at(2), op.shape("batch2").at(1));
  op.require_fit("self", out);
  return {out};
}

Shapes outer(const ShapeView& op) { return {{op.shape("self").at(0), op.shape("vec2").at(0)}}; }

Shapes addr(const ShapeView& op) {
  const Shape out = {op.shape("vec1").at(0), op.shape("vec2").at(0)};
  op.require_fit("self", out);
  return {out};
}

/// weight is [out, in], or [in].
Shapes linear(const ShapeView& op) {
  Shape out = all_but_last(op.shape("input"), 1);
  op.unified(op.shape("input").back(), op.shape("weight").back());
  if (op.shape("weight").size() == 2) out.push_back(op.shape("weight")[0]);
  op.require_fit("bias", out);
  return {out};
}

/// weight is [out, in].
Shapes integer_linear(const ShapeView& op) {
  Shape out = all_but_last(op.shape("input"), 1);
  out.push_back(op.shape("weight").at(0));
  return {out};
}

Shapes bilinear(const ShapeView& op) {
  Shape out = all_but_last(op.shape("input1"), 1);
  op.unified(op.shape("input1").back(), op.shape("weight").at(1));
  op.unified(op.shape("input2").back(), op.shape("weight").at(2));
  out.push_back(op.shape("weight").at(0));
  op.require_fit("bias", out);
  return {out};
}

/// All axes but the last ones, which are summed over.
Shapes inner(const ShapeView& op) {
  const Shape &a = op.shape("self"), &b = op.shape("other");
  if (a.empty() || b.empty()) return {op.broadcast(a, b)};
  Shape out = all_but_last(a, 1);
  for (const Dim& dim : all_but_last(b, 1)) out.push_back(dim);
  return {out};
}

Shapes chain(const ShapeView& op) {
  const Shapes x = op.shapes(op.has("tensors") ? "tensors" : "matrices");
  if (x.size() == 1) return {x[0]};
  Shape out;
  if (x.front().size() > 1) out.push_back(x.front()[0]);
  if (x.back().size() > 1) out.push_back(x.back().back());
  return {out};
}

ir::Ints axes_in_order(const Shape& dims, int rank) {
  ir::Ints out;
  for (const Dim& dim : dims) out.push_back(ir::floor_mod_int(dim.value(), rank));
  return out;
}

Shapes tensordot(const ShapeView& op) {
  const Shape &a = op.shape("self"), &b = op.shape("other");
  Shape out = without(a, axes_in_order(op.dims("dims_self"), dim_rank(a)), false);
  for (const Dim& dim : without(b, axes_in_order(op.dims("dims_other"), dim_rank(b)), false))
    out.push_back(dim);
  return {out};
}

Shapes kron(const ShapeView& op) {
  Shape a = op.shape("self"), b = op.shape("other");
  if (a.size() < b.size()) std::swap(a, b);
  for (size_t i = 0; i < b.size(); ++i) {
    Dim& size = a[a.size() - b.size() + i];
    size = size * b[i];
  }
  return {a};
}

/// Labels of each operand and, after "->", of the result; '.' stands for an ellipsis.
struct Equation {
  std::vector<std::string> inputs = {""};
  std::optional<std::string> output;
};

Equation read_equation(const std::string& text) {
  Equation out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ' ' || c == '>') continue;
    if (c == ',') {
      out.inputs.emplace_back();
    } else if (c == '-') {
      out.output = "";
    } else {
      (out.output ? *out.output : out.inputs.back()) += c;
      if (c == '.') i += 2;
    }
  }
  return out;
}

/// The ellipsis, then the labels that occur once, in torch's order: capitals first.
std::string implied_output(const Equation& equation) {
  std::map<char, int> counts;
  for (const std::string& labels : equation.inputs)
    for (const char c : labels) ++counts[c];
  std::string out = counts.contains('.') ? "." : "";
  for (const auto& [label, count] : counts)
    if (count == 1 && label != '.') out += label;
  return out;
}

Shapes einsum(const ShapeView& op) {
  const Equation equation = read_equation(op.str("equation"));
  const Shapes x = op.shapes("tensors");
  std::map<char, Dim> sizes;
  Shape ellipsis;
  for (size_t k = 0; k < x.size(); ++k) {
    const std::string& labels = equation.inputs.at(k);
    const size_t ellipsis_rank =
        x[k].size() + (labels.find('.') != std::string::npos) - labels.size();
    size_t axis = 0;
    for (const char label : labels) {
      if (label == '.') {
        const auto first = x[k].begin() + static_cast<std::ptrdiff_t>(axis);
        const auto last = first + static_cast<std::ptrdiff_t>(ellipsis_rank);
        ellipsis = op.broadcast(ellipsis, Shape(first, last));
        axis += ellipsis_rank;
        continue;
      }
      const Dim& size = x[k].at(axis++);
      const auto [known, is_new] = sizes.emplace(label, size);
      if (!is_new) known->second = op.broadcast_dim(known->second, size);
    }
  }
  Shape out;
  for (const char label : equation.output.value_or(implied_output(equation))) {
    if (label == '.')
      out.insert(out.end(), ellipsis.begin(), ellipsis.end());
    else
      out.push_back(sizes.at(label));
  }
  return {out};
}

/// One number for each matrix.
Shapes per_matrix(const ShapeView& op) { return repeated(op, all_but_last(op.first(), 2)); }

Shapes inverse_with_info(const ShapeView& op) { return {op.first(), all_but_last(op.first(), 2)}; }

/// B holds vectors if it has the batch of A without columns, or is one vector.
Shapes linalg_solve(const ShapeView& op) {
  const Shape &a = op.shape("A"), &b = op.shape("B");
  const bool is_vector = b.size() == 1 || b == all_but_last(a, 1);
  if (is_vector) return {op.broadcast(all_but_last(a, 1), b)};
  Shape out = op.broadcast(all_but_last(a, 2), all_but_last(b, 2));
  for (const Dim& dim : last_dims(b, 2)) out.push_back(dim);
  return {out};
}

/// One system per matrix; leading axes broadcast.
Shape solution_shape(const ShapeView& op, const Shape& a, const Shape& b) {
  op.unified(a.back(), b.at(b.size() - 2));
  Shape out = op.broadcast(all_but_last(a, 2), all_but_last(b, 2));
  for (const Dim& dim : last_dims(b, 2)) out.push_back(dim);
  return out;
}

Shapes solve_triangular(const ShapeView& op) {
  Shape a = op.shape("self"), b = op.shape("B");
  if (op.boolean("left", true)) return {solution_shape(op, a, b)};
  std::swap(b[b.size() - 2], b.back());
  Shape out = solution_shape(op, a, b);
  std::swap(out[out.size() - 2], out.back());
  return {out};
}

Shapes old_solve_triangular(const ShapeView& op) {
  const Shape& a = op.shape("A");
  const Shape out = solution_shape(op, a, op.shape("self"));
  Shape copy = all_but_last(out, 2);
  for (const Dim& dim : last_dims(a, 2)) copy.push_back(dim);
  return {out, copy};
}

Shapes cholesky_solve(const ShapeView& op) {
  return {solution_shape(op, op.shape("input2"), op.shape("self"))};
}

/// Reduces over `dim`, which is 1 or -1 if the schema gives no other.
Shapes pair_reduced(const ShapeView& op) {
  const Shape both = op.broadcast(op.operands());
  const int rank = dim_rank(both);
  const int axis = op.has("dim") ? op.axis("dim", rank) : rank - 1;
  return {without(both, {axis}, op.boolean("keepdim"))};
}

/// Distances between all rows of both.
Shapes cdist(const ShapeView& op) {
  const Shape &a = op.shape("x1"), &b = op.shape("x2");
  Shape out = op.broadcast(all_but_last(a, 2), all_but_last(b, 2));
  out.push_back(a.at(a.size() - 2));
  out.push_back(b.at(b.size() - 2));
  return {out};
}

Shapes pdist(const ShapeView& op) {
  const Dim rows = op.first().at(0);
  return {{floor_div(rows * (rows - 1), 2)}};
}

}  // namespace

void add_matmul_rules(ShapeRules& r) {
  r.add(matmul, "matmul mm bmm mv linalg_matmul");
  r.add(add_product, "addmm addmv baddbmm _addmm_activation");
  r.add(addbmm, "addbmm");
  r.add(grouped, "_grouped_mm");
  r.add(outer, "outer ger");
  r.add(addr, "addr");
  r.add(linear, "linear");
  r.add(integer_linear, "t2n::integer_linear");
  r.add(bilinear, "bilinear");
  r.add(inner, "inner");
  r.add(chain, "chain_matmul linalg_multi_dot");
  r.add(tensordot, "tensordot");
  r.add(kron, "kron");
  r.add(einsum, "einsum");
  r.add(same,
        "inverse linalg_inv linalg_matrix_power matrix_power cholesky linalg_cholesky "
        "cholesky_inverse");
  r.add(per_matrix, "det linalg_det linalg_slogdet logdet slogdet");
  r.add(inverse_with_info, "linalg_inv_ex linalg_cholesky_ex");
  r.add(solve_triangular, "linalg_solve_triangular");
  r.add(old_solve_triangular, "triangular_solve");
  r.add(cholesky_solve, "cholesky_solve");
  r.add(linalg_solve, "linalg_solve");
  r.add(broadcast, "cross linalg_cross");
  r.add(pair_reduced, "cosine_similarity linalg_vecdot pairwise_distance");
  r.add(cdist, "cdist _cdist_forward _euclidean_dist");
  r.add(pdist, "pdist _pdist_forward");
}

}  // namespace t2n::dynamic
