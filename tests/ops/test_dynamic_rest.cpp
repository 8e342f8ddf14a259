// SPDX-License-Identifier: Apache-2.0
// Sizes that stay open: windows, diagonals, and what is refused.
#include <doctest/doctest.h>

#include "src/diag/error.h"
#include "tests/support/dynamic.h"
#include "tests/support/example.h"

namespace t2n::test::dynamic_rest_tests {
namespace {

TEST_CASE("windows and diagonals") {
  check_open(
      {
          "x.unfold(1, 2, 1)",
          "x.unfold(1, 3, 2)",
          "x[:, :, 0].unfold(1, 2, 2).mean(-1)",
          "torch.trapezoid(x, dim=1)",
          "torch.histc(x, 4, -2, 2)",
          "x.diagonal(0, 0, 1)",
          "(x @ x.transpose(1, 2)).diagonal(0, 1, 2)",
          "(x @ x.transpose(1, 2)).diagonal(1, 1, 2)",
          "torch.diag(x[0, :, 0])",
          "torch.diag_embed(x[:, :, 0])",
          "torch.diag(x[0] @ x[0].t())",
      },
      {kX}, kLong, 1e-4);
}

TEST_CASE("quotients of sizes are no whole numbers") {
  check_open(
      {
          "x * (torch.tensor(x.size(1)) / torch.tensor(2 * x.size(1)))",
          "torch.upsample_nearest1d(x.transpose(1, 2), [3 * x.size(1)])",
      },
      {kX}, kLong);
}

TEST_CASE("operators that need a known size refuse a symbolic one") {
  const std::string why = "known at export";
  check_open_refused("torch.adaptive_max_pool1d(x.transpose(1, 2), 2)[1]", {kX}, kLong, why);
  check_open_refused("torch.max_pool1d(x.transpose(1, 2), 2, 3, ceil_mode=True)", {kX}, kLong, why);
}

/// What is refused of so many sums along the input's length, for a target that streams.
std::string refused_sums(int count) {
  std::string body, outputs;
  for (int i = 0; i < count; ++i) {
    body += cat("    %m", i, ": f32[S] = aten::mul.Scalar(self=%x, other=", i + 2, ")\n");
    body += cat("    %f", i, ": f32[] = aten::sum.dim_IntList(self=%m", i,
                ", dim=[0], keepdim=false, dtype=none)\n");
    outputs += cat(i > 0 ? ", " : "", "%f", i, " as \"y", i, "\"");
  }
  ir::Graph graph = ir::parse(cat("graph m(%x: f32[S]) -> (", outputs, ") {\n", body, "}"));
  graph.attributes[ir::kSampleSizes] = ir::Sizes{{"S", 8}};
  target::Target target = newest_target();
  target.stream = {.symbol = "S", .pulse = 0};
  return error_of([&] { export_example({graph, {}, {}, {}}, target); });
}

TEST_CASE("order statistics and covariances over open axes") {
  check_open({"torch.quantile(x, 0.3, 1)", "torch.quantile(x, torch.tensor([0.1, 0.5, 0.9]), 1)",
              "torch.quantile(x, 0.4, 1, True, interpolation='nearest')",
              "torch.quantile(x, 0.4, 1, interpolation='midpoint')", "torch.quantile(x, 0.7)",
              "torch.quantile(x, 0.7, interpolation='higher')", "torch.nanquantile(x, 0.3, 1)",
              "torch.nanmedian(x, 1)[0]", "torch.nanmedian(x)", "torch.cov(x[0])",
              "torch.cov(x[0].t(), correction=0)", "torch.corrcoef(x[0].t())", "torch.trace(x[0])"},
             {kX}, kLong, 1e-4);
}

TEST_CASE("windows of an open length") {
  const std::vector<Sizes> sizes = {{{"T", 6}}, {{"T", 1}}, {{"T", 2}}, {{"T", 9}}};
  check_open({"torch.hann_window(x.size(0)) + x", "torch.hann_window(x.size(0), False)",
              "torch.hamming_window(x.size(0))", "torch.hamming_window(x.size(0), False, 0.6, 0.3)",
              "torch.blackman_window(x.size(0), dtype=7)", "torch.bartlett_window(x.size(0))",
              "torch.bartlett_window(x.size(0), False)", "torch.kaiser_window(x.size(0))",
              "torch.kaiser_window(x.size(0), False, 5.0)", "torch.fft_rfftfreq(x.size(0))",
              "torch.fft_fftfreq(x.size(0), 0.5)"},
             {{{"T"}}}, sizes, 1e-4);
  // Every overload, with all that tells where and how a tensor is stored.
  for (const std::string window :
       {"bartlett_window(n", "bartlett_window(n, False", "blackman_window(n",
        "blackman_window(n, False", "hamming_window(n", "hamming_window(n, True",
        "hamming_window(n, False, 0.6", "hamming_window(n, True, 0.6, 0.3", "hann_window(n",
        "hann_window(n, True", "kaiser_window(n", "kaiser_window(n, True",
        "kaiser_window(n, True, 4.0", "fft_rfftfreq(n, 0.5", "fft_fftfreq(n, 2.0"}) {
    std::string call = window;
    call.replace(call.find("(n"), 2, "(x.size(0)");
    check_open({cat("torch.", call,
                    ", dtype=7, layout=0, device=torch.device('cpu'), "
                    "pin_memory=False)")},
               {{{"T"}}}, {{{"T", 6}}, {{"T", 9}}}, 1e-4);
  }
}

TEST_CASE("transforms of an open length") {
  check_open({"torch.fft_rfft(x, dim=1).abs()", "torch.fft_rfft2(x, dim=[1, 2]).real",
              "torch.fft_irfft(torch.fft_rfft(x, dim=1), x.size(1), 1)",
              "torch.fft_irfft2(torch.complex(x, x), [x.size(1), 4], [1, 2])",
              "torch.fft_fft(x, 2 * x.size(1), 1, 'ortho').imag",
              "torch.fft_ifft(torch.complex(x, x + 1), None, 1).real",
              "torch.fft_fftn(x, norm='forward').real", "torch.fft_rfft(x, 7, 1).imag",
              "torch.fft_hfft(torch.complex(x, x), x.size(1), 1)"},
             {kX}, kLong, 1e-4);
  check_open({"torch.istft(torch.stft(x[:, :, 0], 4, 2, return_complex=True), 4, 2, "
              "length=x.size(1))",
              "torch.istft(torch.stft(x[:, :, 0], 4, 2, return_complex=True), 4, 2, "
              "length=x.size(1) + 9)"},
             {kX}, kLong, 1e-4);
}

TEST_CASE("of what does not run in pulses nine are named and the others counted") {
  const auto named = [](const std::string& text) {
    size_t count = 0;
    for (size_t at = text.find("aten::sum.dim_IntList: "); at != text.npos;
         at = text.find("aten::sum.dim_IntList: ", at + 1))
      ++count;
    return count;
  };
  CHECK_EQ(named(refused_sums(1)), 1);
  CHECK_EQ(named(refused_sums(2)), 2);
  const std::string nine = refused_sums(9), ten = refused_sums(10);
  INFO(ten);
  CHECK_EQ(named(nine), 9);
  CHECK_EQ(nine.find(" more"), std::string::npos);
  CHECK_EQ(named(ten), 9);
  CHECK_NE(ten.find("and 1 more"), std::string::npos);
}

}  // namespace
}  // namespace t2n::test::dynamic_rest_tests
