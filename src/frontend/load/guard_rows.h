// SPDX-License-Identifier: Apache-2.0
// Rows of the table of guards, and the operands that a row checks.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/diag/error.h"

namespace t2n::trace {

/// The operands of a call, by the names of the schema.
class Operands {
 public:
  Operands(const c10::FunctionSchema& schema, const torch::jit::Stack& stack)
      : schema_(schema),
        first_(stack.size() >= schema.arguments().size() ? stack.size() - schema.arguments().size()
                                                         : stack.size()),
        stack_(stack) {}

  /// nullptr if the overload has no such operand, or it is None.
  const c10::IValue* find(std::string_view name) const {
    for (size_t i = 0; i < schema_.arguments().size() && first_ + i < stack_.size(); ++i)
      if (schema_.arguments()[i].name() == name)
        return stack_[first_ + i].isNone() ? nullptr : &stack_[first_ + i];
    return nullptr;
  }
  /// Undefined if there is no such operand.
  at::Tensor tensor(std::string_view name) const {
    const c10::IValue* value = find(name);
    return value != nullptr && value->isTensor() ? value->toTensor() : at::Tensor();
  }
  int64_t integer(std::string_view name, int64_t otherwise) const {
    const c10::IValue* value = find(name);
    return value != nullptr && value->isInt() ? value->toInt() : otherwise;
  }
  std::vector<int64_t> integers(std::string_view name) const {
    const c10::IValue* value = find(name);
    if (value == nullptr) return {};
    if (value->isIntList()) return value->toIntVector();
    if (value->isTensor() && value->toTensor().defined()) {
      const at::Tensor list = value->toTensor().reshape({-1}).to(at::kLong).contiguous();
      return {list.const_data_ptr<int64_t>(), list.const_data_ptr<int64_t>() + list.numel()};
    }
    return {};
  }
  const std::string* text(std::string_view name) const {
    const c10::IValue* value = find(name);
    return value != nullptr && value->isString() ? &value->toStringRef() : nullptr;
  }
  const std::string& name() const { return schema_.name(); }
  size_t size() const { return stack_.size() - first_; }
  const c10::IValue& operator[](size_t i) const { return stack_[first_ + i]; }
  const torch::jit::Stack& stack() const { return stack_; }

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error("unsafe-argument", cat("the operator ", quoted(schema_.name()), " is not executed"),
                why, "it would read or write memory that is not its own, or stop the program");
  }
  [[noreturn]] void limit(std::string_view what, long long max) const {
    throw Error("trace-limit", cat(schema_.name(), " makes ", what, " of more than ", max),
                "no model needs that");
  }
  void require(bool holds, const char* why) const {
    if (!holds) refuse(why);
  }

 private:
  const c10::FunctionSchema& schema_;
  size_t first_;
  const torch::jit::Stack& stack_;
};

struct GuardRow {
  std::string_view name;  ///< of one overload; without an overload name, of all
  void (*check)(const Operands&);
};
/// Division, strings, lists, and operations that create them.
std::span<const GuardRow> guards_of_values();
std::span<const GuardRow> guards_of_tensors();
std::span<const GuardRow> guards_of_packed();  ///< tables and matrices in LibTorch's packed formats

}  // namespace t2n::trace
