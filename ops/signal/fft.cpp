// SPDX-License-Identifier: Apache-2.0
// Fourier transforms along one axis, in the form that the pass `complex-to-pairs` gives them.
#include "ir/unit_circle.h"
#include "ops/signal/dft.h"
#include "ops/signal/families.h"
#include "ops/structure/positions.h"
#include "ops/structure/product.h"
#include "src/translate/arith.h"
#include "src/translate/registry.h"
#include "src/translate/sizes.h"

namespace t2n::ops {
namespace {

/// Points of the unit circle, computed in f64 from exact fractions of a turn.
class Circle {
 public:
  explicit Circle(const Dft& dft) : n_(dft.n) {
    const double sign = dft.inverse ? 1 : -1;
    for (int64_t i = 0; i < n_; ++i) {
      const ir::CirclePoint point = ir::circle_point(i, n_);
      cos_.push_back(dft.scale * point.cos);
      sin_.push_back(sign * dft.scale * point.sin + 0.0);  // not -0
    }
  }
  double cos(int64_t j, int64_t k) const { return cos_[j * k % n_]; }
  double sin(int64_t j, int64_t k) const { return sin_[j * k % n_]; }

 private:
  int64_t n_;
  std::vector<double> cos_;
  std::vector<double> sin_;
};

Ref matrix(Emitter& out, const Ints& shape, const std::vector<double>& values, DType dtype) {
  return out.constant(ir::tensor_of<double>(dtype, shape, values), "dft");
}

}  // namespace

Ref real_dft(Emitter& out, const Dft& dft, int64_t bins, DType dtype) {
  const Circle circle(dft);
  std::vector<double> values;
  for (int64_t j = 0; j < dft.n; ++j)
    for (int64_t k = 0; k < bins; ++k) {
      values.push_back(circle.cos(j, k));
      values.push_back(circle.sin(j, k));
    }
  return matrix(out, {dft.n, bins * 2}, values, dtype);
}

Ref windowed_dft(Emitter& out, const Dft& dft, int64_t bins, const std::vector<double>& window,
                 DType dtype) {
  const Circle circle(dft);
  std::vector<double> values;
  for (int64_t k = 0; k < bins; ++k)
    for (const bool is_imaginary : {false, true})
      for (int64_t j = 0; j < dft.n; ++j)
        values.push_back((is_imaginary ? circle.sin(j, k) : circle.cos(j, k)) *
                         (window.empty() ? 1 : window[j]));
  return matrix(out, {bins * 2, 1, dft.n}, values, dtype);
}

Ref complex_dft(Emitter& out, const Dft& dft, DType dtype) {
  const Circle circle(dft);
  std::vector<double> values;
  for (int64_t j = 0; j < dft.n; ++j)
    for (const bool is_imaginary : {false, true})
      for (int64_t k = 0; k < dft.n; ++k) {
        values.push_back(is_imaginary ? -circle.sin(j, k) : circle.cos(j, k));
        values.push_back(is_imaginary ? circle.cos(j, k) : circle.sin(j, k));
      }
  return matrix(out, {2 * dft.n, 2 * dft.n}, values, dtype);
}

/// All entries but the first, and the last if n is even, also represent their mirror images.
Ref symmetric_dft(Emitter& out, const Dft& dft, DType dtype) {
  const Circle circle(dft);
  std::vector<double> values;
  for (int64_t k = 0; k <= dft.n / 2; ++k) {
    const double weight = 2 * k % dft.n == 0 ? 1 : 2;
    for (const bool is_imaginary : {false, true})
      for (int64_t j = 0; j < dft.n; ++j)
        values.push_back(weight * (is_imaginary ? -circle.sin(j, k) : circle.cos(j, k)));
  }
  return matrix(out, {2 * (dft.n / 2 + 1), dft.n}, values, dtype);
}

Ref with_zero_imaginary(Emitter& out, Ref x) {
  std::vector<std::pair<int64_t, int64_t>> padding(static_cast<size_t>(out.rank(x)) + 1);
  padding.back().second = 1;
  return out.pad(out.unsqueeze(x, {out.rank(x)}), padding);
}

namespace {

/// The arguments that the operations of this file share.
struct Transform {
  Ref x;
  int axis;  ///< of the transform
  Dft dft;   ///< its n is 0 if the size is symbolic
};

int64_t known_or_zero(const Dim& n) { return n.is_constant() ? n.value() : 0; }

Transform read_transform(const OpView& op, Emitter& out, bool takes_pairs) {
  const Ref x = op.tensor("self");
  const int axis = op.axis("dim", out.rank(x) - (takes_pairs ? 1 : 0));
  return {x, axis, {known_or_zero(size_of(out, x, axis)), op.boolean("inverse"), op.f64("scale")}};
}

/// True if the transform is emitted as a product with a matrix of `entries` elements.
bool is_product(const Transform& t, int64_t entries) {
  return t.dft.n > 0 && entries <= kMostDftEntries;
}

/// A permutation that brings `axis` to the end, before `kept` last axes.
Ints axis_to_end(int axis, int rank, int kept) {
  Ints order = all_axes(rank);
  order.erase(order.begin() + axis);
  order.insert(order.end() - kept, axis);
  return order;
}

/// All axes but the last `dropped` ones, then `last`.
Shape ending(const Shape& shape, size_t dropped, const Ints& last) {
  Shape to(shape.begin(), shape.end() - static_cast<int64_t>(dropped));
  to.insert(to.end(), last.begin(), last.end());
  return to;
}

/// [.., n at axis, ..] -> [.., bins at axis, .., 2]
Ref real_by_matrix(const OpView& op, Emitter& out, const Transform& t, int64_t bins) {
  const int rank = out.rank(t.x);
  const Ref rows = out.transpose(t.x, axis_to_end(t.axis, rank, 0));
  const Ref y = product(op, out, rows, real_dft(out, t.dft, bins, out.dtype(t.x)));
  const Ref pairs = out.reshape(y, ending(out.shape(y), 1, {bins, 2}));
  return out.transpose(pairs, inverse(axis_to_end(t.axis, rank + 1, 1)));
}

/// tract's transform, which does not divide by n and computes all bins.
Ref by_fft(Emitter& out, Ref pairs, const Transform& t) {
  return out.call("tract_core_fft", {pairs}, {{"axis", t.axis}, {"inverse", t.dft.inverse}},
                  out.dtype(pairs), out.shape(pairs));
}

void c2c(const OpView& op, Emitter& out) {
  const Transform t = read_transform(op, out, true);
  const int64_t n = t.dft.n;
  if (!is_product(t, 4 * n * n)) return out.result(scaled(out, by_fft(out, t.x, t), t.dft.scale));
  const Ints order = axis_to_end(t.axis, out.rank(t.x), 1);
  const Ref moved = out.transpose(t.x, order);
  const Ref rows = out.reshape(moved, ending(out.shape(moved), 2, {2 * n}));
  const Ref y = product(op, out, rows, complex_dft(out, t.dft, out.dtype(t.x)));
  out.result(out.transpose(out.reshape(y, out.shape(moved)), inverse(order)));
}

/// Appends the mirror images of entries 1, 2… of half a spectrum, conjugated.
Ref full_spectrum(Emitter& out, const Transform& t) {
  std::vector<int64_t> mirrored;
  for (int64_t k = (t.dft.n - 1) / 2; k > 0; --k) mirrored.push_back(k);
  Ints signs(static_cast<size_t>(out.rank(t.x)), 1);
  signs.back() = 2;
  const Ref conjugate = out.constant(
      ir::tensor_of<double>(out.dtype(t.x), signs, std::vector<double>{1, -1}), "conjugate");
  const Ref images = mul(out, take(out, t.x, mirrored, t.axis), conjugate);
  return out.concat({t.x, images}, t.axis);
}

/// The same for a symbolic size n: entry k is that of the half, or the conjugate of entry n - k.
Ref full_symbolic_spectrum(Emitter& out, const Transform& t, const Dim& n) {
  const Ref k = out.range(n);
  const Ref mirrored = sub(out, out.size(n, DType::i64), k);
  const Ref is_image = compare(out, "lt", mirrored, k);
  const Ref all = take(out, t.x, select(out, is_image, mirrored, k), t.axis);
  const int rank = out.rank(all);
  Shape along(static_cast<size_t>(rank), Dim(1));
  along[t.axis] = n;
  const Ref is_imaginary =
      compare(out, "gt", iota(out, Dim(2), rank - 1, rank), out.scalar(0, DType::i64));
  const Ref changes = logical_and(out, out.reshape(is_image, along), is_imaginary);
  return select(out, changes, neg(out, all), all);
}

/// torch computes half of the spectrum, too: images are equal to the last bit, and an argmax takes
/// the first.
void r2c(const OpView& op, Emitter& out) {
  Transform t = read_transform(op, out, false);
  const Dim n = size_of(out, t.x, t.axis);
  const int64_t bins = t.dft.n / 2 + 1;
  if (is_product(t, t.dft.n * bins * 2)) {
    t.x = real_by_matrix(op, out, t, bins);
  } else {
    const Ref all = by_fft(out, with_zero_imaginary(out, t.x), t);
    const Ref half = out.slice(all, t.axis, Dim(0), floor_div(n, 2) + Dim(1));
    t.x = scaled(out, half, t.dft.scale);
  }
  if (op.boolean("onesided")) return out.result(t.x);
  out.result(n.is_constant() ? full_spectrum(out, t) : full_symbolic_spectrum(out, t, n));
}

void c2r(const OpView& op, Emitter& out) {
  Transform t = read_transform(op, out, true);
  const int64_t bins = t.dft.n;
  const Dim n = op.dim("n");
  t.dft.n = known_or_zero(n);
  const int rank = out.rank(t.x);
  if (!is_product(t, 2 * bins * t.dft.n)) {
    const Ref full = n.is_constant() ? full_spectrum(out, t) : full_symbolic_spectrum(out, t, n);
    const Ref y = by_fft(out, full, t);
    const Ref real = out.squeeze(out.slice(y, rank - 1, 0, 1), {rank - 1});
    return out.result(scaled(out, real, t.dft.scale));
  }
  const Ref moved = out.transpose(t.x, axis_to_end(t.axis, rank, 1));
  const Ref rows = out.reshape(moved, ending(out.shape(moved), 2, {2 * bins}));
  const Ref y = product(op, out, rows, symmetric_dft(out, t.dft, out.dtype(t.x)));
  out.result(out.transpose(y, inverse(axis_to_end(t.axis, rank - 1, 0))));
}

/// Complex numbers as pairs on a last axis of two, as the pass complex-to-pairs makes them.
Shapes r2c_pairs_shapes(const ShapeView& op) {
  Shape out = op.shape("self");
  const int axis = op.axis("dim", dim_rank(out));
  Dim& size = out.at(axis);
  if (op.boolean("onesided")) size = half_spectrum(size);
  out.push_back(2);
  return {out};
}

Shapes c2r_pairs_shapes(const ShapeView& op) {
  const Shape x = all_but_last(op.shape("self"), 1);
  return {with_dim(x, op.axis("dim", dim_rank(x)), op.dim("n"))};
}

}  // namespace

void register_fft(Registry& r) {
  r.same({"t2n::fft_r2c"},
         {"matmul", "scale * sum of self * exp(-2 pi i j k / n) along dim; inverse: +2 pi i", r2c});
  r.same({"t2n::fft_c2c"}, {"matmul", "the same of pairs", c2c});
  r.same({"t2n::fft_c2r"},
         {"matmul", "the same of half a symmetric spectrum, with n real results", c2r});
  r.shapes(shapes::same, "t2n::fft_c2c");
  r.shapes(r2c_pairs_shapes, "t2n::fft_r2c");
  r.shapes(c2r_pairs_shapes, "t2n::fft_c2r");
}

}  // namespace t2n::ops
