// SPDX-License-Identifier: Apache-2.0
// Complex tensors, which the file holds as pairs.
#include <limits>

#include "tests/ops/expressions.h"

namespace t2n::test::complex_tests {
namespace {

using ir::DType;

constexpr double kInf = std::numeric_limits<double>::infinity();

const ir::Tensor kX = randn({2, 3, 4}, 1, DType::c64);
const ir::Tensor kY = randn({2, 3, 4}, 2, DType::c64);
const ir::Tensor kReal = randn({3, 4}, 3);

/// Complex numbers from real and imaginary parts in turn.
ir::Tensor numbers(const std::vector<double>& parts, DType dtype = DType::c64) {
  const auto size = static_cast<int64_t>(parts.size()) / 2;
  ir::Tensor out = values({2 * size}, parts, ir::component_dtype(dtype));
  out.dtype = dtype;
  out.shape = {size};
  return out;
}

TEST_CASE("complex inputs and outputs are pairs") {
  check_each({"x", "x + 0", "torch.view_as_real(x)", "(x, x * 2)", "x[0], torch.real(x)"}, {kX});
  check_each({"x * 2"}, {randn({}, 4, DType::c64)});
  check_each({"x * 2", "torch.view_as_real(x)"}, {randn({0, 3}, 4, DType::c64)});
  check_each({"x * 2", "torch.abs(x)"}, {randn({2, 3}, 4, DType::c128)}, 1e-12);
}

TEST_CASE("real tensors in the shape of complex ones") {
  check_each({"x.expand_as(y)", "x.view_as(y[0])", "x.reshape_as(y[0].t())"}, {kReal, kY});
}

TEST_CASE("parts of complex tensors, and tensors from parts") {
  check_each({"torch.real(x)", "torch.imag(x)", "torch.view_as_real(x)", "torch.conj(x)",
              "torch.conj(x).real", "torch.imag(torch.conj(x))", "torch.view_as_real(x.conj() * 2)",
              "torch.resolve_conj(torch.conj(x))", "torch.conj_physical(x)", "torch.abs(x)",
              "torch.angle(x)", "torch.sgn(x)", "torch.absolute(x)",
              "torch.resolve_neg(torch.imag(torch.conj(x)))", "x * 2 if torch.is_complex(x) else x",
              "torch.view_as_real(torch.resolve_conj(x.conj()))", "torch._conj(x)",
              "torch.view_as_real_copy(x)"},
             {kX});
  check_each({"torch.view_as_complex_copy(torch.stack([x, y], -1))",
              "torch.view_as_real_copy(torch.complex(x, y))"},
             {randn({2, 3}, 5), randn({2, 3}, 6)});
  check_each({"torch.complex(x, y)", "torch.polar(torch.abs(x), y)", "torch.complex(x, y[:1])",
              "torch.view_as_complex(torch.stack([x, y], -1))",
              "torch.view_as_complex(torch.stack([x, y], -1)) * 2",
              "torch.view_as_complex_copy(torch.stack([x, y], -1))",
              "torch.view_as_real(torch.complex(x, y))"},
             {randn({2, 3}, 5), randn({2, 3}, 6)});
  check_each({"torch.complex(x, x)", "torch.view_as_complex(x)"}, {randn({2}, 5, DType::f64)});
  check_each({"torch.angle(x)", "torch.conj(x)", "torch.real(x)"},
             {values({6}, {-2, -0.0, 0, 3, kInf, -kInf})});
  check_each({"torch.angle(x)"}, {values({3}, {-2, 0, 3}, DType::i64)});
}

TEST_CASE("sums, differences and products of every pairing") {
  const std::vector<std::string> forms = {"x + y",
                                          "x - y",
                                          "x * y",
                                          "x / y",
                                          "torch.add(x, y, alpha=2)",
                                          "torch.add(x, y, alpha=1.5)",
                                          "torch.sub(x, y, alpha=3)",
                                          "torch.rsub(x, y)",
                                          "torch.rsub(x, y, alpha=2)",
                                          "torch.multiply(x, y)",
                                          "torch.subtract(x, y)",
                                          "torch.true_divide(x, y)",
                                          "torch.divide(x, y)",
                                          "y - x",
                                          "y / x",
                                          "torch.addcmul(x, x, y)",
                                          "torch.addcmul(x, x, y, value=0.5)",
                                          "torch.addcdiv(x, x, y, value=2)",
                                          "torch.eq(x, y)",
                                          "torch.ne(x, y)"};
  check_each(forms, {kX, kY});
  check_each(forms, {kX, kReal});
  check_each(forms, {kX, randn({4}, 7, DType::c64)});
  check_each({"x + y", "x * y", "x / y", "y / x", "x - y"}, {kX, randn({2, 3, 4}, 8, DType::f64)});
  check_each({"x + y", "x * y", "x / y", "y - x"}, {kX, randn({4}, 8, DType::c128)});
  check_each({"x + y", "x * y", "x / y", "y - x"}, {kX, randint({4}, 1, 5, 9)});
  check_each({"x + y", "x * y", "x / y"}, {randn({}, 1, DType::c64), randn({}, 2, DType::c64)});
}

TEST_CASE("complex numbers as arguments") {
  check_each({"x + 1", "x + 1.5", "x * 2", "x * 2j", "x + 1j", "1j - x", "2 - x", "x / 2", "x / 1j",
              "1 / x", "2j / x", "torch.add(x, x, alpha=1j)", "x * (1 + 2j)", "x == 1", "x != 1j",
              "torch.rsub(x, 2j)"},
             {kX});
  check_each({"x * 1j", "x + 1j", "x / 1j", "1j / x", "torch.sub(x, 1j)", "x == 1j"}, {kReal});
}

TEST_CASE("functions of complex numbers") {
  check_each({"torch.neg(x)",
              "torch.negative(x)",
              "torch.square(x)",
              "torch.reciprocal(x)",
              "torch.exp(x)",
              "torch.exp2(x)",
              "torch.expm1(x)",
              "torch.log(x)",
              "torch.log2(x)",
              "torch.log10(x)",
              "torch.sqrt(x)",
              "torch.rsqrt(x)",
              "torch.sin(x)",
              "torch.cos(x)",
              "torch.tan(x)",
              "torch.sinh(x)",
              "torch.cosh(x)",
              "torch.tanh(x)",
              "torch.sigmoid(x)",
              "torch.silu(x)",
              "torch.positive(x)",
              "torch.lerp(x, 2 * x, 0.25)",
              "torch.exp(torch.angle(x) * 1j)"},
             {kX});
  check_each({"torch.exp(x)", "torch.sqrt(x)", "torch.log(x)", "torch.tanh(x)", "torch.abs(x)",
              "torch.angle(x)", "torch.pow(x, 2.5)"},
             {randn({5}, 3, DType::c128)}, 1e-10);
}

TEST_CASE("powers with every kind of exponent") {
  check_each({"x ** 2", "x ** 3", "x ** 7", "x ** 0", "x ** 1", "x ** -1", "x ** -2", "x ** 0.5",
              "x ** 1.5", "x ** -0.5", "x ** 2.0", "x ** 1j", "x ** (1 + 2j)", "2 ** x", "2j ** x"},
             {kX}, 1e-4);
  check_each({"torch.pow(x, y)"}, {kX, randn({2, 3, 4}, 2)}, 1e-4);
  check_each({"torch.pow(x, y)", "torch.pow(x.real.abs(), y)"}, {kX, kY}, 1e-4);
}

TEST_CASE("corners of complex functions") {
  const ir::Tensor corners = numbers({0, 0, -1, 0, 1, 0, 0, -2, 0, 2, -3, 4, -3, -4, 5e18, 5e18});
  check_each({"torch.sqrt(x)", "torch.abs(x)", "torch.angle(x)", "torch.sgn(x)", "x ** 0.5",
              "x / (x + 1e-30)"},
             {corners});
  check_each({"torch.exp(x)", "torch.log(x + 1e-3)", "torch.tanh(x)", "torch.sigmoid(x)"},
             {numbers({0, 0, 80, 1, -80, 1, 10, -3, -10, 3})});
  check_each({"torch.abs(x)"}, {numbers({3e30, 4e30, 3e-30, 4e-30})});
}

TEST_CASE("comparisons and classes") {
  const ir::Tensor odd =
      numbers({1, 2, std::numeric_limits<double>::quiet_NaN(), 0, 0, kInf, -kInf, 3, 0, 0, 1, 0});
  check_each({"torch.isnan(x)", "torch.isinf(x)", "torch.isfinite(x)", "torch.isreal(x)",
              "torch.logical_not(x)", "x == x", "x != x", "torch.any(x, 0)", "torch.all(x)",
              "x.to(11)", "torch.logical_and(x, x == x)", "torch.count_nonzero(x)"},
             {odd});
}

TEST_CASE("rearrangements leave the pairs alone") {
  check_each({"x.view(6, 4)",
              "x.reshape(-1)",
              "torch.reshape(x, [3, -1, 2])",
              "x.permute(2, 0, 1)",
              "x.permute(-1, -3, -2)",
              "x.transpose(0, -1)",
              "torch.swapaxes(x, -2, 0)",
              "torch.movedim(x, -1, 0)",
              "torch.movedim(x, [0, 1], [-1, -2])",
              "x[0].t()",
              "x[0].T",
              "x.mT",
              "x.mH",
              "x[1]",
              "x[:, -1]",
              "x[..., 1]",
              "x[:, ::2, 1:]",
              "x[:, :, -3:-1]",
              "torch.select(x, -1, -1)",
              "torch.narrow(x, -1, 1, 2)",
              "torch.squeeze(x[:, :1])",
              "torch.squeeze(x[:, :1], -2)",
              "torch.squeeze(x[:1, :1], [0, 1])",
              "torch.unsqueeze(x, -1)",
              "torch.unsqueeze(x, 0)",
              "x[:, :1].expand(-1, 5, -1)",
              "x[0, 0].expand(2, 3, 4)",
              "torch.broadcast_to(x[0], [2, 3, 4])",
              "x[0].expand_as(x)",
              "x.reshape(24).view_as(x)"},
             {kX});
}

TEST_CASE("joined, split and rolled axes leave the pairs alone") {
  check_each({"torch.flatten(x)",
              "torch.flatten(x, 1)",
              "torch.flatten(x, -3, -2)",
              "torch.ravel(x)",
              "torch.unflatten(x, -1, [2, 2])",
              "torch.chunk(x, 2, -1)",
              "torch.split(x, 2, -2)",
              "torch.split(x, [1, 3], -1)",
              "torch.tensor_split(x, 3, -1)",
              "torch.unbind(x, -2)",
              "torch.unbind(x)",
              "torch.roll(x, 1, -1)",
              "torch.roll(x, [1, -1], [0, 2])",
              "torch.roll(x, 5)",
              "torch.flip(x, [0, -1])",
              "torch.flip(x, [-2])",
              "torch.rot90(x, 1, [0, -1])",
              "x.repeat(1, 2, 1)",
              "x.repeat(2, 1, 1, 1)",
              "torch.tile(x, [2])",
              "torch.repeat_interleave(x, 2, -1)",
              "torch.diagonal(x, 0, -2, -1)",
              "torch.tril(x)",
              "torch.triu(x, 1)",
              "x.unfold(-1, 2, 1)",
              "torch.constant_pad_nd(x, [1, 2])",
              "torch.constant_pad_nd(x, [1, 2], 1.5)",
              "torch.pad(x, [1, 1], 'reflect')",
              "x.clone().contiguous()",
              "torch.dropout(x, 0.5, False)"},
             {kX});
}

TEST_CASE("rearrangements of a single complex number") {
  check_each({"x.reshape(1)", "x.unsqueeze(0)", "x.unsqueeze(-1)", "x.expand(2, 3)",
              "torch.flatten(x)", "torch.squeeze(x)", "torch.squeeze(x, 0)", "torch.sum(x)",
              "torch.flip(x, [])", "torch.stack([x, x], -1)", "torch.abs(x)", "x.to(7)"},
             {randn({}, 4, DType::c64)});
}

TEST_CASE("complex tensors are joined, with real ones too") {
  check_each({"torch.cat([x, y])", "torch.cat([x, y], -1)", "torch.stack([x, y], -1)",
              "torch.stack([x, y])", "torch.cat([x, y, torch.real(x)], 1)",
              "torch.stack([x, torch.imag(y)], 1)", "torch.hstack([x, y])", "torch.vstack([x, y])"},
             {kX, kY});
}

TEST_CASE("complex tensors are chosen from") {
  check_each(
      {"torch.where(y > 0, x, 2 * x)", "torch.where(y > 0, x, y)", "torch.where(y > 0, x, 1)",
       "torch.where(y > 0, 1j, x)", "x.masked_fill(y > 0, 0)", "x.masked_fill(y > 0, 1.5)",
       "x.masked_fill(y > 0, 2j)", "torch.where(y[0, 0, 0] > 0, x, 2 * x)"},
      {kX, randn({2, 3, 4}, 9)});
  check_each({"x[y]", "x[:, y]", "torch.index_select(x, -1, y)", "torch.index_select(x, 1, y)",
              "torch.take(x, y)"},
             {kX, values({3}, {1, 0, 1}, DType::i64)});
  check_each({"torch.gather(x, 1, y)", "torch.gather(x, -1, y)"},
             {kX, randint({2, 3, 4}, 0, 3, 10)});
}

TEST_CASE("sums over complex tensors") {
  check_each({"torch.sum(x)", "torch.sum(x, -1)", "torch.sum(x, [0, 2], True)", "torch.mean(x)",
              "torch.mean(x, -2)", "torch.mean(x, [1], True)", "torch.cumsum(x, -1)",
              "torch.var(x)", "torch.std(x, 1)", "torch.norm(x)",
              "torch.linalg_vector_norm(x, 2, -1)", "torch.sum(x, -1, dtype=10)"},
             {kX});
}

TEST_CASE("products of complex matrices") {
  const ir::Tensor a = randn({2, 3, 4}, 11, DType::c64), b = randn({2, 4, 5}, 12, DType::c64);
  check_each(
      {"x @ y", "torch.matmul(x[0], y[0])", "torch.matmul(x, y[0])", "torch.bmm(x, y)",
       "torch.mm(x[0], y[1])", "torch.mv(x[0], y[0, :, 0])", "torch.dot(x[0, 0], y[0, :, 1])",
       "torch.vdot(x[0, 0], y[0, :, 1])", "torch.einsum('bij,bjk->bik', [x, y])",
       "torch.einsum('bij->bji', [x])", "torch.outer(x[0, 0], y[0, 0])", "torch.real(x).to(9) @ y",
       "x @ torch.imag(y).to(9)", "torch.linear(x, y[0].t())", "torch.linear(x, y[0].t(), y[0, 0])",
       "torch.addmm(y[0, :3], x[0], y[0])", "torch.addmm(y[0, 0], x[0], y[0], beta=2, alpha=1.5)",
       "torch.baddbmm(y[:, :3], x, y, beta=0.5)", "torch.tensordot(x[0], y[0], [1], [0])"},
      {a, b}, 1e-4);
}

TEST_CASE("convolutions of complex tensors") {
  check_each({"torch.conv1d(x, y)", "torch.conv1d(x, y, y[:, 0, 0], 2, 1)",
              "torch.conv1d(torch.imag(x).to(9), y)", "torch.conv1d(x, y, None, padding='same')"},
             {randn({2, 3, 8}, 14, DType::c64), randn({4, 3, 3}, 15, DType::c64)}, 1e-4);
  check_each({"torch.conv2d(x, y, y[:, 0, 0, 0], 1, [1, 0])"},
             {randn({1, 2, 5, 6}, 16, DType::c64), randn({3, 2, 3, 2}, 17, DType::c64)}, 1e-4);
}

TEST_CASE("complex tensors are written at positions") {
  check_each({"torch.index_put(x, [y], x[0] * 2)", "torch.index_put(x, [y], x[:2], True)",
              "torch.index_add(x, 0, y, x[:2])", "torch.index_copy(x, -3, y, 2 * x[:2])",
              "torch.select_scatter(x, x[0], 0, 1)", "torch.slice_scatter(x, x[..., :2], -1, 1, 3)",
              "torch.index_fill(x, 0, y[:1], 2j)"},
             {kX, values({2}, {1, 0}, DType::i64)});
  check_each({"torch.scatter(x, 1, y, 2 * x)", "torch.scatter_add(x, 1, y, x)"},
             {kX, values({2, 1, 4}, {0, 1, 2, 0, 1, 1, 0, 2}, DType::i64)});
  check_each({"torch.meshgrid([x[0, 0], x[1, 1]])", "torch.broadcast_tensors([x[:, :1], x[:1]])"},
             {kX});
}

TEST_CASE("conversions to and from complex") {
  check_each({"x.to(10)", "x.to(9)", "x.to(6)", "x.to(7)", "x.real.to(9)", "torch.zeros_like(x)",
              "torch.ones_like(x) * x", "torch.full_like(x, 2)", "torch.full_like(x, 1j)",
              "x + torch.ones([4], dtype=9)", "x + torch.full([4], 1.5, dtype=9)",
              "torch.zeros_like(x, dtype=6)", "x.new_zeros([2])", "x.type_as(x.real.to(9))"},
             {kX});
  check_each({"x.to(9)", "x.to(10) * 1j", "torch.ones_like(x, dtype=9)"}, {kReal});
  check_each({"x.to(9)", "x * 1j"}, {randint({2, 2}, 0, 5, 13)});
}

TEST_CASE("writes into complex tensors") {
  for (const target::Target& target : test_targets()) {
    CAPTURE(target::target_name(target));
    CHECK_CLOSE(export_and_run(script(R"(def forward(self, x):
  y = x.clone()
  y[0] = 1
  y[:, 1:] *= 2j
  y[..., 0] += torch.real(x[..., 0])
  z = torch.zeros_like(x)
  z.copy_(y)
  z[1].fill_(3)
  torch.view_as_real(z).mul_(2)
  z.real[0].add_(1)
  z.imag.copy_(x.real)
  w = torch.view_as_real(x).clone()
  torch.view_as_complex(w).mul_(1j)
  v = x.clone()
  v.conj().mul_(1j)
  v.conj()[0].add_(2j)
  return y, z, w, v
)"),
                               {kX}, target),
                rel(1e-5));
  }
}

TEST_CASE("windows without inputs are constants") {
  const std::string text = export_text(
      expression_script("x * torch.hann_window(8) * torch.hamming_window(8, False) * "
                        "torch.blackman_window(8) * torch.bartlett_window(8) * "
                        "torch.kaiser_window(8, True, 5.0) * torch.fft_fftfreq(8, 0.5) * "
                        "torch.hamming_window(8, True, 0.6, 0.4)",
                        1),
      {randn({8}, 1)}, newest_target());
  CHECK(text.find("cos") == std::string::npos);
  check_each({"x * torch.hann_window(8)", "x * torch.hamming_window(8, False)",
              "x * torch.hamming_window(8, True, 0.6)",
              "x * torch.hamming_window(8, True, 0.6, 0.3)", "x * torch.blackman_window(8)",
              "x * torch.bartlett_window(8, False)", "x * torch.kaiser_window(8)",
              "x * torch.kaiser_window(8, False)", "x * torch.kaiser_window(8, True, 5.0)",
              "x * torch.hann_window(8, dtype=7)", "x * torch.fft_fftfreq(8)",
              "x * torch.fft_fftfreq(8, 0.5)", "x[:5] * torch.fft_rfftfreq(8, 0.5)"},
             {randn({8}, 1)});
}

TEST_CASE("complex operators without a real form are refused by name") {
  CHECK_EQ(refusal("torch.asin(x)", {kX}),
           "error[unsupported-op]: 1 operator (1 use) has no translation for tract@0.23.9; "
           "nothing was written\n"
           "   1x aten::asin of complex tensors   first: the model (Model)\n"
           "      why: it has no implementation in real arithmetic\n"
           "  help: compute it from .real and .imag, or keep the tensors real\n");
  CHECK_EQ(refusal("torch.einsum('ij,jk,kl->il', [x[0], x[0].t(), x[0]])", {kX}),
           "error[unsupported-op]: 1 operator (1 use) has no translation for tract@0.23.9; "
           "nothing was written\n"
           "   1x aten::einsum of complex tensors   first: the model (Model)\n"
           "      why: complex tensors are multiplied two at a time\n"
           "  help: write it as products of two tensors\n");
}

}  // namespace
}  // namespace t2n::test::complex_tests
