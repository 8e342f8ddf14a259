// SPDX-License-Identifier: Apache-2.0
// Numbers as trees of operations that a graph can compute.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <memory>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace t2n::trace {

struct Formula;
using FormulaRef = std::shared_ptr<const Formula>;

/// A number over sizes and over values that were read from tensors: a DAG.
struct Formula {
  /// Python's types: float, int and bool; computed in f64, i64 and bool.
  enum class Type { floating, integer, boolean };
  Type type = Type::floating;
  /// "size", "number", "tensor", or the short name of a torch operation: "div", "sqrt".
  std::string op;
  ir::Dim size = {};        ///< of "size"
  c10::IValue number = {};  ///< of "number"; of "size" its value in this run
  at::Tensor tensor = {};   ///< of "tensor": a tensor of one element
  int64_t version = 0;      ///< of "tensor": the version of its memory when it was read
  std::vector<FormulaRef> operands = {};
  /// The tensor of the graph with its value, if all later operations may read it.
  mutable at::Tensor computed = {};
};

using FormulaType = Formula::Type;

FormulaType type_of_number(const c10::IValue& number);
/// The formula of a plain number of the program.
FormulaRef number_formula(const c10::IValue& number);
/// The formula of an integer over sizes. `type`: the type that it is used as.
FormulaRef size_formula(const ir::Dim& size, int64_t value, FormulaType type);
/// The formula of a number that was read from a tensor of one element.
FormulaRef read_formula(const at::Tensor& tensor, int64_t version, FormulaType type);
FormulaRef operation_formula(std::string op, FormulaType type, std::vector<FormulaRef> operands);

}  // namespace t2n::trace
