// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/ops/expressions.h"

namespace t2n::test::special_tests {
namespace {

using ir::DType;

const double kNan = std::numeric_limits<double>::quiet_NaN();
const double kInf = std::numeric_limits<double>::infinity();

/// The largest error of f32 results against torch in f64, over max(|value|, floor).
double largest_error(const std::string& function, double low, double high, double floor) {
  const ir::Tensor x = uniform({2000}, low, high, 1);
  const auto call = [&](const char* argument) {
    std::string text = function;
    return text.replace(text.find('#'), 1, argument);
  };
  const Run single = export_and_run(expression_script(call("x"), 1), {x}, newest_target());
  const Run wide = export_and_run(expression_script(call("x.double()"), 1), {x}, newest_target());
  // In f32 torch itself is off near poles.
  for (const Run* run : {&single, &wide}) CHECK_CLOSE(*run, rel(1e-3));
  double largest = 0;
  for (int64_t i = 0; i < 2000; ++i) {
    const double exact = ir::element_f64(wide.expected[0], i);
    const double error = std::abs(ir::element_f64(single.actual[0], i) - exact);
    largest = std::max(largest, error / std::max(std::abs(exact), floor));
  }
  return largest;
}

struct Accuracy {
  const char* function;
  double low, high;
  double floor;
  double bound;
};

/// The bounds that the operators' documentation states.
constexpr Accuracy kAccuracies[] = {
    {"torch.lgamma(#)", -30, 0, 1, 1e-7},
    {"torch.lgamma(#)", 0, 4, 0, 1e-7},
    {"torch.lgamma(#)", 4, 1e6, 0, 1e-7},
    {"torch.digamma(#)", -20, 0, 1e-3, 1e-7},
    {"torch.digamma(#)", 0, 30, 0, 1e-7},
    {"torch.polygamma(1, #)", -5, 10, 0, 1e-7},
    {"torch.polygamma(4, #)", 0, 10, 0, 1e-7},
    {"torch.special_zeta(3.0, #)", 0, 10, 0, 1e-7},
    {"torch.special_i0(#)", -20, 20, 0, 5e-7},
    {"torch.special_i0e(#)", -100, 100, 0, 5e-7},
    {"torch.special_i1(#)", -20, 20, 0, 2e-6},
    {"torch.special_i1e(#)", -100, 100, 0, 1e-6},
    {"torch.special_bessel_j0(#)", -60, 60, 1, 3e-7},
    {"torch.special_bessel_j1(#)", -60, 60, 1, 3e-7},
    {"torch.special_bessel_y0(#)", 0, 60, 1, 5e-7},
    {"torch.special_bessel_y1(#)", 0, 60, 1, 5e-7},
    {"torch.special_modified_bessel_k0(#)", 0, 20, 0, 1e-6},
    {"torch.special_modified_bessel_k1(#)", 0, 20, 0, 1e-6},
    {"torch.special_scaled_modified_bessel_k0(#)", 0, 60, 0, 6e-7},
    {"torch.special_scaled_modified_bessel_k1(#)", 0, 60, 0, 6e-7},
    {"torch.special_spherical_bessel_j0(#)", -20, 20, 0.05, 3e-7},
    {"torch.special_erfinv(#)", -0.999, 0.999, 0, 4e-7},
    {"torch.special_erfcx(#)", -5, 50, 0, 4e-7},
    {"torch.special_ndtr(#)", -5, 10, 0, 5e-6},
    {"torch.special_log_ndtr(#)", -10, 4, 0, 2e-6},
    {"torch.special_ndtri(#)", 1e-6, 0.999, 1e-3, 6e-7},
};

TEST_CASE("approximations are as good as their documentation says") {
  for (const Accuracy& row : kAccuracies) {
    CAPTURE(std::string(row.function));
    CHECK_LE(largest_error(row.function, row.low, row.high, row.floor), row.bound);
  }
}

/// Of one operand, each.
const std::vector<std::string> kFunctions = {"torch.lgamma(x)",
                                             "torch.special_gammaln(x)",
                                             "torch.digamma(x)",
                                             "torch.special_digamma(x)",
                                             "torch.special_psi(x)",
                                             "torch.polygamma(0, x)",
                                             "torch.polygamma(1, x)",
                                             "torch.special_polygamma(2, x)",
                                             "torch.mvlgamma(x, 3)",
                                             "torch.special_multigammaln(x, 2)",
                                             "torch.i0(x)",
                                             "torch.special_i0(x)",
                                             "torch.special_i0e(x)",
                                             "torch.special_i1(x)",
                                             "torch.special_i1e(x)",
                                             "torch.special_modified_bessel_i0(x)",
                                             "torch.special_modified_bessel_i1(x)",
                                             "torch.special_bessel_j0(x)",
                                             "torch.special_bessel_j1(x)",
                                             "torch.special_bessel_y0(x)",
                                             "torch.special_bessel_y1(x)",
                                             "torch.special_modified_bessel_k0(x)",
                                             "torch.special_modified_bessel_k1(x)",
                                             "torch.special_scaled_modified_bessel_k0(x)",
                                             "torch.special_scaled_modified_bessel_k1(x)",
                                             "torch.special_spherical_bessel_j0(x)",
                                             "torch.special_erfcx(x)",
                                             "torch.special_ndtr(x)",
                                             "torch.special_log_ndtr(x)",
                                             "torch.special_entr(x)",
                                             "torch.special_zeta(2.5, x)",
                                             "torch.special_zeta(4, x)"};
const std::vector<std::string> kInverses = {"torch.erfinv(x)", "torch.special_erfinv(x)",
                                            "torch.special_ndtri(x)"};

TEST_CASE("functions of one operand, on every target") {
  check_each(kFunctions, {values({8}, {0.25, 0.75, 1.5, 2.25, 4.75, 7.5, 11, 19})});
  check_each(kInverses, {values({8}, {0.001, 0.1, 0.2, 0.5, 0.8, 0.9, 0.99, 0.9999})});
}

TEST_CASE("functions of one operand in double precision") {
  const std::vector<double> data = {0.25, 0.75, 1.5, 2.25, 4.75, 7.5, 11, 19};
  std::vector<std::string> exact = kFunctions;  // without torch's trigamma, good to 1e-9
  std::erase(exact, "torch.polygamma(1, x)");
  check_each(exact, {values({8}, data, DType::f64)}, 1e-12);
  check_each({"torch.polygamma(1, x)"}, {values({8}, data, DType::f64)}, 1e-8);
  check_each(kInverses, {values({6}, {0.001, 0.1, 0.2, 0.5, 0.8, 0.9}, DType::f64)}, 1e-12);
}

TEST_CASE("functions of one operand in half precision, of integers and of rank 0") {
  check_each(kFunctions, {values({4}, {0.25, 1.5, 4.75, 9}, DType::f16)}, 4e-3);
  check_each(kFunctions, {values({3}, {1, 3, 6}, DType::i64)});
  check_each(kFunctions, {values({}, {1.25})});
  check_each(kInverses, {values({3}, {0.25, 0.5, 0.75}, DType::f16)}, 4e-3);
}

TEST_CASE("negative operands") {
  check_each({"torch.lgamma(x)",
              "torch.digamma(x)",
              "torch.polygamma(1, x)",
              "torch.polygamma(2, x)",
              "torch.polygamma(3, x)",
              "torch.special_zeta(3, x)",
              "torch.special_zeta(2.5, x)",
              "torch.i0(x)",
              "torch.special_i1(x)",
              "torch.special_i1e(x)",
              "torch.special_bessel_j0(x)",
              "torch.special_bessel_j1(x)",
              "torch.special_bessel_y0(x)",
              "torch.special_bessel_y1(x)",
              "torch.special_modified_bessel_k0(x)",
              "torch.special_modified_bessel_k1(x)",
              "torch.special_spherical_bessel_j0(x)",
              "torch.special_erfcx(x)",
              "torch.special_ndtr(x)",
              "torch.special_log_ndtr(x)",
              "torch.special_entr(x)"},
             {values({6}, {-0.25, -0.75, -1.5, -2.25, -4.75, -7.5})});
  check_each(kInverses, {values({4}, {-0.1, -0.5, -0.9, -0.999})});
}

TEST_CASE("poles, infinity and NaN") {
  const ir::Tensor x = values({5}, {0, kInf, kNan, -1, -3});
  check_each({"torch.lgamma(x)", "torch.digamma(x)", "torch.polygamma(2, x[2:])",
              "torch.special_zeta(3, x[2:])", "torch.special_zeta(1, x)",
              "torch.special_zeta(0.5, x)", "torch.special_i0e(x)", "torch.special_i1e(x)",
              "torch.special_modified_bessel_k0(x)", "torch.special_modified_bessel_k1(x)",
              "torch.special_spherical_bessel_j0(x)", "torch.special_erfcx(x)",
              "torch.special_ndtr(x)", "torch.special_log_ndtr(x)", "torch.special_entr(x)"},
             {x});
  check_each({"torch.lgamma(x)", "torch.special_erfcx(x)", "torch.special_ndtr(x)"},
             {values({4}, {-kInf, 1e30, -1e30, 1e38})});
  check_each({"torch.digamma(x)"}, {values({2}, {-0.0, 0.0})});
  check_each(
      {"torch.special_bessel_j0(x)", "torch.special_bessel_y0(x)", "torch.special_bessel_y1(x)"},
      {values({3}, {0, kNan, 4.9999})});
  check_each(kInverses, {values({6}, {0, 1, -1, 1.5, -1.5, kNan})});
}

TEST_CASE("functions of two operands") {
  const std::vector<std::string> forms = {
      "torch.special_xlog1py(x, y)", "torch.special_xlog1py(2.0, y)",
      "torch.special_xlog1py(x, 3.0)", "torch.logaddexp2(x, y)", "torch.ldexp(x, y)"};
  check_each(forms, {values({2, 3}, {0, 1.5, -2, 4, 0.25, 0}), values({3}, {0, 2, 5})});
  check_each(forms,
             {values({4}, {0, 1.5, -2, 4}, DType::f64), values({4}, {0, 2, 5, 7}, DType::f64)},
             1e-12);
  check_each(forms, {values({3}, {0, 1.5, -2}, DType::f16), values({3}, {0, 2, 5}, DType::f16)},
             4e-3);
  check_each({"torch.special_xlog1py(x, y)"},
             {values({3}, {0, 0, 0}), values({3}, {kNan, kInf, -1})});
  check_each({"torch.logaddexp2(x, y)"}, {values({5}, {kInf, -kInf, -kInf, 3, 200}),
                                          values({5}, {kInf, -kInf, 2, kInf, -200})});
  check_each({"torch.ldexp(x, y)"}, {values({3}, {1, 3, -5}), values({3}, {-2, 3, 0}, DType::i64)});
  check_each({"torch.ldexp(x, y)"},
             {values({3}, {1, 3, -5}, DType::i64), values({3}, {-2, 3, 0}, DType::i32)});
}

TEST_CASE("mantissa and exponent") {
  for (const DType dtype : {DType::f32, DType::f64})
    check_each(
        {"torch.frexp(x)"},
        {values({12}, {0, 1, -1, 2, 3.7, -0.1, 1e30, 1e-30, 0.5, 0.99999994, 8, 1.0000001}, dtype)},
        1e-9);
  check_each({"torch.frexp(x)[0]"}, {values({3}, {kInf, -kInf, kNan})});
  check_each({"torch.frexp(x)"}, {values({3}, {1e-42, 3e38, -1e-40})}, 1e-9);
}

/// The degree as a tensor, of a tensor and of a number.
void check_degrees(const std::string& name) {
  const std::string number = "torch." + name + "(0.75, ", tensor = "torch." + name + "(x, ";
  const ir::Tensor x = values({3}, {0.25, -0.75, 3});
  check_each({tensor + "torch.tensor(4))", tensor + "torch.tensor([4]))"}, {x});
  check_unfolded({number + "torch.tensor(4))", number + "torch.tensor(0))"}, {});
  const auto refused = [&](const std::string& overload, const std::string& expression,
                           const std::string& why) {
    check_refused(
        expression, {x},
        "error[unsupported-argument]: aten::" + name + overload +
            ": n=f32[3] has no translation for TARGET\n  --> the model (Model)\n  why:  " + why);
  };
  const std::string computed =
      "its values must be known at export, but they are computed by the model\n";
  refused("", tensor + "x)", computed);
  refused(".x_scalar", number + "x)", computed);
  refused("", tensor + "torch.tensor([1.0, 2.0, 4.0]))",
          "its translation supports one number, not several\n  help: pass a number\n");
}

TEST_CASE("orthogonal polynomials") {
  const ir::Tensor x = values({7}, {-1.5, -1, -0.3, 0, 0.4, 1, 2});
  for (const char* name :
       {"chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v",
        "chebyshev_polynomial_w", "shifted_chebyshev_polynomial_t",
        "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v",
        "shifted_chebyshev_polynomial_w", "hermite_polynomial_h", "hermite_polynomial_he",
        "laguerre_polynomial_l", "legendre_polynomial_p"}) {
    std::vector<std::string> forms;
    for (const char* n : {"-1", "0", "1", "2", "5"})
      forms.push_back("torch.special_" + std::string(name) + "(x, " + n + ")");
    check_each(forms, {x});
    check_each(forms, {values({3}, {0.25, -0.75, 3}, DType::f64)}, 1e-12);
    check_degrees("special_" + std::string(name));
  }
  check_each({"torch.special_chebyshev_polynomial_t(x, 9)"}, {uniform({5}, -1, 1, 2)});
  check_refused(
      "torch.special_hermite_polynomial_h(x, 65)", {uniform({5}, -1, 1, 2)},
      "error[unsupported-argument]: aten::special_hermite_polynomial_h.n_scalar: n=65 has "
      "no translation for TARGET\n"
      "  --> the model (Model)\n"
      "  why:  it is unrolled step by step, and this would take too many steps\n"
      "  help: use degrees up to 64\n");
}

TEST_CASE("zeta of known numbers, computed by the engine") {
  check_each({"torch.special_zeta(torch.tensor(2.5), x)"}, {uniform({4}, 0.5, 4, 6)});
  check_unfolded(
      {"torch.special_zeta(torch.tensor(2.5), 2.0)", "torch.special_zeta(torch.tensor(3.0), 0.5)"},
      {});
}

TEST_CASE("special functions without a translation are refused with the reason") {
  const std::string help = "  help: compute it outside the model\n";
  const auto refused = [&](const std::string& name, const std::vector<ir::Tensor>& inputs,
                           const std::string& why) {
    check_refused("torch." + name + "(x, y)", inputs,
                  "error[unsupported-op]: aten::" + name +
                      " has no translation for TARGET\n"
                      "  --> the model (Model)\n"
                      "  why:  " +
                      why + "\n" + help);
  };
  const std::string steps = "its number of steps depends on the data";
  const std::vector<ir::Tensor> numbers = {uniform({3}, 1, 2, 3), uniform({3}, 1, 2, 4)};
  const std::vector<ir::Tensor> integers = {randint({3}, 1, 9, 4), randint({3}, 1, 9, 5)};
  for (const char* name : {"igamma", "igammac"}) refused(name, numbers, steps);
  for (const char* name : {"gcd", "lcm"}) refused(name, integers, steps);
  refused("nextafter", numbers, "NNEF cannot read the bits of one dtype as another");
  check_refused("torch.polygamma(31, x)", numbers,
                "error[unsupported-argument]: aten::polygamma: n=31 has no translation for TARGET\n"
                "  --> the model (Model)\n"
                "  why:  it is unrolled step by step, and this would take too many steps\n"
                "  help: use n up to 30\n");
  check_refused("torch.special_zeta(31, x)", numbers,
                "error[unsupported-argument]: aten::special_zeta.self_scalar: self=31 has no "
                "translation for TARGET\n"
                "  --> the model (Model)\n"
                "  why:  it is unrolled step by step, and this would take too many steps\n"
                "  help: use exponents up to 30\n");
  check_refused("torch.special_zeta(torch.tensor([2.0, 3.0, 4.0]), x)", numbers,
                "error[unsupported-argument]: aten::special_zeta: self=f32[3] has no translation "
                "for TARGET\n"
                "  --> the model (Model)\n"
                "  why:  its translation supports one number, not several\n"
                "  help: pass a number\n");
  check_refused("torch.special_zeta(x, 2.0)", numbers,
                "error[unsupported-argument]: aten::special_zeta.other_scalar: self=f32[3] has no "
                "translation for TARGET\n"
                "  --> the model (Model)\n"
                "  why:  its values must be known at export, but they are computed by the model\n");
  CHECK_EQ(refusal("torch.special_zeta(x, x)", {uniform({3}, 2, 3, 5)}),
           "error[unsupported-argument]: aten::special_zeta: self=f32[3] has no translation for "
           "tract@0.23.9\n"
           "  --> the model (Model)\n"
           "  why:  its values must be known at export, but they are computed by the model\n");
}

}  // namespace
}  // namespace t2n::test::special_tests
