// SPDX-License-Identifier: Apache-2.0
#include "src/eval/evaluate.h"

#include <ATen/Functions.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <limits>

#include "src/compress/round/q4_0.h"
#include "src/diag/error.h"
#include "src/diag/printable.h"
#include "src/eval/sequences.h"
#include "src/eval/transforms.h"
#include "src/frontend/load/call.h"
#include "src/frontend/load/convert.h"
#include "src/frontend/load/torch_error.h"
#include "src/frontend/run/half.h"

namespace t2n::eval {
namespace {

/// The operator "aten::add.Tensor"; without an overload name, there is no '.' at the end.
std::shared_ptr<torch::jit::Operator> find_operator(std::string_view name) {
  const size_t namespace_end = name.find("::");
  const size_t dot = name.find('.', namespace_end == std::string_view::npos ? 0 : namespace_end);
  const std::string base(name.substr(0, dot));
  const std::string overload(dot == std::string_view::npos ? "" : name.substr(dot + 1));
  return torch::jit::findOperatorFor(c10::OperatorName(base, overload));
}

c10::IValue to_ivalue(const ir::Attr& attr, const c10::Argument& argument,
                      const ir::Operand& operand) {
  struct Visitor {
    const c10::Argument& argument;
    const ir::Operand& operand;
    /// Operands may be mapped read-only: an operator that writes gets a copy.
    c10::IValue tensor(ir::ValueId id) const {
      if (id == ir::kNoValue) return {};
      const at::Tensor shared = trace::to_torch(operand(id));
      const bool is_written = argument.alias_info() != nullptr && argument.alias_info()->isWrite();
      return is_written ? shared.clone() : shared;
    }
    c10::IValue operator()(ir::None) const { return {}; }
    c10::IValue operator()(const ir::TensorRef& ref) const { return tensor(ref.id); }
    c10::IValue operator()(const ir::TensorRefs& refs) const {
      bool absent = false;
      for (const ir::ValueId id : refs.ids) absent = absent || id == ir::kNoValue;
      c10::TypePtr type = c10::TensorType::get();
      const auto list_type = argument.type()->cast<c10::ListType>();
      if (absent ||
          (list_type && list_type->getElementType()->kind() == c10::TypeKind::OptionalType))
        type = c10::OptionalType::create(type);
      c10::impl::GenericList list(type);
      for (const ir::ValueId id : refs.ids) list.push_back(tensor(id));
      return list;
    }
    c10::IValue operator()(const ir::Dim& dim) const { return dim.value(); }
    c10::IValue operator()(double value) const { return value; }
    c10::IValue operator()(bool value) const { return value; }
    c10::IValue operator()(const std::complex<double>& value) const {
      return c10::complex<double>(value);
    }
    c10::IValue operator()(const std::string& text) const {
      c10::TypePtr type = argument.type();
      if (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
      if (type->kind() == c10::TypeKind::DeviceObjType) return at::Device(at::kCPU);
      if (type->kind() == c10::TypeKind::GeneratorType) return {};
      return text;
    }
    c10::IValue operator()(ir::DType dtype) const {
      return static_cast<int64_t>(trace::to_torch(dtype));
    }
    c10::IValue operator()(const std::vector<ir::Dim>& dims) const {
      return ir::static_shape(dims);
    }
    c10::IValue operator()(const std::vector<double>& values) const { return values; }
    c10::IValue operator()(const std::vector<bool>& values) const {
      c10::List<bool> list;
      for (const bool value : values) list.push_back(value);
      return list;
    }
    c10::IValue operator()(const std::vector<std::string>& values) const { return values; }
  };
  return std::visit(Visitor{argument, operand}, attr);
}

std::vector<ir::Tensor> share_all(const std::vector<at::Tensor>& tensors) {
  std::vector<ir::Tensor> out;
  for (const at::Tensor& tensor : tensors) out.push_back(trace::share(tensor));
  return out;
}

/// `t2n::cast(self, dtype)` is torch's `.to`.
std::vector<ir::Tensor> cast(const ir::Node& node, const ir::Operand& operand) {
  const auto& self = std::get<ir::TensorRef>(*node.find("self"));
  const auto dtype = std::get<ir::DType>(*node.find("dtype"));
  return {trace::share(trace::to_torch(operand(self.id)).to(trace::to_torch(dtype)))};
}

/// `t2n::apply_rope(self, cos, sin)`: self * cos + cat([-second half, first half]) * sin.
std::vector<ir::Tensor> apply_rope(const ir::Node& node, const ir::Operand& operand) {
  const auto tensor = [&](std::string_view name) {
    return trace::to_torch(operand(std::get<ir::TensorRef>(*node.find(name)).id));
  };
  const at::Tensor x = tensor("self");
  const std::vector<at::Tensor> halves = x.chunk(2, -1);
  const at::Tensor turned = at::cat({halves.at(1).neg(), halves.at(0)}, -1);
  return {trace::share(x.mul(tensor("cos")).add(turned.mul(tensor("sin"))))};
}

/// `t2n::dequantise_q4_0(self, shape, dtype)`: the weight that the blocks represent.
std::vector<ir::Tensor> dequantise_q4_0(const ir::Node& node, const ir::Operand& operand) {
  const auto& self = std::get<ir::TensorRef>(*node.find("self"));
  const auto& shape = std::get<std::vector<ir::Dim>>(*node.find("shape"));
  return {compress::decode_q4_0(operand(self.id), ir::static_shape(shape),
                                std::get<ir::DType>(*node.find("dtype")))};
}

/// `t2n::integer_linear(input, weight)`: 32-bit sums.
std::vector<ir::Tensor> integer_linear(const ir::Node& node, const ir::Operand& operand) {
  const auto wide = [&](std::string_view name) {
    return trace::to_torch(operand(std::get<ir::TensorRef>(*node.find(name)).id)).to(at::kInt);
  };
  return {trace::share(at::matmul(wide("input"), wide("weight").t()))};
}

/// The maximum or minimum of an empty tensor, which torch rejects. A graph without the model's
/// branch around it may compute such a value without using it.
std::optional<at::Tensor> bound_of_empty(const torch::jit::Operator& op,
                                         const torch::jit::Stack& inputs) {
  const bool is_largest = op.schema().name() == "aten::max";
  if ((!is_largest && op.schema().name() != "aten::min") || inputs.size() != 1) return {};
  const at::Tensor& self = inputs[0].toTensor();
  if (self.numel() > 0 || self.is_complex() || self.scalar_type() == at::kBool) return {};
  const at::Tensor bound = at::empty({}, self.options());
  if (self.is_floating_point())
    return bound.fill_((is_largest ? -1 : 1) * std::numeric_limits<double>::infinity());
  return bound.fill_(is_largest ? at::Scalar(0) : at::Scalar(1));
}

/// Numbers of the model's source are rank-0 tensors of the widest dtype in the graph. torch does
/// not promote other operands to that dtype. The node's compute dtype shows that they were numbers.
void mark_numbers(const ir::Node& node, torch::jit::Stack& stack) {
  if (!node.compute_dtype) return;
  const at::ScalarType compute_dtype = trace::to_torch(*node.compute_dtype);
  for (const c10::IValue& value : stack) {
    if (!value.isTensor() || !value.toTensor().defined()) continue;
    const at::Tensor& tensor = value.toTensor();
    const at::ScalarType dtype = tensor.scalar_type();
    const bool is_widest =
        dtype == at::kDouble || dtype == at::kLong || dtype == at::kComplexDouble;
    if (tensor.dim() == 0 && is_widest && dtype != compute_dtype)
      tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
  }
}

std::vector<ir::Tensor> evaluate(const ir::Node& node, const ir::Operand& operand) {
  const c10::InferenceMode guard;
  if (ir::op_name(node.op) == "t2n::cast") return cast(node, operand);
  if (ir::op_name(node.op) == "t2n::observe")
    return {operand(std::get<ir::TensorRef>(*node.find("self")).id)};
  if (is_transform(node)) return transform(node, operand);
  if (is_sequence_op(node)) return run_sequences(node, operand);
  if (ir::op_name(node.op) == "t2n::apply_rope") return apply_rope(node, operand);
  if (ir::op_name(node.op) == compress::kDequantise) return dequantise_q4_0(node, operand);
  if (ir::op_name(node.op) == "t2n::integer_linear") return integer_linear(node, operand);
  const auto op = find_operator(ir::op_name(node.op));
  if (!op)
    throw Error("unsupported-op", cat("torch has no operator ", quoted(ir::op_name(node.op))));
  torch::jit::Stack stack;
  for (const c10::Argument& argument : op->schema().arguments()) {
    const ir::Attr* attr = node.find(argument.name());
    T2N_ASSERT(attr != nullptr, ir::op_name(node.op), " has no argument '", argument.name(), "'");
    stack.push_back(to_ivalue(*attr, argument, operand));
  }
  mark_numbers(node, stack);
  // The graph has no strides: the operand of a view may have another layout than in the trace.
  if (const auto bound = bound_of_empty(*op, stack)) return {trace::share(*bound)};
  if (op->schema().name() == "aten::view") stack[0] = stack[0].toTensor().contiguous();
  try {
    trace::run_with_halves(*op, trace::make_run(op->getOperation()), stack);
  } catch (const std::exception&) {
    throw Error("forward-failed",
                cat(ir::op_name(node.op), " failed: ", first_line(trace::current_torch_message())));
  }
  std::vector<at::Tensor> results;
  for (const c10::IValue& value : stack)
    for (at::Tensor& tensor : trace::flatten_tensors(value)) results.push_back(std::move(tensor));
  T2N_ASSERT(results.size() == node.outputs.size(), ir::op_name(node.op), " gave ", results.size(),
             " tensors, the graph has ", node.outputs.size());
  return share_all(results);
}

}  // namespace

ir::Evaluator torch_evaluator() { return evaluate; }

ir::Evaluator native_evaluator() {
  return [](const ir::Node& node, const ir::Operand& operand) {
    const trace::NativeHalves scope;
    return evaluate(node, operand);
  };
}

}  // namespace t2n::eval
