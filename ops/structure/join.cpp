// SPDX-License-Identifier: Apache-2.0
// Joins several tensors into one: concatenations, stacks, grids, block matrices.
#include <algorithm>

#include "ops/structure/families.h"
#include "ops/structure/positions.h"
#include "ops/structure/product.h"
#include "src/translate/arith.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

/// All in the dtype of the result.
std::vector<Ref> read_tensors(const OpView& op, Emitter& out) {
  std::vector<Ref> tensors = op.tensors("tensors");
  for (Ref& tensor : tensors) tensor = out.cast(tensor, op.dtype());
  return tensors;
}

/// torch joins empty tensors of rank 1 with tensors of any rank, for historical reasons.
bool is_legacy_empty(const Emitter& out, Ref x) {
  return out.rank(x) == 1 && out.shape(x)[0] == Dim(0);
}

void concatenate(const OpView& op, Emitter& out) {
  std::vector<Ref> tensors = read_tensors(op, out);
  const int axis = op.axis("dim", op.rank());
  if (op.rank() > 1) std::erase_if(tensors, [&](Ref x) { return is_legacy_empty(out, x); });
  out.result(out.concat(tensors, axis));
}

Ref stacked(Emitter& out, std::vector<Ref> tensors, int axis) {
  for (Ref& tensor : tensors) tensor = out.unsqueeze(tensor, {axis});
  return out.concat(tensors, axis);
}

bool is_no_constant(const Emitter& out, Ref x) { return !out.constant_value(x); }

/// tract's `stack` is one statement; it is used if all parts are computed.
void stack(const OpView& op, Emitter& out) {
  const std::vector<Ref> tensors = read_tensors(op, out);
  const int axis = op.axis("dim", op.rank());
  const bool is_plain =
      op.rank() > 1 && tensors.size() > 1 &&
      std::all_of(tensors.begin(), tensors.end(), [&](Ref x) { return is_no_constant(out, x); });
  out.result(is_plain ? out.call_list("stack", tensors, {{"axis", axis}}, op.dtype(), op.shape())
                      : stacked(out, tensors, axis));
}

/// Each tensor with at least `rank` axes, as torch.atleast_… adds them.
Ref with_least(Emitter& out, Ref x, int rank) {
  const int own_rank = out.rank(x);
  if (own_rank >= rank) return x;
  if (own_rank == 0) return with_rank(out, x, rank);
  return rank == 3 ? out.unsqueeze(with_rank(out, x, 2), {2}) : with_rank(out, x, rank);
}

/// hstack joins along axis 1 (0 for vectors), vstack along 0, dstack along 2.
template <int kRank, int kAxis>
void named_stack(const OpView& op, Emitter& out) {
  std::vector<Ref> tensors = read_tensors(op, out);
  for (Ref& tensor : tensors) tensor = with_least(out, tensor, kRank);
  out.result(out.concat(tensors, std::min(kAxis, op.rank() - 1)));
}

/// Vectors and numbers become columns.
void column_stack(const OpView& op, Emitter& out) {
  std::vector<Ref> tensors = read_tensors(op, out);
  for (Ref& tensor : tensors)
    if (out.rank(tensor) < 2) tensor = out.unsqueeze(at_least_1d(out, tensor), {1});
  out.result(out.concat(tensors, 1));
}

/// Entry i of tensor k along axis `axis_of(k)`, repeated over the axes of the others.
void meshgrid(const OpView& op, Emitter& out) {
  const std::vector<Ref> tensors = op.tensors("tensors");
  const bool swaps = op.has_argument("indexing") && op.one_of("indexing", {"ij", "xy"}) == "xy" &&
                     tensors.size() > 1;
  for (int i = 0; i < op.outputs(); ++i) {
    const size_t axis = swaps && i < 2 ? static_cast<size_t>(1 - i) : static_cast<size_t>(i);
    Shape shape(tensors.size(), Dim(1));
    shape[axis] = op.shape(i)[axis];
    const Ref x = out.reshape(tensors[i], shape);
    out.result(out.broadcast_to(x, op.shape(i)), i);
  }
}

/// All combinations of one entry of each: rows of the flattened grids.
void cartesian_prod(const OpView& op, Emitter& out) {
  const std::vector<Ref> tensors = op.tensors("tensors");
  if (tensors.size() == 1) return out.result(tensors[0]);
  Shape grid;
  for (const Ref tensor : tensors) grid.push_back(out.shape(tensor)[0]);
  std::vector<Ref> columns;
  for (size_t i = 0; i < tensors.size(); ++i) {
    Shape along(tensors.size(), Dim(1));
    along[i] = grid[i];
    const Ref repeated = out.broadcast_to(out.reshape(tensors[i], along), grid);
    columns.push_back(out.reshape(repeated, {op.shape()[0], 1}));
  }
  out.result(out.concat(columns, 1));
}

/// Ascending choices of r among n, in lexicographic order.
std::vector<int64_t> choices(int64_t n, int64_t r, bool with_replacement) {
  std::vector<int64_t> all, current;
  const auto extend = [&](auto&& self, int64_t first) -> void {
    if (static_cast<int64_t>(current.size()) == r) {
      all.insert(all.end(), current.begin(), current.end());
      return;
    }
    for (int64_t i = first; i < n; ++i) {
      current.push_back(i);
      self(self, with_replacement ? i : i + 1);
      current.pop_back();
    }
  };
  extend(extend, 0);
  return all;
}

void combinations(const OpView& op, Emitter& out) {
  const Ref x = op.tensor("self");
  const auto indices = choices(out.sizes(x).at(0), op.i64("r"), op.boolean("with_replacement"));
  if (indices.empty()) return out.result(out.full(out.scalar(0.0, op.dtype()), op.shape()));
  out.result(out.reshape(take(out, x, indices, 0), op.shape()));
}

/// Blocks along the diagonal; vectors are rows.
void block_diag(const OpView& op, Emitter& out) {
  const std::vector<Ref> tensors = read_tensors(op, out);
  const int64_t width = op.sizes().at(1);
  std::vector<Ref> rows;
  int64_t before = 0;
  for (const Ref tensor : tensors) {
    const Ref block = with_rank(out, tensor, 2);
    const int64_t size = out.sizes(block)[1];
    rows.push_back(out.pad(block, {{0, 0}, {before, width - before - size}}));
    before += size;
  }
  out.result(out.concat(rows, 0));
}

/// torch concatenates empty vectors with anything, for historical reasons.
bool is_empty_vector(const Shape& shape) { return shape.size() == 1 && shape[0] == Dim(0); }

Shape concatenated(const ShapeView& op, Shapes inputs, const Dim& dim) {
  if (std::any_of(inputs.begin(), inputs.end(), [](const Shape& x) { return x.size() > 1; }))
    std::erase_if(inputs, is_empty_vector);
  Shape out = inputs.at(0);
  const size_t at = ir::floor_mod_int(dim.value(), dim_rank(out));
  for (size_t k = 1; k < inputs.size(); ++k)
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = i == at ? out[i] + inputs[k].at(i) : op.unified(out[i], inputs[k].at(i));
  return out;
}

Shapes cat_along_shapes(const ShapeView& op) {
  return {concatenated(op, op.shapes("tensors"), op.dim("dim"))};
}

Shapes stack_shapes(const ShapeView& op) {
  Shapes inputs = op.shapes("tensors");
  Shape out = inputs.at(0);
  for (const Shape& x : inputs)
    for (size_t i = 0; i < out.size(); ++i) out[i] = op.unified(out[i], x.at(i));
  const auto count = static_cast<int64_t>(inputs.size());
  out.insert(out.begin() + op.axis("dim", static_cast<int>(out.size()) + 1), Dim(count));
  return {out};
}

/// Raises the rank first.
Shapes all_atleast_nd(Shapes inputs, size_t rank) {
  for (Shape& x : inputs) x = atleast_nd(std::move(x), rank);
  return inputs;
}

Shapes hstack_shapes(const ShapeView& op) {
  const Shapes inputs = all_atleast_nd(op.shapes("tensors"), 1);
  return {concatenated(op, inputs, inputs.at(0).size() == 1 ? 0 : 1)};
}

Shapes vstack_shapes(const ShapeView& op) {
  return {concatenated(op, all_atleast_nd(op.shapes("tensors"), 2), 0)};
}
Shapes dstack_shapes(const ShapeView& op) {
  return {concatenated(op, all_atleast_nd(op.shapes("tensors"), 3), 2)};
}

/// Vectors count as columns.
Shapes column_stack_shapes(const ShapeView& op) {
  Shapes inputs = op.shapes("tensors");
  for (Shape& x : inputs)
    if (x.size() < 2) x = {shapes::product(x), 1};
  return {concatenated(op, inputs, 1)};
}

Shapes block_diag_shapes(const ShapeView& op) {
  Dim rows = 0, columns = 0;
  for (const Shape& x : all_atleast_nd(op.shapes("tensors"), 2)) {
    rows = rows + x[0];
    columns = columns + x[1];
  }
  return {{rows, columns}};
}

Shapes meshgrid_shapes(const ShapeView& op) {
  Shape out;
  for (const Shape& x : op.shapes("tensors")) out.push_back(shapes::product(x));
  if (op.has("indexing") && op.str("indexing") == "xy" && out.size() > 1) std::swap(out[0], out[1]);
  return repeated(op, out);
}

Shapes cartesian_prod_shapes(const ShapeView& op) {
  const Shapes inputs = op.shapes("tensors");
  if (inputs.size() == 1) return {inputs[0]};
  Dim rows = 1;
  for (const Shape& x : inputs) rows = rows * shapes::product(x);
  return {{rows, static_cast<int64_t>(inputs.size())}};
}

/// Binomial coefficient n over r; with repetition n + r - 1 over r.
Shapes combinations_shapes(const ShapeView& op) {
  const int64_t r = op.i64("r");
  Dim n = op.shape("self").at(0);
  if (op.boolean("with_replacement")) n = n + (r - 1);
  Dim count = 1;
  int64_t factorial = 1;
  for (int64_t i = 0; i < r; ++i) {
    count = count * (n - i);
    factorial *= i + 1;
  }
  return {{floor_div(count, factorial), r}};
}

}  // namespace

void register_join(Registry& r) {
  r.same({"aten::cat", "aten::concat", "aten::concatenate"},
         {"concat", "joined along an axis", concatenate, ir::Promotion::operands});
  r.same({"aten::stack", "aten::_stack"},
         {"stack", "joined along a new axis", stack, ir::Promotion::operands});
  r.add({.op = "aten::hstack",
         .doc = "joined along axis 1, vectors along axis 0",
         .variants = {{any_target(), "concat", named_stack<1, 1>}},
         .promotion = ir::Promotion::operands});
  r.add({.op = "aten::vstack",
         .also = {"aten::row_stack"},
         .doc = "joined along axis 0; vectors are rows",
         .variants = {{any_target(), "concat", named_stack<2, 0>}},
         .promotion = ir::Promotion::operands});
  r.add({.op = "aten::dstack",
         .doc = "joined along axis 2",
         .variants = {{any_target(), "concat", named_stack<3, 2>}},
         .promotion = ir::Promotion::operands});
  r.same({"aten::column_stack"}, {"concat", "joined along axis 1; vectors are columns",
                                  column_stack, ir::Promotion::operands});
  r.same({"aten::meshgrid", "aten::meshgrid.indexing"},
         {"tract_core_broadcast", "each vector along its own axis, repeated over the others",
          meshgrid});
  r.same({"aten::cartesian_prod"},
         {"concat", "all combinations of one entry of each vector", cartesian_prod});
  r.same({"aten::combinations"},
         {"tract_core_gather", "all choices of r entries, in order", combinations});
  r.same({"aten::block_diag"}, {"concat", "matrices along the diagonal of a larger one", block_diag,
                                ir::Promotion::operands});
  r.shapes(cat_along_shapes, "cat concat concatenate");
  r.shapes(stack_shapes, "stack _stack");
  r.shapes(hstack_shapes, "hstack");
  r.shapes(vstack_shapes, "vstack row_stack");
  r.shapes(dstack_shapes, "dstack");
  r.shapes(column_stack_shapes, "column_stack");
  r.shapes(block_diag_shapes, "block_diag");
  r.shapes(meshgrid_shapes, "meshgrid");
  r.shapes(cartesian_prod_shapes, "cartesian_prod");
  r.shapes(combinations_shapes, "combinations");
  r.bounds({bounds::kept},
           "cat concat concatenate stack _stack hstack vstack dstack column_stack "
           "row_stack block_diag meshgrid combinations cartesian_prod");
  r.zero_signs(ZeroSign::propagated, "cat stack");
  r.rearranges({.axes = {"dim"}, .adds_axis = true}, "_stack stack");
  r.rearranges({.axes = {"dim"}}, "cat concat concatenate");
  r.linear(
      "block_diag cartesian_prod column_stack dstack hstack meshgrid row_stack "
      "vstack");
}

}  // namespace t2n::ops
