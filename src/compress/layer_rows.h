// The inputs of a layer as rows that its weight's rows are multiplied with.
#pragma once

#include <string_view>
#include <vector>

#include "ir/evaluator.h"

namespace t2n::compress {

/// One operation of torch's on tensors that are at hand: operand i is tensors[i].
ir::Tensor call(const ir::Evaluator& evaluate, std::string_view op, std::vector<ir::Argument> args,
                const std::vector<ir::Tensor>& tensors);

/// [rows, groups * K] of a linear layer, or a convolution over one or two axes: a row for each
/// place of the result.
ir::Tensor input_rows(const ir::Node& node, const ir::Operand& operand,
                      const ir::Evaluator& evaluate);

}  // namespace t2n::compress
