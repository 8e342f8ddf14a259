// The pass `fuse-quantised`: layers between quantised tensors as torch's quantised layers.
//
// dequantize -> linear, conv1d, conv2d or conv3d, of a weight that is dequantised from constant
// integers of 8 bits and a constant bias or none -> [relu] -> quantize_per_tensor becomes
// quantized::linear, quantized::conv2d.new and so on, with `_relu`, with the arguments that a trace
// of torch's quantised modules records. It is left alone where another operation, or an output of
// the graph, reads what lies between the layer and the quantised result; where activations are not
// integers without a sign, as torch's kernels want them; and where PassContext::is_native says that
// the target has no such operation.
//
// The integers of the result may differ by one step: sums of products of integers are exact, and
// rounded once, by the rules of LibTorch's quantised kernels (src/quant/layers.cpp); those of reals
// are rounded as they grow.
#pragma once

#include <optional>
#include <string>

#include "ir/graph.h"

namespace t2n::compress {

/// "quantized::conv2d_relu.new" for aten::conv2d; "" for what is no such layer.
std::string fused_name(const ir::Graph& graph, const ir::Node& layer, bool has_relu);

}  // namespace t2n::compress
