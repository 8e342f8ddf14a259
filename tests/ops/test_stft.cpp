// SPDX-License-Identifier: Apache-2.0
// Short-time Fourier transforms and back, and the spectrograms that audio models begin with.
#include "tests/ops/expressions.h"

namespace t2n::test::stft_tests {
namespace {

using ir::DType;

const ir::Tensor kSignals = randn({2, 50}, 1);
const ir::Tensor kSpectra = randn({2, 5, 9}, 2, DType::c64);

TEST_CASE("spectra of frames, with every argument") {
  const std::vector<std::string> forms = {
      "torch.stft(x, 8, return_complex=True)",
      "torch.stft(x, 8, 3, return_complex=True)",
      "torch.stft(x, 9, 4, return_complex=True)",
      "torch.stft(x, 8, center=True, return_complex=True)",
      "torch.stft(x, 8, 3, center=True, pad_mode='reflect', return_complex=True)",
      "torch.stft(x, 8, 3, center=True, pad_mode='constant', return_complex=True)",
      "torch.stft(x, 8, 3, center=True, pad_mode='replicate', return_complex=True)",
      "torch.stft(x, 8, 3, center=True, pad_mode='circular', return_complex=True)",
      "torch.stft(x, 8, 3, center=False, return_complex=True)",
      "torch.stft(x, 8, 3, 5, return_complex=True)",
      "torch.stft(x, 8, 3, 6, torch.hann_window(6), return_complex=True)",
      "torch.stft(x, 8, 3, window=torch.hamming_window(8), center=True, return_complex=True)",
      "torch.stft(x, 8, normalized=True, return_complex=True)",
      "torch.stft(x, 8, onesided=False, return_complex=True)",
      "torch.stft(x, 8, onesided=True, return_complex=True)",
      "torch.stft(x, 8, return_complex=False)",
      "torch.stft(x, 8, 3, 5, torch.ones(5), center=True, normalized=True, onesided=False, "
      "return_complex=True)",
      "torch.stft(x, 8, 3, 5, torch.ones(5), normalized=True, onesided=False, "
      "return_complex=False)",
      "torch.stft(x, 8, 3, 4, center=False, align_to_window=True, return_complex=True)",
      "torch.stft(x, 8, 3, 4, align_to_window=True, return_complex=True)",
      "torch.stft(x, 8, 3, 4, align_to_window=False, return_complex=True)"};
  check_each(forms, {kSignals});
  check_each({"torch.stft(x, 8, return_complex=True)",
              "torch.stft(x, 8, 3, 6, center=True, return_complex=True)"},
             {randn({50}, 3)});
  check_each({"torch.stft(x, 8, 3, 6, torch.hann_window(6, dtype=7), return_complex=True)"},
             {randn({2, 50}, 3, DType::f64)}, 1e-12);
}

TEST_CASE("windows that are computed, and complex signals") {
  check_each({"torch.stft(x, 8, 3, window=y, return_complex=True)",
              "torch.stft(x, 8, 3, 6, y[:6] * y[1:7], center=True, return_complex=True)"},
             {kSignals, randn({8}, 4)});
  check_each({"torch.stft(x, 8, 3, return_complex=True)",
              "torch.stft(x, 8, 3, 6, torch.hann_window(6), center=True, return_complex=True)",
              "torch.stft(x, 8, 3, normalized=True, onesided=False, return_complex=False)"},
             {randn({2, 50}, 5, DType::c64)});
}

TEST_CASE("long frames are tract's own transform") {
  check_each({"torch.stft(x, 600, 200, return_complex=True)",
              "torch.stft(x, 601, 200, 500, torch.hann_window(500), center=True, "
              "normalized=True, return_complex=True)"},
             {randn({2, 2000}, 6)}, 1e-4);
  check_each({"torch.stft(x, 600, 200, 600, torch.hann_window(600, dtype=7), return_complex=True)"},
             {randn({2, 2000}, 6, DType::f64)}, 1e-10);
  check_each({"torch.stft(x, 600, 200, 600, y, return_complex=True)"},
             {randn({1, 2000}, 6), randn({600}, 7)}, 1e-4);
  const std::string text =
      export_text(expression_script("torch.stft(x, 1024, 256, window=torch.hann_window(1024), "
                                    "return_complex=True).abs()",
                                    1),
                  {randn({1, 4000}, 6)}, newest_target());
  CHECK_NE(text.find("tract_core_stft"), std::string::npos);
}

TEST_CASE("signals from spectra of frames, with every argument") {
  check_each({"torch.istft(x, 8)", "torch.istft(x, 8, 3)", "torch.istft(x, 8, 4)",
              "torch.istft(x, 9, 4)", "torch.istft(x, 8, 2, 8, torch.hamming_window(8))",
              "torch.istft(x, 8, 2, 6, torch.hamming_window(6))", "torch.istft(x, 8, 2, 6)",
              "torch.istft(x, 8, center=False)", "torch.istft(x, 8, normalized=True)",
              "torch.istft(x, 8, onesided=True)", "torch.istft(x, 8, length=10)",
              "torch.istft(x, 8, length=15)", "torch.istft(x, 8, length=18)",
              "torch.istft(x, 8, 2, center=False, length=30)", "torch.istft(x[0], 8, 3)",
              "torch.istft(x, 8, return_complex=False)", "torch.istft(x, 8, 8)"},
             {kSpectra});
  check_each({"torch.istft(x, 5, 2, onesided=False)",
              "torch.istft(x, 5, 2, return_complex=True, onesided=False)",
              "torch.istft(x, 5, 2, 5, torch.hamming_window(5), normalized=True, onesided=False, "
              "return_complex=True)"},
             {kSpectra});
  check_each({"torch.istft(x, 8, window=y)"}, {kSpectra, uniform({8}, 0.5, 1, 8)});
  check_each({"torch.istft(x, 8)"}, {randn({2, 5, 9}, 2, DType::c128)}, 1e-12);
}

TEST_CASE("signals to spectra and back") {
  check_each({"torch.istft(torch.stft(x, 16, 4, window=torch.hann_window(16), center=True, "
              "return_complex=True), 16, 4, window=torch.hann_window(16), length=50)",
              "torch.istft(2 * torch.stft(x, 16, 8, 16, torch.hann_window(16), center=True, "
              "return_complex=True), 16, 8, 16, torch.hann_window(16))"},
             {kSignals});
  check_each({"torch.istft(torch.stft(x, 800, 200, window=torch.hann_window(800), center=True, "
              "return_complex=True), 800, 200, window=torch.hann_window(800))"},
             {randn({1, 3000}, 9)}, 1e-4);
}

/// As torchaudio writes them: window and filter bank are buffers.
Script audio(const std::string& body) {
  return script("def forward(self, x):\n$body", body)
      .with("window", values({20}, std::vector<double>(20, 0.7)))
      .with("mel", uniform({11, 6}, 0, 1, 10))
      .with("dct", randn({6, 4}, 11));
}

const std::string kPower = R"(
  s = torch.stft(x.reshape(-1, x.size(-1)), 20, 8, 20, self.window, center=True, pad_mode='reflect', normalized=False, onesided=True, return_complex=True)
  s = s.reshape([x.size(0), x.size(1)] + s.shape[-2:])
)";

void check_audio(const std::string& body) {
  for (const target::Target& target : test_targets()) {
    CAPTURE(body);
    CAPTURE(target::target_name(target));
    CHECK_CLOSE(export_and_run(audio(body), {randn({2, 2, 60}, 12)}, target), rel(1e-4));
  }
}

TEST_CASE("spectrograms, mel spectrograms and cepstra") {
  const std::string mel =
      kPower +
      "  m = torch.matmul(s.abs().pow(2.0).transpose(-1, -2), self.mel).transpose(-1, -2)\n";
  check_audio(kPower + "  return s.abs()\n");
  check_audio(kPower + "  return s.abs().pow(2.0)\n");
  check_audio(kPower + "  return torch.cos(torch.angle(s))\n");
  check_audio(mel + "  return m\n");
  check_audio(mel + "  return torch.log(m + 1e-6)\n");
  check_audio(mel + R"(
  db = 10.0 * torch.log10(torch.clamp(m, min=1e-10))
  db = torch.max(db, db.amax(dim=[-3, -2, -1], keepdim=True) - 80.0)
  return torch.matmul(db.transpose(-1, -2), self.dct).transpose(-1, -2)
)");
}

TEST_CASE("signals under too many frames are refused") {
  CHECK_EQ(
      refusal("torch.istft(x, 600, 1, 600, torch.ones(600))", {randn({1, 301, 2}, 13, DType::c64)}),
      "error[unsupported-op]: 1 operator (1 use) has no translation for tract@0.23.9; "
      "nothing was written\n"
      "   1x aten::istft of complex tensors   first: the model (Model)\n"
      "      why: more than 256 frames overlap at each entry\n"
      "  help: use a larger hop_length\n");
}

}  // namespace
}  // namespace t2n::test::stft_tests
