#include "src/target/limits.h"

#include <algorithm>

#include "src/diag/error.h"

namespace t2n::target {
namespace {

constexpr LimitRow kLimits[] = {
    {Limit::alignments, "alignments",
     "its sum runs over alignments whose number the lengths in the data decide", Evidence::format},
    {Limit::backward_output, "backward-output",
     "an output is read that is kept for the backward pass", Evidence::operation},
    {Limit::computed_value, "computed-value",
     "its values must be known at export, but they are computed by the model", Evidence::format},
    {Limit::data_dependent_shape, "data-dependent-shape",
     "the size of its result depends on the data", Evidence::format},
    {Limit::integer_convolution, "integer-convolution",
     "tract convolves integers only where they are quantised", Evidence::engine},
    {Limit::integer_interpolation, "integer-interpolation",
     "torch interpolates integers with rounded weights of its own", Evidence::operation},
    {Limit::integer_product_size, "integer-product-size",
     "tract multiplies no matrices of this integer dtype, and these are too large to multiply "
     "element by element",
     Evidence::engine},
    {Limit::mask_without_axes, "mask-without-axes", "a mask without axes adds one",
     Evidence::operation},
    {Limit::matrix_decomposition, "matrix-decomposition", "NNEF has no matrix decompositions",
     Evidence::format},
    {Limit::matrix_inverse, "matrix-inverse", "NNEF inverts no matrices", Evidence::format},
    {Limit::memory_layout, "memory-layout",
     "its strides address the memory of self, whose layout the graph does not hold",
     Evidence::format},
    {Limit::narrow_integers, "narrow-integers",
     "standard NNEF computes with scalars, which do not wrap around as these integers do",
     Evidence::format},
    {Limit::omitted_pass, "omitted-pass",
     "the pass 'complex-to-pairs' expresses it in real numbers, and was left out",
     Evidence::operation},
    {Limit::outside_memory, "outside-memory", "it reaches memory outside of the tensor",
     Evidence::operation},
    {Limit::packed_sequence, "packed-sequence",
     "which of its rows belong together is not known: its batch sizes are not of a "
     "pack_padded_sequence that stands beside it",
     Evidence::format},
    {Limit::packed_weights, "packed-weights",
     "NNEF stores no blocks of 4 bits; tract reads them from 0.21.11 on, in linear layers and "
     "embeddings, and from 0.21.12 on in convolutions that mix channels",
     Evidence::format},
    {Limit::quotient_f64, "quotient-f64",
     "tract divides by reciprocals: its quotient in f64 may be the next integer, which changes the "
     "result",
     Evidence::engine},
    {Limit::random_numbers, "random-numbers",
     "it draws random numbers, so that no run of the engine could be compared with torch",
     Evidence::operation},
    {Limit::reinterpretation, "reinterpretation",
     "NNEF cannot read the bits of one dtype as another", Evidence::format},
    {Limit::running_statistics, "running-statistics",
     "the running statistics would change while the model runs", Evidence::operation},
    {Limit::several_numbers, "several-numbers", "it is written for one number, not for several",
     Evidence::operation},
    {Limit::too_many_steps, "too-many-steps",
     "it is written step by step, and this would take too many of them", Evidence::operation},
    {Limit::unbounded_steps, "unbounded-steps",
     "its algorithm takes as many steps as the data asks for", Evidence::format},
    {Limit::unknown_size, "unknown-size", "the operator needs a size that is known at export",
     Evidence::format},
    {Limit::unspecified_choice, "unspecified-choice",
     "torch leaves open which of equal elements `indices` names", Evidence::operation},
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
