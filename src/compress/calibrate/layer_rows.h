// SPDX-License-Identifier: Apache-2.0
// The inputs of a layer as a matrix, whose rows are multiplied with the rows of the weight.
#pragma once

#include <string_view>
#include <vector>

#include "ir/evaluator.h"

namespace t2n::compress {

/// Calls a torch operation on known tensors: operand i is tensors[i].
ir::Tensor call(const ir::Evaluator& evaluate, std::string_view op, std::vector<ir::Argument> args,
                const std::vector<ir::Tensor>& tensors);

/// [rows, groups * K] for a linear layer, or for a convolution over one or two axes: one row for
/// each position of the result.
ir::Tensor input_rows(const ir::Node& node, const ir::Operand& operand,
                      const ir::Evaluator& evaluate);

}  // namespace t2n::compress
