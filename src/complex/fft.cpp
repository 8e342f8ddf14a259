// SPDX-License-Identifier: Apache-2.0
// Fourier transforms as chains of one-dimensional ones: t2n::fft_r2c, fft_c2c and fft_c2r.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/complex/rules.h"
#include "src/diag/error.h"

namespace t2n::complex {
namespace {

/// A tensor between transforms: real, or pairs.
struct Signal {
  ValueId x;
  bool is_complex;
};

int rank_of(const PairBuilder& b, const Signal& s) { return b.rank(s.x) - (s.is_complex ? 1 : 0); }

const Dim& size_of(const PairBuilder& b, const Signal& s, int64_t axis) {
  return b.shape(s.x).at(axis);
}

/// Integers, booleans and half floats are transformed in f32.
DType working_dtype(const PairBuilder& b, const Signal& s) {
  return b.dtype(s.x) == DType::f64 ? DType::f64 : DType::f32;
}

Signal read_signal(PairBuilder& b) {
  Signal s{b.tensor("self"), b.is_complex_tensor("self")};
  s.x = b.cast(s.x, working_dtype(b, s));
  return s;
}

Signal as_complex(PairBuilder& b, const Signal& s) {
  return s.is_complex ? s : Signal{b.pairs(s.x), true};
}

/// The entries of half a spectrum.
Dim half(const Dim& n) { return floor_div(n, Dim(2)) + Dim(1); }

/// True if the first size is at least the second for all sizes that the graph accepts.
bool is_at_least(const PairBuilder& b, const Dim& a, const Dim& other) {
  return b.proves({a, ir::Relation::ge, other});
}

/// Cuts the end of an axis, or pads it with zeros. If neither can be proven to fit, pads it by the
/// new size and then cuts it.
Signal resized(PairBuilder& b, Signal s, int64_t axis, const Dim& size) {
  const int at = static_cast<int>(axis);
  const Dim now = size_of(b, s, axis);
  if (now == size) return s;
  if (is_at_least(b, now, size))
    s.x = b.slice(s.x, at, 0, size);
  else if (is_at_least(b, size, now))
    s.x = b.with_zeros(s.x, at, size - now);
  else
    s.x = b.slice(b.with_zeros(s.x, at, size), at, 0, size);
  return s;
}

Signal r2c(PairBuilder& b, const Signal& s, int64_t axis, bool onesided, bool inverse,
           double scale) {
  Shape shape = b.shape(s.x);
  Dim& size = shape.at(axis);
  if (onesided) size = half(size);
  shape.emplace_back(2);
  return {b.emit("t2n::fft_r2c",
                 {{"self", TensorRef{s.x}},
                  {"dim", Dim(axis)},
                  {"onesided", onesided},
                  {"inverse", inverse},
                  {"scale", scale}},
                 b.dtype(s.x), shape),
          true};
}

/// Takes real signals too; the result is complex in any case.
Signal c2c(PairBuilder& b, const Signal& s, int64_t axis, bool inverse, double scale) {
  if (!s.is_complex) return r2c(b, s, axis, false, inverse, scale);
  return {
      b.emit("t2n::fft_c2c",
             {{"self", TensorRef{s.x}}, {"dim", Dim(axis)}, {"inverse", inverse}, {"scale", scale}},
             b.dtype(s.x), b.shape(s.x)),
      true};
}

/// `n` entries of a real signal whose spectrum is symmetric.
Signal c2r(PairBuilder& b, const Signal& signal, int64_t axis, const Dim& n, bool inverse,
           double scale) {
  const Signal s = resized(b, as_complex(b, signal), axis, half(n));
  Shape shape = b.shape(s.x);
  shape.pop_back();
  shape.at(axis) = n;
  return {b.emit("t2n::fft_c2r",
                 {{"self", TensorRef{s.x}},
                  {"dim", Dim(axis)},
                  {"n", n},
                  {"inverse", inverse},
                  {"scale", scale}},
                 b.dtype(s.x), shape),
          false};
}

/// What a transform of `count` points is multiplied by: (1 / count)^power, which is 0, 1/2 or 1.
/// If the count is symbolic, the result is divided instead.
struct Scale {
  Dim count = 1;
  double power = 0;
  double factor() const {
    if (!count.is_constant() || power == 0) return 1;
    const auto n = static_cast<double>(count.value());
    return 1 / (power == 1 ? n : std::sqrt(n));
  }
  Signal applied(PairBuilder& b, Signal s) const {
    if (count.is_constant() || power == 0) return s;
    ValueId by = b.emit("aten::scalar_tensor",
                        {{"s", count},
                         {"dtype", b.dtype(s.x)},
                         {"layout", ir::None{}},
                         {"device", ir::None{}},
                         {"pin_memory", ir::None{}}},
                        b.dtype(s.x), {});
    if (power != 1) by = b.unary("aten::sqrt", by);
    return {b.binary("aten::div.Tensor", s.x, by), s.is_complex};
  }
};

/// The factor of `norm` for a transform of `count` points.
Scale scale_of(const PairBuilder& b, bool inverse, const Dim& count) {
  const std::string norm = b.text("norm", "backward");
  if (norm == "ortho") return {count, 0.5};
  return {count, (norm == "forward") != inverse ? 1.0 : 0.0};
}

/// One size per axis; -1 keeps the present size.
struct Extents {
  ir::Ints axes;
  std::vector<Dim> sizes;
};

ir::Ints last_axes(int rank, size_t count) {
  ir::Ints out(count);
  std::iota(out.begin(), out.end(), rank - static_cast<int64_t>(count));
  return out;
}

Extents read_extents(const PairBuilder& b, const Signal& s) {
  const int rank = rank_of(b, s);
  Extents e;
  if (b.has("n")) {
    e.axes = b.axes("dim", rank);
    e.sizes = b.is_none("n") ? std::vector<Dim>{-1} : b.dims("n");
    return e;
  }
  e.sizes = b.dims("s");
  const bool is_plane = b.base_name().ends_with("2");
  const size_t count = !b.is_none("s") ? e.sizes.size() : is_plane ? 2 : static_cast<size_t>(rank);
  e.axes = b.is_none("dim") ? last_axes(rank, count) : b.axes("dim", rank);
  e.sizes.resize(e.axes.size(), Dim(-1));
  return e;
}

/// Resizes all axes; -1 means the present size.
Signal resized(PairBuilder& b, Signal s, Extents& e) {
  for (size_t i = 0; i < e.axes.size(); ++i) {
    if (e.sizes[i] == Dim(-1))
      e.sizes[i] = size_of(b, s, e.axes[i]);
    else
      s = resized(b, s, e.axes[i], e.sizes[i]);
  }
  return s;
}

Dim count_of(const Extents& e) {
  return std::accumulate(e.sizes.begin(), e.sizes.end(), Dim(1),
                         [](const Dim& a, const Dim& size) { return a * size; });
}

/// The first step of all rules.
struct Start {
  Signal signal;
  Extents extents;
};

Start start(PairBuilder& b) {
  Start out{read_signal(b), {}};
  out.extents = read_extents(b, out.signal);
  return out;
}

/// fft, ifft and similar over several axes.
template <bool Inverse>
void c2c_rule(PairBuilder& b) {
  auto [s, e] = start(b);
  s = resized(b, s, e);
  const Scale scale = scale_of(b, Inverse, count_of(e));
  double factor = scale.factor();
  for (size_t i = e.axes.size(); i-- > 0; factor = 1) s = c2c(b, s, e.axes[i], Inverse, factor);
  b.define(scale.applied(b, as_complex(b, s)).x);
}

/// rfft (and, conjugated, ihfft): the last axis gives half a spectrum, the others are complex.
template <bool Inverse>
void r2c_rule(PairBuilder& b) {
  auto [s, e] = start(b);
  s = resized(b, s, e);
  const Scale scale = scale_of(b, Inverse, count_of(e));
  s = r2c(b, s, e.axes.back(), true, Inverse, scale.factor());
  for (size_t i = e.axes.size() - 1; i-- > 0;) s = c2c(b, s, e.axes[i], Inverse, 1);
  b.define(scale.applied(b, s).x);
}

/// irfft (and, conjugated, hfft): back to real values, along the last axis at the end.
template <bool Inverse>
void c2r_rule(PairBuilder& b) {
  auto [s, e] = start(b);
  Dim& last = e.sizes.back();
  if (last == Dim(-1)) last = Dim(2) * (size_of(b, s, e.axes.back()) - Dim(1));
  const Dim n = last;
  last = half(n);
  s = resized(b, s, e);
  last = n;
  for (size_t i = 0; i + 1 < e.axes.size(); ++i) s = c2c(b, s, e.axes[i], Inverse, 1);
  const Scale scale = scale_of(b, Inverse, count_of(e));
  b.define(scale.applied(b, c2r(b, s, e.axes.back(), n, Inverse, scale.factor())).x);
}

/// The argument `normalization`: none, by the root of the size, by the size.
Scale plain_scale(const PairBuilder& b, const Dim& count) {
  const int64_t mode = b.integer("normalization", 0);
  return {count, mode == 0 ? 0 : mode == 1 ? 0.5 : 1};
}

Start plain_start(PairBuilder& b) {
  Start out{read_signal(b), {}};
  Extents& e = out.extents;
  e.axes = b.axes("dim", rank_of(b, out.signal));
  for (const int64_t axis : e.axes) e.sizes.push_back(size_of(b, out.signal, axis));
  return out;
}

void plain_c2c_rule(PairBuilder& b) {
  const auto [signal, e] = plain_start(b);
  Signal s = as_complex(b, signal);
  const Scale scale = plain_scale(b, count_of(e));
  double factor = scale.factor();
  for (const int64_t axis : e.axes) {
    s = c2c(b, s, axis, !b.flag("forward", true), factor);
    factor = 1;
  }
  b.define(scale.applied(b, s).x);
}

void plain_r2c_rule(PairBuilder& b) {
  auto [s, e] = plain_start(b);
  const Scale scale = plain_scale(b, count_of(e));
  s = r2c(b, s, e.axes.back(), b.flag("onesided", true), false, scale.factor());
  for (size_t i = e.axes.size() - 1; i-- > 0;) s = c2c(b, s, e.axes[i], false, 1);
  b.define(scale.applied(b, s).x);
}

void plain_c2r_rule(PairBuilder& b) {
  auto [s, e] = plain_start(b);
  e.sizes.back() = b.dims("last_dim_size").at(0);
  for (size_t i = 0; i + 1 < e.axes.size(); ++i) s = c2c(b, s, e.axes[i], true, 1);
  const Scale scale = plain_scale(b, count_of(e));
  b.define(scale.applied(b, c2r(b, s, e.axes.back(), e.sizes.back(), true, scale.factor())).x);
}

/// Moves the zero frequency to the middle (`fftshift`), or back.
template <bool Back>
void shift_rule(PairBuilder& b) {
  const Signal s{b.tensor("self"), b.is_complex_tensor("self")};
  const int rank = rank_of(b, s);
  const ir::Ints axes =
      b.is_none("dim") ? last_axes(rank, static_cast<size_t>(rank)) : b.axes("dim", rank);
  if (axes.empty()) return b.define(s.x);
  std::vector<Dim> shifts, dims;
  for (const int64_t axis : axes) {
    const Dim& size = size_of(b, s, axis);
    shifts.push_back(floor_div(Back ? size + Dim(1) : size, Dim(2)));
    dims.emplace_back(axis);
  }
  b.define(b.emit("aten::roll", {{"self", TensorRef{s.x}}, {"shifts", shifts}, {"dims", dims}},
                  b.dtype(s.x), b.shape(s.x)));
}

const PairRules& fft_table() {
  static const PairRules table = {
      {"_fft_c2c", plain_c2c_rule},        {"_fft_c2r", plain_c2r_rule},
      {"_fft_r2c", plain_r2c_rule},        {"fft_fft", c2c_rule<false>},
      {"fft_fft2", c2c_rule<false>},       {"fft_fftn", c2c_rule<false>},
      {"fft_fftshift", shift_rule<false>}, {"fft_hfft", c2r_rule<false>},
      {"fft_hfft2", c2r_rule<false>},      {"fft_hfftn", c2r_rule<false>},
      {"fft_ifft", c2c_rule<true>},        {"fft_ifft2", c2c_rule<true>},
      {"fft_ifftn", c2c_rule<true>},       {"fft_ifftshift", shift_rule<true>},
      {"fft_ihfft", r2c_rule<true>},       {"fft_ihfft2", r2c_rule<true>},
      {"fft_ihfftn", r2c_rule<true>},      {"fft_irfft", c2r_rule<true>},
      {"fft_irfft2", c2r_rule<true>},      {"fft_irfftn", c2r_rule<true>},
      {"fft_rfft", r2c_rule<false>},       {"fft_rfft2", r2c_rule<false>},
      {"fft_rfftn", r2c_rule<false>}};
  return table;
}

}  // namespace

PairRule find_fft_rule(std::string_view name) { return rule_in(fft_table(), name); }

}  // namespace t2n::complex
