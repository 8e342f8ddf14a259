// SPDX-License-Identifier: Apache-2.0
// Bessel functions. Coefficients: Cephes (Moshier), as torch evaluates them (ATen/native/Math.h):
// its rational functions lack the leading 1 of Cephes' p1evl.
#include <cmath>

#include "ops/pointwise/families.h"
#include "ops/pointwise/special.h"
#include "src/translate/registry.h"

namespace t2n::ops {
namespace {

using ir::Promotion;

constexpr double kTwoOverPi = 0.636619772367581343075535053490057448;

// clang-format off
// First and second kind, order 0, then 1: P and Q for large arguments, J and Y up to 5.
constexpr double kPTop0[] = {0.0007969367292973471, 0.08283523921074408, 1.239533716464143, 5.447250030587687, 8.74716500199817, 5.303240382353949, 1.0};
constexpr double kPBottom0[] = {0.0009244088105588637, 0.08562884743544745, 1.2535274390105895, 5.470977403304171, 8.761908832370695, 5.306052882353947, 1.0};
constexpr double kQTop0[] = {-0.011366383889846916, -1.2825271867050931, -19.553954425773597, -93.20601521237683, -177.68116798048806, -147.07750515495118, -51.41053267665993, -6.050143506007285};
constexpr double kQBottom0[] = {64.3178256118178, 856.4300259769806, 3882.4018360540163, 7240.467741956525, 5930.727011873169, 2062.0933166032783, 242.0057402402914};
constexpr double kJTop0[] = {-4794432209.782018, 1956174919465.5657, -249248344360967.72, 9708622510473064.0};
constexpr double kJBottom0[] = {499.563147152651, 173785.4016763747, 48440965.83399621, 11185553704.535683, 2112775201154.892, 310518229857422.56, 3.1812195594320496e+16, 1.7108629408104315e+18};
constexpr double kYTop0[] = {15592.436785523574, -14663929.59039716, 5435264770.518765, -982136065717.9115, 87590639439536.7, -3466283033847297.0, 4.4273326857256984e+16, -1.8495080043698668e+16};
constexpr double kYBottom0[] = {1041.2835366425984, 626107.330137135, 268919633.39381415, 86400248710.3935, 20297961275010.555, 3171577528429750.5, 2.5059625617265306e+17};
constexpr double kPTop1[] = {0.0007621256162081731, 0.07313970569409176, 1.1271960812968493, 5.112079511468076, 8.424045901417724, 5.214515986823615, 1.0};
constexpr double kPBottom1[] = {0.0005713231280725487, 0.06884559087544954, 1.105142326340617, 5.073863861286015, 8.399855543276042, 5.209828486823619, 1.0};
constexpr double kQTop1[] = {0.05108625947501766, 4.982138729512334, 75.82382841325453, 366.7796093601508, 710.8563049989261, 597.4896124006136, 211.68875710057213, 25.207020585802372};
constexpr double kQBottom1[] = {74.23732770356752, 1056.4488603826283, 4986.410583376536, 9562.318924047562, 7997.041604473507, 2826.1927851763908, 336.0936078106983};
constexpr double kJTop1[] = {-899971225.7055594, 452228297998.19403, -72749424522181.83, 3682957328638529.0};
constexpr double kJBottom1[] = {620.8364781180543, 256987.25675774884, 83514679.14319493, 22151159547.97925, 4749141220799.914, 784369607876235.9, 8.952223361846274e+16, 5.322786203326801e+18};
constexpr double kYTop1[] = {1263204747.9017804, -647355876379.1603, 114509511541823.73, -8127702555013251.0, 2.024394757135949e+17, -7.788771962659501e+17};
constexpr double kYBottom1[] = {594.3015923461282, 235564.09294306856, 73481194.44597217, 18760131610.870617, 3882312774962.3857, 620557727146953.8, 6.871410873553005e+16, 3.9727060811656064e+18};
// Modified, first and second kind: terms of Chebyshev polynomials.
constexpr double kI0Near[] = {-4.4153416464793395e-18, 3.3307945188222384e-17, -2.431279846547955e-16, 1.715391285555133e-15, -1.1685332877993451e-14, 7.676185498604936e-14, -4.856446783111929e-13, 2.95505266312964e-12, -1.726826291441556e-11, 9.675809035373237e-11, -5.189795601635263e-10, 2.6598237246823866e-09, -1.300025009986248e-08, 6.046995022541919e-08, -2.670793853940612e-07, 1.1173875391201037e-06, -4.4167383584587505e-06, 1.6448448070728896e-05, -5.754195010082104e-05, 0.00018850288509584165, -0.0005763755745385824, 0.0016394756169413357, -0.004324309995050576, 0.010546460394594998, -0.02373741480589947, 0.04930528423967071, -0.09490109704804764, 0.17162090152220877, -0.3046826723431984, 0.6767952744094761};
constexpr double kI0Far[] = {-7.233180487874754e-18, -4.830504485944182e-18, 4.46562142029676e-17, 3.461222867697461e-17, -2.8276239805165836e-16, -3.425485619677219e-16, 1.7725601330565263e-15, 3.8116806693526224e-15, -9.554846698828307e-15, -4.150569347287222e-14, 1.54008621752141e-14, 3.8527783827421426e-13, 7.180124451383666e-13, -1.7941785315068062e-12, -1.3215811840447713e-11, -3.1499165279632416e-11, 1.1889147107846439e-11, 4.94060238822497e-10, 3.3962320257083865e-09, 2.266668990498178e-08, 2.0489185894690638e-07, 2.8913705208347567e-06, 6.889758346916825e-05, 0.0033691164782556943, 0.8044904110141088};
constexpr double kI1Near[] = {2.7779141127610464e-18, -2.111421214358166e-17, 1.5536319577362005e-16, -1.1055969477353862e-15, 7.600684294735408e-15, -5.042185504727912e-14, 3.223793365945575e-13, -1.9839743977649436e-12, 1.1736186298890901e-11, -6.663489723502027e-11, 3.625590281552117e-10, -1.8872497517228294e-09, 9.381537386495773e-09, -4.445059128796328e-08, 2.0032947535521353e-07, -8.568720264695455e-07, 3.4702513081376785e-06, -1.3273163656039436e-05, 4.781565107550054e-05, -0.00016176081582589674, 0.0005122859561685758, -0.0015135724506312532, 0.004156422944312888, -0.010564084894626197, 0.024726449030626516, -0.05294598120809499, 0.1026436586898471, -0.17641651835783406, 0.25258718644363365};
constexpr double kI1Far[] = {7.517296310842105e-18, 4.414348323071708e-18, -4.6503053684893586e-17, -3.209525921993424e-17, 2.96262899764595e-16, 3.3082023109209285e-16, -1.8803547755107825e-15, -3.8144030724370075e-15, 1.0420276984128802e-14, 4.272440016711951e-14, -2.1015418427726643e-14, -4.0835511110921974e-13, -7.198551776245908e-13, 2.0356285441470896e-12, 1.4125807436613782e-11, 3.2526035830154884e-11, -1.8974958123505413e-11, -5.589743462196584e-10, -3.835380385964237e-09, -2.6314688468895196e-08, -2.512236237870209e-07, -3.882564808877691e-06, -0.00011058893876262371, -0.009761097491361469, 0.7785762350182801};
constexpr double kK0Near[] = {1.374465435613523e-16, 4.25981614279661e-14, 1.0349695257633842e-11, 1.904516377220209e-09, 2.5347910790261494e-07, 2.286212103119452e-05, 0.001264615411446926, 0.0359799365153615, 0.3442898999246285, -0.5353273932339028};
constexpr double kK0Far[] = {5.300433772686263e-18, -1.6475804301524212e-17, 5.2103915050390274e-17, -1.678231096805412e-16, 5.512055978524319e-16, -1.848593377343779e-15, 6.3400764774050706e-15, -2.2275133269916698e-14, 8.032890775363575e-14, -2.9800969231727303e-13, 1.140340588208475e-12, -4.514597883373944e-12, 1.8559491149547177e-11, -7.957489244477107e-11, 3.577397281400301e-10, -1.69753450938906e-09, 8.574034017414225e-09, -4.660489897687948e-08, 2.766813639445015e-07, -1.8317555227191195e-06, 1.39498137188765e-05, -0.00012849549581627802, 0.0015698838857300533, -0.0314481013119645, 2.4403030820659555};
constexpr double kK1Near[] = {-7.023863479386288e-18, -2.427449850519366e-15, -6.666901694199329e-13, -1.4114883926335278e-10, -2.213387630734726e-08, -2.4334061415659684e-06, -0.0001730288957513052, -0.006975723859639864, -0.12261118082265715, -0.3531559607765449, 1.5253002273389478};
constexpr double kK1Far[] = {-5.756744483665017e-18, 1.7940508731475592e-17, -5.689462558442859e-17, 1.838093544366639e-16, -6.057047248373319e-16, 2.038703165624334e-15, -7.019837090418314e-15, 2.4771544244813043e-14, -8.976705182324994e-14, 3.3484196660784293e-13, -1.2891739609510289e-12, 5.13963967348173e-12, -2.1299678384275683e-11, 9.218315187605006e-11, -4.1903547593418965e-10, 2.015049755197033e-09, -1.0345762465678097e-08, 5.7410841254500495e-08, -3.5019606030878126e-07, 2.406484947837217e-06, -1.936197974166083e-05, 0.00019521551847135162, -0.002857816859622779, 0.10392373657681724, 2.7206261904844427};
// clang-format on

/// One order of J and Y.
struct Order {
  Coefficients p_top, p_bottom, q_top, q_bottom, j_top, j_bottom, y_top, y_bottom;
  double first_zero, second_zero;  ///< squares of the zeros of J
  bool is_odd;
};
constexpr Order kOrder0 = {kPTop0,
                           kPBottom0,
                           kQTop0,
                           kQBottom0,
                           kJTop0,
                           kJBottom0,
                           kYTop0,
                           kYBottom0,
                           5.78318596294678452118e+00,
                           3.04712623436620863991e+01,
                           false};
constexpr Order kOrder1 = {kPTop1,
                           kPBottom1,
                           kQTop1,
                           kQBottom1,
                           kJTop1,
                           kJBottom1,
                           kYTop1,
                           kYBottom1,
                           1.46819706421238932572e+01,
                           4.92184563216946036703e+01,
                           true};

struct Wave {
  Ref cos, sin;
};

/// sqrt(2) cos and sin of x - pi / 4, for order 1 x - 3 pi / 4, without rounding the difference.
Wave shifted_wave(Emitter& out, Ref x, bool is_odd) {
  const Ref sin = out.elementwise("sin", {x}), cos = out.elementwise("cos", {x});
  const Ref sum = add(out, cos, sin), difference = sub(out, sin, cos);
  return is_odd ? Wave{difference, neg(out, sum)} : Wave{sum, difference};
}

/// sqrt(2 / (pi x)) (P cos - 5 / x Q sin), or for Y (P sin + 5 / x Q cos).
Ref far_from_zero(Emitter& out, const Order& n, Ref x, bool is_y) {
  const Ref u = over(out, 5, x);
  const Ref z = mul(out, u, u);
  const Ref p = rational(out, z, n.p_top, n.p_bottom);
  const Ref q = mul(out, u, rational(out, z, n.q_top, n.q_bottom));
  const Wave wave = shifted_wave(out, x, n.is_odd);
  const Ref sum = is_y ? add(out, mul(out, p, wave.sin), mul(out, q, wave.cos))
                       : sub(out, mul(out, p, wave.cos), mul(out, q, wave.sin));
  const double scale = std::sqrt(kTwoOverPi / 2);
  return mul(out, times(out, sum, scale), out.elementwise("rsqrt", {x}));
}

/// J of x in 0..5; order 1 has a factor x.
Ref near_zero(Emitter& out, const Order& n, Ref x) {
  const Ref z = mul(out, x, x);
  const Ref zeros = mul(out, plus(out, z, -n.first_zero), plus(out, z, -n.second_zero));
  const Ref y = mul(out, zeros, rational(out, z, n.j_top, n.j_bottom));
  return n.is_odd ? mul(out, y, x) : y;
}

const Order& order_of(bool is_odd) { return is_odd ? kOrder1 : kOrder0; }

Ref bessel_j(Emitter& out, Ref x, bool is_odd) {
  const Order& n = order_of(is_odd);
  const Ref size = magnitude(out, x);
  const Ref y = select(out, is_above(out, size, 5), far_from_zero(out, n, size, false),
                       near_zero(out, n, capped(out, size, 5)));
  return is_odd ? select(out, is_below(out, x, 0), neg(out, y), y) : y;
}

/// Below 5 a rational function and 2 / pi log(x) J(x), for order 1 less 2 / (pi x).
Ref bessel_y(Emitter& out, Ref x, bool is_odd) {
  const Order& n = order_of(is_odd);
  const Ref low = capped(out, x, 5);
  const Ref part = rational(out, mul(out, low, low), n.y_top, n.y_bottom);
  Ref logs = mul(out, out.elementwise("log", {low}), near_zero(out, n, low));
  if (is_odd) logs = sub(out, logs, over(out, 1, low));
  const Ref near = add(out, is_odd ? mul(out, low, part) : part, times(out, logs, kTwoOverPi));
  const Ref y = select(out, is_above(out, x, 5), far_from_zero(out, n, x, true), near);
  const Ref at_zero = compare(out, "eq", x, like(out, 0, x));
  return replaced(out, is_below(out, x, 0), kNan, replaced(out, at_zero, -kInfinity, y));
}

/// exp(-|x|) I(x).
Ref scaled_bessel_i(Emitter& out, Ref x, bool is_odd) {
  const Ref size = magnitude(out, x);
  const Ref low = capped(out, size, 8);
  Ref near = chebyshev(out, plus(out, times(out, low, 0.5), -2),
                       is_odd ? Coefficients(kI1Near) : Coefficients(kI0Near));
  if (is_odd) near = mul(out, near, low);
  const Ref high = maximum(out, size, like(out, 8, size));
  const Ref far = mul(out,
                      chebyshev(out, plus(out, over(out, 32, high), -2),
                                is_odd ? Coefficients(kI1Far) : Coefficients(kI0Far)),
                      out.elementwise("rsqrt", {high}));
  const Ref y = select(out, is_above(out, size, 8), far, near);
  return is_odd ? select(out, is_below(out, x, 0), neg(out, y), y) : y;
}

Ref bessel_i(Emitter& out, Ref x, bool is_odd) {
  const Ref size = out.elementwise("exp", {magnitude(out, x)});
  return mul(out, size, scaled_bessel_i(out, x, is_odd));
}

/// K of x in 0..2.
Ref near_bessel_k(Emitter& out, Ref x, bool is_odd) {
  const Ref part = chebyshev(out, plus(out, mul(out, x, x), -2),
                             is_odd ? Coefficients(kK1Near) : Coefficients(kK0Near));
  const Ref log = out.elementwise("log", {times(out, x, 0.5)});
  const Ref product = mul(out, log, bessel_i(out, x, is_odd));
  return is_odd ? add(out, product, div(out, part, x)) : sub(out, part, product);
}

/// `is_scaled` multiplies by exp(x).
Ref bessel_k(Emitter& out, Ref x, bool is_odd, bool is_scaled) {
  const Ref low = capped(out, x, 2);
  const Ref near = near_bessel_k(out, low, is_odd);
  const Ref far = mul(out,
                      chebyshev(out, plus(out, over(out, 8, x), -2),
                                is_odd ? Coefficients(kK1Far) : Coefficients(kK0Far)),
                      out.elementwise("rsqrt", {x}));
  const Ref is_far = is_above(out, x, 2);
  const Ref y =
      is_scaled ? select(out, is_far, far, mul(out, near, out.elementwise("exp", {low})))
                : select(out, is_far, mul(out, far, out.elementwise("exp", {neg(out, x)})), near);
  const Ref at_zero = compare(out, "eq", x, like(out, 0, x));
  return replaced(out, is_below(out, x, 0), kNan, replaced(out, at_zero, kInfinity, y));
}

/// sin(x) / x; its series up to 1/2, as in torch.
Ref spherical_j0(Emitter& out, Ref x) {
  constexpr double kSeries[] = {
      1 / 6227020800.0, -1 / 39916800.0, 1 / 362880.0, -1 / 5040.0, 1 / 120.0, -1 / 6.0, 1};
  const Ref size = magnitude(out, x);
  const Ref low = capped(out, size, 0.5);
  const Ref near = polynomial(out, mul(out, low, low), kSeries);
  const Ref far = div(out, out.elementwise("sin", {size}), size);
  const Ref is_infinite = compare(out, "eq", size, like(out, kInfinity, size));
  return replaced(out, is_infinite, 0, select(out, is_below(out, size, 0.5), near, far));
}

Ref i0(Emitter& out, Ref x) { return bessel_i(out, x, false); }
Ref i1(Emitter& out, Ref x) { return bessel_i(out, x, true); }
Ref i0e(Emitter& out, Ref x) { return scaled_bessel_i(out, x, false); }
Ref i1e(Emitter& out, Ref x) { return scaled_bessel_i(out, x, true); }
Ref j0(Emitter& out, Ref x) { return bessel_j(out, x, false); }
Ref j1(Emitter& out, Ref x) { return bessel_j(out, x, true); }
Ref y0(Emitter& out, Ref x) { return bessel_y(out, x, false); }
Ref y1(Emitter& out, Ref x) { return bessel_y(out, x, true); }
Ref k0(Emitter& out, Ref x) { return bessel_k(out, x, false, false); }
Ref k1(Emitter& out, Ref x) { return bessel_k(out, x, true, false); }
Ref k0e(Emitter& out, Ref x) { return bessel_k(out, x, false, true); }
Ref k1e(Emitter& out, Ref x) { return bessel_k(out, x, true, true); }

template <Ref (*kFunction)(Emitter&, Ref)>
void bessel(const OpView& op, Emitter& out) {
  const std::string_view name = op.has_argument("self") ? "self" : op.has_argument("x") ? "x" : "z";
  finish(op, out, kFunction(out, widened(out, op.tensor(name))));
}

}  // namespace

Ref modified_bessel_i0(Emitter& out, Ref x) { return i0(out, x); }

void register_bessel(Registry& r) {
  r.elementwise({"aten::i0", "aten::special_i0", "aten::special_modified_bessel_i0"},
                {"mul", "modified Bessel function I0; relative error in f32 5e-7", bessel<i0>,
                 Promotion::to_float});
  r.elementwise({"aten::special_i0e"}, {"mul", "exp(-|self|) I0(self); relative error in f32 5e-7",
                                        bessel<i0e>, Promotion::to_float});
  r.elementwise({"aten::special_i1", "aten::special_modified_bessel_i1"},
                {"mul", "modified Bessel function I1; relative error in f32 2e-6", bessel<i1>,
                 Promotion::to_float});
  r.elementwise({"aten::special_i1e"}, {"mul", "exp(-|self|) I1(self); relative error in f32 1e-6",
                                        bessel<i1e>, Promotion::to_float});
  r.elementwise(
      {"aten::special_bessel_j0"},
      {"mul", "Bessel function J0; absolute error in f32 3e-7", bessel<j0>, Promotion::to_float});
  r.elementwise(
      {"aten::special_bessel_j1"},
      {"mul", "Bessel function J1; absolute error in f32 3e-7", bessel<j1>, Promotion::to_float});
  r.elementwise({"aten::special_bessel_y0"},
                {"mul", "Bessel function Y0; error in f32 5e-7 of max(|y|, 1)", bessel<y0>,
                 Promotion::to_float});
  r.elementwise({"aten::special_bessel_y1"},
                {"mul", "Bessel function Y1; error in f32 5e-7 of max(|y|, 1)", bessel<y1>,
                 Promotion::to_float});
  r.elementwise({"aten::special_modified_bessel_k0"},
                {"mul", "modified Bessel function K0; relative error in f32 1e-6", bessel<k0>,
                 Promotion::to_float});
  r.elementwise({"aten::special_modified_bessel_k1"},
                {"mul", "modified Bessel function K1; relative error in f32 1e-6", bessel<k1>,
                 Promotion::to_float});
  r.elementwise(
      {"aten::special_scaled_modified_bessel_k0"},
      {"mul", "exp(x) K0(x); relative error in f32 6e-7", bessel<k0e>, Promotion::to_float});
  r.elementwise(
      {"aten::special_scaled_modified_bessel_k1"},
      {"mul", "exp(x) K1(x); relative error in f32 6e-7", bessel<k1e>, Promotion::to_float});
  r.elementwise(
      {"aten::special_spherical_bessel_j0"},
      {"mul", "sin(x) / x; relative error in f32 3e-7", bessel<spherical_j0>, Promotion::to_float});
}

}  // namespace t2n::ops
