// SPDX-License-Identifier: Apache-2.0
// Shared by static and dynamic layers.
#pragma once

#include <vector>

#include "src/quant/builder.h"

namespace t2n::quant {

/// The layer's sums of products of `x` and the centred weight: exact below 2^24.
ir::ValueId product_of_centred(QuantBuilder& b, ir::ValueId x);
/// x . weight^T in f32, of the shape of the result.
ir::ValueId linear(QuantBuilder& b, ir::ValueId x, ir::ValueId weight);
/// The weight's scale, or one per channel, times a factor.
std::vector<double> weight_scales(const QuantBuilder& b, double factor);
/// Adds the bias, if there is one, divided by the scale of `x`.
ir::ValueId plus_bias(QuantBuilder& b, ir::ValueId x, const std::vector<double>& unit);
/// Whether LibTorch's default engine uses oneDNN for the layer, and not fbgemm.
bool uses_onednn(const QuantBuilder& b);
/// A vector of one number per channel, along the channels of the result.
ir::ValueId along_channels(QuantBuilder& b, ir::ValueId vector);
/// Times a number, or one per channel of the result.
ir::ValueId times_channels(QuantBuilder& b, ir::ValueId x, const std::vector<double>& factors);
/// Refuses a layer that cannot be expressed; true if it did.
bool refuse_layer(QuantBuilder& b);

/// A tensor as centred integers, with their scale, a tensor of rank 0.
struct Quantised {
  ir::ValueId centred;
  ir::ValueId scale;
};
/// Quantises to 8-bit integers by the tensor's own minimum and maximum. `is_reduced`: to integers
/// from 0 to 127, so that sums of pairs of products fit into 16 bits.
Quantised quantised_by_range(QuantBuilder& b, ir::ValueId x, bool is_reduced);

}  // namespace t2n::quant
