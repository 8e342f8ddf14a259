// The pass `expand-quantised` and its rules, by an operation's base name.
//
// Takes any verified graph. Gives one that computes the same without quantised values. A quantised
// tensor becomes its steps: integers minus their zero point, in f32. A graph output, and the result
// of int_repr(), are the integers. Quantised constants stay integers, followed by a cast. Rounding
// is torch's: half to even, saturating. Fake quantisation is expressed in the same way. An
// operation without a plain form becomes a mark with the reason (`QuantBuilder::refuse`), which
// `translate` refuses.
#pragma once

#include <string_view>
#include <unordered_map>

#include "src/quant/builder.h"

namespace t2n::quant {

using QuantRule = void (*)(QuantBuilder& b);
/// By an operator's base name: "mul" for quantized::mul.out.
using QuantRules = std::unordered_map<std::string_view, QuantRule>;

// For torch's namespace `quantized`.
const QuantRules& layer_rules();      ///< convolutions, linear layers
const QuantRules& dynamic_rules();    ///< layers that quantise their operands
const QuantRules& cell_rules();       ///< recurrent cells, which do so too
const QuantRules& embedding_rules();  ///< tables of 8 and 4 bits
const QuantRules& function_rules();   ///< arithmetic, activations
const QuantRules& norm_rules();

// For `aten`, on any operands.
const QuantRules& recurrent_rules();  ///< layers over time, with weights of integers or f16
const QuantRules& fake_rules();       ///< they round reals, and give reals
const QuantRules& integer_rules();    ///< on integers without a QuantInfo

// For `aten`, on quantised tensors.
const QuantRules& any_scale_rules();  ///< they act in the same way at any scale
const QuantRules& tensor_rules();     ///< others

// Shared by namespaces.
void define_dynamically_quantised(QuantBuilder& b);  ///< aten::quantize_per_tensor_dynamic
void define_quantised_by_given(QuantBuilder& b);     ///< by a scale that the graph computes
void define_bilinear(QuantBuilder& b);               ///< aten::upsample_bilinear2d
void define_prelu(QuantBuilder& b, std::string_view operand);
void define_batch_norm(QuantBuilder& b, std::string_view operand);

}  // namespace t2n::quant
