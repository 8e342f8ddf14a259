// SPDX-License-Identifier: Apache-2.0
#include "src/target/limits.h"

#include <algorithm>

#include "src/diag/error.h"

namespace t2n::target {
namespace {

constexpr LimitRow kLimits[] = {
    {Limit::alignments, "alignments",
     "it sums over alignments whose number depends on the lengths in the data", Evidence::format},
    {Limit::backward_output, "backward-output",
     "an output that is only saved for the backward pass is read", Evidence::operation},
    {Limit::computed_value, "computed-value",
     "its values must be known at export, but they are computed by the model", Evidence::format},
    {Limit::data_dependent_shape, "data-dependent-shape",
     "the size of its result depends on the data", Evidence::format},
    {Limit::integer_convolution, "integer-convolution",
     "tract supports integer convolutions only of quantised tensors", Evidence::engine},
    {Limit::integer_interpolation, "integer-interpolation",
     "torch interpolates integers with specially rounded weights", Evidence::operation},
    {Limit::integer_product_size, "integer-product-size",
     "tract has no matrix product for this integer dtype, and these matrices are too large to "
     "multiply elementwise",
     Evidence::engine},
    {Limit::mask_without_axes, "mask-without-axes", "a boolean mask of rank 0 adds an axis",
     Evidence::operation},
    {Limit::matrix_decomposition, "matrix-decomposition", "NNEF has no matrix decompositions",
     Evidence::format},
    {Limit::matrix_inverse, "matrix-inverse", "NNEF has no matrix inverse", Evidence::format},
    {Limit::memory_layout, "memory-layout",
     "its strides depend on the memory layout of self, which the graph does not contain",
     Evidence::format},
    {Limit::narrow_integers, "narrow-integers",
     "standard NNEF computes with scalars, which do not wrap around as these integers do",
     Evidence::format},
    {Limit::omitted_pass, "omitted-pass", "it needs the pass 'complex-to-pairs', which was omitted",
     Evidence::operation},
    {Limit::outside_memory, "outside-memory", "it accesses memory outside of the tensor",
     Evidence::operation},
    {Limit::packed_sequence, "packed-sequence",
     "its sequences are unknown: its batch sizes do not come from a pack_padded_sequence of the "
     "same graph",
     Evidence::format},
    {Limit::packed_weights, "packed-weights",
     "NNEF cannot store 4-bit blocks; tract supports them from 0.21.11 on in linear layers and "
     "embeddings, and from 0.21.12 on in convolutions that mix channels",
     Evidence::format},
    {Limit::quotient_f64, "quotient-f64",
     "tract divides by reciprocals: its quotient in f64 may be the next integer, which changes the "
     "result",
     Evidence::engine},
    {Limit::random_numbers, "random-numbers",
     "it generates random numbers, so a run of the engine cannot be compared with torch",
     Evidence::operation},
    {Limit::reinterpretation, "reinterpretation",
     "NNEF cannot read the bits of one dtype as another", Evidence::format},
    {Limit::running_statistics, "running-statistics",
     "it would update the running statistics during inference", Evidence::operation},
    {Limit::several_numbers, "several-numbers", "its translation supports one number, not several",
     Evidence::operation},
    {Limit::too_many_steps, "too-many-steps",
     "it is unrolled step by step, and this would take too many steps", Evidence::operation},
    {Limit::unbounded_steps, "unbounded-steps", "its number of steps depends on the data",
     Evidence::format},
    {Limit::unknown_size, "unknown-size", "the operator needs a size that is known at export",
     Evidence::format},
    {Limit::unspecified_choice, "unspecified-choice",
     "torch does not specify which of several equal elements `indices` refers to",
     Evidence::operation},
};

}  // namespace

std::span<const LimitRow> limit_rows() { return kLimits; }

const LimitRow& limit_row(Limit limit) {
  const auto row = std::find_if(std::begin(kLimits), std::end(kLimits),
                                [&](const LimitRow& r) { return r.limit == limit; });
  T2N_ASSERT(row != std::end(kLimits), "limit ", static_cast<int>(limit), " has no row");
  return *row;
}

Diagnostic untranslated(std::string_view id, std::string what, std::string_view target,
                        std::string_view why, std::string_view help, std::string_view op) {
  Diagnostic out;
  out.id = id;
  out.message = cat(what, " has no translation for ", target);
  out.why = why;
  out.help = help;
  out.subject = op;
  out.untranslated = std::move(what);
  return out;
}

}  // namespace t2n::target
