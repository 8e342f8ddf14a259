// SPDX-License-Identifier: Apache-2.0
#include "src/eval/wide.h"

#include <ATen/Functions.h>
#include <c10/core/DefaultDtype.h>

#include "ir/op_traits.h"
#include "src/diag/error.h"
#include "src/eval/evaluate.h"
#include "src/frontend/load/convert.h"

namespace t2n::eval {
namespace {

/// During the lifetime of an object, quotients of integers are f64.
class DoubleByDefault {
 public:
  DoubleByDefault() : before_(c10::get_default_dtype()) {
    c10::set_default_dtype(c10::scalarTypeToTypeMeta(at::kDouble));
  }
  ~DoubleByDefault() { c10::set_default_dtype(before_); }
  DoubleByDefault(const DoubleByDefault&) = delete;
  DoubleByDefault& operator=(const DoubleByDefault&) = delete;

 private:
  caffe2::TypeMeta before_;
};

ir::DType wide(ir::DType dtype) {
  if (ir::is_float(dtype)) return ir::DType::f64;
  return ir::is_complex(dtype) ? ir::DType::c128 : dtype;
}

ir::Tensor widened(const ir::Tensor& tensor) {
  const ir::DType dtype = wide(tensor.dtype);
  if (dtype == tensor.dtype) return tensor;
  return trace::share(trace::to_torch(tensor).to(trace::to_torch(dtype)));
}

std::vector<ir::Tensor> evaluate_wide(const ir::Node& node, const ir::Operand& operand) {
  if (has_trait(ir::op_name(node.op), ir::OpTrait::reads_bits))
    throw Error("unsupported-op", cat(ir::op_name(node.op), " has no meaning in f64"));
  const DoubleByDefault scope;
  ir::Node wide_node = node;
  for (ir::Argument& argument : wide_node.args)
    if (auto* dtype = std::get_if<ir::DType>(&argument.value)) *dtype = wide(*dtype);
  std::vector<ir::Tensor> out =
      torch_evaluator()(wide_node, [&](ir::ValueId id) { return widened(operand(id)); });
  for (ir::Tensor& tensor : out) tensor = widened(tensor);
  return out;
}

}  // namespace

ir::Evaluator wide_evaluator() { return evaluate_wide; }

}  // namespace t2n::eval
