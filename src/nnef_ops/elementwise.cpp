#include "src/nnef_ops/elementwise.h"

namespace t2n::spec {
namespace {

constexpr std::string_view kUnary[] = {"copy",
                                       "neg",
                                       "recip",
                                       "exp",
                                       "log",
                                       "sin",
                                       "cos",
                                       "tan",
                                       "sinh",
                                       "cosh",
                                       "tanh",
                                       "asin",
                                       "acos",
                                       "atan",
                                       "asinh",
                                       "acosh",
                                       "atanh",
                                       "abs",
                                       "sign",
                                       "floor",
                                       "ceil",
                                       "round",
                                       "sqr",
                                       "square",
                                       "sqrt",
                                       "rsqr",
                                       "rsqrt",
                                       "log2",
                                       "not",
                                       "sigmoid",
                                       "relu",
                                       "softplus",
                                       "leaky_relu",
                                       "elu",
                                       "tract_core_round_even",
                                       "tract_core_erf",
                                       "tract_core_hard_swish",
                                       "tract_core_silu",
                                       "tract_core_bitnot",
                                       "tract_core_is_nan",
                                       "tract_core_is_inf",
                                       "tract_core_gelu_approx",
                                       "tract_core_pow_const",
                                       "tract_transformers_silu",
                                       "tract_transformers_gelu_approx"};

constexpr std::string_view kBroadcasting[] = {"add",
                                              "sub",
                                              "mul",
                                              "div",
                                              "pow",
                                              "min",
                                              "max",
                                              "lt",
                                              "gt",
                                              "le",
                                              "ge",
                                              "eq",
                                              "ne",
                                              "and",
                                              "or",
                                              "select",
                                              "clamp",
                                              "tract_shl",
                                              "tract_shr",
                                              "tract_core_xor",
                                              "tract_core_bitand",
                                              "tract_core_bitor",
                                              "tract_core_bitxor"};

}  // namespace

std::span<const std::string_view> unary_operations() { return kUnary; }

std::span<const std::string_view> broadcasting_operations() { return kBroadcasting; }

}  // namespace t2n::spec
