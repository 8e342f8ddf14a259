// SPDX-License-Identifier: Apache-2.0
// The pass `fuse-quantised` replaces layers between quantised tensors by torch's quantised layers.
//
// It fuses dequantize -> linear, conv1d, conv2d or conv3d -> [relu] -> quantize_per_tensor, where
// the weight is dequantised from constant 8-bit integers and the bias is constant or absent. The
// result is quantized::linear, quantized::conv2d.new and so on, with `_relu`, with the arguments
// that a trace of torch's quantised modules has. It does not fuse if another operation, or a graph
// output, reads a value between the layer and the quantised result; if activations are not unsigned
// integers, which torch's kernels require; or if PassContext::native says that the target has no
// such operation.
//
// The integers of the result may differ by one: integer sums are exact and rounded once, as in
// LibTorch's quantised kernels (src/quant/layers.cpp), while float sums are rounded at each
// addition.
#pragma once

#include <optional>
#include <string>

#include "ir/graph.h"

namespace t2n::compress {

/// "quantized::conv2d_relu.new" for aten::conv2d; "" for other operations.
std::string fused_name(const ir::Graph& graph, const ir::Node& layer, bool has_relu);

}  // namespace t2n::compress
