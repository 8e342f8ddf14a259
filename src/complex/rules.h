// SPDX-License-Identifier: Apache-2.0
// The pass `complex-to-pairs` and its rules, by an operation's base name.
//
// Takes any verified graph. Gives one that computes the same, without complex values and arguments:
// a complex tensor, also as an input or output, becomes a real one with a last axis of two, as
// torch.view_as_real shows it: f32 for c64, f64 for c128. Transforms (fft, stft and others) become
// t2n::fft_… of such tensors, for real and complex operands. An operation without a real form
// becomes a `t2n::refused` node with the reason (`PairBuilder::refuse`).
#pragma once

#include <string_view>
#include <unordered_map>

#include "src/complex/builder.h"

namespace t2n::complex {

using PairRule = void (*)(PairBuilder& b);
using PairRules = std::unordered_map<std::string_view, PairRule>;
inline PairRule rule_in(const PairRules& rules, std::string_view name) {
  const auto found = rules.find(name);
  return found == rules.end() ? nullptr : found->second;
}
/// The rule of an operation by its base name; nullptr if there is none.
PairRule find_arithmetic_rule(std::string_view name);  ///< element by element
PairRule find_function_rule(std::string_view name);    ///< exp, log, pow…
PairRule find_product_rule(std::string_view name);     ///< of matrices, convolutions
PairRule find_shape_rule(const PairBuilder& b);        ///< rearrangements, sums
PairRule find_fft_rule(std::string_view name);         ///< transforms, of real tensors as well
PairRule find_stft_rule(std::string_view name);        ///< likewise

// Arithmetic that other rules use.
Complex add(PairBuilder& b, const Complex& x, const Complex& y);
Complex sub(PairBuilder& b, const Complex& x, const Complex& y);
Complex mul(PairBuilder& b, const Complex& x, const Complex& y);
Complex div(PairBuilder& b, const Complex& x, const Complex& y);
ir::ValueId magnitude(PairBuilder& b, const Complex& x);
Complex negative(PairBuilder& b, const Complex& x);

}  // namespace t2n::complex
