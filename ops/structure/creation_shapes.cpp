// SPDX-License-Identifier: Apache-2.0
// Shapes of tensors made from sizes and numbers.
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "ir/fraction.h"
#include "ops/structure/families.h"
#include "src/diag/error.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

Shapes sized_shapes(const ShapeView& op) { return {op.dims("size")}; }
Shapes steps_shapes(const ShapeView& op) { return {{op.dim("steps")}}; }

Shapes eye_shapes(const ShapeView& op) {
  return {{op.dim("n"), op.has("m") ? op.dim("m") : op.dim("n")}};
}

/// The count if the bounds are numbers, computed as torch does: in doubles, or in i64 for i64
/// results.
std::optional<int64_t> constant_count(const ShapeView& op, bool includes_end) {
  double range[3] = {0, 0, 1};
  const char* names[3] = {"start", "end", "step"};
  for (int i = 0; i < 3; ++i) {
    if (!op.has(names[i])) continue;
    if (op.is_symbolic(names[i])) return std::nullopt;
    range[i] = *op.f64(names[i]);
    if (op.result_dtype() == DType::i64) range[i] = std::trunc(range[i]);
  }
  const double count = (range[1] - range[0]) / range[2];
  return static_cast<int64_t>(includes_end ? std::floor(count) + 1 : std::ceil(count));
}

/// Torch divides in f64: a quotient by the step that is an integer must not be rounded to the next
/// one, which a step below the fraction may do.
void require_safe_quotients(const ShapeView& op, const ir::Fraction& fraction, double step) {
  constexpr double kSafe = 0x1p-54;
  const auto exact =
      static_cast<long double>(fraction.number) / static_cast<long double>(fraction.divisor);
  if (exact / std::abs(step) - 1 > kSafe)
    op.unknown(cat("torch rounds quotients by ", step, " up"));
}

/// `divisor` times a size or a number of the call.
Dim multiple_of(const ShapeView& op, std::string_view name, int64_t otherwise, int64_t& divisor) {
  if (!op.has(name)) return otherwise;
  if (op.is_symbolic(name)) return op.dim(name);
  const double number = *op.f64(name);
  if (std::trunc(number) == number) return op.dim(name);
  constexpr int kMantissa = 53;
  const auto fraction = ir::simplest_fraction(std::abs(number), kMantissa);
  if (!fraction || op.result_dtype() == DType::i64)
    op.unknown(cat(name, " is not a simple fraction"));
  if (name == "step")
    require_safe_quotients(op, *fraction, number);
  else if (!std::has_single_bit(static_cast<uint64_t>(fraction->divisor)))
    op.unknown(cat("torch rounds differences to ", number));
  divisor = fraction->divisor;
  return number < 0 ? -fraction->number : fraction->number;
}

Shapes arange_shapes(const ShapeView& op) {
  if (const auto count = constant_count(op, false)) return {{*count}};
  int64_t of_start = 1, of_end = 1, of_step = 1;
  const Dim start = multiple_of(op, "start", 0, of_start);
  const Dim end = multiple_of(op, "end", 0, of_end);
  const Dim step = multiple_of(op, "step", 1, of_step);
  const bool is_up = op.holds(step, Relation::ge, 0);
  const Dim range = of_step * (of_start * end - of_end * start);
  const Dim divisor = of_start * of_end * step;
  return {{is_up ? shapes::ceil_div(range, divisor)
                 : shapes::ceil_div(Dim(0) - range, Dim(0) - divisor)}};
}

Shapes range_shapes(const ShapeView& op) {
  if (const auto count = constant_count(op, true)) return {{*count}};
  const Dim start = op.has("start") ? op.dim("start") : Dim(0);
  const Dim step = op.has("step") ? op.dim("step") : Dim(1);
  return {{floor_div(op.dim("end") - start, step) + 1}};
}

/// Entries of a matrix on and below the diagonal `offset`.
int64_t below(int64_t rows, int64_t columns, int64_t offset) {
  int64_t count = 0;
  for (int64_t row = 0; row < rows; ++row)
    count += std::clamp<int64_t>(row + offset + 1, 0, columns);
  return count;
}

Dim corner(const ShapeView& op, bool is_lower) {
  const Dim rows = op.dim("row"), columns = op.dim("col"), offset = op.dim("offset");
  if (rows.is_constant() && columns.is_constant() && offset.is_constant()) {
    const int64_t r = rows.value(), c = columns.value(), o = offset.value();
    return is_lower ? below(r, c, o) : r * c - below(r, c, o - 1);
  }
  // A triangle of a square has a closed form as long as the diagonal lies inside.
  if (rows != columns || !offset.is_constant()) op.unknown("the matrix is not square");
  const int64_t shift = is_lower ? offset.value() : -1 * offset.value();
  if (shift > 0 || !op.holds(rows + shift, Relation::ge, 0))
    op.unknown("the offset selects more than a triangle");
  return floor_div((rows + shift) * (rows + shift + 1), 2);
}

Shapes tril_indices_shapes(const ShapeView& op) { return {{2, corner(op, true)}}; }
Shapes triu_indices_shapes(const ShapeView& op) { return {{2, corner(op, false)}}; }

Shapes shape_as_tensor_shapes(const ShapeView& op) {
  return {{static_cast<int64_t>(op.shape("self").size())}};
}

Shapes one_hot_shapes(const ShapeView& op) {
  const Dim classes = op.dim("num_classes");
  Shape out = op.shape("self");
  out.push_back(classes == Dim(-1) ? shapes::unbacked_size() : classes);
  return {out};
}

Shapes pad_sequence_shapes(const ShapeView& op) {
  const Shapes inputs = op.shapes("sequences");
  Dim longest = inputs.at(0).at(0);
  for (const Shape& x : inputs) longest = op.constraints().larger(longest, x.at(0));
  const auto count = static_cast<int64_t>(inputs.size());
  Shape out = op.boolean("batch_first") ? Shape{count, longest} : Shape{longest, count};
  out.insert(out.end(), inputs[0].begin() + 1, inputs[0].end());
  return {out};
}

}  // namespace

void register_creation_shapes(Registry& r) {
  r.shapes(sized_shapes,
           "empty empty_permuted empty_strided full new_empty new_empty_strided new_full "
           "new_ones new_zeros ones rand randn zeros randint");
  r.shapes(steps_shapes, "linspace logspace");
  r.shapes(eye_shapes, "eye");
  r.shapes(arange_shapes, "arange");
  r.shapes(range_shapes, "range");
  r.shapes(tril_indices_shapes, "tril_indices");
  r.shapes(triu_indices_shapes, "triu_indices");
  r.shapes(shape_as_tensor_shapes, "_shape_as_tensor");
  r.shapes(shapes::same,
           "empty_like full_like ones_like rand_like randn_like zeros_like randint_like to.other "
           "type_as");
  r.shapes(shapes::numbers,
           "as_tensor.bool as_tensor.float as_tensor.int scalar_tensor tensor.bool "
           "tensor.float tensor.int");
  r.shapes(one_hot_shapes, "one_hot");
  r.shapes(pad_sequence_shapes, "pad_sequence");
}

}  // namespace t2n::ops
