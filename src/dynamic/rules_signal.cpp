// Fourier transforms.
#include "src/diag/error.h"
#include "src/dynamic/shape_rule.h"

namespace t2n::dynamic {
namespace {

using ir::Dim;
using ir::Shape;

/// The entries of half a spectrum.
Dim half(const Dim& n) { return floor_div(n, 2) + 1; }

/// Full spectra, real to half a spectrum, half a spectrum to real.
enum class Kind { full, to_half, from_half };

Kind kind_of(std::string_view op) {
  for (const std::string_view name : {"irfft", "hfft"})
    if (op.find(name) != std::string_view::npos && op.find("ihfft") == std::string_view::npos)
      return Kind::from_half;
  for (const std::string_view name : {"rfft", "ihfft"})
    if (op.find(name) != std::string_view::npos) return Kind::to_half;
  return Kind::full;
}

/// The size along the last transformed axis.
Dim last_size(const ShapeView& op, const Dim& size, bool has_size) {
  switch (kind_of(op.op())) {
    case Kind::full: return size;
    case Kind::to_half: return half(size);
    case Kind::from_half: return has_size ? size : 2 * (size - 1);
  }
  internal_error(__FILE__, __LINE__, "no such kind of transform");
}

Shapes fft(const ShapeView& op) {
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

Shapes fftn(const ShapeView& op) {
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

Shapes c2c(const ShapeView& op) { return {op.shape("self")}; }

int last_axis(const ShapeView& op) { return transformed_axes(op, op.shape("self")).back(); }

Shapes r2c(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const int axis = last_axis(op);
  return {op.boolean("onesided") ? with_dim(x, axis, half(x.at(axis))) : x};
}

Shapes c2r(const ShapeView& op) {
  return {with_dim(op.shape("self"), last_axis(op), op.dim("last_dim_size"))};
}

/// Complex numbers as pairs on a last axis of two, as the pass complex-to-pairs makes them.
Shapes r2c_pairs(const ShapeView& op) {
  Shape out = op.shape("self");
  const int axis = op.axis("dim", dim_rank(out));
  Dim& size = out.at(axis);
  if (op.boolean("onesided")) size = half(size);
  out.push_back(2);
  return {out};
}

Shapes c2r_pairs(const ShapeView& op) {
  const Shape x = all_but_last(op.shape("self"), 1);
  return {with_dim(x, op.axis("dim", dim_rank(x)), op.dim("n"))};
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
Shapes stft(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const Dim n = op.dim("n_fft");
  const bool is_complex = ir::is_complex(op.dtype("self"));
  const std::string mode = op.boolean("center") && op.has("pad_mode") ? op.str("pad_mode") : "";
  if (mode == "reflect") op.require(floor_div(n, 2), Relation::lt, x.back());
  if (mode == "circular") op.require(floor_div(n, 2), Relation::le, x.back());
  const Dim reach = op.boolean("center") ? x.back() + 2 * floor_div(n, 2) : x.back();
  Shape out = all_but_last(x, 1);
  out.push_back(op.boolean("onesided", !is_complex) ? half(n) : n);
  out.push_back(floor_div(reach - frame_length(op, n), hop_length(op, n)) + 1);
  if (!op.boolean("return_complex", is_complex)) out.push_back(2);
  return {out};
}

Shapes stft_pairs(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const Dim n = op.dim("n_fft");
  const Dim frames = floor_div(x.at(1) - n, op.dim("hop_length")) + 1;
  return {{x.at(0), op.boolean("onesided") ? half(n) : n, frames, 2}};
}

Shapes istft(const ShapeView& op) {
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

}  // namespace

void add_signal_rules(ShapeRules& r) {
  r.add(fft, "fft_fft fft_ifft fft_rfft fft_irfft fft_hfft fft_ihfft");
  r.add(fftn,
        "fft_fft2 fft_ifft2 fft_rfft2 fft_irfft2 fft_hfft2 fft_ihfft2 fft_fftn fft_ifftn "
        "fft_rfftn fft_irfftn fft_hfftn fft_ihfftn");
  r.add(c2c, "_fft_c2c t2n::fft_c2c");
  r.add(r2c, "_fft_r2c");
  r.add(c2r, "_fft_c2r");
  r.add(r2c_pairs, "t2n::fft_r2c");
  r.add(c2r_pairs, "t2n::fft_c2r");
  r.add(stft_pairs, "t2n::stft");
  r.add(stft, "stft");
  r.add(istft, "istft");
}

}  // namespace t2n::dynamic
