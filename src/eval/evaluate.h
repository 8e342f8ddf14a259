// SPDX-License-Identifier: Apache-2.0
// Executes single IR nodes through torch's dispatcher (ir/evaluator.h).
#pragma once

#include "ir/evaluator.h"

namespace t2n::eval {

ir::Evaluator torch_evaluator();
/// The same with torch's own kernels for 16-bit floats, as its executor uses them.
ir::Evaluator native_evaluator();

}  // namespace t2n::eval
