// SPDX-License-Identifier: Apache-2.0
// Random calls of an operator, drawn from its signature with RapidCheck.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "ir/schema.h"
#include "ir/tensor.h"

namespace t2n::test {

struct DrawnCall {
  std::string parameters;  ///< ", a0, a1"
  std::string expression;  ///< "torch.sum(a0, dim=[1])"
  std::vector<ir::Tensor> inputs;
};

/// "torch.sum(a0, dim=[1]) f32[2,3]"
void showValue(const DrawnCall& call, std::ostream& out);

/// A call that torch may well refuse: shapes, dtypes and arguments fit each other often, not
/// always. For use within rc::check.
DrawnCall draw_call(const std::string& op, const ir::Schema& schema);

}  // namespace t2n::test
