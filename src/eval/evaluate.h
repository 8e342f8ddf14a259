// Executes single IR nodes through torch's dispatcher (ir/evaluator.h).
#pragma once

#include "ir/evaluator.h"

namespace t2n::eval {

ir::Evaluator torch_evaluator();

}  // namespace t2n::eval
