// SPDX-License-Identifier: Apache-2.0
// The pass `expand-quantised` and its rules, by an operation's base name.
//
// The pass turns any verified graph into an equivalent one without quantised values. A quantised
// tensor becomes centred integers: the integers minus their zero point, in f32. Graph outputs and
// the result of int_repr() are the integers. Quantised constants stay integers, followed by a cast.
// Rounding is torch's: half to even, saturating. Fake quantisation is expressed in the same way. An
// operation without an implementation becomes a marker with the reason (`QuantBuilder::refuse`),
// which `translate` refuses.
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
const QuantRules& dynamic_rules();    ///< layers with dynamic quantisation
const QuantRules& cell_rules();       ///< recurrent cells with dynamic quantisation
const QuantRules& embedding_rules();  ///< tables of 8 and 4 bits
const QuantRules& function_rules();   ///< arithmetic, activations
const QuantRules& norm_rules();

// For `aten`, on any operands.
const QuantRules& recurrent_rules();  ///< layers over time, with weights of integers or f16
const QuantRules& fake_rules();       ///< fake quantisation: floats to floats
const QuantRules& integer_rules();    ///< on integers without a QuantInfo

// For `aten`, on quantised tensors.
const QuantRules& any_scale_rules();  ///< independent of the scale
const QuantRules& tensor_rules();     ///< others

// Shared by namespaces.
void define_dynamically_quantised(QuantBuilder& b);  ///< aten::quantize_per_tensor_dynamic
void define_quantised_by_tensor(QuantBuilder& b);    ///< by a scale that the graph computes
void define_bilinear(QuantBuilder& b);               ///< aten::upsample_bilinear2d
void define_prelu(QuantBuilder& b, std::string_view operand);
void define_batch_norm(QuantBuilder& b, std::string_view operand);

}  // namespace t2n::quant
