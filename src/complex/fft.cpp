// Fourier transforms as chains of one-dimensional ones: t2n::fft_r2c, fft_c2c and fft_c2r.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

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
  return b.shape(s.x).at(static_cast<size_t>(axis));
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

/// Cut, or filled with zeros, at the end.
Signal resized(PairBuilder& b, Signal s, int64_t axis, int64_t size) {
  const int at = static_cast<int>(axis);
  const Dim& now = size_of(b, s, axis);
  if (now == Dim(size)) return s;
  if (now.value() > size)
    s.x = b.slice(s.x, at, 0, size);
  else
    s.x = b.pad(s.x, at, 0, size - now.value());
  return s;
}

Signal r2c(PairBuilder& b, const Signal& s, int64_t axis, bool onesided, bool inverse,
           double scale) {
  Shape shape = b.shape(s.x);
  Dim& size = shape.at(static_cast<size_t>(axis));
  if (onesided) size = floor_div(size, Dim(2)) + Dim(1);
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
Signal c2r(PairBuilder& b, const Signal& given, int64_t axis, int64_t n, bool inverse,
           double scale) {
  const Signal s = resized(b, as_complex(b, given), axis, n / 2 + 1);
  Shape shape = b.shape(s.x);
  shape.pop_back();
  shape.at(static_cast<size_t>(axis)) = n;
  return {b.emit("t2n::fft_c2r",
                 {{"self", TensorRef{s.x}},
                  {"dim", Dim(axis)},
                  {"n", Dim(n)},
                  {"inverse", inverse},
                  {"scale", scale}},
                 b.dtype(s.x), shape),
          false};
}

/// The factor of `norm` for a transform of `count` points.
double scale_of(const PairBuilder& b, bool inverse, double count) {
  const std::string norm = b.text("norm", "backward");
  if (norm == "ortho") return 1 / std::sqrt(count);
  return (norm == "forward") != inverse ? 1 / count : 1;
}

/// One size per axis; -1 keeps what is there.
struct Extents {
  ir::Ints axes;
  ir::Ints sizes;
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
    e.sizes = {b.integer("n", -1)};
    return e;
  }
  for (const Dim& size : b.dims("s")) e.sizes.push_back(size.value());
  const bool is_plane = b.base_name().ends_with("2");
  const size_t count = !b.is_none("s") ? e.sizes.size() : is_plane ? 2 : static_cast<size_t>(rank);
  e.axes = b.is_none("dim") ? last_axes(rank, count) : b.axes("dim", rank);
  e.sizes.resize(e.axes.size(), -1);
  return e;
}

bool has_symbolic_axis(const PairBuilder& b, const Signal& s, const Extents& e) {
  return std::any_of(e.axes.begin(), e.axes.end(),
                     [&](int64_t axis) { return !size_of(b, s, axis).is_constant(); });
}

/// Resizes all axes; an open size means the present one.
Signal resized(PairBuilder& b, Signal s, Extents& e) {
  for (size_t i = 0; i < e.axes.size(); ++i) {
    if (e.sizes[i] >= 0)
      s = resized(b, s, e.axes[i], e.sizes[i]);
    else
      e.sizes[i] = size_of(b, s, e.axes[i]).value();
  }
  return s;
}

double count_of(const Extents& e) {
  return std::accumulate(e.sizes.begin(), e.sizes.end(), 1.0,
                         [](double a, int64_t size) { return a * static_cast<double>(size); });
}

/// The first step of all rules; nothing if the node was refused.
struct Start {
  Signal signal;
  Extents extents;
};

bool refuses_symbolic(PairBuilder& b, const Start& begun) {
  if (!has_symbolic_axis(b, begun.signal, begun.extents)) return false;
  b.refuse("the length of a transform must be known at export",
           "export without --dynamic for this axis");
  return true;
}

std::optional<Start> start(PairBuilder& b) {
  Start out{read_signal(b), {}};
  out.extents = read_extents(b, out.signal);
  if (refuses_symbolic(b, out)) return {};
  return out;
}

/// fft, ifft and similar over several axes.
template <bool Inverse>
void c2c_rule(PairBuilder& b) {
  auto begun = start(b);
  if (!begun) return;
  auto& [s, e] = *begun;
  s = resized(b, s, e);
  double scale = scale_of(b, Inverse, count_of(e));
  for (size_t i = e.axes.size(); i-- > 0; scale = 1) s = c2c(b, s, e.axes[i], Inverse, scale);
  b.define(as_complex(b, s).x);
}

/// rfft (and, conjugated, ihfft): the last axis gives half a spectrum, the others are complex.
template <bool Inverse>
void r2c_rule(PairBuilder& b) {
  auto begun = start(b);
  if (!begun) return;
  auto& [s, e] = *begun;
  s = resized(b, s, e);
  s = r2c(b, s, e.axes.back(), true, Inverse, scale_of(b, Inverse, count_of(e)));
  for (size_t i = e.axes.size() - 1; i-- > 0;) s = c2c(b, s, e.axes[i], Inverse, 1);
  b.define(s.x);
}

/// irfft (and, conjugated, hfft): back to real values, along the last axis at the end.
template <bool Inverse>
void c2r_rule(PairBuilder& b) {
  auto begun = start(b);
  if (!begun) return;
  auto& [s, e] = *begun;
  int64_t& last = e.sizes.back();
  if (last < 0) last = 2 * (size_of(b, s, e.axes.back()).value() - 1);
  const int64_t n = last;
  last = n / 2 + 1;
  s = resized(b, s, e);
  last = n;
  for (size_t i = 0; i + 1 < e.axes.size(); ++i) s = c2c(b, s, e.axes[i], Inverse, 1);
  b.define(c2r(b, s, e.axes.back(), n, Inverse, scale_of(b, Inverse, count_of(e))).x);
}

/// The argument `normalization`: none, by the root of the size, by the size.
double plain_scale(const PairBuilder& b, double count) {
  const int64_t mode = b.integer("normalization", 0);
  return mode == 0 ? 1 : mode == 1 ? 1 / std::sqrt(count) : 1 / count;
}

std::optional<Start> plain_start(PairBuilder& b) {
  Start out{read_signal(b), {}};
  Extents& e = out.extents;
  e.axes = b.axes("dim", rank_of(b, out.signal));
  if (refuses_symbolic(b, out)) return {};
  for (const int64_t axis : e.axes) e.sizes.push_back(size_of(b, out.signal, axis).value());
  return out;
}

void plain_c2c_rule(PairBuilder& b) {
  auto begun = plain_start(b);
  if (!begun) return;
  const Extents& e = begun->extents;
  Signal s = as_complex(b, begun->signal);
  double scale = plain_scale(b, count_of(e));
  for (const int64_t axis : e.axes) {
    s = c2c(b, s, axis, !b.flag("forward", true), scale);
    scale = 1;
  }
  b.define(s.x);
}

void plain_r2c_rule(PairBuilder& b) {
  auto begun = plain_start(b);
  if (!begun) return;
  auto& [s, e] = *begun;
  s = r2c(b, s, e.axes.back(), b.flag("onesided", true), false, plain_scale(b, count_of(e)));
  for (size_t i = e.axes.size() - 1; i-- > 0;) s = c2c(b, s, e.axes[i], false, 1);
  b.define(s.x);
}

void plain_c2r_rule(PairBuilder& b) {
  auto begun = plain_start(b);
  if (!begun) return;
  auto& [s, e] = *begun;
  e.sizes.back() = b.integer("last_dim_size", 0);
  for (size_t i = 0; i + 1 < e.axes.size(); ++i) s = c2c(b, s, e.axes[i], true, 1);
  b.define(c2r(b, s, e.axes.back(), e.sizes.back(), true, plain_scale(b, count_of(e))).x);
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
