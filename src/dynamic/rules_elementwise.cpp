// Operators that compute element by element: all tensors broadcast, or the first has the shape.
#include "src/dynamic/shape_rule.h"

namespace t2n::dynamic {
namespace {

using ir::Dim;
using ir::Shape;

Shapes broadcast(const ShapeView& op) { return repeated(op, op.broadcast(op.operands())); }

Shapes same(const ShapeView& op) { return repeated(op, op.first()); }

/// One slope, or one for each channel.
Shapes prelu(const ShapeView& op) {
  const Shape& x = op.shape("self");
  const Shape& slope = op.shape("weight");
  if (slope.size() == 1) op.require_fit(slope, {dim_rank(x) > 1 ? x.at(1) : Dim(1)});
  return {x};
}

Shapes none(const ShapeView& op) { return repeated(op, {}); }

/// The tensor that is looked up, whatever it is called; a number gives a number. Rows are looked up
/// in rows.
Shapes looked_up(const ShapeView& op) {
  if (op.has("sorted_sequence") && op.shape("sorted_sequence").size() > 1)
    op.unified(all_but_last(op.shape("sorted_sequence"), 1), all_but_last(op.shape("self"), 1));
  for (const char* name : {"elements", "self"})
    if (op.has(name)) return {op.is_tensor(name) ? op.shape(name) : ir::Shape()};
  return {{}};
}

/// Of a condition alone it tells where that is true.
Shapes where(const ShapeView& op) {
  if (!op.has("self")) op.unknown("how many there are is in the values");
  return broadcast(op);
}

}  // namespace

void add_elementwise_rules(ShapeRules& r) {
  r.add(broadcast,
        "__and__ __lshift__ __or__ __rshift__ __xor__ _add_relu add addcdiv addcmul arctan2 atan2 "
        "bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor clamp clamp_max "
        "clamp_min clip complex copysign div divide eq float_power floor_divide fmax fmin fmod ge "
        "gcd greater greater_equal gt heaviside hypot igamma igammac isclose lcm ldexp le lerp "
        "less less_equal logaddexp logaddexp2 logical_and logical_or logical_xor lt masked_fill "
        "maximum minimum mul multiply ne nextafter not_equal polar pow remainder rsub "
        "special_gammainc special_gammaincc special_xlog1py special_xlogy special_zeta sub "
        "subtract true_divide xlogy "
        "t2n::apply_rope");
  r.add(broadcast,
        "special_chebyshev_polynomial_t special_chebyshev_polynomial_u "
        "special_chebyshev_polynomial_v special_chebyshev_polynomial_w "
        "special_hermite_polynomial_h special_hermite_polynomial_he special_laguerre_polynomial_l "
        "special_legendre_polynomial_p special_shifted_chebyshev_polynomial_t "
        "special_shifted_chebyshev_polynomial_u special_shifted_chebyshev_polynomial_v "
        "special_shifted_chebyshev_polynomial_w");
  r.add(same,
        "_cast_Byte _cast_Char _cast_Double _cast_Float _cast_Half _cast_Int _cast_Long "
        "_cast_Short _conj _neg_view _to_copy abs absolute acos acosh alias alias_copy angle "
        "arccos arccosh arcsin arcsinh arctan arctanh asin asinh as_tensor atan atanh bernoulli "
        "bitwise_not ceil celu clone conj conj_physical contiguous cos cosh cpu deg2rad detach "
        "detach_copy digamma dropout alpha_dropout feature_dropout feature_alpha_dropout elu erf "
        "special_airy_ai erfc erfinv exp exp2 expm1 fill fix floor frac frexp gelu hardshrink "
        "hardsigmoid "
        "hardswish hardtanh i0 imag isfinite isinf isnan isneginf isposinf isreal leaky_relu "
        "lgamma lift lift_fresh lift_fresh_copy log log10 log1p log2 log_sigmoid "
        "log_sigmoid_forward logical_not "
        "logit mish mvlgamma nan_to_num native_dropout neg negative polygamma positive "
        "pin_memory rad2deg real reciprocal relu relu6 resolve_conj resolve_neg round rrelu rsqrt "
        "selu sgn sigmoid sign signbit silu sin sinc sinh softplus softshrink special_bessel_j0 "
        "special_bessel_j1 special_bessel_y0 special_bessel_y1 special_digamma special_entr "
        "special_erf special_erfc special_erfcx special_erfinv special_exp2 special_expit "
        "special_expm1 special_gammaln special_i0 special_i0e special_i1 special_i1e "
        "special_log1p special_log_ndtr special_logit special_modified_bessel_i0 "
        "special_modified_bessel_i1 special_modified_bessel_k0 special_modified_bessel_k1 "
        "special_multigammaln special_ndtr special_ndtri special_polygamma special_psi "
        "special_round special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1 "
        "special_sinc special_spherical_bessel_j0 sqrt square tan tanh threshold to trunc type_as "
        "zero _prelu_kernel t2n::cast");
  r.add(prelu, "prelu");
  r.add(where, "where");
  r.add(looked_up, "bucketize searchsorted isin");
  r.add(none,
        "_is_all_true _is_any_true as_tensor.bool as_tensor.float as_tensor.int "
        "scalar_tensor tensor.bool tensor.float tensor.int");
}

}  // namespace t2n::dynamic
