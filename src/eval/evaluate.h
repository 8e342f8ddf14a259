// Executes single IR nodes through torch's dispatcher (ir/evaluator.h).
#pragma once

#include "ir/evaluator.h"

namespace t2n::eval {

ir::Evaluator torch_evaluator();
/// With torch's own kernels for 16-bit floats, as its executor has them.
ir::Evaluator native_evaluator();

}  // namespace t2n::eval
