// SPDX-License-Identifier: Apache-2.0
#include "src/frontend/load/enum_operands.h"

#include <ATen/core/jit_type.h>

#include "src/diag/error.h"

namespace t2n::trace {
namespace {

using EnumOperand = EnumOperands::EnumOperand;

EnumOperand enum_operand_of(const c10::Argument& argument) {
  c10::TypePtr type = argument.real_type();
  if (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
  switch (type->kind()) {
    case c10::TypeKind::ScalarTypeType: return EnumOperand::dtype;
    case c10::TypeKind::LayoutType: return EnumOperand::layout;
    case c10::TypeKind::MemoryFormatType: return EnumOperand::memory_format;
    default: break;
  }
  // Operators of the interpreter itself take them as integers.
  if (type->kind() == c10::TypeKind::IntType && argument.name() == "dtype")
    return EnumOperand::dtype;
  return EnumOperand::none;
}

/// Whether the type has kernels. Quantised types count only where quantised tensors are made.
bool is_dtype(int64_t number, bool quantised) {
  using T = c10::ScalarType;
  const auto is = [&](T first, T last) {
    return number >= static_cast<int64_t>(first) && number <= static_cast<int64_t>(last);
  };
  return is(T::Byte, T::Bool) || is(T::BFloat16, T::BFloat16) || is(T::Float8_e5m2, T::UInt64) ||
         (quantised && is(T::QInt8, T::QUInt4x2));
}

bool is_known(EnumOperand operand, int64_t number, bool quantised, bool sparse) {
  switch (operand) {
    case EnumOperand::none: return true;
    case EnumOperand::dtype: return is_dtype(number, quantised);
    case EnumOperand::layout:
      return number == static_cast<int64_t>(sparse ? c10::Layout::Sparse : c10::Layout::Strided);
    case EnumOperand::memory_format:
      return number >= 0 && number <= static_cast<int64_t>(c10::MemoryFormat::ChannelsLast3d);
  }
  return false;
}

/// True for a traced `to` that names the dtype of its operand.
bool is_own_type(const std::string& op, const torch::jit::Stack& stack, size_t arguments,
                 int64_t number) {
  if (op != "aten::to" || arguments > stack.size()) return false;
  const c10::IValue& self = stack[stack.size() - arguments];
  return self.isTensor() && self.toTensor().defined() && self.toTensor().is_quantized() &&
         static_cast<int64_t>(self.toTensor().scalar_type()) == number;
}

/// True for a traced `to` that names the sparse layout of its operand.
bool keeps_sparse(const std::string& op, const torch::jit::Stack& stack, size_t arguments) {
  if (op != "aten::to" || arguments > stack.size()) return false;
  const c10::IValue& self = stack[stack.size() - arguments];
  return self.isTensor() && self.toTensor().defined() && self.toTensor().is_sparse();
}

}  // namespace

EnumOperands::EnumOperands(const c10::FunctionSchema& schema)
    : name_(schema.name()), arguments_(schema.arguments().size()) {
  const auto& arguments = schema.arguments();
  for (size_t i = 0; i < arguments.size(); ++i)
    if (const EnumOperand operand = enum_operand_of(arguments[i]); operand != EnumOperand::none)
      operands_.emplace_back(arguments.size() - i, operand);
}

void EnumOperands::check(const torch::jit::Stack& stack) const {
  const bool makes_quantised = name_.find("quantize") != std::string::npos;
  const bool makes_sparse =
      name_ == "aten::sparse_coo_tensor" || keeps_sparse(name_, stack, arguments_);
  for (const auto& [from_end, operand] : operands_) {
    if (from_end > stack.size()) continue;
    const c10::IValue& value = stack[stack.size() - from_end];
    if (!value.isInt() || is_known(operand, value.toInt(), makes_quantised, makes_sparse)) continue;
    if (operand == EnumOperand::dtype && is_own_type(name_, stack, arguments_, value.toInt()))
      continue;
    throw Error("unsafe-argument", cat("the operator ", quoted(name_), " is not executed"),
                cat(value.toInt(), " is no ",
                    operand == EnumOperand::dtype    ? "type of elements"
                    : operand == EnumOperand::layout ? "layout of dense tensors"
                                                     : "order of axes in memory",
                    " that is known"),
                "it would read or write memory that is not its own, or stop the program");
  }
}

}  // namespace t2n::trace
