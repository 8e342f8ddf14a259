// The pass `complex-to-pairs` and its rules, by an operation's short name.
//
// Takes any verified graph. Gives one that computes the same, without complex values and arguments:
// a complex tensor, also as an input or output, becomes a real one with a last axis of two, as
// torch.view_as_real shows it: f32 for c64, f64 for c128. Transforms (fft, stft and others) become
// t2n::fft_… of such tensors, for real and complex operands. An operation without a real form
// becomes a mark with the reason (`PairBuilder::refuse`), which `translate` refuses.
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
/// The rule of an operation by its short name; nullptr if there is none.
PairRule find_arithmetic_rule(std::string_view word);  ///< element by element
PairRule find_function_rule(std::string_view word);    ///< exp, log, pow…
PairRule find_product_rule(std::string_view word);     ///< of matrices, convolutions
PairRule find_shape_rule(std::string_view word);       ///< rearrangements, sums
PairRule find_fft_rule(std::string_view word);         ///< transforms, of real tensors as well
PairRule find_stft_rule(std::string_view word);        ///< likewise

// Arithmetic that other rules use.
Complex add(PairBuilder& b, const Complex& x, const Complex& y);
Complex sub(PairBuilder& b, const Complex& x, const Complex& y);
Complex mul(PairBuilder& b, const Complex& x, const Complex& y);
Complex div(PairBuilder& b, const Complex& x, const Complex& y);
ir::ValueId magnitude(PairBuilder& b, const Complex& x);
Complex negative(PairBuilder& b, const Complex& x);

}  // namespace t2n::complex
