// Complex tensors and Fourier transforms. The pass `complex-to-pairs` has already replaced them by
// real operations; they are listed so that `t2nnef ops` shows what can be exported.
#include <numbers>

#include "ops/pointwise/families.h"
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

}  // namespace

void register_complex(Registry& r) {
  for (const Row& row : kRows) r.same({row.op}, {"complex-to-pairs", row.doc, refuse_unpaired});
  r.elementwise({"aten::angle"}, {"select", "angle of the point (real, imag)", angle});
}

}  // namespace t2n::ops
