// Tensors made from sizes and numbers.
#include <algorithm>
#include <cmath>

#include "src/diag/error.h"
#include "src/dynamic/shape_rule.h"

namespace t2n::dynamic {
namespace {

using ir::Dim;
using ir::Shape;

Shapes sized(const ShapeView& op) { return {op.dims("size")}; }
Shapes like(const ShapeView& op) { return {op.shape("self")}; }
Shapes steps(const ShapeView& op) { return {{op.dim("steps")}}; }

Shapes window(const ShapeView& op) { return {{op.dim("window_length")}}; }

Shapes frequencies(const ShapeView& op) { return {{op.dim("n")}}; }
Shapes half_frequencies(const ShapeView& op) { return {{floor_div(op.dim("n"), 2) + 1}}; }

Shapes eye(const ShapeView& op) { return {{op.dim("n"), op.has("m") ? op.dim("m") : op.dim("n")}}; }

/// The count if the bounds are numbers, computed as torch does: in doubles, or in i64 for i64
/// results.
std::optional<int64_t> constant_count(const ShapeView& op, bool includes_end) {
  double range[3] = {0, 0, 1};
  const char* names[3] = {"start", "end", "step"};
  for (int i = 0; i < 3; ++i) {
    if (!op.has(names[i])) continue;
    if (!op.is_plain(names[i])) return std::nullopt;
    range[i] = *op.f64(names[i]);
    if (op.result_dtype() == ir::DType::i64) range[i] = std::trunc(range[i]);
  }
  const double count = (range[1] - range[0]) / range[2];
  return static_cast<int64_t>(includes_end ? std::floor(count) + 1 : std::ceil(count));
}

/// The denominator of a fractional step: 4 for 0.75.
int64_t parts_of_one(const ShapeView& op) {
  constexpr int64_t kMost = 1 << 16;
  int64_t parts = 1;
  if (!op.has("step") || !op.is_plain("step")) return parts;
  while (parts < kMost && std::fmod(*op.f64("step") * static_cast<double>(parts), 1) != 0)
    parts *= 2;
  return parts;
}

Shapes arange(const ShapeView& op) {
  if (const auto count = constant_count(op, false)) return {{*count}};
  const Dim start = op.has("start") ? op.dim("start") : Dim(0);
  const int64_t parts = parts_of_one(op);
  const Dim step = parts > 1
                       ? Dim(static_cast<int64_t>(*op.f64("step") * static_cast<double>(parts)))
                   : op.has("step") ? op.dim("step")
                                    : Dim(1);
  const bool is_up = op.holds(step, Relation::ge, 0);
  const Dim range = parts * (is_up ? op.dim("end") - start : start - op.dim("end"));
  return {{ceil_div(range, is_up ? step : -1 * step)}};
}

Shapes range(const ShapeView& op) {
  if (const auto count = constant_count(op, true)) return {{*count}};
  const Dim start = op.has("start") ? op.dim("start") : Dim(0);
  const Dim step = op.has("step") ? op.dim("step") : Dim(1);
  return {{floor_div(op.dim("end") - start, step) + 1}};
}

Shapes vander(const ShapeView& op) {
  Shape out = op.shape("x");
  out.push_back(op.has("N") ? op.dim("N") : out.back());
  return {out};
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

Shapes tril_indices(const ShapeView& op) { return {{2, corner(op, true)}}; }
Shapes triu_indices(const ShapeView& op) { return {{2, corner(op, false)}}; }

Shapes shape_as_tensor(const ShapeView& op) {
  return {{static_cast<int64_t>(op.shape("self").size())}};
}

/// [N, H, W, 2] for a size of [N, C, H, W], and so on.
Shapes affine_grid(const ShapeView& op) {
  Shape out = op.dims("size");
  const auto axes = static_cast<int64_t>(out.size()) - 2;
  out.erase(out.begin() + 1);
  out.push_back(axes);
  return {out};
}

Shapes dequantised(const ShapeView& op) { return {op.dims("shape")}; }

}  // namespace

void add_creation_rules(ShapeRules& r) {
  r.add(sized,
        "empty empty_permuted empty_strided full new_empty new_empty_strided new_full new_ones "
        "new_zeros ones rand randn zeros randint");
  r.add(like, "empty_like full_like ones_like rand_like randn_like zeros_like randint_like");
  r.add(steps, "linspace logspace");
  r.add(window, "bartlett_window blackman_window hamming_window hann_window kaiser_window");
  r.add(frequencies, "fft_fftfreq");
  r.add(half_frequencies, "fft_rfftfreq");
  r.add(eye, "eye");
  r.add(arange, "arange");
  r.add(range, "range");
  r.add(vander, "vander linalg_vander");
  r.add(tril_indices, "tril_indices");
  r.add(triu_indices, "triu_indices");
  r.add(shape_as_tensor, "_shape_as_tensor");
  r.add(dequantised, "t2n::dequantise_q4_0");
  r.add(affine_grid, "affine_grid_generator");
}

}  // namespace t2n::dynamic
