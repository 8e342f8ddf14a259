// Tensors that are joined, repeated or padded.
#include <algorithm>

#include "src/diag/error.h"
#include "src/dynamic/shape_rule.h"

namespace t2n::dynamic {
namespace {

using ir::Dim;
using ir::Shape;

/// torch concatenates empty vectors with anything, for historical reasons.
bool is_empty_vector(const Shape& shape) { return shape.size() == 1 && shape[0] == Dim(0); }

Shape concatenated(const ShapeView& op, Shapes inputs, const ir::Dim& dim) {
  if (std::any_of(inputs.begin(), inputs.end(), [](const Shape& x) { return x.size() > 1; }))
    std::erase_if(inputs, is_empty_vector);
  Shape out = inputs.at(0);
  const size_t at = ir::floor_mod_int(dim.value(), dim_rank(out));
  for (size_t k = 1; k < inputs.size(); ++k)
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = i == at ? out[i] + inputs[k].at(i) : op.unified(out[i], inputs[k].at(i));
  return out;
}

Shapes cat_along(const ShapeView& op) {
  return {concatenated(op, op.shapes("tensors"), op.dim("dim"))};
}

Shapes stack(const ShapeView& op) {
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

Shapes hstack(const ShapeView& op) {
  const Shapes inputs = all_atleast_nd(op.shapes("tensors"), 1);
  return {concatenated(op, inputs, inputs.at(0).size() == 1 ? 0 : 1)};
}

Shapes vstack(const ShapeView& op) {
  return {concatenated(op, all_atleast_nd(op.shapes("tensors"), 2), 0)};
}
Shapes dstack(const ShapeView& op) {
  return {concatenated(op, all_atleast_nd(op.shapes("tensors"), 3), 2)};
}

/// Vectors count as columns.
Shapes column_stack(const ShapeView& op) {
  Shapes inputs = op.shapes("tensors");
  for (Shape& x : inputs)
    if (x.size() < 2) x = {product(x), 1};
  return {concatenated(op, inputs, 1)};
}

Shapes block_diag(const ShapeView& op) {
  Dim rows = 0, columns = 0;
  for (const Shape& x : all_atleast_nd(op.shapes("tensors"), 2)) {
    rows = rows + x[0];
    columns = columns + x[1];
  }
  return {{rows, columns}};
}

Shapes meshgrid(const ShapeView& op) {
  Shape out;
  for (const Shape& x : op.shapes("tensors")) out.push_back(product(x));
  if (op.has("indexing") && op.str("indexing") == "xy" && out.size() > 1) std::swap(out[0], out[1]);
  return repeated(op, out);
}

Shapes broadcast_tensors(const ShapeView& op) {
  return repeated(op, op.broadcast(op.shapes("tensors")));
}

Shapes cartesian_prod(const ShapeView& op) {
  const Shapes inputs = op.shapes("tensors");
  if (inputs.size() == 1) return {inputs[0]};
  Dim rows = 1;
  for (const Shape& x : inputs) rows = rows * product(x);
  return {{rows, static_cast<int64_t>(inputs.size())}};
}

/// Binomial coefficient n over r; with repetition n + r - 1 over r.
Shapes combinations(const ShapeView& op) {
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

Shapes pad_sequence(const ShapeView& op) {
  const Shapes inputs = op.shapes("sequences");
  Dim longest = inputs.at(0).at(0);
  for (const Shape& x : inputs) longest = op.constraints().larger(longest, x.at(0));
  const auto count = static_cast<int64_t>(inputs.size());
  Shape out = op.boolean("batch_first") ? Shape{count, longest} : Shape{longest, count};
  out.insert(out.end(), inputs[0].begin() + 1, inputs[0].end());
  return {out};
}

/// Factors for the last axes, aligned to the right; missing ones are 1.
Shapes repeat(const ShapeView& op) {
  Shape x = op.shape("self");
  Shape factors = op.dims(op.has("repeats") ? "repeats" : "dims");
  const size_t rank = std::max(x.size(), factors.size());
  x.insert(x.begin(), rank - x.size(), Dim(1));
  factors.insert(factors.begin(), rank - factors.size(), Dim(1));
  for (size_t i = 0; i < rank; ++i) x[i] = x[i] * factors[i];
  return {x};
}

Shapes repeat_interleave(const ShapeView& op) {
  const bool is_flat = !op.has("dim");
  const bool is_data_dependent = op.is_tensor("repeats") && !op.has("output_size");
  if (!op.has("self")) return {{is_data_dependent ? unbacked_size() : op.dim("output_size")}};
  const Shape& x = op.shape("self");
  const int axis = is_flat ? 0 : op.axis("dim", dim_rank(x));
  const Dim total = is_flat ? product(x) : x.at(axis);
  const auto known = is_data_dependent ? op.number("repeats") : std::nullopt;
  const Dim size = known                   ? total * Dim(*known)
                   : is_data_dependent     ? unbacked_size()
                   : op.has("output_size") ? op.dim("output_size")
                                           : total * op.dim("repeats");
  return {is_flat ? Shape{size} : with_dim(x, axis, size)};
}

/// `_pad_enum` numbers its modes: reflect, replicate, circular, constant.
bool pads_by(const ShapeView& op, std::string_view mode) {
  if (op.op().find(mode) != std::string_view::npos) return true;
  if (!op.has("mode")) return false;
  if (op.is_text("mode")) return op.str("mode").starts_with(mode);
  return op.i64("mode") == (mode == "reflect" ? 0 : 2);
}

/// Pairs, starting at the last axis.
Shapes pad(const ShapeView& op) {
  Shape out = op.shape("self");
  const bool reflects = pads_by(op, "reflect"), wraps = pads_by(op, "circular");
  const Shape pads = op.dims(op.has("padding") ? "padding" : "pad");
  for (size_t i = 0; i + 1 < pads.size(); i += 2) {
    Dim& size = out.at(out.size() - 1 - i / 2);
    // A negative amount crops, which is another operation.
    for (const Dim& amount : {pads[i], pads[i + 1]}) {
      if (!amount.is_constant()) op.holds(amount, Relation::ge, 0);
      if (reflects || wraps) op.require(amount, reflects ? Relation::lt : Relation::le, size);
    }
    size = size + pads[i] + pads[i + 1];
  }
  return {out};
}

}  // namespace

void add_join_rules(ShapeRules& r) {
  r.add(cat_along, "cat concat concatenate");
  r.add(stack, "stack _stack");
  r.add(hstack, "hstack");
  r.add(vstack, "vstack row_stack");
  r.add(dstack, "dstack");
  r.add(column_stack, "column_stack");
  r.add(block_diag, "block_diag");
  r.add(meshgrid, "meshgrid");
  r.add(broadcast_tensors, "broadcast_tensors");
  r.add(cartesian_prod, "cartesian_prod");
  r.add(combinations, "combinations");
  r.add(pad_sequence, "pad_sequence");
  r.add(repeat, "repeat tile");
  r.add(repeat_interleave, "repeat_interleave");
  r.add(pad,
        "pad constant_pad_nd reflection_pad1d reflection_pad2d reflection_pad3d "
        "replication_pad1d replication_pad2d replication_pad3d _pad_circular _pad_enum");
}

}  // namespace t2n::dynamic
