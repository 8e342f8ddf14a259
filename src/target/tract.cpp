// SPDX-License-Identifier: Apache-2.0
// What each version of tract can express: measured on released libraries, not read in change logs.
#include "src/target/target.h"

namespace t2n::target {
namespace {

constexpr FeatureRow kFeatures[] = {
    {Feature::computes_f64, "computes_f64", {}, "all numbers are computed as f32"},
    {Feature::computes_integers, "computes_integers", {}, "all numbers are computed as f32"},
    {Feature::core_cumsum,
     "core_cumsum",
     {0, 23, 9},
     "no definition; product with a triangle",
     true},
    {Feature::core_gelu_approx, "core_gelu_approx", {0, 23, 0}, "no definition"},
    {Feature::core_is_nan,
     "core_is_nan",
     {0, 23, 0},
     "no definition; tract_onnx_is_nan, or x != x"},
    {Feature::core_resize, "core_resize", {0, 23, 3}, "no definition; products with weights"},
    {Feature::core_rms_norm, "core_rms_norm", {0, 23, 0}, "no definition"},
    {Feature::core_silu, "core_silu", {0, 23, 0}, "no definition; x * sigmoid(x) is recognised"},
    {Feature::copy, "copy", {0, 23, 0}, "no definition; squeeze(x, axes = [])", true},
    {Feature::count_include_pad,
     "count_include_pad",
     {0, 23, 6},
     "ignored: silently wrong; pad before",
     true,
     false},
    {Feature::any_all_reduce,
     "any_all_reduce",
     {0, 23, 0},
     "no definition; min and max of a cast",
     true},
    {Feature::folds_repeats, "folds_repeats", {}, "computes what is written"},
    {Feature::grid_sample, "grid_sample", {0, 23, 3}, "no definition"},
    {Feature::gru_seq, "gru_seq", {0, 23, 9}, "no definition; tract_core_scan", false, false},
    {Feature::log_softmax, "log_softmax", {0, 21, 17}, "no definition; a fragment"},
    {Feature::lstm_epilogue, "lstm_epilogue", {0, 23, 2}, "no definition; gates one by one"},
    {Feature::moves_strides, "moves_strides", {}, "computes what is written"},
    {Feature::non_zero, "non_zero", {0, 23, 5}, "no definition"},
    {Feature::open_sizes,
     "open_sizes",
     {0, 23, 0},
     "slices have sizes of min(..), products in another order are unequal; tract_core_dyn_slice",
     true},
    {Feature::pulses, "pulses", {0, 23, 9}, "not measured"},
    {Feature::q4_0, "q4_0", {0, 21, 11}, "does not read the blocks"},
    {Feature::q4_0_convolution, "q4_0_convolution", {0, 21, 12}, "reads them in products only"},
    {Feature::scatter_reduction, "scatter_reduction", {0, 23, 0}, "ignored: silently wrong"},
    {Feature::sdpa, "sdpa", {0, 22, 0}, "no definition; matmul, softmax, matmul", false, false},
    {Feature::sign_integers, "sign_integers", {0, 23, 5}, "floats only; cast"},
    {Feature::transformers_apply_rope, "transformers_apply_rope", {0, 21, 13}, "no definition"},
    {Feature::transformers_gelu, "transformers_gelu", {0, 21, 13}, "no definition; a fragment"},
    {Feature::transformers_rms_norm, "transformers_rms_norm", {0, 21, 13}, "no definition"},
    {Feature::transformers_silu, "transformers_silu", {0, 21, 13}, "no definition; a product"},
};

}  // namespace

std::span<const FeatureRow> feature_rows() { return kFeatures; }

}  // namespace t2n::target
