// SPDX-License-Identifier: Apache-2.0
// Elements that lie between two integers of a quantised tensor: each kernel of LibTorch rounds them
// in its own way. Zero points are odd, so that it shows on which side of the rounding they are.
#include <cmath>

#include "tests/ops/check_script.h"
#include "tests/support/strict_case.h"

namespace t2n::test::quantised_rounding_tests {
namespace {

// Steps of one of these fall between those of the next: all sums and halves are exact.
const std::string kTies = "torch.round($ * 8) / 8";
const std::string kU8 = "torch.quantize_per_tensor(" + kTies + ", 0.25, 121, 13)";
const std::string kI8 = "torch.quantize_per_tensor(" + kTies + ", 0.25, -7, 12)";
const std::string kFine = "torch.quantize_per_tensor(" + kTies + ", 0.125, 91, 13)";

std::string of(std::string form, const std::string& input) {
  for (size_t at = form.find('$'); at != std::string::npos; at = form.find('$'))
    form.replace(at, 1, input);
  return form;
}
std::string real(const std::string& quantised) { return "torch.dequantize(" + quantised + ")"; }

/// The expressions, with a tensor of each kind of integers in the place of Q.
std::vector<std::string> forms(const std::vector<std::string>& expressions) {
  std::vector<std::string> out;
  for (const std::string& kind : {kU8, kI8})
    for (std::string text : expressions) {
      for (size_t at = text.find('Q'); at != std::string::npos; at = text.find('Q', at + 1))
        text.replace(at, 1, of(kind, "x"));
      out.push_back(real(text));
    }
  return out;
}

// Whole vectors of elements only, none, and some with elements left over.
const std::vector<ir::Tensor> kVectors = {randn({2, 4, 4, 8}, 1), randn({2, 4, 4, 8}, 2)};
const std::vector<ir::Tensor> kFew = {randn({2, 3, 3, 3}, 3), randn({2, 3, 3, 3}, 4)};

const std::vector<ir::Tensor> kSome = {randn({1, 3, 5, 7}, 5), randn({1, 3, 5, 7}, 6)};
const std::vector<ir::Tensor> kImages = {randn({2, 20, 3, 4}, 7), randn({2, 20, 3, 4}, 8)};

void check_sizes(const std::vector<std::string>& expressions) {
  check_each(expressions, {kVectors[0]});
  check_each(expressions, {kFew[0]});
  check_each(expressions, {kSome[0]});
}

/// The same with the channels of images as the innermost axis in memory.
std::string last(const std::string& quantised) {
  return "torch.contiguous(" + quantised + ", memory_format=2)";
}

TEST_CASE("loops over vectors round before the zero point comes, single elements with it") {
  const std::string to = ", 0.5, 97)";
  check_sizes(forms({"ops.quantized.elu(Q, 0.5, 97, 1.0)", "ops.quantized.celu(Q, 0.5, 97, 1.0)",
                     "ops.quantized.leaky_relu(Q, 0.25, False" + to, "torch.leaky_relu(Q, 0.25)",
                     "ops.quantized.hardswish(Q" + to, "ops.quantized.threshold(Q, 0.5, 0.375)",
                     "torch.threshold(Q, 0.5, 0.625)", "torch.leaky_relu(Q, 0.1)"}));
}

TEST_CASE("sums are rounded in loops, products and slopes as sums of integers") {
  const std::string both = "(" + of(kU8, "x") + ", " + of(kFine, "y") + ", 0.5, 97)";
  const std::vector<std::string> all = {
      real("ops.quantized.add" + both), real("ops.quantized.add_relu" + both),
      real("ops.quantized.mul" + both), real("ops.quantized.mul_relu" + both)};
  check_each(all, kVectors);
  check_each(all, kFew);
  check_each(all, kSome);
}

TEST_CASE("images whose channels lie side by side have other elements in vectors") {
  const std::string a = last(of(kU8, "x"));
  const std::string b = last(of(kFine, "y"));
  const std::string to = ", 0.5, 97)";
  check_each({real("ops.quantized.add(" + a + ", " + b + to),
              real("ops.quantized.add(" + a + ", " + of(kFine, "y") + to),
              real("ops.quantized.leaky_relu(" + a + ", 0.25, False" + to),
              real("ops.quantized.elu(" + last(of(kI8, "x")) + ", 0.5, 97, 1.0)"),
              real("ops.quantized.cat([" + a + ", " + b + "], 1" + to),
              real("ops.quantized.cat_relu([" + a + ", " + b + "], 1" + to),
              real("ops.quantized.cat([" + a + ", " + b + "], 0" + to),
              real("torch.avg_pool2d(" + a + ", [2, 2], [1, 1])"),
              real("torch.avg_pool2d(" + last(of(kI8, "x")) + ", [3, 2])")},
             kImages);
  check_each({real("ops.quantized.add(" + a + ", " + b + to)}, kVectors);
}

TEST_CASE("layer norm begins anew for each row") {
  const Parameters parameters = {{"w", values({40}, std::vector<double>(40, 0))},
                                 {"b", uniform({40}, -3, 3, 9)}};
  check_with(parameters,
             {real("ops.quantized.layer_norm(" + of(kU8, "x") +
                   ", [40], self.w, torch.round(self.b * 8) / 8, 1e-5, 0.25, 97)")},
             {randn({3, 40}, 10)});
}

TEST_CASE("a repeated tensor has short rows, which are not computed in vectors") {
  const std::string a = of(kU8, "x");
  const std::string b = of(kFine, "y");
  check_each({real("ops.quantized.add(" + a + ", torch.select(" + b + ", 0, 0), 0.5, 97)"),
              real("ops.quantized.add(" + a + ", torch.slice(" + b + ", 3, 0, 1, 1), 0.5, 97)")},
             {randn({4, 4, 4, 8}, 1), randn({4, 4, 4, 8}, 2)});
}

TEST_CASE("slopes are weights of integers, and so is the one above zero") {
  for (const std::string scale : {"0.05, 3", "0.3, 5"})
    for (const std::string type : {"13", "12"}) {
      const std::string q = "torch.quantize_per_tensor(" + of(kTies, "x") + ", 0.25, " +
                            (type == "13" ? "121" : "-7");
      const std::string weight = "torch.quantize_per_tensor(torch.tensor([0.25, 0.5, -0.3]), ";
      check_each(
          {real("ops.quantized.prelu(" + q + ", " + type + "), " + weight + scale + ", " + type +
                "), 0.5, 97)"),
           real("torch.prelu(" + q + ", " + type + "), " + weight + scale + ", " + type + "))")},
          {kFew[0]});
    }
}

TEST_CASE("numbers among elements are rounded with the zero point") {
  check_sizes(forms(
      {"torch.hardtanh(Q, -0.375, 0.625)", "torch.hardtanh(Q, -0.625, 0.375)",
       "torch.clamp(Q, -0.375, 0.625)", "torch.clamp(Q, -0.625)", "torch.clamp(Q, None, 0.375)",
       "ops.quantized.clamp(Q, -0.375, 0.625)", "ops.quantized.clamp(Q, None, 0.625)",
       "ops.quantized.relu6(Q)", "torch.constant_pad_nd(Q, [1, 1], 0.625)",
       "torch.constant_pad_nd(Q, [1, 0], 0.375)", "torch.masked_fill(Q, x > 0, 0.625)",
       "torch.masked_fill(Q, x > 0, -0.375)", "torch.masked_fill(Q, x > 0, x.max())"}));
}

TEST_CASE("a number that is added moves the zero point, or scales the integers where it cannot") {
  check_sizes(
      forms({"ops.quantized.add_scalar(Q, 0.625)", "ops.quantized.add_scalar(Q, 50.0)",
             "ops.quantized.add_scalar(Q, -49.875)", "ops.quantized.add_scalar_relu(Q, -3.125)",
             "ops.quantized.add_scalar_relu(Q, -49.875)",
             "ops.quantized.add_scalar(Q, torch.tensor(0.625))",
             "ops.quantized.mul_scalar(Q, 0.375)", "ops.quantized.mul_scalar(Q, -0.375)",
             "ops.quantized.mul_scalar(Q, 0.0)", "ops.quantized.mul_scalar_relu(Q, -0.375)",
             "ops.quantized.mul_scalar(Q, torch.tensor(-0.375))"}));
}

TEST_CASE("whole tensors are quantised in one rounding, channels in two") {
  const std::string x = of(kTies, "x");
  const std::string u8 = of(kU8, "x");
  const std::string fine = of(kFine, "x");
  check_sizes({real("torch.quantize_per_tensor(" + x + ", 0.5, 97, 13)"),
               real("torch.quantize_per_channel(torch.round(torch.reshape(x, [1, -1]) * 20) * "
                    "0.15, torch.tensor([0.3]), torch.tensor([7]), 0, 12)"),
               real("torch.cat([" + u8 + ", " + fine + "], 1)"),
               real("torch.cat([" + fine + ", " + u8 + "], 0)"),
               real("torch.stack([" + u8 + ", " + fine + "], 1)"),
               real("ops.quantized.cat([" + u8 + ", " + fine + "], 1, 0.5, 97)"),
               real("ops.quantized.cat_relu([" + u8 + ", " + fine + "], 1, 0.5, 97)"),
               real("ops.quantized.softmax(" + u8 + ", 1, 0.0078125, 3)"),
               real("torch.std(" + u8 + ", [3], True, False)")});
}

TEST_CASE("norms take the variance of integers, with what rounding leaves of a small one") {
  const Parameters parameters = {{"w", randn({4}, 5)},
                                 {"b", randn({4}, 6)},
                                 {"wide", randn({6}, 7)},
                                 {"m", randn({4}, 8)},
                                 {"v", uniform({4}, 0.5, 2, 9)}};
  const std::string to = ", 1e-5, 0.03, 121)";
  for (const std::string factor : {"1.0", "0.05", "0.0"}) {
    const std::string q = "torch.quantize_per_tensor(x * " + factor + ", 0.05, 121, 13)";
    std::vector<std::string> all = {
        real("ops.quantized.layer_norm(" + q + ", [6], None, None" + to),
        real("ops.quantized.layer_norm(" + q + ", [6], self.wide, self.wide" + to),
        real("ops.quantized.instance_norm(" + q + ", self.w, self.b" + to),
        real("ops.quantized.batch_norm2d(" + q + ", self.w, self.b, self.m, self.v" + to),
        real("ops.quantized.batch_norm2d_relu(" + q + ", self.w, self.b, self.m, self.v" + to),
        real("torch.quantized_batch_norm(" + q + ", self.w, self.b, self.m, self.v" + to)};
    // Of groups with a small variance strict NNEF, which has no f64, is off by a quantum.
    if (factor != "0.05")
      for (const std::string affine : {"self.w, self.b", "None, None"})
        all.push_back(real("ops.quantized.group_norm(" + q + ", 2, " + affine + to));
    check_with(parameters, all, {randn({2, 4, 5, 6}, 10)});
  }
}

/// Rows of multiples of a unit, whose range puts the zero point at a tie: `count` * low / range has
/// a half. The first rows are symmetric.
ir::Tensor rows_at_ties(int count) {
  constexpr int kRows = 24, kColumns = 16;
  std::vector<double> out;
  for (int row = 0; row < kRows; ++row) {
    const int below = row < kRows / 2 ? count : 1 + 2 * ((row * 37) % count);
    const double unit = (1 + row * 7 % 5) * std::ldexp(1.0, -row) * (row % 3 == 0 ? 1.37 : 1);
    const double step = static_cast<float>(unit);
    for (int i = 0; i < kColumns; ++i) {
      const int multiple = i == 0   ? -below
                           : i == 1 ? 2 * count - below
                                    : (i * 29 + row) % (2 * count) - below;
      out.push_back(static_cast<float>(multiple * step));
    }
  }
  return values({kRows, kColumns}, out);
}

TEST_CASE("zero points that data give are LibTorch's at ties as well") {
  for (const std::string kind : {"13", "12"})
    for (const std::string reduced : {"False", "True"}) {
      std::string rows;
      for (int i = 0; i < 24; ++i)
        rows += cat("torch.dequantize(torch.quantize_per_tensor_dynamic(x[", i, ":", i + 1, "], ",
                    kind, ", ", reduced, ")), ");
      on_each_target({"torch.cat([" + rows + "])"}, [&](const std::string& expression,
                                                        const target::Target& target) {
        Run run = export_and_run(expression_script(expression, 1),
                                 {rows_at_ties(reduced == "True" ? 127 : 255)}, target);
        drop_strict_case(run);  // it has no f64
        CHECK_CLOSE(run, rel(1e-6));
      });
    }
}

/// Interpolations of Q: by scale factors and to sizes, of which an axis may keep its own.
const std::vector<std::string> kBilinear = {"torch.upsample_bilinear2d(Q, None, False, [1.7, 2.3])",
                                            "torch.upsample_bilinear2d(Q, None, True, [2.0, 3.0])",
                                            "torch.upsample_bilinear2d(Q, None, False, [1.1, 1.9])",
                                            "torch.upsample_bilinear2d(Q, None, False, [1.1, 1.1])",
                                            "torch.upsample_bilinear2d(Q, [13, 5], False, None)",
                                            "torch.upsample_bilinear2d(Q, [1, 11], True, None)"};

TEST_CASE("interpolation weighs integers, and rounds as images in rows need it") {
  check_each(forms(kBilinear), {randn({2, 3, 6, 7}, 11)});
  check_each(forms(kBilinear), {randn({1, 9, 5, 4}, 12)});
}

TEST_CASE("interpolation of images whose channels lie side by side leaves a product unrounded") {
  std::vector<std::string> all;
  for (const std::string& form : kBilinear) {
    std::string text = form;
    text.replace(text.find('Q'), 1, last("torch.quantize_per_tensor(x * 2.1, 0.037, 121, 13)"));
    all.push_back(real(text));
  }
  for (const int64_t channels : {3, 16, 19})
    on_each_target(all, [&](const std::string& expression, const target::Target& target) {
      const Script model = expression_script(expression, 1);
      Run run = export_and_run(model, {randn({2, channels, 6, 7}, 13)}, target);
      drop_strict_case(run);  // it has no f64, and its results near ties may be off by one
      CHECK_CLOSE(run, rel(1e-5));
    });
}

}  // namespace
}  // namespace t2n::test::quantised_rounding_tests
