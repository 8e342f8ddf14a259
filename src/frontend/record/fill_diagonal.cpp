// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/record/fill_diagonal.h"

#include <algorithm>
#include <utility>

#include "src/diag/error.h"
#include "src/frontend/load/convert.h"

namespace t2n::trace {

ir::ValueId diagonal_filled(const Emit& emit, const OpCall& call) {
  const at::Tensor& self = call.inputs[0].toTensor();
  if (call.inputs[2].toBool() && self.dim() == 2 && self.size(0) > self.size(1))
    throw Error("unsupported-inplace",
                "fill_diagonal_ with wrap=True of a matrix with more rows than columns",
                "the diagonal of a tall matrix begins again below",
                "leave wrap out, or use torch.where");
  const ir::DType dtype = require_dtype(self.scalar_type());
  const Location location{call.node.scope, call.node.source};
  const auto emitted = [&](std::string_view op, std::vector<ir::Argument> args,
                           const ir::Ints& shape) {
    return emit(op, std::move(args), dtype, shape, location);
  };
  struct Step {
    ir::ValueId base;
    ir::Ints shape;
  };
  const auto axes = [](const Step& step, std::vector<ir::Argument> args) {
    args.push_back({"offset", ir::Dim(0)});
    args.push_back({"dim1", ir::Dim(0)});
    args.push_back({"dim2", ir::Dim(static_cast<int64_t>(step.shape.size()) - 1)});
    return args;
  };
  std::vector<Step> steps = {{ir::operand(call.node, "self"), self.sizes().vec()}};
  while (steps.back().shape.size() > 1) {
    const Step& step = steps.back();
    ir::Ints inner(step.shape.begin() + 1, step.shape.end());
    inner.back() = std::min(step.shape.front(), step.shape.back());
    const ir::ValueId taken =
        emitted("aten::diagonal", axes(step, {{"self", ir::TensorRef{step.base}}}), inner);
    steps.push_back({taken, inner});
  }
  ir::ValueId out = emitted(
      "aten::fill.Scalar",
      {{"self", ir::TensorRef{steps.back().base}}, {"value", *call.node.find("fill_value")}},
      steps.back().shape);
  for (auto step = steps.rbegin() + 1; step != steps.rend(); ++step)
    out = emitted("aten::diagonal_scatter",
                  axes(*step, {{"self", ir::TensorRef{step->base}}, {"src", ir::TensorRef{out}}}),
                  step->shape);
  return out;
}

}  // namespace t2n::trace
