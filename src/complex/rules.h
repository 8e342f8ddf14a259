// The pass `complex-to-pairs` and its rules, by the word of an operation.
//
// Takes any verified graph. Gives one that computes the same, in which no value and no argument is
// complex: a complex tensor, inputs and outputs too, is a real one with a last axis of two, as
// torch.view_as_real shows it, of f32 for c64 and f64 for c128. Transforms (fft, stft and the rest)
// are t2n::fft_… of such tensors, whether they took real or complex ones. What has no form in real
// numbers stays as a mark that says why (`PairBuilder::refuse`), and is refused by `translate`.
#pragma once

#include <string_view>
#include <unordered_map>

#include "src/complex/builder.h"

namespace t2n::complex {

using PairRule = void (*)(PairBuilder& b);
using PairRules = std::unordered_map<std::string_view, PairRule>;
inline PairRule rule_in(const PairRules& rules, std::string_view word) {
  const auto found = rules.find(word);
  return found == rules.end() ? nullptr : found->second;
}
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

}  // namespace t2n::complex
