// The pass `expand-quantised` and its rules, by the word of an operation.
//
// Takes any verified graph. Gives one that computes the same in which no value is quantised: a
// quantised tensor is its steps, integers less their zero point, in f32; a graph output, and what
// int_repr() gives, is the integers. Quantised constants stay integers, with a cast behind them.
// Rounding is torch's: half to even, saturating. Fake quantisation is said the same way. What has
// no form in plain operations stays as a mark that says why (`QuantBuilder::refuse`), and is
// refused by `translate`.
#pragma once

#include <string_view>
#include <unordered_map>

#include "src/quant/builder.h"

namespace t2n::quant {

using QuantRule = void (*)(QuantBuilder& b);
using QuantRules = std::unordered_map<std::string_view, QuantRule>;
inline QuantRule rule_in(const QuantRules& rules, std::string_view word) {
  const auto found = rules.find(word);
  return found == rules.end() ? nullptr : found->second;
}
/// The rule of an operator of torch's namespace `quantized` by its word; nullptr if there is none.
QuantRule find_layer_rule(std::string_view word);      ///< convolutions, linear layers
QuantRule find_dynamic_rule(std::string_view word);    ///< those that quantise what they are given
QuantRule find_recurrent_rule(std::string_view word);  ///< those over time, of `aten` too
QuantRule find_embedding_rule(std::string_view word);  ///< tables of 8 and 4 bits
QuantRule find_function_rule(std::string_view word);   ///< arithmetic, activations
QuantRule find_norm_rule(std::string_view word);       ///< norms; of `aten`, too
/// Whether the operator does the same at any scale, so that it may follow from data.
bool takes_any_scale(std::string_view word);
/// aten::quantize_per_tensor_dynamic.
void define_dynamically_quantised(QuantBuilder& b);
/// LibTorch's kernel of prelu, of an operand of this name.
void define_prelu(QuantBuilder& b, std::string_view operand);
/// The rule of an operator on integers that no QuantInfo goes with, by its whole name.
QuantRule find_integer_rule(std::string_view op);
/// The rule of an operator of `aten`.
QuantRule find_aten_rule(std::string_view word);
QuantRule find_fake_rule(std::string_view word);  ///< those that round reals and leave them reals

}  // namespace t2n::quant
