// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of real and complex tensors: short ones are matrices, long ones tract's own.
#include "ops/all.h"
#include "src/export/pass_table.h"
#include "src/model/torch_module.h"
#include "src/passes/pass.h"
#include "src/translate/registry.h"
#include "tests/ops/expressions.h"

namespace t2n::test::fft_tests {
namespace {

using ir::DType;

const ir::Tensor kReal = randn({3, 5, 6}, 1);
const ir::Tensor kComplex = randn({3, 5, 6}, 2, DType::c64);

/// `torch.NAME(x, ...)` with sizes that cut and fill, axes from both ends, and every norm.
std::vector<std::string> line_forms(const std::string& name) {
  const std::string call = "torch." + name + "(x";
  return {call + ")",
          call + ", n=4)",
          call + ", n=9)",
          call + ", dim=0)",
          call + ", dim=-2)",
          call + ", 7, 1)",
          call + ", norm='backward')",
          call + ", norm='forward')",
          call + ", norm='ortho')",
          call + ", n=4, dim=1, norm='ortho')",
          call + ", n=1)"};
}

std::vector<std::string> plane_forms(const std::string& name) {
  const std::string call = "torch." + name + "(x";
  return {call + ")",
          call + ", s=[4, 7])",
          call + ", s=[7, 4], norm='forward')",
          call + ", dim=[0, 1])",
          call + ", dim=[-1, 0], norm='ortho')",
          call + ", s=[-1, 5], dim=[1, 2], norm='backward')"};
}

std::vector<std::string> space_forms(const std::string& name) {
  const std::string call = "torch." + name + "(x";
  std::vector<std::string> out = plane_forms(name);
  out.push_back(call + ", dim=[1])");
  out.push_back(call + ", s=[4, 3, 8])");
  return out;
}

TEST_CASE("transforms of real tensors along one axis") {
  for (const char* name : {"fft_fft", "fft_ifft", "fft_rfft", "fft_ihfft", "fft_irfft", "fft_hfft"})
    check_each(line_forms(name), {kReal});
}

TEST_CASE("transforms of complex tensors along one axis") {
  for (const char* name : {"fft_fft", "fft_ifft", "fft_irfft", "fft_hfft"})
    check_each(line_forms(name), {kComplex});
}

TEST_CASE("transforms over several axes") {
  for (const char* name : {"fft_fft2", "fft_ifft2", "fft_irfft2", "fft_hfft2"})
    check_each(plane_forms(name), {kComplex});
  for (const char* name : {"fft_fft2", "fft_rfft2", "fft_ihfft2"})
    check_each(plane_forms(name), {kReal});
  for (const char* name : {"fft_fftn", "fft_ifftn", "fft_irfftn", "fft_hfftn"})
    check_each(space_forms(name), {kComplex});
  for (const char* name : {"fft_fftn", "fft_rfftn", "fft_ihfftn"})
    check_each(space_forms(name), {kReal});
}

TEST_CASE("transforms in double precision, of integers and of vectors") {
  check_each({"torch.fft_fft(x)", "torch.fft_rfft(x)", "torch.fft_irfft(torch.fft_rfft(x))"},
             {randn({2, 6}, 3, DType::f64)}, 1e-12);
  check_each({"torch.fft_ifft(x)", "torch.fft_irfft(x)"}, {randn({2, 6}, 3, DType::c128)}, 1e-12);
  for (const DType dtype : {DType::i64, DType::i32, DType::u8})
    check_each({"torch.fft_fft(x)", "torch.fft_rfft(x)", "torch.fft_irfft(x)"},
               {randint({2, 6}, 0, 9, 4, dtype)});
  check_each({"torch.fft_rfft(x)"}, {values({4}, {1, 0, 1, 1}, DType::boolean)});
  check_each(
      {"torch.fft_fft(x)", "torch.fft_rfft(x)", "torch.fft_irfft(x, 5)", "torch.fft_fft(x, 1)"},
      {randn({6}, 5)});
  check_each({"torch.fft_fft(x)", "torch.fft_ifft(x)"}, {randn({1}, 5, DType::c64)});
}

TEST_CASE("long transforms are tract's own") {
  for (const int size : {600, 601}) {
    check_each({"torch.fft_fft(x)", "torch.fft_rfft(x, dim=0)", "torch.fft_rfft(x, norm='ortho')",
                "torch.fft_ihfft(x)", "torch.fft_irfft(torch.fft_rfft(x), x.size(1))",
                "torch.fft_ifft(torch.fft_fft(x))"},
               {randn({600, size}, 6)}, 1e-4);
    check_each({"torch.fft_fft(x)", "torch.fft_ifft(x)", "torch.fft_irfft(x)", "torch.fft_hfft(x)",
                "torch.fft_irfft(x, 701)", "torch.fft_fft(x, dim=0)"},
               {randn({3, size}, 7, DType::c64)}, 1e-4);
  }
  check_each({"torch.fft_rfft(x)", "torch.fft_irfft(torch.fft_rfft(x), 1001)"},
             {randn({2, 1001}, 8, DType::f64)}, 1e-10);
  const auto text = [](int size) {
    return export_text(expression_script("torch.view_as_real(torch.fft_rfft(x))", 1),
                       {randn({2, size}, 9)}, newest_target());
  };
  CHECK_NE(text(400).find("matmul"), std::string::npos);
  CHECK_NE(text(1024).find("tract_core_fft"), std::string::npos);
}

TEST_CASE("torch's own building blocks") {
  check_each({"torch._fft_r2c(x, [2], 0, True)", "torch._fft_r2c(x, [0, 1], 1, True)",
              "torch._fft_r2c(x, [2], 2, False)"},
             {kReal});
  check_each({"torch._fft_c2c(x, [1], 0, True)", "torch._fft_c2c(x, [0, 2], 2, False)",
              "torch._fft_c2c(x, [0, 1, 2], 1, True)", "torch._fft_c2r(x, [2], 0, 10)",
              "torch._fft_c2r(x, [0, 2], 2, 11)", "torch._fft_c2r(x, [1], 1, 9)"},
             {kComplex});
}

TEST_CASE("the zero frequency moves to the middle and back") {
  const std::vector<std::string> forms = {
      "torch.fft_fftshift(x)",          "torch.fft_fftshift(x, 1)",
      "torch.fft_fftshift(x, [0, -1])", "torch.fft_ifftshift(x)",
      "torch.fft_ifftshift(x, [1])",    "torch.fft_ifftshift(torch.fft_fftshift(x, -2), -2)"};
  check_each(forms, {kReal});
  check_each(forms, {kComplex});
  check_each(forms, {randint({3, 5, 6}, 0, 9, 10)});
}

/// The rewritten graph, run by torch's own transforms.
void check_evaluated(const std::string& expression, const ir::Tensor& input) {
  CAPTURE(expression);
  const Script model = expression_script(expression, 1);
  const auto session = torch_module().compile({model.source, model.parameters});
  trace::Traced traced = torch_module().trace(*session, {{{"input_0"}, input}}, {});
  passes::PassContext context;
  context.operators = &ops::registry().table();
  CHECK(passes::run_pipeline(traced.graph, {"bind-sizes", "complex-to-pairs"}, context));
  const auto actual =
      ir::run_graph(traced.graph, {ir::as_pairs(input)}, torch_module().evaluator());
  CHECK_EQ(differences({traced.outputs, actual, "", {}, ""}, rel(1e-5)), "");
}

TEST_CASE("torch computes the same for what the pass emits") {
  for (const char* expression :
       {"torch.fft_rfft(x, norm='ortho')", "torch.fft_ihfft(x, dim=0)", "torch.fft_irfft(x, 9)",
        "torch.fft_ifftn(x)", "torch.fft_fft2(x)",
        "torch.stft(x[0], 4, 1, 3, torch.hann_window(3), center=True, return_complex=True)",
        "torch.istft(torch.stft(x[0], 4, 1, center=True, return_complex=True), 4, 1)"})
    check_evaluated(expression, kReal);
  for (const char* expression : {"torch.fft_hfft(x)", "torch.fft_irfft2(x)", "torch.fft_fft(x, 3)",
                                 "torch.sqrt(x) * torch.exp(x)"})
    check_evaluated(expression, kComplex);
}

TEST_CASE("a filter in the frequency domain") {
  check_each(
      {"torch.fft_irfft(torch.fft_rfft(x) * torch.fft_rfft(y), 6)",
       "torch.fft_ifft(torch.fft_fft(x) * torch.exp(torch.fft_fftfreq(6) * 2j)).real",
       "torch.abs(torch.fft_fft2(x)).log()",
       "torch.fft_irfft2(torch.fft_rfft2(x) * torch.complex(y[:1, :1, :4], y[:1, 1:2, :4]))"},
      {kReal, randn({3, 5, 6}, 11)});
}

}  // namespace
}  // namespace t2n::test::fft_tests
