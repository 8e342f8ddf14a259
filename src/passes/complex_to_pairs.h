// The rules of the pass `complex-to-pairs`, by the word of an operation.
#pragma once

#include "src/passes/complex_to_pairs_builder.h"

namespace t2n::passes {

using PairRule = void (*)(PairBuilder& b);
/// The rule of an operation by its word; nullptr if there is none.
PairRule find_arithmetic_rule(std::string_view word);  ///< element by element
PairRule find_function_rule(std::string_view word);    ///< exp, log, pow…
PairRule find_product_rule(std::string_view word);     ///< of matrices, convolutions
PairRule find_shape_rule(std::string_view word);       ///< rearrangements, sums
PairRule find_fft_rule(std::string_view word);         ///< transforms: of real tensors too
PairRule find_stft_rule(std::string_view word);        ///< the same

// Arithmetic, for the other rules.
Complex add(PairBuilder& b, const Complex& x, const Complex& y);
Complex sub(PairBuilder& b, const Complex& x, const Complex& y);
Complex mul(PairBuilder& b, const Complex& x, const Complex& y);
Complex div(PairBuilder& b, const Complex& x, const Complex& y);
ir::ValueId magnitude(PairBuilder& b, const Complex& x);
Complex negative(PairBuilder& b, const Complex& x);

}  // namespace t2n::passes
