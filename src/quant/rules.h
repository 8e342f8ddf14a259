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
/// By the word of an operator: "mul" for quantized::mul.out.
using QuantRules = std::unordered_map<std::string_view, QuantRule>;

// Of torch's namespace `quantized`.
const QuantRules& layer_rules();      ///< convolutions, linear layers
const QuantRules& dynamic_rules();    ///< those that quantise what they are given
const QuantRules& cell_rules();       ///< recurrent cells, which do too
const QuantRules& embedding_rules();  ///< tables of 8 and 4 bits
const QuantRules& function_rules();   ///< arithmetic, activations
const QuantRules& norm_rules();

// Of `aten`, whatever the operands are.
const QuantRules& recurrent_rules();  ///< layers over time, with weights of integers or f16
const QuantRules& fake_rules();       ///< they round reals and leave them reals
const QuantRules& integer_rules();    ///< on integers that no QuantInfo goes with

// Of `aten`, on quantised tensors.
const QuantRules& any_scale_rules();  ///< they do the same at any scale
const QuantRules& tensor_rules();     ///< others

// Shared by namespaces.
void define_dynamically_quantised(QuantBuilder& b);  ///< aten::quantize_per_tensor_dynamic
void define_prelu(QuantBuilder& b, std::string_view operand);
void define_batch_norm(QuantBuilder& b, std::string_view operand);

}  // namespace t2n::quant
