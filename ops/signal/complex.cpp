// SPDX-License-Identifier: Apache-2.0
// Complex tensors and Fourier transforms. The pass `complex-to-pairs` has already replaced them by
// real operations; they are listed so that `t2nnef ops` shows what can be exported.
#include <numbers>

#include "ops/signal/dft.h"
#include "ops/signal/families.h"
#include "src/translate/arith.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

void refuse_unpaired(const OpView& op, Emitter&) {
  op.refuse_op(Limit::omitted_pass, "export without --disable-pass complex-to-pairs");
}

/// The angle of a real number: pi if negative, else 0. NaN stays.
void angle(const OpView& op, Emitter& out) {
  const Ref x = out.cast(op.tensor("self"), op.dtype());
  const Ref result = select(out, compare(out, "lt", x, like(out, 0, x)),
                            like(out, std::numbers::pi, x), like(out, 0, x));
  out.result(select(out, is_nan(out, x), x, result));
}

struct Row {
  std::string_view op;
  std::string_view doc;
};

constexpr Row kRows[] = {
    {"aten::_fft_c2c", "Fourier transform over `dim`, one axis after the other"},
    {"aten::_fft_c2r", "real signal of half a symmetric spectrum"},
    {"aten::_fft_r2c", "Fourier transform of real signals"},
    {"aten::complex", "real + i imag"},
    {"aten::fft_fft", "Fourier transform along `dim`"},
    {"aten::fft_fft2", "Fourier transform over two axes"},
    {"aten::fft_fftn", "Fourier transform over `dim`"},
    {"aten::fft_fftshift", "the zero frequency moved to the middle"},
    {"aten::fft_hfft", "real spectrum of a signal with a symmetric other half"},
    {"aten::fft_hfft2", "the same over two axes"},
    {"aten::fft_hfftn", "the same over `dim`"},
    {"aten::fft_ifft", "inverse Fourier transform along `dim`"},
    {"aten::fft_ifft2", "inverse Fourier transform over two axes"},
    {"aten::fft_ifftn", "inverse Fourier transform over `dim`"},
    {"aten::fft_ifftshift", "the zero frequency moved to the front"},
    {"aten::fft_ihfft", "inverse of hfft: half a symmetric signal"},
    {"aten::fft_ihfft2", "the same over two axes"},
    {"aten::fft_ihfftn", "the same over `dim`"},
    {"aten::fft_irfft", "real signal of half a symmetric spectrum"},
    {"aten::fft_irfft2", "the same over two axes"},
    {"aten::fft_irfftn", "the same over `dim`"},
    {"aten::fft_rfft", "half of the symmetric spectrum of a real signal"},
    {"aten::fft_rfft2", "the same over two axes"},
    {"aten::fft_rfftn", "the same over `dim`"},
    {"aten::imag", "the imaginary part"},
    {"aten::istft", "frames of spectra overlapped and added to signals"},
    {"aten::polar", "abs * (cos(angle) + i sin(angle))"},
    {"aten::stft", "Fourier transforms of windowed frames"},
    {"aten::stft.center", "Fourier transforms of windowed frames"},
    {"aten::view_as_complex", "a last axis of two as real and imaginary parts"},
    {"aten::view_as_complex_copy", "a last axis of two as real and imaginary parts"},
    {"aten::view_as_real", "real and imaginary parts along a last axis of two"},
    {"aten::view_as_real_copy", "real and imaginary parts along a last axis of two"},
};

/// Full spectra, real to half a spectrum, half a spectrum to real.
enum class Spectrum { full, to_half, from_half };

Spectrum spectrum_of(std::string_view op) {
  for (const std::string_view name : {"irfft", "hfft"})
    if (op.find(name) != std::string_view::npos && op.find("ihfft") == std::string_view::npos)
      return Spectrum::from_half;
  for (const std::string_view name : {"rfft", "ihfft"})
    if (op.find(name) != std::string_view::npos) return Spectrum::to_half;
  return Spectrum::full;
}

/// The size along the last transformed axis.
Dim last_size(const ShapeView& op, const Dim& size, bool has_size) {
  switch (spectrum_of(op.op())) {
    case Spectrum::full: return size;
    case Spectrum::to_half: return half_spectrum(size);
    case Spectrum::from_half: return has_size ? size : 2 * (size - 1);
  }
  internal_error(__FILE__, __LINE__, "no such kind of transform");
}

Shapes fft_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const int axis = op.axis("dim", dim_rank(x));
  const bool has_size = op.has("n");
  const Dim size = has_size ? op.dim("n") : x.at(axis);
  return {with_dim(x, axis, last_size(op, size, has_size))};
}

/// The axes of `dim` in order; without `dim`, the last ones, one per size in `s`, or all.
std::vector<int> transformed_axes(const ShapeView& op, const Shape& x) {
  const int rank = dim_rank(x);
  std::vector<int> out;
  if (op.has("dim")) {
    for (const Dim& dim : op.dims("dim"))
      out.push_back(static_cast<int>(ir::floor_mod_int(dim.value(), rank)));
    return out;
  }
  const int count = op.has("s") ? static_cast<int>(op.dims("s").size()) : rank;
  for (int axis = rank - count; axis < rank; ++axis) out.push_back(axis);
  return out;
}

Shapes fftn_shapes(const ShapeView& op) {
  Shape out = op.shape("self");
  if (out.empty()) return {out};
  const std::vector<int> axes = transformed_axes(op, out);
  const Shape sizes = op.has("s") ? op.dims("s") : Shape(axes.size(), Dim(-1));
  for (size_t i = 0; i < axes.size(); ++i) {
    Dim& size = out.at(axes[i]);
    const bool has_size = sizes.at(i) != Dim(-1);
    if (has_size) size = sizes[i];
    if (i + 1 == axes.size()) size = last_size(op, size, has_size);
  }
  return {out};
}

int last_axis(const ShapeView& op) { return transformed_axes(op, op.shape("self")).back(); }

Shapes r2c_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const int axis = last_axis(op);
  return {op.boolean("onesided") ? with_dim(x, axis, half_spectrum(x.at(axis))) : x};
}

Shapes c2r_shapes(const ShapeView& op) {
  return {with_dim(op.shape("self"), last_axis(op), op.dim("last_dim_size"))};
}

Dim hop_length(const ShapeView& op, const Dim& n) {
  return op.has("hop_length") ? op.dim("hop_length") : floor_div(n, 4);
}

/// The length of the first frame; with `align_to_window` that of the window, which may be shorter.
Dim frame_length(const ShapeView& op, const Dim& n) {
  const bool is_aligned = op.boolean("align_to_window") && op.has("win_length");
  return is_aligned ? op.dim("win_length") : n;
}

/// [batch,] bins, frames[, 2]. A centred transform pads half a window at both ends.
Shapes stft_shapes(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const Dim n = op.dim("n_fft");
  const bool is_complex = ir::is_complex(op.dtype("self"));
  const std::string mode = op.boolean("center") && op.has("pad_mode") ? op.str("pad_mode") : "";
  if (mode == "reflect") op.require(floor_div(n, 2), Relation::lt, x.back());
  if (mode == "circular") op.require(floor_div(n, 2), Relation::le, x.back());
  const Dim reach = op.boolean("center") ? x.back() + 2 * floor_div(n, 2) : x.back();
  Shape out = all_but_last(x, 1);
  out.push_back(op.boolean("onesided", !is_complex) ? half_spectrum(n) : n);
  out.push_back(floor_div(reach - frame_length(op, n), hop_length(op, n)) + 1);
  if (!op.boolean("return_complex", is_complex)) out.push_back(2);
  return {out};
}

Shapes istft_shapes(const ShapeView& op) {
  Shape x = op.shape("self");
  if (!ir::is_complex(op.dtype("self"))) x = all_but_last(x, 1);
  const Dim n = op.dim("n_fft");
  const Dim total = n + hop_length(op, n) * (x.back() - 1);
  Shape out = all_but_last(x, 2);
  if (op.has("length"))
    out.push_back(op.dim("length"));
  else
    out.push_back(op.boolean("center") ? total - 2 * floor_div(n, 2) : total);
  return {out};
}

Shapes as_real_shapes(const ShapeView& op) {
  Shape out = op.shape("self");
  out.push_back(2);
  return {out};
}

Shapes as_complex_shapes(const ShapeView& op) { return {all_but_last(op.shape("self"), 1)}; }

}  // namespace

void register_complex(Registry& r) {
  for (const Row& row : kRows) r.same({row.op}, {"complex-to-pairs", row.doc, refuse_unpaired});
  r.elementwise({"aten::angle"}, {"select", "angle of the point (real, imag)", angle});
  r.shapes(shapes::broadcast, "complex polar");
  r.shapes(shapes::same, "imag _fft_c2c fft_fftshift fft_ifftshift");
  r.shapes(fft_shapes, "fft_fft fft_ifft fft_rfft fft_irfft fft_hfft fft_ihfft");
  r.shapes(fftn_shapes,
           "fft_fft2 fft_ifft2 fft_rfft2 fft_irfft2 fft_hfft2 fft_ihfft2 fft_fftn "
           "fft_ifftn fft_rfftn fft_irfftn fft_hfftn fft_ihfftn");
  r.shapes(r2c_shapes, "_fft_r2c");
  r.shapes(c2r_shapes, "_fft_c2r");
  r.shapes(stft_shapes, "stft");
  r.shapes(istft_shapes, "istft");
  r.shapes(as_real_shapes, "view_as_real view_as_real_copy");
  r.shapes(as_complex_shapes, "view_as_complex view_as_complex_copy");
}

}  // namespace t2n::ops
