// SPDX-License-Identifier: Apache-2.0
// The operator tests' models as Python text, for the tool that exports them by torch.export.
#pragma once

#include "tests/support/script.h"

namespace t2n::test {

/// Leaves the model's source and tensors in $T2NNEF_SCRIPT_CASES, as NAME.py and NAME.npz; does
/// nothing without, for a model that a test has left before, and for tensors that .npz files cannot
/// hold.
void leave_script(const Script& model, const std::vector<ir::Tensor>& inputs);

}  // namespace t2n::test
