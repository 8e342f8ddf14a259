// SPDX-License-Identifier: Apache-2.0
// Determines the symbols of a model from the sizes of its inputs.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "src/interp/checked.h"
#include "src/interp/interp.h"
#include "src/spec/input_sizes.h"

namespace t2n::interp {

/// A size of the form `a*S + b` determines the unknown symbol S, as in tract. Errors:
/// `engine-failed` for sizes that do not fit the shapes.
ir::Sizes bind_symbols(const std::vector<ProgramPort>& ports, const Tensors& inputs);

}  // namespace t2n::interp
